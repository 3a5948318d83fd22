"""Find the arrangement of cells that relations of the rules define: hexagons, and parts of a whole board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Any, Final

from gdl.engine import Engine
from gdl.errors import GdlError
from gdl.language.rules import Rule, Signature
from gdl.terms import name_key
from ggp.board.finding.domains import Domains, domains_of, occurrences
from ggp.board.finding.order import Axis, ordered

#: Relations that may have more rows than this are not looked at, as deriving them would take too long.
_MOST_ROWS: Final = 200_000

#: Relations that depend on the state or on moves, or are none of the game's own.
_CHANGING: Final = frozenset({"true", "does", "next", "init", "legal", "goal", "terminal", "sees", "base", "input"})

_SIDES: Final = frozenset({(1, 0), (-1, 0), (0, 1), (0, -1)})
_RISING: Final = frozenset({(1, 1), (-1, -1)})
_FALLING: Final = frozenset({(1, -1), (-1, 1)})


def slant_of(game: Engine, rules: Sequence[Rule], axes: Sequence[Axis]) -> int:
    """Return 1 or -1 if the cells with these two coordinates have six neighbours by a relation of the rules, else 0.

    Next to a cell are those that differ by one in one coordinate. It is 1 if the other two neighbours are those where
    both coordinates are larger or both are smaller by one, and -1 if one is larger and the other one smaller.
    """
    relations = fixed_relations(rules, 4)
    domains = domains_of(rules) if relations else {}
    first, second = axes
    places = [{value: number for number, value in enumerate(axis.values)} for axis in (first, second, first, second)]
    for relation in relations:
        offsets: set[tuple[int, int]] = set()
        for row in rows_of(game, domains, relation, places):
            a, b, c, d = (place[leaf] for place, leaf in zip(places, row, strict=True))
            offsets.add((c - a, d - b))
        if offsets == _SIDES | _RISING:
            return 1
        if offsets == _SIDES | _FALLING:
            return -1
    return 0


def corners_of(game: Engine, rules: Sequence[Rule], axes: Sequence[Axis], board: int) -> dict[str, tuple[int, int]]:
    """Return where each of several boards lies on a whole board, by the value of the coordinate `board` of three.

    A relation of five arguments says so, such as `(index 2 x y x2 y2)`: it gives each cell its coordinates on the whole
    board, on which a board has one place and is not turned. There is no answer if no relation does.
    """
    relations = fixed_relations(rules, 5)
    domains = domains_of(rules) if relations else {}
    places = [{value: number for number, value in enumerate(axis.values)} for axis in axes]
    for relation in relations:
        whole = [ordered(map(str, domains.get((*relation, argument), ())), ()) for argument in (3, 4)]
        known = [*places, *({value: n for n, value in enumerate(axis.values)} for axis in whole if axis)]
        corners: dict[str, set[tuple[int, int]]] = {}
        seen: set[tuple[int, int]] = set()
        rows = list(rows_of(game, domains, relation, known)) if len(known) == 5 else []
        for row in rows:
            numbers = [place[leaf] for place, leaf in zip(known, row, strict=True)]
            x, y = (number for i, number in enumerate(numbers[:3]) if i != board)
            corners.setdefault(row[board], set()).add((numbers[3] - x, numbers[4] - y))
            seen.add((numbers[3], numbers[4]))
        one_each = all(len(found) == 1 for found in corners.values())
        if one_each and len(seen) == len(rows) == prod(map(len, places)):
            return {name: corner for name, found in corners.items() for corner in found}
    return {}


def sides_of(rules: Sequence[Rule], axes: Sequence[Axis], roles: Sequence[str]) -> tuple[str, str]:
    """Return the roles that connect the first and last values of the first coordinate, and those of the second one.

    Rules that name a single role say so, if one of them names the first value of a coordinate of a cell, and one the
    last: `(<= (wins red) (linked red a ?y1 i ?y2))`. A text is empty if there is no such role.
    """
    people = {name_key(role): role for role in roles}
    domains = domains_of(rules)
    ends: dict[tuple[str, int], set[str]] = {}
    for rule in rules:
        atoms = [rule.head, *(literal.atom for literal in rule.literals() if not literal.negated)]
        named = [list(occurrences(atom)) for atom in atoms]
        who = {leaf for atom in named for _, leaf in atom if isinstance(leaf, str) and leaf in people}
        for (before, first), (after, second) in (pair for atom in named for pair in pairwise(atom)):
            on_board = all(
                domains.get(position, set()) <= set(axis.values)
                for position, axis in zip((before, after), axes, strict=True)
            )
            for coordinate, leaf in enumerate((first, second)):
                values = axes[coordinate].values
                if len(who) == 1 and on_board and leaf in (values[0], values[-1]):
                    ends.setdefault((str(next(iter(who))), coordinate), set()).add(str(leaf))
    found = [
        [people[role] for (role, at), leaves in ends.items() if at == side and len(leaves) == 2] for side in (0, 1)
    ]
    one, other = (roles_of[0] if len(roles_of) == 1 else "" for roles_of in found)
    return one, other


def fixed_relations(rules: Sequence[Rule], arguments: int) -> list[Signature]:
    """Return the relations with a given number of arguments that are the same in every state."""
    changing = {rule.head.signature for rule in rules if rule.head.signature[0] in _CHANGING}
    grew = True
    while grew:
        grew = False
        for rule in rules:
            used = {literal.atom.signature for literal in rule.literals()}
            if rule.head.signature not in changing and any(one in changing or one[0] in _CHANGING for one in used):
                changing.add(rule.head.signature)
                grew = True
    heads = dict.fromkeys(rule.head.signature for rule in rules)
    return [head for head in heads if head[1] == arguments and head not in changing]


def rows_of(
    game: Engine, domains: Domains, relation: Signature, places: Sequence[Mapping[str, int] | None]
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a relation, if each of their values has a place; None stands for places of any values."""
    columns = [domains.get((*relation, argument), set()) for argument in range(relation[1])]
    query: Any = getattr(game, "query", None)
    if query is None or prod(map(len, columns)) > _MOST_ROWS:
        return
    if not all(
        column and (place is None or all(value in place for value in column))
        for column, place in zip(columns, places, strict=True)
    ):
        return
    try:
        variables = [f"?{argument}" for argument in range(relation[1])]
        answers = query(f"({relation[0]} {' '.join(variables)})", game.initial_state())
    except GdlError:
        return
    for answer in answers:
        yield tuple(name_key(str(answer[variable])) for variable in variables)
