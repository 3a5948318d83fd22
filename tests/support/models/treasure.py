"""Treasure: two players dig at the same time for what chance has hidden in one of sixteen cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

ISLAND: Final[tuple[Cell, ...]] = tuple(product(range(1, 5), repeat=2))


@dataclass(frozen=True, slots=True)
class Island:
    """The cell of the treasure once it is hidden, the holes, and who has dug the treasure up."""

    treasure: Cell | None = None
    holes: frozenset[Cell] = frozenset()
    finders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Treasure:
    """The game."""

    roles: tuple[str, ...] = ("red", "blue", "random")

    def initial(self) -> Island:
        return Island()

    def facts(self, state: Island) -> frozenset[str]:
        facts = {f"(hole {x} {y})" for x, y in state.holes} | {f"(finder {role})" for role in state.finders}
        x, y = state.treasure or (0, 0)
        return frozenset(facts | {f"(treasure {x} {y})" if state.treasure else "hiding"})

    def legal(self, state: Island, role: str) -> list[str]:
        if state.treasure is None:
            return [f"(hide {x} {y})" for x, y in ISLAND] if role == "random" else ["noop"]
        if role == "random":
            return ["noop"]
        return [f"(dig {x} {y})" for x, y in ISLAND if (x, y) not in state.holes]

    def next(self, state: Island, joint: tuple[str, ...]) -> Island:
        if state.treasure is None:
            _, x, y = words(joint[2])
            return Island((int(x), int(y)))
        dug: dict[str, Cell] = {}
        for role, move in zip(self.roles[:2], joint, strict=False):
            _, x, y = words(move)
            dug[role] = (int(x), int(y))
        finders = frozenset(role for role, cell in dug.items() if cell == state.treasure)
        return replace(state, holes=state.holes | set(dug.values()), finders=finders)

    def terminal(self, state: Island) -> bool:
        return bool(state.finders)

    def goals(self, state: Island) -> dict[str, int]:
        if len(state.finders) != 1:
            return {"red": 50, "blue": 50}
        return {role: 100 * (role in state.finders) for role in ("red", "blue")}


MODELS: Final[dict[str, GameModel]] = {"gallery/treasure": Treasure()}
