"""Rewards from goal values: 0 until an episode ends, then one number for each agent; and what illegal actions cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, final

from gdl.simulator.simulator import Simulator
from ggp.rules.game_type import GameType, classify_game

#: The largest goal value.
HIGHEST: Final = 100


class Scale(StrEnum):
    """The range of rewards.

    - `UNIT`: from 0 to 1, a hundredth of the goal value.
    - `CENTERED`: from -1 to 1. If the agents' goals always have the same sum, each agent's equal share of it is 0, so
      that the rewards of two agents have the sum 0; otherwise, the goal value 50 is.
    """

    UNIT = "unit"
    CENTERED = "centered"


#: A scale, or its name.
ScaleName = Scale | Literal["unit", "centered"]


class Illegal(StrEnum):
    """The consequence of an illegal action.

    - `RAISE`: `gdl.IllegalMoveError`. The state stays as it is, and the agent may choose again.
    - `REPLACE`: a random legal move is made instead, and the agent's info says so.
    - `LOSE`: the episode ends. The offender gets the goal value 0, and the others share 100.
    """

    RAISE = "raise"
    REPLACE = "replace"
    LOSE = "lose"


#: A consequence, or its name.
IllegalName = Illegal | Literal["raise", "replace", "lose"]


@final
@dataclass(frozen=True, slots=True)
class Rewards:
    """The rewards of the agents of a game: `(goal - middle) / reach`."""

    middle: float
    reach: float

    def of(self, goal: float) -> float:
        """Return the reward for a goal value."""
        return (goal - self.middle) / self.reach

    @property
    def lowest(self) -> float:
        """The lowest possible reward."""
        return self.of(0)

    @property
    def highest(self) -> float:
        """The highest possible reward."""
        return self.of(HIGHEST)


def rewards_of(simulator: Simulator, scale: ScaleName, kind: GameType | None = None) -> Rewards:
    """Return the rewards of a game's agents; `kind` saves classifying it. Raises ValueError for an unknown scale."""
    if Scale(scale) is Scale.UNIT:
        return Rewards(0.0, float(HIGHEST))
    kind = kind or classify_game(simulator)
    middle = kind.total / kind.players if kind.constant_sum and kind.total is not None else HIGHEST / 2
    return Rewards(middle, max(middle, HIGHEST - middle))


def goals_of_offence(offender: int, agents: tuple[int, ...]) -> Mapping[int, float]:
    """Return the goal values, by role, of a match that ends since an agent chose an illegal move.

    The offender has 0, and the others share 100.
    """
    return goals_of_offences((offender,), agents)


def goals_of_offences(offenders: Collection[int], agents: tuple[int, ...]) -> Mapping[int, float]:
    """Return the goal values of a match that ends since several agents chose illegal moves at the same time."""
    others = max(1, len(agents) - len(offenders))
    return {agent: 0.0 if agent in offenders else HIGHEST / others for agent in agents}
