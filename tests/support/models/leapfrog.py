"""Leapfrog: frogs of two roles hop along three lanes, past each other; who has all three home first wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

#: How far the frogs have come, by role and lane, 7 or 8 if they are home; and the number of plies.
State = tuple[tuple[tuple[int, ...], tuple[int, ...]], int]

LENGTH: Final = 7
LANES: Final = 3


@dataclass(frozen=True, slots=True)
class Leapfrog:
    """The game."""

    roles: tuple[str, ...] = ("green", "brown")

    def initial(self) -> State:
        return ((0,) * LANES, (0,) * LANES), 0

    def facts(self, state: State) -> frozenset[str]:
        (green, brown), ply = state
        facts = {f"(control {self.roles[ply % 2]})"}
        facts |= {f"(cell {1 + far} {lane} green)" for lane, far in enumerate(green, 1) if far < LENGTH}
        facts |= {f"(cell {LENGTH - far} {lane} brown)" for lane, far in enumerate(brown, 1) if far < LENGTH}
        homes = (sum(far >= LENGTH for far in own) for own in (green, brown))
        return frozenset(facts | {f"(home {role} {home})" for role, home in zip(self.roles, homes, strict=True)})

    def legal(self, state: State, role: str) -> list[str]:
        frogs, ply = state
        if role != self.roles[ply % 2]:
            return ["noop"]
        return [f"(hop {lane})" for lane, far in enumerate(frogs[ply % 2], 1) if far < LENGTH]

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        frogs, ply = state
        lane = int(words(joint[ply % 2])[1]) - 1
        mine, theirs = frogs[ply % 2], frogs[1 - ply % 2]
        # Two frogs of a lane face each other if there is no cell between the ways they have come.
        facing = mine[lane] + theirs[lane] == LENGTH - 2
        moved = tuple(far + (1 + facing) * (number == lane) for number, far in enumerate(mine))
        return ((moved, theirs) if ply % 2 == 0 else (theirs, moved)), ply + 1

    def winner(self, state: State) -> str:
        return next((role for role, own in zip(self.roles, state[0], strict=True) if min(own) >= LENGTH), "")

    def terminal(self, state: State) -> bool:
        return bool(self.winner(state))

    def goals(self, state: State) -> dict[str, int]:
        winner = self.winner(state)
        return {role: 50 if not winner else 100 if role == winner else 0 for role in self.roles}


MODELS: Final[dict[str, GameModel]] = {"gallery/leapfrog": Leapfrog()}
