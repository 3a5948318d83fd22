"""Goofspiel: bids for prizes, the largest prize first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

#: The bids of both roles so far.
State = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Goofspiel:
    """The game with a number of cards."""

    cards: int
    roles: tuple[str, ...] = ("left", "right")

    def initial(self) -> State:
        return ()

    def hand(self, state: State, player: int) -> list[int]:
        return [card for card in range(1, self.cards + 1) if card not in (bids[player] for bids in state)]

    def points(self, state: State, player: int) -> int:
        prizes = range(self.cards, 0, -1)
        return sum(prize for prize, bids in zip(prizes, state, strict=False) if bids[player] > bids[1 - player])

    def facts(self, state: State) -> frozenset[str]:
        found = {f"(prize {self.cards - len(state)})"}
        for player, role in enumerate(self.roles):
            found |= {f"(hand {role} {card})" for card in self.hand(state, player)}
            found |= {f"(points {role} {self.points(state, player)})"}
        return frozenset(found)

    def legal(self, state: State, role: str) -> list[str]:
        return [f"(bid {card})" for card in self.hand(state, self.roles.index(role))]

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        one, two = (int(words(move)[1]) for move in joint)
        return (*state, (one, two))

    def terminal(self, state: State) -> bool:
        return len(state) == self.cards

    def goals(self, state: State) -> dict[str, int]:
        one, two = (self.points(state, player) for player in range(2))
        goal = 50 if one == two else 100 if one > two else 0
        return {"left": goal, "right": 100 - goal}


MODELS: Final[dict[str, GameModel]] = {"hidden/goofspiel_4": Goofspiel(4)}
