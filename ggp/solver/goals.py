"""The goal values that the roles of a game may have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from gdl.reasoner.joint_moves import goal_number
from gdl.terms import Variable

if TYPE_CHECKING:
    from gdl import Simulator

#: The highest goal value of the language.
_TOP: Final = 100


def declared_goals(simulator: Simulator) -> tuple[tuple[int, ...], ...]:
    """Return the goal values that each role may have according to the rules, in ascending order."""
    found: list[set[int]] = [set() for _ in simulator.roles]
    for role, value in simulator.goal_table:
        if value is not None:
            found[role].add(value)
    return tuple(tuple(sorted(values)) for values in found)


def possible_goals(
    simulator: Simulator | None, outcomes: Iterable[tuple[int, ...]], roles: int
) -> tuple[tuple[int, ...], ...]:
    """Return the goal values that each role may have, in ascending order.

    Without a Simulator, these are 0, 100 and the values in `outcomes`.
    """
    if simulator is not None:
        found = declared_goals(simulator)
        if all(found):
            return found
    ends = list(outcomes)
    return tuple(tuple(sorted({0, _TOP} | {outcome[role] for outcome in ends})) for role in range(roles))


def highest_goals(simulator: Simulator | None, outcomes: Iterable[tuple[int, ...]], roles: int) -> tuple[int, ...]:
    """Return the highest goal value that each role may have.

    Values in the heads of rules count even if the compiler has proved that they never hold: the value of a position
    must not depend on what has been proved.
    """
    found = [set(values) for values in possible_goals(simulator, outcomes, roles)]
    for rule in simulator.rulesheet.defining(("goal", 2)) if simulator is not None else ():
        owner, value = rule.head.args
        goal = goal_number(value.text)
        if goal is not None:
            for number, role in enumerate(simulator.roles if simulator is not None else ()):
                if isinstance(owner, Variable) or owner.text == role:
                    found[number].add(goal)
    return tuple(map(max, found))
