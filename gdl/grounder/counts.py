"""Atoms that hold if certain numbers of facts or moves hold, in whatever order the rules count these.

To count, rules go from one fact to the next: with N up to here, there are N or N + 1 up to the next one. So the atoms
in between depend on the way, as on a path over all cells of a board, but the result does not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gdl.grounder.program import ALWAYS, GroundProgram


class Count(NamedTuple):
    """The meaning of an atom that holds if the number of `atoms` that hold is one of `numbers`."""

    atoms: frozenset[int]
    numbers: frozenset[int]


def counts_of(program: GroundProgram) -> dict[int, Count]:
    """Return the atoms with rules that count facts or moves, and what they count."""
    inputs = {*program.true.values(), *program.does.values()} - {ALWAYS}
    bodies: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for head, body in program.rules:
        bodies[head].append(body)
    users: defaultdict[int, list[int]] = defaultdict(list)
    for head, own in bodies.items():
        if len(own) <= 2 and max(map(len, own)) <= 2:
            for literal in {abs(literal) for body in own for literal in body}:
                users[literal].append(head)
    found = {atom: Count(frozenset((atom,)), frozenset((1,))) for atom in inputs}
    known = list(found)
    for atom in known:  # which grows meanwhile
        for user in users[atom]:
            if user not in found and (count := _counted(bodies[user], found, inputs)) is not None:
                found[user] = count
                known.append(user)
    return {atom: count for atom, count in found.items() if atom not in inputs}


def _counted(bodies: Sequence[tuple[int, ...]], known: Mapping[int, Count], inputs: set[int]) -> Count | None:
    """Return what an atom with these rules counts; None if it does not, or that is not known yet."""
    if len(bodies) == 1 and len(bodies[0]) == 1:
        return _of_literal(bodies[0][0], known)
    for last in {abs(literal) for body in bodies for literal in body} & inputs:
        # What holds up to the last fact if that fact holds, and what if it does not.
        rest: dict[bool, int] = {}
        for body in bodies:
            own = [literal for literal in body if abs(literal) == last]
            others = [literal for literal in body if abs(literal) != last]
            if len(own) == len(others) == 1:
                rest[own[0] > 0] = others[0]
        if len(rest) < len(bodies):
            continue
        counts = {holds: _of_literal(literal, known) for holds, literal in rest.items()}
        atoms = {None if count is None else count.atoms for count in counts.values()}
        (before,) = atoms if len(atoms) == 1 else (None,)
        if before is None or last in before:
            continue
        more, same = (frozenset() if (count := counts.get(holds)) is None else count.numbers for holds in (True, False))
        if {number + 1 for number in more} - {len(before) + 1} == same - {0}:
            return Count(before | {last}, same | {number + 1 for number in more})
    return None


def _of_literal(literal: int, known: Mapping[int, Count]) -> Count | None:
    count = known.get(abs(literal))
    if count is None or literal > 0:
        return count
    return Count(count.atoms, frozenset(range(len(count.atoms) + 1)) - count.numbers)
