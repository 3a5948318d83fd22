"""Find things that facts of the rules connect in a circle: they are drawn around a rectangle, not in a row.

Such facts name a thing and the next one, as in `(adjacent p1 p2)`. They may also name a role that goes from one to the
other, as in `(next_pit south p6 store)`: things that only one role passes are between those that the other one passes.
If pairs of things, as in `(opposite p1 p12)`, are each other's reflections, the circle is folded into two rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from gdl.terms import Constant, name_key
from ggp.board.finding.facts import Knowledge

#: The fewest things in a circle.
_FEWEST: Final = 6

_Pairs = set[tuple[str, str]]
_Places = dict[str, tuple[int, int]]


def ring_places(known: Knowledge, things: Collection[str]) -> _Places:
    """Return the column and row of each thing; nothing if they are in no circle."""
    pairs = _pairs(known, things)
    ring = _ring(list(pairs.values()), things)
    if not ring:
        return {}
    folded = (_folded(ring, some) for some in pairs.values())
    return next((places for places in folded if places), {}) or _around(ring)


def _pairs(known: Knowledge, things: Collection[str]) -> Mapping[tuple[str, ...], _Pairs]:
    """Return the pairs of things that facts of the rules name, by their relation, and by the role if they name one."""
    people = set(map(name_key, known.roles))
    found: defaultdict[tuple[str, ...], _Pairs] = defaultdict(set)
    for rule in known.rules:
        if not rule.body and all(isinstance(arg, Constant) for arg in rule.head.args):
            named = [arg.key for arg in rule.head.args]
            inside = [one for one in named if one in things]
            who = [one for one in named if one in people]
            if len(inside) == 2 and len(inside) + len(who) == len(named):
                found[rule.head.signature[0], *who].add((inside[0], inside[1]))
    return found


def _ring(relations: Sequence[_Pairs], things: Collection[str]) -> tuple[str, ...]:
    """Return all things in the order of the circles that relations make, starting with the longest one."""
    circles = sorted(filter(None, map(_circle, relations)), key=len, reverse=True)
    ring = list(circles[0]) if circles else []
    for circle in circles[1:]:
        for at, thing in enumerate(circle):
            before, after = circle[at - 1], circle[(at + 1) % len(circle)]
            if thing not in ring and before in ring and ring[(ring.index(before) + 1) % len(ring)] == after:
                ring.insert(ring.index(before) + 1, thing)
    return tuple(ring) if len(ring) >= _FEWEST and set(ring) == set(things) else ()


def _circle(pairs: _Pairs) -> tuple[str, ...]:
    """Return the things of pairs in the order of a circle; nothing if they are not in one."""
    near: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in sorted(pairs):
        near[one].append(other)
    mutual = all((other, one) in pairs for one, other in pairs)
    if not pairs or any(len(others) != (2 if mutual else 1) for others in near.values()):
        return ()
    walked = [min(near)]
    while (following := [one for one in near.get(walked[-1], []) if one not in walked]) and len(walked) < len(near):
        walked.append(following[0])
    closed = walked[0] in near[walked[-1]]
    return tuple(walked) if closed and len(walked) == len(near) else ()


def _folded(ring: Sequence[str], pairs: _Pairs) -> _Places:
    """Return places in two rows, in which the things of each pair are opposite, with others at the ends; or nothing."""
    number, at = len(ring), {thing: place for place, thing in enumerate(ring)}
    sums = {(at[one] + at[other]) % number for one, other in pairs}
    paired = {thing for pair in pairs for thing in pair}
    ends = [place for place, thing in enumerate(ring) if thing not in paired]
    if len(sums) != 1 or any(2 * place % number not in sums for place in ends) or len(ends) not in (0, 2):
        return {}
    if not ends and min(sums) % 2 == 0:  # two things would be opposite to themselves
        return {}
    middle = (min(sums) + 1) // 2
    first = min((place + 1) % number for place in ends) if ends else min(middle, (middle + number // 2) % number)
    turned = [ring[(first + step) % number] for step in range(number)]
    half = number // 2 - (1 if ends else 0)
    near, far = turned[:half], turned[half + bool(ends) : 2 * half + bool(ends)]
    places = {thing: (column + bool(ends), 2 if ends else 1) for column, thing in enumerate(near)}
    places |= {thing: (column + bool(ends), 0) for column, thing in enumerate(reversed(far))}
    return places | ({turned[half]: (half + 1, 1), turned[-1]: (0, 1)} if ends else {})


def _around(ring: Sequence[str]) -> _Places:
    """Return places around a rectangle, clockwise from its upper left corner; nothing for an odd number."""
    if len(ring) % 2:
        return {}
    rows = max(3, len(ring) // 4)
    columns = len(ring) // 2 + 2 - rows
    edge = [(column, 0) for column in range(columns)]
    edge += [(columns - 1, row) for row in range(1, rows)]
    edge += [(column, rows - 1) for column in reversed(range(columns - 1))]
    edge += [(0, row) for row in reversed(range(1, rows - 1))]
    return dict(zip(ring, edge, strict=True))
