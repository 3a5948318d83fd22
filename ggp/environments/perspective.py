"""The mover's side: every agent sees the game as if it were the first one.

If the rules are the same for all agents but for names and places, as in chess or connect four, one policy can learn all
roles as one. Then facts and actions are renamed by a symmetry that is proved: `gdl.grounder.symmetry`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, final

from gdl.grounder import ground
from gdl.grounder.symmetry import Symmetry, role_symmetry
from gdl.simulator.simulator import Simulator
from gdl.terms import Term


class Perspective(StrEnum):
    """The side from which agents see a game.

    - `FIXED`: all see the same. An action means the same move to each of them.
    - `MOVER`: each sees what the first agent would see if it were in its place.
    """

    FIXED = "fixed"
    MOVER = "mover"


#: A perspective, or its name.
Side = Perspective | Literal["fixed", "mover"]


class NotSymmetricError(ValueError):
    """The rules are not the same for all agents, as far as could be proved."""


@final
@dataclass(frozen=True, slots=True)
class View:
    """A role's view of a game, as lists by numbers of facts and actions.

    `facts` has the fact that is seen in the place of each fact, -1 for none. `shown` has the action that the role sees
    for each action of `EnvironmentGame.actions`, and `meant` is its inverse.
    """

    facts: list[int]
    shown: list[int]
    meant: list[int]


def views_of(simulator: Simulator, agents: Sequence[int], actions: Sequence[Term]) -> dict[int, View]:
    """Return the views of all agents but the first, which sees the game as it is. Raises NotSymmetricError."""
    first, *others = agents or (0,)
    roles = simulator.roles
    program = ground(simulator.rulesheet) if others else None
    views = {}
    for role in others:
        assert program is not None
        symmetry = role_symmetry(program, program.roles[role], program.roles[first])
        if symmetry is None:
            raise NotSymmetricError(
                f"no symmetry between {roles[role]} and {roles[first]} was found in the rules,"
                " so there is no view from the mover's side"
            )
        views[role] = _view(simulator, symmetry, program.roles[role], actions)
    return views


def _view(simulator: Simulator, symmetry: Symmetry, role: Term, actions: Sequence[Term]) -> View:
    number_of = {fact: number for number, fact in enumerate(simulator.all_facts)}
    facts = [-1] * len(number_of)
    for fact, image in symmetry.facts.items():
        if image in number_of:
            facts[number_of[image]] = number_of.get(fact, -1)
    action_of = {move: number for number, move in enumerate(actions)}
    shown = {
        action_of[move]: action_of[image]
        for (owner, move), (_, image) in symmetry.moves.items()
        if owner == role and move in action_of and image in action_of
    }
    # Actions that are no moves of the role get the numbers that are left.
    rest = iter(sorted(set(range(len(actions))) - set(shown.values())))
    order = [shown[action] if action in shown else next(rest) for action in range(len(actions))]
    meant = [0] * len(order)
    for action, number in enumerate(order):
        meant[number] = action
    return View(facts, order, meant)
