"""Pig: throw a die as long as you dare; a one loses the turn's points, and 30 points win."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from . import GameModel, words

GOAL: Final = 30
TURNS: Final = 12


@dataclass(frozen=True, slots=True)
class Turn:
    """The scores of left and right, the points of this turn, and how many turns are over."""

    scores: tuple[int, int] = (0, 0)
    pot: int = 0
    over: int = 0


@dataclass(frozen=True, slots=True)
class Pig:
    """The game; scores are kept in full, and shown up to 30."""

    roles: tuple[str, ...] = ("left", "right", "random")

    def initial(self) -> Turn:
        return Turn()

    def facts(self, state: Turn) -> frozenset[str]:
        facts = {f"(score {role} {min(n, GOAL)})" for role, n in zip(self.roles, state.scores, strict=False)}
        facts |= {f"(pot {min(state.pot, GOAL)})", f"(turn {state.over + 1})"}
        return frozenset(facts | {f"(control {self.roles[state.over % 2]})"})

    def legal(self, state: Turn, role: str) -> list[str]:
        if role == "random":
            return [f"(throw {pips})" for pips in range(1, 7)]
        if role != self.roles[state.over % 2]:
            return ["noop"]
        return ["hold", "roll"] if state.pot else ["roll"]

    def next(self, state: Turn, joint: tuple[str, ...]) -> Turn:
        player, pips = state.over % 2, int(words(joint[2])[1])
        if joint[player] == "roll" and pips > 1:
            return replace(state, pot=state.pot + pips)
        won = state.pot if joint[player] == "hold" else 0
        left, right = state.scores
        return Turn((left + won, right) if player == 0 else (left, right + won), 0, state.over + 1)

    def terminal(self, state: Turn) -> bool:
        return state.over == TURNS or max(state.scores) >= GOAL

    def goals(self, state: Turn) -> dict[str, int]:
        left, right = (min(score, GOAL) for score in state.scores)
        return {
            "left": 50 + 50 * ((left > right) - (left < right)),
            "right": 50 + 50 * ((right > left) - (right < left)),
        }


MODELS: Final[dict[str, GameModel]] = {"gallery/pig": Pig()}
