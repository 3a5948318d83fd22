"""Towers: whole towers of discs are put on neighbouring ones, up to four discs tall; who cannot move loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

#: Towers by cell, as one letter a disc, the lowest first; and the role to move.
State = tuple[tuple[str, ...], int]

SIZE: Final = 4
TALLEST: Final = 4
ROLES: Final = ("white", "black")


def number(x: int, y: int) -> int:
    return (x - 1) * SIZE + y - 1


def neighbours(x: int, y: int) -> list[tuple[int, int]]:
    near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return [(a, b) for a, b in near if 1 <= a <= SIZE and 1 <= b <= SIZE]


@dataclass(frozen=True, slots=True)
class Towers:
    """The towers with all of their discs, of which the rules only speak of the number and of the one on top."""

    roles: tuple[str, ...] = ROLES

    def initial(self) -> State:
        return tuple("wb"[(x + y) % 2] for x in range(SIZE) for y in range(SIZE)), 0

    def facts(self, state: State) -> frozenset[str]:
        towers, turn = state
        facts = {f"(control {ROLES[turn]})"}
        for i, tower in enumerate(towers):
            top = {"w": "white", "b": "black", "": "empty"}[tower[-1:]]
            facts.add(f"(cell {i // SIZE + 1} {i % SIZE + 1} {top} {len(tower)})")
        return frozenset(facts)

    def moves(self, state: State) -> list[str]:
        towers, turn = state
        return sorted(
            f"(stack {x} {y} {a} {b})"
            for x in range(1, SIZE + 1)
            for y in range(1, SIZE + 1)
            for a, b in neighbours(x, y)
            if towers[number(x, y)][-1:] == ROLES[turn][0] and towers[number(a, b)]
            if len(towers[number(x, y)] + towers[number(a, b)]) <= TALLEST
        )

    def legal(self, state: State, role: str) -> list[str]:
        return self.moves(state) if role == ROLES[state[1]] else ["noop"]

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        towers, turn = list(state[0]), state[1]
        x, y, a, b = map(int, words(joint[turn])[1:])
        towers[number(a, b)] += towers[number(x, y)]
        towers[number(x, y)] = ""
        return tuple(towers), 1 - turn

    def terminal(self, state: State) -> bool:
        return not self.moves(state)

    def goals(self, state: State) -> dict[str, int]:
        over, loser = self.terminal(state), ROLES[state[1]]
        return {role: 50 if not over else 0 if role == loser else 100 for role in ROLES}


MODELS: Final[dict[str, GameModel]] = {"gallery/towers": Towers()}
