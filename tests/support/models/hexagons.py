"""Two games on a hexagon of 37 cells: crossing connects its sides, in honeycomb bees eat it up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from . import GameModel, words

Cube = tuple[int, int, int]  # cube coordinates, whose sum is 0; the centre is (0, 0, 0)

SIDE: Final = 4
DIRECTIONS: Final[tuple[Cube, ...]] = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))


def name(cell: Cube) -> str:
    """The cell's row, a letter from the top, and its number in that row from the left."""
    x, _, z = cell
    first = max(-SIDE + 1, -SIDE + 1 - z)
    return f"{'abcdefg'[z + SIDE - 1]}{x - first + 1}"


CELLS: Final[dict[str, Cube]] = {
    name((x, -x - z, z)): (x, -x - z, z)
    for x in range(-SIDE + 1, SIDE)
    for z in range(-SIDE + 1, SIDE)
    if abs(x + z) < SIDE
}


def moved(cell: Cube, direction: Cube) -> str:
    """The name of the next cell in a direction; empty if there is none."""
    x, y, z = (a + b for a, b in zip(cell, direction, strict=True))
    return name((x, y, z)) if max(abs(x), abs(y), abs(z)) < SIDE else ""


def other(role: str, roles: tuple[str, ...]) -> str:
    return roles[1 - roles.index(role)]


def sides(cell: Cube) -> set[int]:
    """The sides that a cell lies on, numbered 0 to 5 around the board, so that S and S + 3 are opposite."""
    x, y, z = cell
    edge = SIDE - 1
    return {number for number, value in enumerate((-z, x, -y, z, -x, y)) if value == edge}


Stones = frozenset[tuple[str, str]]


def chains(stones: Stones, role: str) -> list[set[str]]:
    """The chains of neighbouring stones of a role."""
    left = {cell for cell, owner in stones if owner == role}
    found = []
    while left:
        edge = [left.pop()]
        chain = set(edge)
        while edge:
            cell = edge.pop()
            near = {moved(CELLS[cell], direction) for direction in DIRECTIONS} & left
            left -= near
            chain |= near
            edge += near
        found.append(chain)
    return found


def crosses(chain: set[str]) -> bool:
    touched = set().union(*(sides(CELLS[cell]) for cell in chain))
    opposite = any(b - a == 3 for a, b in combinations(sorted(touched), 2))
    return opposite or touched >= {0, 2, 4} or touched >= {1, 3, 5}


@dataclass(frozen=True, slots=True)
class Crossing:
    """Stones on the board, and the number of plies so far."""

    roles: tuple[str, ...] = ("red", "blue")

    def initial(self) -> tuple[Stones, int]:
        return frozenset(), 0

    def facts(self, state: tuple[Stones, int]) -> frozenset[str]:
        stones, ply = state
        opening = {f"(opening {('first', 'second')[ply]})"} if ply < 2 else set()
        return frozenset({f"(stone {c} {r})" for c, r in stones} | {f"(control {self.roles[ply % 2]})"} | opening)

    def legal(self, state: tuple[Stones, int], role: str) -> list[str]:
        stones, ply = state
        if role != self.roles[ply % 2]:
            return ["noop"]
        free = CELLS.keys() - {cell for cell, _ in stones}
        return sorted(f"(place {cell})" for cell in free) + ["swap"] * (ply == 1)

    def next(self, state: tuple[Stones, int], joint: tuple[str, ...]) -> tuple[Stones, int]:
        stones, ply = state
        role = self.roles[ply % 2]
        move = joint[ply % 2]
        if move == "swap":
            return frozenset((cell, role) for cell, _ in stones), ply + 1
        return stones | {(words(move)[1], role)}, ply + 1

    def winner(self, state: tuple[Stones, int]) -> str:
        winners = [role for role in self.roles if any(map(crosses, chains(state[0], role)))]
        return winners[0] if winners else ""

    def terminal(self, state: tuple[Stones, int]) -> bool:
        return bool(self.winner(state))

    def goals(self, state: tuple[Stones, int]) -> dict[str, int]:
        winner = self.winner(state)
        return {role: 50 if not winner else 100 if role == winner else 0 for role in self.roles}


@dataclass(frozen=True, slots=True)
class Honeycomb:
    """What every cell contains, and whose turn it is."""

    roles: tuple[str, ...] = ("black", "orange")

    def initial(self) -> tuple[frozenset[tuple[str, str]], str]:
        bees = {"a1": "black", "g4": "black", "a4": "orange", "g1": "orange"}
        return frozenset((cell, bees.get(cell, "honey")) for cell in CELLS), "black"

    def facts(self, state: tuple[frozenset[tuple[str, str]], str]) -> frozenset[str]:
        return frozenset({f"(cell {cell} {content})" for cell, content in state[0]} | {f"(control {state[1]})"})

    def flights(self, state: tuple[frozenset[tuple[str, str]], str]) -> list[str]:
        contents, control = dict(state[0]), state[1]
        found = []
        for start, content in contents.items():
            for direction in DIRECTIONS if content == control else ():
                end = moved(CELLS[start], direction)
                while contents.get(end) == "honey":
                    found.append(f"(fly {start} {end})")
                    end = moved(CELLS[end], direction)
        return sorted(found)

    def legal(self, state: tuple[frozenset[tuple[str, str]], str], role: str) -> list[str]:
        return self.flights(state) if role == state[1] else ["noop"]

    def next(
        self, state: tuple[frozenset[tuple[str, str]], str], joint: tuple[str, ...]
    ) -> tuple[frozenset[tuple[str, str]], str]:
        contents, control = dict(state[0]), state[1]
        _, start, end = words(joint[self.roles.index(control)])
        return frozenset((contents | {start: "empty", end: control}).items()), other(control, self.roles)

    def terminal(self, state: tuple[frozenset[tuple[str, str]], str]) -> bool:
        return not self.flights(state)

    def goals(self, state: tuple[frozenset[tuple[str, str]], str]) -> dict[str, int]:
        if self.flights(state):
            return dict.fromkeys(self.roles, 50)
        return {role: 0 if role == state[1] else 100 for role in self.roles}


MODELS: Final[dict[str, GameModel]] = {"gallery/crossing": Crossing(), "gallery/honeycomb": Honeycomb()}
