"""Breakthrough: two rows of pieces each; the first to reach the far row wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

SIZE: Final = 8


def rows(*numbers: int) -> frozenset[Cell]:
    return frozenset((x, y) for x in range(1, SIZE + 1) for y in numbers)


@dataclass(frozen=True, slots=True)
class Position:
    """The pieces of the one to move, those of the other, and who is to move."""

    own: frozenset[Cell]
    other: frozenset[Cell]
    control: str


@dataclass(frozen=True, slots=True)
class Breakthrough:
    """The game: white goes up from rows 1 and 2, black down from rows 8 and 7."""

    roles: tuple[str, ...] = ("white", "black")

    def initial(self) -> Position:
        return Position(rows(1, 2), rows(7, 8), "white")

    def opponent(self, role: str) -> str:
        return "black" if role == "white" else "white"

    def facts(self, state: Position) -> frozenset[str]:
        facts = {f"(control {state.control})"}
        facts |= {f"(cell {x} {y} {state.control})" for x, y in state.own}
        facts |= {f"(cell {x} {y} {self.opponent(state.control)})" for x, y in state.other}
        return frozenset(facts)

    def legal(self, state: Position, role: str) -> list[str]:
        if role != state.control:
            return ["noop"]
        forward = 1 if role == "white" else -1
        moves = []
        for x, y in state.own:
            for dx in (-1, 0, 1):
                end = (x + dx, y + forward)
                on_board = 1 <= end[0] <= SIZE and 1 <= end[1] <= SIZE
                blocked = end in state.own or (dx == 0 and end in state.other)
                if on_board and not blocked:
                    moves.append(f"(move {x} {y} {end[0]} {end[1]})")
        return sorted(moves)

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        x1, y1, x2, y2 = map(int, words(joint[self.roles.index(state.control)])[1:])
        moved = state.own - {(x1, y1)} | {(x2, y2)}
        return Position(state.other - {(x2, y2)}, moved, self.opponent(state.control))

    def terminal(self, state: Position) -> bool:
        # Only who just moved can have won: by the far row, or by taking the last piece.
        goal_row = SIZE if state.control == "black" else 1
        return not state.own or any(y == goal_row for _, y in state.other)

    def goals(self, state: Position) -> dict[str, int]:
        if not self.terminal(state):
            return {"white": 50, "black": 50}
        return {state.control: 0, self.opponent(state.control): 100}


MODELS: Final[dict[str, GameModel]] = {"classics/breakthrough": Breakthrough()}
