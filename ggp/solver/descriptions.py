"""Describe values, bounds and lines of positions in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggp.solver.bounds import Bounds
    from ggp.solver.line import Line
    from ggp.solver.planner import Plan
    from ggp.solver.worth import Verdict, VerdictGroup, Worth


def value_text(worth: Worth, verdict: Verdict) -> str:
    """Return the value of a position in a sentence or two."""
    roles, goals = worth.roles, verdict.goals
    if goals is not None and verdict.plies is not None:
        if verdict.plies == 0:
            return f"the game is over: {_listed(roles, goals)}"
        listed = f": {_listed(roles, goals)}" if len(roles) > 1 else ""
        return f"{_name(worth, verdict)} in {plies_text(verdict.plies)}{listed}"
    sure = [f"{role} can force an end with {value}" for role, value in zip(roles, verdict.sure, strict=True) if value]
    if len(roles) == 1:
        return "endless: the game cannot be brought to an end"
    if worth.opposed:
        return "; ".join(["endless: nobody can force a win, nor an end that suits both", *sure])
    listed = ", ".join(
        f"{role} of {value}" if value is not None else f"{role} of no end"
        for role, value in zip(roles, verdict.sure, strict=True)
    )
    return f"the roles' goals are not opposed; whatever the others do, each can be sure: {listed}"


def _name(worth: Worth, verdict: Verdict) -> str:
    """Return the winner, or that it is a draw."""
    goals = verdict.goals
    assert goals is not None
    if len(goals) == 1:
        return f"{worth.roles[0]} has {goals[0]}"
    if len(set(goals)) == 1:
        return "draw"
    best = goals.index(max(goals))
    return f"{worth.roles[best]} wins" if goals[best] == worth.top[best] else f"{worth.roles[best]} has the better end"


def positions_text(worth: Worth) -> Iterator[str]:
    """Yield the values of all reachable positions, line by line."""
    groups: dict[tuple[str, str], int] = {}
    for group in worth.groups():
        # Different values may read alike: what roles that play on for ever are sure of is not always told.
        told = _group_text(worth, group), _at_most(group)
        groups[told] = groups.get(told, 0) + group.states
    total = sum(groups.values())
    if len(groups) == 1 and worth.opposed:
        ((text, at_most),) = groups
        every = "one position" if total == 1 else f"all {total:,} positions"
        yield f"{text} from {every} that can be reached{at_most}"
        return
    yield f"{total:,} can be reached"
    width = len(f"{total:,}")
    for (text, at_most), states in groups.items():
        yield f"{states:>{width},}  {text}{at_most}"


def _group_text(worth: Worth, group: VerdictGroup) -> str:
    """Return the value of some positions."""
    verdict = group.verdict
    if verdict.goals is not None:
        name = _name(worth, verdict)
        plain = name.endswith("wins") or len(worth.roles) == 1
        return name if plain else f"{name} ({_listed(worth.roles, verdict.goals)})"
    sure = ", ".join(f"{r} {'-' if v is None else v}" for r, v in zip(worth.roles, verdict.sure, strict=True))
    if not worth.opposed:
        return f"sure of: {sure}"
    return f"endless (sure of: {sure})" if any(verdict.sure) else "endless"


def _at_most(group: VerdictGroup) -> str:
    return "" if group.plies is None else f", in at most {plies_text(group.plies)}"


def bounds_text(bounds: Bounds) -> Iterator[str]:
    """Yield the bounds that are proved of a position, sentence by sentence."""
    if not bounds.zero_sum:
        for role, name in enumerate(bounds.roles):
            best, limit = bounds.best[role], bounds.limit[role]
            least = "nothing yet" if best is None else f"{best.value}{_within(best.plies)}"
            more = f", and of no more than {bounds.values[role][limit - 1]}" if limit < len(bounds.values[role]) else ""
            yield f"{name} is sure of {least}{more}"
        return
    first, second = bounds.roles
    low, high = bounds.least(0), bounds.least(1)
    if low == high:
        plies = min((best.plies for best in bounds.best if best and best.plies is not None), default=None)
        names = {50: "draw", bounds.values[0][0]: f"{second} wins", bounds.values[0][-1]: f"{first} wins"}
        name = names.get(low, "decided")
        yield f"{name}{'' if plies is None else f' in {plies_text(plies)}'}: {first} {low}"
        return
    yield f"{first} gets at least {low} and at most {high}"
    for role, best in enumerate(bounds.best):
        if best is not None:
            how = f"hold {first} to" if role else "force"
            yield f"{bounds.roles[role]} can {how} {best.value}{_within(best.plies)}"
    if bounds.depth:
        what = "nothing" if bounds.best == (None, None) else "nothing more"
        yield f"{what} can be forced within {plies_text(bounds.depth)}"


def line_rows(line: Line, roles: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield ply, role and move of each step of a line."""
    for ply, step in enumerate(line.steps, 1):
        shown = range(len(roles)) if step.role is None else [step.role]
        for number, role in enumerate(shown):
            yield ("" if number else str(ply), roles[role], step.moves[role].text)


def plan_text(plan: Plan | None, role: str) -> str:
    """Return the goal of a plan for one role and its length, or why there is none. None is a search without a plan."""
    if plan is not None and plan.goal is None and plan.moves:
        return f"{role} has no goal value in {plies_text(len(plan.moves))}"
    if plan is None or plan.goal is None:
        return "there is no way to an end" if plan is not None and plan.proven else "no end was found"
    return f"{role} has {plan.goal} in {plies_text(len(plan.moves))}"


def plies_text(plies: int) -> str:
    """Return a number of plies as text."""
    return "1 ply" if plies == 1 else f"{plies:,} plies"


def _within(plies: int | None) -> str:
    return "" if plies is None else f" within {plies_text(plies)}"


def _listed(roles: Sequence[str], goals: Sequence[int]) -> str:
    return ", ".join(f"{role} {goal}" for role, goal in zip(roles, goals, strict=True))
