"""Leduc poker: six cards, two rounds of bets, one card on the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from . import GameModel, words

CARDS: Final = ("jack1", "jack2", "king1", "king2", "queen1", "queen2")
STRENGTH: Final = {"jack": 1, "queen": 2, "king": 3}


def strength(card: str) -> int:
    return STRENGTH[card[:-1]]


@dataclass(frozen=True, slots=True)
class State:
    """The cards, and the bets of the two rounds."""

    hands: tuple[str, ...] = ()
    board: str = ""
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()

    @property
    def bets(self) -> tuple[str, ...]:
        return self.second if self.board else self.first

    @property
    def folded(self) -> bool:
        return self.bets[-1:] == ("fold",)

    @property
    def closed(self) -> bool:
        """True if the bets of the round are made."""
        return self.bets[-1:] == ("call",) or self.bets[-2:] == ("check", "check")

    @property
    def phase(self) -> str:
        if not self.hands:
            return "deal"
        if self.folded:
            return "fold"
        if self.closed:
            return "showdown" if self.board else "board"
        return "bet"

    def paid(self) -> list[int]:
        chips = [1, 1]
        for bets, size in ((self.first, 2), (self.second, 4)):
            for place, bet in enumerate(bets):
                if bet in ("call", "raise"):
                    chips[place % 2] = chips[1 - place % 2] + (size if bet == "raise" else 0)
        return chips

    def turn(self) -> int:
        """The player that is to move, or moved last if the round is over."""
        return (len(self.bets) - (self.folded or self.closed)) % 2


@dataclass(frozen=True, slots=True)
class LeducPoker:
    """The game."""

    roles: tuple[str, ...] = ("alice", "bob", "random")

    def initial(self) -> State:
        return State()

    def facts(self, state: State) -> frozenset[str]:
        found = {f"(phase {state.phase})", f"(round {2 if state.board else 1})", f"(turn {self.roles[state.turn()]})"}
        found |= {f"(raises {state.bets.count('raise')})"}
        found |= {f"(paid {role} {chips})" for role, chips in zip(self.roles, state.paid(), strict=False)}
        found |= {f"(hand {role} {card})" for role, card in zip(self.roles, state.hands, strict=False)}
        found |= {f"(board {state.board})"} if state.board else set()
        found |= {"passed"} if state.bets[:1] == ("check",) else set()
        return frozenset(found)

    def legal(self, state: State, role: str) -> list[str]:
        if role == "random":
            if state.phase == "deal":
                return [f"(deal {one} {two})" for one, two in permutations(CARDS, 2)]
            return (
                [f"(lay {card})" for card in CARDS if card not in state.hands] if state.phase == "board" else ["noop"]
            )
        if state.phase != "bet" or self.roles[state.turn()] != role:
            return ["noop"]
        one, two = state.paid()
        moves = ["check"] if one == two else ["call", "fold"]
        return sorted([*moves, "raise"] if state.bets.count("raise") < 2 else moves)

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        if state.phase == "deal":
            return replace(state, hands=tuple(words(joint[2])[1:]))
        if state.phase == "board":
            return replace(state, board=words(joint[2])[1])
        bets = (*state.bets, joint[state.turn()])
        return replace(state, second=bets) if state.board else replace(state, first=bets)

    def terminal(self, state: State) -> bool:
        return state.phase in ("fold", "showdown")

    def goals(self, state: State) -> dict[str, int]:
        won = 0
        if state.phase == "fold":
            loser = state.turn()
            won = state.paid()[loser] * (-1 if loser == 0 else 1)
        elif state.phase == "showdown":
            ranks = [10 if strength(card) == strength(state.board) else strength(card) for card in state.hands]
            won = state.paid()[0] * ((ranks[0] > ranks[1]) - (ranks[0] < ranks[1]))
        return {"alice": 50 + 3 * won, "bob": 50 - 3 * won, "random": 0}


MODELS: Final[dict[str, GameModel]] = {"hidden/leduc_poker": LeducPoker()}
