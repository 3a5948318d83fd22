"""Odd one out: three players place discs on five by four cells; who is the first with three in a line loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Discs = tuple[tuple[int, int], ...]  # cells in the order in which they were taken

WIDTH: Final = 5
HEIGHT: Final = 4


@dataclass(frozen=True, slots=True)
class OddOneOut:
    """The game: a state is the sequence of cells, of which the players took every third one each."""

    roles: tuple[str, ...] = ("red", "green", "blue")

    def initial(self) -> Discs:
        return ()

    def facts(self, state: Discs) -> frozenset[str]:
        facts = {f"(cell {x} {y} {self.roles[i % 3]})" for i, (x, y) in enumerate(state)}
        return frozenset(facts | {f"(control {self.roles[len(state) % 3]})"})

    def legal(self, state: Discs, role: str) -> list[str]:
        if role != self.roles[len(state) % 3]:
            return ["noop"]
        cells = [(x, y) for x in range(1, WIDTH + 1) for y in range(1, HEIGHT + 1)]
        return [f"(place {x} {y})" for x, y in cells if (x, y) not in state]

    def next(self, state: Discs, joint: tuple[str, ...]) -> Discs:
        _, x, y = words(joint[len(state) % 3])
        return (*state, (int(x), int(y)))

    def loser(self, state: Discs) -> str:
        for number, role in enumerate(self.roles):
            own = set(state[number::3])
            for x, y in own:
                for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    if {(x + dx, y + dy), (x + 2 * dx, y + 2 * dy)} <= own:
                        return role
        return ""

    def terminal(self, state: Discs) -> bool:
        return len(state) == WIDTH * HEIGHT or bool(self.loser(state))

    def goals(self, state: Discs) -> dict[str, int]:
        loser = self.loser(state)
        return {role: 50 if not loser else 0 if role == loser else 100 for role in self.roles}


MODELS: Final[dict[str, GameModel]] = {"gallery/odd_one_out": OddOneOut()}
