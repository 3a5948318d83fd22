"""Connect four: discs fall to the bottom of seven columns of six; four in a line win."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Columns = tuple[str, ...]  # one string a column, the lowest disc first, `r` and `y`

WIDTH: Final = 7
HEIGHT: Final = 6
DIRECTIONS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))


def disc(columns: Columns, x: int, y: int) -> str:
    """The disc in column x and row y, both from 0; the empty string where there is none."""
    return columns[x][y] if 0 <= x < WIDTH and 0 <= y < len(columns[x]) else ""


def has_four(columns: Columns, colour: str) -> bool:
    return any(
        all(disc(columns, x + i * dx, y + i * dy) == colour for i in range(4))
        for x in range(WIDTH)
        for y in range(HEIGHT)
        for dx, dy in DIRECTIONS
    )


@dataclass(frozen=True, slots=True)
class ConnectFour:
    """The game. A state is the tuple of its columns."""

    roles: tuple[str, ...] = ("red", "yellow")

    def initial(self) -> Columns:
        return WIDTH * ("",)

    def control(self, state: Columns) -> str:
        return self.roles[sum(map(len, state)) % 2]

    def facts(self, state: Columns) -> frozenset[str]:
        facts = {f"(control {self.control(state)})"}
        for x, column in enumerate(state, 1):
            for y, colour in enumerate(column, 1):
                facts.add(f"(cell {x} {y} {'red' if colour == 'r' else 'yellow'})")
        return frozenset(facts)

    def legal(self, state: Columns, role: str) -> list[str]:
        if role != self.control(state):
            return ["noop"]
        return [f"(drop {x})" for x, column in enumerate(state, 1) if len(column) < HEIGHT]

    def next(self, state: Columns, joint: tuple[str, ...]) -> Columns:
        role = self.control(state)
        x = int(words(joint[self.roles.index(role)])[1])
        return tuple(column + role[0] if i == x else column for i, column in enumerate(state, 1))

    def terminal(self, state: Columns) -> bool:
        full = all(len(column) == HEIGHT for column in state)
        return full or has_four(state, "r") or has_four(state, "y")

    def goals(self, state: Columns) -> dict[str, int]:
        if has_four(state, "r"):
            return {"red": 100, "yellow": 0}
        if has_four(state, "y"):
            return {"red": 0, "yellow": 100}
        return {"red": 50, "yellow": 50}


MODELS: Final[dict[str, GameModel]] = {"classics/connect_four": ConnectFour()}
