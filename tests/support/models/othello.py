"""Othello: a disc is placed so that it encloses discs of the opponent, which turn over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

SIZE: Final = 8
DIRECTIONS: Final = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0))


@dataclass(frozen=True, slots=True)
class Position:
    """The discs of both colours and who is to move."""

    black: frozenset[Cell]
    white: frozenset[Cell]
    control: str

    def discs(self, role: str) -> frozenset[Cell]:
        return self.black if role == "black" else self.white


def opponent(role: str) -> str:
    return "white" if role == "black" else "black"


def turned(state: Position, role: str, cell: Cell) -> frozenset[Cell]:
    """The discs that turn over when a role places one on an empty cell."""
    own, other = state.discs(role), state.discs(opponent(role))
    result: set[Cell] = set()
    for dx, dy in DIRECTIONS:
        passed = []
        x, y = cell[0] + dx, cell[1] + dy
        while (x, y) in other:
            passed.append((x, y))
            x, y = x + dx, y + dy
        if (x, y) in own:
            result.update(passed)
    return frozenset(result)


def placings(state: Position, role: str) -> list[Cell]:
    """The cells, in order, on which a role could place a disc if it were to move."""
    cells = [(x, y) for x in range(1, SIZE + 1) for y in range(1, SIZE + 1)]
    empty = [cell for cell in cells if cell not in state.black | state.white]
    return [cell for cell in empty if turned(state, role, cell)]


@dataclass(frozen=True, slots=True)
class Othello:
    """The game. Who cannot turn a disc passes; it ends when neither can."""

    roles: tuple[str, ...] = ("black", "white")

    def initial(self) -> Position:
        return Position(frozenset({(4, 5), (5, 4)}), frozenset({(4, 4), (5, 5)}), "black")

    def facts(self, state: Position) -> frozenset[str]:
        black = {f"(cell {x} {y} black)" for x, y in state.black}
        white = {f"(cell {x} {y} white)" for x, y in state.white}
        return frozenset(black | white | {f"(control {state.control})"})

    def legal(self, state: Position, role: str) -> list[str]:
        cells = placings(state, role) if role == state.control else []
        return [f"(place {x} {y})" for x, y in cells] or ["noop"]

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        role = state.control
        move = joint[self.roles.index(role)]
        if move == "noop":
            return Position(state.black, state.white, opponent(role))
        _, x, y = words(move)
        cell = (int(x), int(y))
        gained = turned(state, role, cell)
        own, other = state.discs(role) | gained | {cell}, state.discs(opponent(role)) - gained
        return Position(own, other, "white") if role == "black" else Position(other, own, "black")

    def terminal(self, state: Position) -> bool:
        return not placings(state, "black") and not placings(state, "white")

    def goals(self, state: Position) -> dict[str, int]:
        lead = len(state.black) - len(state.white)
        black = 50 if lead == 0 else 100 if lead > 0 else 0
        return {"black": black, "white": 100 - black}


MODELS: Final[dict[str, GameModel]] = {"classics/othello": Othello()}
