"""Wolf and sheep: one wolf tries to slip behind four sheep, which try to shut it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

DIAGONALS: Final = ((-1, -1), (-1, 1), (1, -1), (1, 1))
EIGHT: Final = (*DIAGONALS, (-1, 0), (1, 0), (0, -1), (0, 1))
FORWARD_DIAGONALS: Final = ((-1, 1), (1, 1))


@dataclass(frozen=True, slots=True)
class Position:
    """The squares of the wolf and the sheep, as (x, y) from 1 to 8, and who is to move."""

    wolf: Cell
    sheep: frozenset[Cell]
    control: str

    def is_empty(self, cell: Cell) -> bool:
        x, y = cell
        return 1 <= x <= 8 and 1 <= y <= 8 and cell != self.wolf and cell not in self.sheep


@dataclass(frozen=True, slots=True)
class WolfSheep:
    """The game with the directions in which a wolf and a sheep may go."""

    wolf_directions: tuple[Cell, ...]
    sheep_directions: tuple[Cell, ...]
    roles: tuple[str, ...] = ("wolf", "sheep")

    def initial(self) -> Position:
        return Position((4, 8), frozenset({(1, 1), (3, 1), (5, 1), (7, 1)}), "wolf")

    def facts(self, state: Position) -> frozenset[str]:
        facts = {f"(control {state.control})"}
        for x in range(1, 9):
            for y in range(1, 9):
                piece = "w" if (x, y) == state.wolf else "s" if (x, y) in state.sheep else "b"
                facts.add(f"(cell c{x} c{y} {piece})")
        return frozenset(facts)

    def steps(self, state: Position, role: str) -> list[tuple[Cell, Cell]]:
        """The steps from an own piece to an empty cell, whoever is to move."""
        pieces = [state.wolf] if role == "wolf" else sorted(state.sheep)
        directions = self.wolf_directions if role == "wolf" else self.sheep_directions
        steps = [((x, y), (x + dx, y + dy)) for x, y in pieces for dx, dy in directions]
        return [(start, end) for start, end in steps if state.is_empty(end)]

    def legal(self, state: Position, role: str) -> list[str]:
        if role != state.control:
            return ["noop"]
        return sorted(f"(move c{x1} c{y1} c{x2} c{y2})" for (x1, y1), (x2, y2) in self.steps(state, role))

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        x1, y1, x2, y2 = (int(word[1:]) for word in words(joint[self.roles.index(state.control)])[1:])
        if state.control == "wolf":
            return Position((x2, y2), state.sheep, "sheep")
        return Position(state.wolf, state.sheep - {(x1, y1)} | {(x2, y2)}, "wolf")

    def terminal(self, state: Position) -> bool:
        wolf_is_behind = not any(y < state.wolf[1] for _, y in state.sheep)
        return wolf_is_behind or not self.steps(state, "wolf") or not self.steps(state, "sheep")

    def goals(self, state: Position) -> dict[str, int]:
        return {"wolf": 100, "sheep": 0} if self.steps(state, "wolf") else {"wolf": 0, "sheep": 100}


MODELS: Final[dict[str, GameModel]] = {
    "wolf_sheep": WolfSheep(EIGHT, DIAGONALS),
    "variants/wolf_sheep_diagonal": WolfSheep(DIAGONALS, FORWARD_DIAGONALS),
}
