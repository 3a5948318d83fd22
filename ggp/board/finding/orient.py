"""Decide which coordinate runs across, which one runs down, and where up is.

The rules of a game need not say so. These are the clues, the strongest first:

1. Relations that name a direction: `(neighbour north y2 x1 y1 x1)` says that north is towards `y1`.
2. A role called north or top has its pieces at the top, one called south or bottom at the bottom.
3. Names: `x`, `c`, `col`, `file` run across; `y`, `r`, `row`, `rank` run up or down. They are looked for in symbols
   (`x1`, `r3`), variables (`?x`, `?row`) and relations (`(row ?a)`). Without such names, the first coordinate runs
   across.
4. Rows that are lettered or called `r1` run downwards, and so does the row of a `(cell row column)`, as in a matrix;
   other rows run upwards, as on a chess board.
5. Except on boards with chess coordinates: if a small camp faces one at least twice as large, the small one is at the
   top, as such games are usually drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl.terms import name_key
from ggp.board.finding.candidates import Candidate
from ggp.board.finding.facts import Knowledge, Step
from ggp.board.finding.order import Axis
from ggp.board.leaves import Leaves, pick
from ggp.board.model import Piece

_ACROSS = frozenset(("x", "c", "col", "columns", "column", "cols", "file"))
_DOWN = frozenset(("y", "r", "row", "rows", "rank"))
_STACKED = frozenset(("z", "board", "level", "layer", "plane", "grid"))
_UPPER = frozenset(("north", "top", "up", "upper"))
_LOWER = frozenset(("south", "bottom", "down", "lower"))


@dataclass(frozen=True, slots=True)
class Orientation:
    """The numbers of the coordinates that run across, that run up or down, and that select the board.

    `upwards` and `leftwards` are True if values grow towards the top, or towards the left.
    """

    across: int
    down: int
    boards: tuple[int, ...]
    upwards: bool
    leftwards: bool = False


def orient(known: Knowledge, candidate: Candidate, axes: Sequence[Axis], pieces: Mapping[Leaves, Piece]) -> Orientation:
    """Return the orientation in which to draw a table; `axes` are its coordinates, `pieces` its contents."""
    if candidate.single:
        return Orientation(0, 1, (), upwards=False)
    boards = _board_coordinates(candidate, axes)
    first, second = (i for i in range(len(axes)) if i not in boards)
    across, down = first, second
    if _row_first(known, candidate, axes, first, second):
        across, down = second, first
    climb = _sense(known, axes[down], int(down == second), "ud")
    drift = _sense(known, axes[across], int(across == second), "rl")
    upwards = climb > 0 if climb else _upwards(candidate, axes, down, across, pieces)
    return Orientation(across, down, boards, upwards, leftwards=drift < 0)


def _board_coordinates(candidate: Candidate, axes: Sequence[Axis]) -> tuple[int, ...]:
    """Return the coordinates beyond two: of four, the first two; of three, the one named or shaped differently."""
    if len(axes) != 3:
        return tuple(range(len(axes) - 2))
    stacked = [sum(_word(hint) in _STACKED for hint in candidate.table.hints[leaf]) for leaf in candidate.key]
    if max(stacked):
        return (stacked.index(max(stacked)),)
    for odd in (2, 1):
        same = [axis.values for i, axis in enumerate(axes) if i != odd]
        if same[0] == same[1] != axes[odd].values:
            return (odd,)
    return (0,)


# ------------------------------------------------------------------------------------------ directions


def _sense(known: Knowledge, axis: Axis, coordinate: int, directions: str) -> int:
    """Return 1 if steps in the first of two directions move forwards along an axis, -1 if backwards, 0 if unknown."""
    place = {value: number for number, value in enumerate(axis.values)}
    balance = 0
    for step in known.steps:
        fits = step.coordinate in (None, coordinate) and step.before in place and step.after in place
        if fits and step.direction in directions:
            change = place[step.after] - place[step.before]
            balance += change if step.direction == directions[0] else -change
    return (balance > 0) - (balance < 0)


def _row_first(known: Knowledge, candidate: Candidate, axes: Sequence[Axis], first: int, second: int) -> bool:
    """Return True if the first of a cell's two coordinates is the row."""
    moved = Counter(
        step.coordinate
        for step in known.steps
        if step.direction in "ud" and step.coordinate is not None and _on(step, axes[(first, second)[step.coordinate]])
    )
    if moved[0] != moved[1]:
        return moved[0] > moved[1]
    prefixes = [_vote(axes[i].prefix) for i in (first, second)]
    if prefixes[0] * prefixes[1] < 0 or any(len(axes[i].prefix) > 1 for i in (first, second)):
        return prefixes[0] > prefixes[1]
    if candidate.composite:
        return False
    hints = [sum(_vote(_word(hint)) for hint in candidate.table.hints[candidate.key[i]]) for i in (first, second)]
    return hints[0] > hints[1]


def _on(step: Step, axis: Axis) -> bool:
    return step.before in axis.values and step.after in axis.values


def _word(name: str) -> str:
    """Return a name without trailing digits, signs and primes."""
    return name_key(name).rstrip("0123456789'+-_")


def _vote(name: str) -> int:
    name = name.rstrip("_-")
    return (name in _DOWN) - (name in _ACROSS)


# ------------------------------------------------------------------------------------------ up and down


def _upwards(
    candidate: Candidate,
    axes: Sequence[Axis],
    down: int,
    across: int,
    pieces: Mapping[Leaves, Piece],
) -> bool:
    camps = _camps(candidate, axes[down], down, pieces)
    for role, rows in camps.items():
        others = [row for other, theirs in camps.items() if other != role for row in theirs]
        mean = sum(rows) / len(rows)
        if others and name_key(role) in _UPPER | _LOWER and mean != sum(others) / len(others):
            return (mean > sum(others) / len(others)) == (name_key(role) in _UPPER)
    axis = axes[down]
    if axis.lettered or axis.prefix.rstrip("_-") in ("r", "row"):
        return False
    if down < across:
        return False
    if axes[across].lettered:
        return True
    if len(camps) == 2:
        few, many = sorted(camps.values(), key=len)
        return not (2 * len(few) <= len(many) and max(few) < min(many))
    return True


def _camps(candidate: Candidate, axis: Axis, down: int, pieces: Mapping[Leaves, Piece]) -> dict[str, list[int]]:
    """Return the rows on which each role's pieces stand at the start."""
    place = {value: number for number, value in enumerate(axis.values)}
    coordinates = candidate.coordinates()
    camps: dict[str, list[int]] = {}
    for row in sorted(candidate.table.initial):
        piece = pieces.get(pick(row, candidate.content))
        cell = coordinates.get(pick(row, candidate.key))
        if piece is not None and piece.owner is not None and not piece.blank and cell is not None:
            camps.setdefault(piece.owner, []).append(place[cell[down]])
    return camps
