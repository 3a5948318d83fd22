"""Find tables that give each of several things one value, such as heaps and their sizes: they are drawn as a row.

They are looked for only in games without other boards, since such tables often go along with a board: scores, counters.
"""

from __future__ import annotations

from typing import Final

from gdl.terms import name_key
from ggp.board.finding.candidates import ONE, Candidate
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.leaves import Leaves
from ggp.board.finding.order import Axis, OrderKind, naturally

#: The fewest and the most cells of a row.
_FEWEST: Final = 3
_MOST: Final = 24


def find_rows(known: Knowledge) -> list[Candidate]:
    """Return the tables that can be drawn as rows of cells, in the rules' order."""
    found = [made for table in known.tables if (made := _valued(known, table)) is not None]
    return found or _switches(known)


def _valued(known: Knowledge, table: Table) -> Candidate | None:
    """Return a table of pairs as a row if it gives each value of one leaf exactly one of the other at the start."""
    if len(table.domains) != 2:
        return None
    for key in (0, 1):
        values, contents = {row[key] for row in table.initial}, table.domains[1 - key]
        # Things that lie on one another are no row.
        if values == table.domains[key] and len(values) == len(table.initial) and not values & contents:
            return _row(known, table, key, (1 - key,), values) if len(contents) > 1 else None
    return None


def _switches(known: Knowledge) -> list[Candidate]:
    """Return the tables of single things, such as lights that are on or off, that share out the same things."""
    tables = [table for table in known.tables if len(table.domains) == 1]
    for first in tables:
        values = first.domains[0]
        alike = [table for table in tables if table.domains[0] <= values]
        rows = [row[0] for table in alike for row in table.initial]
        if len(alike) > 1 and len(rows) == len(set(rows)) and set(rows) == values:
            made = [_row(known, table, 0, (), set(values)) for table in alike]
            return [one for one in made if one is not None]
    return []


def _row(known: Knowledge, table: Table, key: int, content: tuple[int, ...], values: set[str]) -> Candidate | None:
    if not _FEWEST <= len(values) <= _MOST or values <= set(map(name_key, known.roles)):
        return None
    axis = Axis(tuple(sorted(values, key=naturally)), OrderKind.LETTER)
    cells: frozenset[Leaves] = frozenset((value,) for value in values)
    axes = (axis, Axis((ONE,), OrderKind.LETTER))
    return Candidate(table, (key,), content, axes, cells, True, frozenset(), single=True)
