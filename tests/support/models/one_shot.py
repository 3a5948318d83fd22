"""Games of one move each, at the same time: matching pennies, and rock-paper-scissors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from . import GameModel

#: The two moves, or nothing at the start.
State = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneShot:
    """A game in which both roles choose once. `worth` is the first role's goal after two moves."""

    roles: tuple[str, ...]
    moves: tuple[str, ...]
    worth: Callable[[str, str], int]

    def initial(self) -> State:
        return ()

    def facts(self, state: State) -> frozenset[str]:
        shown = {f"(shown {role} {move})" for role, move in zip(self.roles, state, strict=False)}
        return frozenset(shown or {"start"})

    def legal(self, state: State, role: str) -> list[str]:  # noqa: ARG002
        return sorted(self.moves)

    def next(self, state: State, joint: tuple[str, ...]) -> State:  # noqa: ARG002
        return joint

    def terminal(self, state: State) -> bool:
        return bool(state)

    def goals(self, state: State) -> dict[str, int]:
        goal = self.worth(*state) if state else 50
        return {self.roles[0]: goal, self.roles[1]: 100 - goal}


def matched(one: str, two: str) -> int:
    return 100 if one == two else 0


def beaten(one: str, two: str) -> int:
    wins = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}
    return 50 if one == two else 100 if (one, two) in wins else 0


MODELS: Final[dict[str, GameModel]] = {
    "hidden/matching_pennies": OneShot(("matcher", "mismatcher"), ("heads", "tails"), matched),
    "hidden/rock_paper_scissors": OneShot(("left", "right"), ("rock", "paper", "scissors"), beaten),
}
