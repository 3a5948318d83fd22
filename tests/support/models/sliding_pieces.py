"""Sliding pieces: ten pieces on a board of 4x5; the big one has to reach the middle of the last two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

PIECES: Final = "123456789a"
DIRECTIONS: Final = {"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1)}
LAST_STEP: Final = 81


def name(letter: str) -> str:
    """The name of a square's letter in the facts: `a` is `piece10`, `.` is `blank`."""
    return "blank" if letter == "." else f"piece{PIECES.index(letter) + 1}"


@dataclass(frozen=True, slots=True)
class Position:
    """Five rows of four letters, north first, and the number of steps taken."""

    rows: tuple[str, ...]
    step: int

    def cells(self, letter: str) -> list[tuple[int, int]]:
        """Row and column, from 0, of the squares with this letter."""
        return [(y, x) for y in range(5) for x in range(4) if self.rows[y][x] == letter]


@dataclass(frozen=True, slots=True)
class SlidingPieces:
    """The puzzle from given rows."""

    rows: tuple[str, ...]
    roles: tuple[str, ...] = ("player",)

    def initial(self) -> Position:
        return Position(self.rows, 0)

    def facts(self, state: Position) -> frozenset[str]:
        cells = {
            f"(cell y{y + 1} x{x + 1} {name(letter)})"
            for y, row in enumerate(state.rows)
            for x, letter in enumerate(row)
        }
        return frozenset(cells | {f"(step s{state.step})"})

    def _can_move(self, state: Position, piece: str, direction: str) -> bool:
        dy, dx = DIRECTIONS[direction]
        for y, x in state.cells(piece):
            y2, x2 = y + dy, x + dx
            if not (0 <= y2 < 5 and 0 <= x2 < 4) or state.rows[y2][x2] not in ("." + piece):
                return False
        return True

    def legal(self, state: Position, role: str) -> list[str]:
        assert role == "player"
        moves = [
            f"(move {name(piece)} {direction})"
            for piece in PIECES
            for direction in DIRECTIONS
            if self._can_move(state, piece, direction)
        ]
        return sorted([*moves, "noop"])

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        if joint == ("noop",):
            return Position(state.rows, state.step + 1)
        _, piece, direction = words(joint[0])
        letter = PIECES[int(piece.removeprefix("piece")) - 1]
        dy, dx = DIRECTIONS[direction]
        grid = [list(row) for row in state.rows]
        for y, x in state.cells(letter):
            grid[y][x] = "."
        for y, x in state.cells(letter):
            grid[y + dy][x + dx] = letter
        return Position(tuple("".join(row) for row in grid), state.step + 1)

    def _solved(self, state: Position) -> bool:
        return all(state.rows[y][x] == "2" for y in (3, 4) for x in (1, 2))

    def terminal(self, state: Position) -> bool:
        return state.step == LAST_STEP or self._solved(state)

    def goals(self, state: Position) -> dict[str, int]:
        return {"player": 100 if self._solved(state) else 0}


MODELS: Final[dict[str, GameModel]] = {
    "sliding_pieces": SlidingPieces(("1673", "1223", "5228", "5448", "9..a")),
    "variants/sliding_pieces_classic": SlidingPieces(("1223", "1223", ".44.", "5678", "59a8")),
}
