"""Lights out: each press switches five lights of a board of five by five, and six presses have to switch all off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]
#: The lights that are on, and the number of presses so far.
State = tuple[frozenset[Cell], int]

PRESSES: Final = 6
BOARD: Final[tuple[Cell, ...]] = tuple((x, y) for x in range(1, 6) for y in range(1, 6))
LIT: Final[frozenset[Cell]] = frozenset({(1, 2), (3, 1), (4, 1), (4, 2), (4, 3), (4, 4), (4, 5), (5, 1), (5, 4)})


@dataclass(frozen=True, slots=True)
class LightsOut:
    """The puzzle."""

    roles: tuple[str, ...] = ("robot",)

    def initial(self) -> State:
        return LIT, 0

    def facts(self, state: State) -> frozenset[str]:
        lit, presses = state
        lights = {f"(cell {x} {y} {'on' if (x, y) in lit else 'off'})" for x, y in BOARD}
        return frozenset(lights | {f"(step {presses + 1})"})

    def legal(self, state: State, role: str) -> list[str]:
        return [f"(press {x} {y})" for x, y in BOARD if role in self.roles and state[1] < PRESSES]

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        _, a, b = words(joint[0])
        switched = {(x, y) for x, y in BOARD if abs(x - int(a)) + abs(y - int(b)) <= 1}
        return state[0] ^ switched, state[1] + 1

    def terminal(self, state: State) -> bool:
        return not state[0] or state[1] == PRESSES

    def goals(self, state: State) -> dict[str, int]:
        return {"robot": 0 if state[0] else 100}


MODELS: Final[dict[str, GameModel]] = {"gallery/lights_out": LightsOut()}
