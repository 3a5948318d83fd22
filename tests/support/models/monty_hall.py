"""The Monty Hall problem: three doors, one car."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

DOORS: Final = (1, 2, 3)

#: The plies played, and the doors with the car, chosen and opened; 0 for none.
State = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class MontyHall:
    """The game."""

    roles: tuple[str, ...] = ("candidate", "random")

    def initial(self) -> State:
        return 0, 0, 0, 0

    def facts(self, state: State) -> frozenset[str]:
        plies, *doors = state
        found = {f"({name} {door})" for name, door in zip(("car", "chosen", "opened"), doors, strict=True) if door}
        return frozenset({*found, f"(step {plies + 1})"})

    def legal(self, state: State, role: str) -> list[str]:
        plies, car, chosen, _ = state
        if role == "candidate":
            return ([f"(choose {door})" for door in DOORS], ["noop"], ["stay", "switch"])[plies]
        hosts = [f"(open {door})" for door in DOORS if door not in (car, chosen)]
        return ([f"(hide {door})" for door in DOORS], hosts, ["noop"])[plies]

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        plies, car, chosen, opened = state
        if plies == 0:
            return 1, int(words(joint[1])[1]), int(words(joint[0])[1]), 0
        if plies == 1:
            return 2, car, chosen, int(words(joint[1])[1])
        return 3, car, chosen if joint[0] == "stay" else 6 - chosen - opened, opened

    def terminal(self, state: State) -> bool:
        return state[0] == 3

    def goals(self, state: State) -> dict[str, int]:
        return {"candidate": 100 if state[1] and state[1] == state[2] else 0, "random": 0}


MODELS: Final[dict[str, GameModel]] = {"hidden/monty_hall": MontyHall()}
