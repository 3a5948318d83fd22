"""Find facts about walls between the cells of a board: they are drawn on the sides of cells, not as things in them.

Such a fact names two cells side by side, as in `(wall 1 1 1 2)`, or a cell and a direction, as in `(wall 1 1 north)`.
Or there is a relation for each direction, as in `(blocked_north 1 1)`. A fact may also name two columns and two rows,
as in `(wall a b 1 2)`: such a wall stands where four cells meet. The rules declare all walls, or the initial state has
some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.terms import name_key
from ggp.board.finding.candidates import Candidate, blanks_of, pick
from ggp.board.finding.facts import Knowledge, Table, direction_of
from ggp.board.finding.leaves import Leaves, flatten
from ggp.board.finding.order import Axis, OrderKind, ordered
from ggp.board.finding.orient import Orientation, orient

#: The sides of a board before its first and behind its last cells; no constant is called so.
_FIRST: Final = "("
_LAST: Final = ")"
#: The number of what is no coordinate.
_NOWHERE: Final = -99

_WORDS: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")

#: Cells by their key: numbers on both axes, where cells have odd ones and the sides between them even ones.
_Places = dict[Leaves, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Walls:
    """A table of walls. The places of its lines are on axes on which the sides of cells are between the cells.

    `crossing` is `|` or `-` if walls at corners stand between columns or rows, as the rules write these: the first
    coordinate is the column. It is empty for others.
    """

    table: Candidate
    crossing: str = ""


def find_walls(known: Knowledge, found: Sequence[Candidate]) -> tuple[Candidate, list[Table]] | None:
    """Return the first table of cells that has walls between its cells, and the tables of these walls."""
    for main in found:
        if len(main.axes) == 2 and not (main.composite or main.single):
            others = [table for table in known.tables if table.shape != main.table.shape]
            orientation = orient(known, main, main.axes, {})
            read = [walls.table for table in others if (walls := read_walls(known, table, main.axes, orientation))]
            tables = [walls.table for walls in read if len(walls.key) > 2 or _has_sibling(known, walls, read)]
            if tables:
                return main, tables
    return None


def _has_sibling(known: Knowledge, walls: Candidate, others: Iterable[Candidate]) -> bool:
    """Return True if a relation that names a direction is about the sides of cells.

    A cell has another side then, in a relation that is called alike but for the direction.
    """
    stem, way = _named_way(known, walls.table)
    alike = ((other, _named_way(known, other.table)) for other in others if len(other.key) == 2)
    return any(name[0] == stem and name[1] != way and other.cells & walls.cells for other, name in alike)


def read_walls(known: Knowledge, table: Table, axes: Sequence[Axis], orientation: Orientation) -> Walls | None:
    """Return a table as walls between the cells that have these coordinates; None if it is something else."""
    rows = table.initial | table.declared
    if not rows:
        return None
    ways = [leaf for leaf, domain in enumerate(table.domains) if domain and all(map(direction_of, domain))]
    ends = [leaf for leaf, domain in enumerate(table.domains) if leaf not in ways and _are_coordinates(domain, axes)]
    numbers = [_numbers(known, table, ends, axis) for axis in axes] if len(ends) in (2, 4) else []
    places: _Places = {}
    key, crossing = tuple(ends), ""
    if len(ends) == 4 and not ways:
        places, crossing = _between(known, table, key, numbers)
    elif len(ends) == 2 and len(ways) == 1:
        key = tuple(sorted((*ends, *ways)))
        ways_of = {pick(row, key): (pick(row, ends), direction_of(row[ways[0]])) for row in rows}
        # What always has a single direction is something that looks there.
        if len({cell for cell, _ in ways_of.values()}) < len(ways_of):
            places = {row: _beside(*at, numbers, orientation) for row, at in ways_of.items()}
    elif len(ends) == len(table.domains) == 2 and (direction := _named_way(known, table)[1]):
        places = {pick(row, key): _beside(pick(row, key), direction, numbers, orientation) for row in rows}
    sided = [with_sides(axis) for axis in axes]
    limits = [len(axis.values) for axis in sided]
    if not places or not all(0 <= x < limits[0] and 0 <= y < limits[1] for x, y in places.values()):
        return None
    content = tuple(leaf for leaf in range(len(table.domains)) if leaf not in key)
    lines = {row: (sided[0].values[x], sided[1].values[y]) for row, (x, y) in places.items()}
    blanks = blanks_of(table, content, known.roles)
    return Walls(Candidate(table, key, content, tuple(sided), frozenset(lines), True, blanks, lines=lines), crossing)


def _are_coordinates(domain: frozenset[str], axes: Sequence[Axis]) -> bool:
    """Return True if values are coordinates of cells, but for one that may come before the first."""
    return any(domain & set(axis.values) and len(domain - set(axis.values)) <= 1 for axis in axes)


def _numbers(known: Knowledge, table: Table, ends: Sequence[int], axis: Axis) -> Mapping[str, int]:
    """Return the numbers of coordinates on an axis with sides; the one before the first cell has a negative one."""
    whole = ordered(set(axis.values).union(*(table.domains[leaf] for leaf in ends)), known.chains)
    values = whole.values if whole and whole.values[-len(axis.values) :] == axis.values else axis.values
    return {value: 2 * number + 1 for number, value in enumerate(values, len(axis.values) - len(values))}


def _between(
    known: Knowledge, table: Table, key: Sequence[int], numbers: Sequence[Mapping[str, int]]
) -> tuple[_Places, str]:
    """Return the places between two cells, or where two columns and two rows meet, if all rows name such."""
    for order in ((0, 1, 0, 1), (0, 0, 1, 1)):
        found: _Places = {}
        kinds = set()
        for row in table.initial | table.declared:
            at: tuple[list[int], list[int]] = ([], [])
            for leaf, coordinate in zip(pick(row, key), order, strict=True):
                at[coordinate].append(numbers[coordinate].get(leaf, _NOWHERE))
            found[pick(row, key)] = (sum(at[0]) // 2, sum(at[1]) // 2)
            kinds.add(tuple(abs(a - b) for a, b in at))
        if kinds <= {(0, 2), (2, 0)}:
            return found, ""
        if kinds == {(2, 2)}:
            return found, _crossing(known, table, key, order)
    return {}, ""


def _crossing(known: Knowledge, table: Table, key: Sequence[int], order: Sequence[int]) -> str:
    """Return how walls at corners run: `|` between columns, `-` between rows, nothing if the rules do not say.

    The rule of a step across a wall has both values of the coordinate that changes in its head, and one of the other.
    """
    for rule in known.rules:
        head = {leaf for arg in rule.head.args for leaf in flatten(arg)[1] or (arg.key,)}
        for literal in rule.literals():
            shape, leaves = flatten(literal.atom.args[0]) if literal.atom.signature == ("true", 1) else ("", ())
            if shape == table.shape:
                named = list(zip(pick(leaves, key), order, strict=True))
                first, second = ({leaf for leaf, of in named if of == coordinate} <= head for coordinate in (0, 1))
                if first != second:
                    return "|" if first else "-"
    return ""


def _beside(
    cell: Leaves, direction: str, numbers: Sequence[Mapping[str, int]], orientation: Orientation
) -> tuple[int, int]:
    """Return the place at one side of a cell."""
    at = [number.get(leaf, _NOWHERE) for number, leaf in zip(numbers, cell, strict=True)]
    if direction in "ud":
        at[orientation.down] += 1 if orientation.upwards == (direction == "u") else -1
    else:
        at[orientation.across] += 1 if orientation.leftwards == (direction == "l") else -1
    return at[0], at[1]


def _named_way(known: Knowledge, table: Table) -> tuple[str, str]:
    """Return the name of a table without the direction in it, and the direction, if there is one."""
    words = _WORDS.findall(known.spell(table.name))
    ways = {word: direction_of(name_key(word)) for word in words}
    named = [way for way in ways.values() if way]
    return "".join(word for word in words if not ways[word]), named[0] if len(named) == 1 else ""


def with_sides(cells: Axis) -> Axis:
    """Return an axis with the sides of its cells, each named after the cells next to it."""
    values = [_FIRST, cells.values[0]]
    for value in cells.values[1:]:
        values += [f"{values[-1]}-{value}", value]
    return Axis((*values, _LAST), OrderKind.CHAIN, cells.prefix)
