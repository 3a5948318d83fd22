"""Harvest: two farmers walk at the same time over a field of corn; who reaps more in sixteen steps wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

STEPS: Final = 16
FIELD: Final = frozenset((x, y) for x in range(1, 6) for y in range(1, 6))
WAYS: Final = {"down": (0, -1), "left": (-1, 0), "right": (1, 0), "up": (0, 1)}


@dataclass(frozen=True, slots=True)
class Field:
    """A state: where the farmers of red and blue stand, the cells with corn, what they have reaped, and the steps."""

    farmers: tuple[Cell, Cell] = ((1, 1), (5, 5))
    corn: frozenset[Cell] = FIELD - {(1, 1), (5, 5)}
    reaped: tuple[int, int] = (0, 0)
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Harvest:
    """The game."""

    roles: tuple[str, ...] = ("red", "blue")

    def initial(self) -> Field:
        return Field()

    def facts(self, state: Field) -> frozenset[str]:
        facts = {f"(step {state.steps + 1})"}
        facts |= {f"(reaped {role} {count})" for role, count in zip(self.roles, state.reaped, strict=True)}
        farmers = dict(zip(state.farmers, self.roles, strict=True))
        for cell in FIELD:
            content = farmers.get(cell, "corn" if cell in state.corn else "empty")
            facts.add(f"(cell {cell[0]} {cell[1]} {content})")
        return frozenset(facts)

    def targets(self, state: Field, role: str) -> dict[str, Cell]:
        me = self.roles.index(role)
        x, y = state.farmers[me]
        ways = {f"(walk {way})": (x + dx, y + dy) for way, (dx, dy) in WAYS.items()}
        return {move: cell for move, cell in ways.items() if cell in FIELD - {state.farmers[1 - me]}}

    def legal(self, state: Field, role: str) -> list[str]:
        return sorted(self.targets(state, role))

    def next(self, state: Field, joint: tuple[str, ...]) -> Field:
        assert all(len(words(move)) == 2 for move in joint)
        red, blue = (self.targets(state, role)[move] for role, move in zip(self.roles, joint, strict=True))
        if red == blue:
            return Field(state.farmers, state.corn, state.reaped, state.steps + 1)
        more = (state.reaped[0] + (red in state.corn), state.reaped[1] + (blue in state.corn))
        return Field((red, blue), state.corn - {red, blue}, more, state.steps + 1)

    def terminal(self, state: Field) -> bool:
        return state.steps == STEPS or not state.corn

    def goals(self, state: Field) -> dict[str, int]:
        red, blue = state.reaped
        return {"red": 50 + 50 * ((red > blue) - (red < blue)), "blue": 50 + 50 * ((blue > red) - (blue < red))}


MODELS: Final[dict[str, GameModel]] = {"gallery/harvest": Harvest()}
