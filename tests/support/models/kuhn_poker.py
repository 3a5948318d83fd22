"""Kuhn poker: one card each of three, one bet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Final

from . import GameModel, words

CARDS: Final = ("jack", "queen", "king")
#: After the deal, the betting so far: who is to move, and with which moves.
BETTING: Final = {
    (): ("alice", ("bet", "check")),
    ("check",): ("bob", ("bet", "check")),
    ("bet",): ("bob", ("call", "fold")),
    ("check", "bet"): ("alice", ("call", "fold")),
}
PHASES: Final = {
    (): "open",
    ("check",): "checked",
    ("bet",): "bet",
    ("check", "bet"): "reply",
    ("check", "check"): "showdown",
    ("bet", "call"): "called",
    ("check", "bet", "call"): "called",
    ("bet", "fold"): "bob_folds",
    ("check", "bet", "fold"): "alice_folds",
}

#: The two cards, alice's first, if they are dealt; and the betting.
State = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class KuhnPoker:
    """The game."""

    roles: tuple[str, ...] = ("alice", "bob", "random")

    def initial(self) -> State:
        return (), ()

    def facts(self, state: State) -> frozenset[str]:
        cards, betting = state
        if not cards:
            return frozenset({"(phase deal)"})
        return frozenset({f"(hand alice {cards[0]})", f"(hand bob {cards[1]})", f"(phase {PHASES[betting]})"})

    def legal(self, state: State, role: str) -> list[str]:
        cards, betting = state
        if not cards:
            return sorted(f"(deal {a} {b})" for a, b in permutations(CARDS, 2)) if role == "random" else ["noop"]
        mover, moves = BETTING[betting]
        return list(moves) if role == mover else ["noop"]

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        cards, betting = state
        if not cards:
            return tuple(words(joint[2])[1:]), ()
        mover, _ = BETTING[betting]
        return cards, (*betting, joint[self.roles.index(mover)])

    def terminal(self, state: State) -> bool:
        return bool(state[0]) and state[1] not in BETTING

    def goals(self, state: State) -> dict[str, int]:
        cards, betting = state
        won = 0
        if self.terminal(state):
            if betting[-1] == "fold":
                won = 1 if len(betting) == 2 else -1
            else:
                won = 2 if betting[-1] == "call" else 1
                won *= 1 if CARDS.index(cards[0]) > CARDS.index(cards[1]) else -1
        return {"alice": 50 + 25 * won, "bob": 50 - 25 * won, "random": 0}


MODELS: Final[dict[str, GameModel]] = {"hidden/kuhn_poker": KuhnPoker()}
