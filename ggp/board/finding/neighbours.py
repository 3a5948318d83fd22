"""Find the arrangement of cells that relations of the rules define: hexagons, and parts of a whole board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final

from gdl.engine import Engine
from gdl.errors import GdlError
from gdl.language.rules import Rule, Signature
from gdl.terms import name_key
from ggp.board.finding.domains import Domains, domains_of
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
