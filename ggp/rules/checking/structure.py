"""Recognize facts about turns and about the cells of boards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.terms import Function, Term, shape_of

#: Usual names of the relation that says whose turn it is.
_CONTROL: Final = ("control", "turn", "whoseturn")

#: The largest number of cells that are claimed about one by one.
_MOST_CELLS: Final = 5_000


@final
@dataclass(frozen=True, slots=True)
class Family:
    """Groups of facts, with exactly one (or at most one) true in each: `(cell 1 1 ?)`, `(cell 1 2 ?)`, ..."""

    name: str
    exact: bool
    groups: tuple[tuple[Term, ...], ...]

    def sentence(self) -> str:
        """Return the claim in words."""
        number = "exactly one" if self.exact else "at most one"
        where = f" for each of {len(self.groups)} places" if len(self.groups) > 1 else ""
        return f"{number} {self.name}{where}"

    def broken(self, facts: Iterable[Term]) -> str | None:
        """Describe what is wrong in a state; return None if the claim holds."""
        held = set(facts)
        for group in self.groups:
            found = [fact for fact in group if fact in held]
            if len(found) > 1:
                return f"{found[0]} and {found[1]} hold together"
            if self.exact and not found:
                return f"no fact like {group[0]} holds"
        return None


def families(facts: Sequence[Term], init: Iterable[Term], roles: Sequence[Term]) -> Iterator[Family]:
    """Yield the families that the initial state suggests: facts about turns, and about the cells of boards."""
    held = set(init)
    for name, members in _relations(facts).items():
        arity = len(members[0].args)
        initially = sum(member in held for member in members)
        if arity == 1 and initially == 1 and len(members) > 1 and _tells_turn(name, members, roles):
            yield Family(f"({members[0].name} ?)", True, (tuple(members),))
        if arity >= 2:
            yield from _cells(members, held)


def _relations(facts: Iterable[Term]) -> Mapping[tuple[str, int], list[Function]]:
    found: dict[tuple[str, int], list[Function]] = {}
    for fact in facts:
        if isinstance(fact, Function):
            found.setdefault(shape_of(fact), []).append(fact)
    return found


def _tells_turn(name: tuple[str, int], members: Iterable[Function], roles: Sequence[Term]) -> bool:
    known = set(roles)
    return name[0] in _CONTROL or all(member.args[0] in known for member in members)


def _cells(members: Sequence[Function], held: set[Term]) -> Iterator[Family]:
    """Yield facts that agree on all but the last argument, if the initial state has exactly one per group."""
    groups: dict[tuple[Term, ...], list[Term]] = {}
    for member in members:
        groups.setdefault(member.args[:-1], []).append(member)
    initially = [sum(member in held for member in group) for group in groups.values()]
    first = members[0]
    full = all(count == 1 for count in initially)
    board = len(first.args) >= 3 and all(count <= 1 for count in initially) and any(initially)
    if 1 < len(groups) <= _MOST_CELLS and len(members) > len(groups) and (full or board):
        yield Family(f"({first.name}{' ...' * (len(first.args) - 1)} ?)", full, tuple(map(tuple, groups.values())))
