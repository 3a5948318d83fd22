"""Points on lines, which the rules connect in another way than the cells of a grid, such as those of merrills.

A relation that is the same in every state says which points are next to each other, as in `(adjacent a1 a4)`,
`(line up 1 1 1 2)` or `(path up p1 p2)`, or which three are in a row, as in `(mill p1 p2 p3)`. Points with coordinates
are drawn as points if lines lead only to some of the cells beside them. Other points get their places from the lines:
squares within each other where the rows of three make these, or else places as far apart as the lines say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise, product
from math import cos, dist, hypot, pi, prod, sin
from typing import Final, Self

from gdl.language.rules import Signature
from gdl.terms import name_key
from ggp.board.drawing.elements import Element, element
from ggp.board.drawing.looks import CELL
from ggp.board.finding.candidates import ONE, Candidate, blanks_of
from ggp.board.finding.domains import domains_of
from ggp.board.finding.facts import Knowledge, Table
from ggp.board.finding.neighbours import fixed_relations, rows_of
from ggp.board.finding.order import Axis, OrderKind, naturally
from ggp.board.finding.orient import orient
from ggp.board.kinds.board import Board, Short
from ggp.board.kinds.grids import Grid
from ggp.board.kinds.rows import ring_places
from ggp.board.kinds.search import Group, Search
from ggp.board.kinds.sheet import Sheet, lay_out
from ggp.board.leaves import Leaves
from ggp.board.model import CellPlace, Piece

#: The fewest and the most points without coordinates, and the most that are connected with one of them.
_FEWEST: Final = 6
_MOST: Final = 60
_CROWDED: Final = 8
#: Relations that may have more rows are not asked for lines.
_MOST_ROWS: Final = 30_000
#: The radius of a point.
_RADIUS: Final = 5.0
#: How far apart two connected points without coordinates are, in cells.
_APART: Final = 2.2
#: How often the places of points without coordinates are improved.
_ROUNDS: Final = 200

_Place = tuple[int, int]
#: Two points that a line connects, or three in a row.
_Line = tuple[Leaves, ...]


@dataclass(frozen=True, slots=True)
class Points(Grid):
    """A board of points; `links` are the places between which there are lines.

    Points that are not named after columns and rows have `names` of their own.
    """

    links: frozenset[tuple[_Place, _Place]] = frozenset()
    names: Mapping[_Place, str] = field(default_factory=dict, hash=False)

    @property
    def labelled(self) -> bool:
        """True unless the points have names of their own."""
        return not self.names

    def flipped(self) -> Self:
        """Return the board upside down."""
        links = frozenset((self.flip(*one), self.flip(*other)) for one, other in self.links)
        names = {self.flip(*place): name for place, name in self.names.items()}
        return replace(Board.flipped(self), links=links, names=names)

    def name_of(self, column: int, row: int) -> str:
        """Return the name of a point."""
        return self.names.get((column, row)) or Board.name_of(self, column, row)

    def chequered(self, roles: int) -> bool:
        """Return False."""
        return False

    def class_of(self, column: int, row: int) -> str:
        """Return the class of a point: only what is beneath it is seen."""
        return "gap"

    def beneath(self, short: Short, left: float, top: float) -> Iterator[Element]:
        """Yield the lines and the points, and the names of points."""
        middles = {cell: self.middle(*cell, left, top) for cell in sorted(self.cells)}
        for one, other in sorted(self.links):
            (ax, ay), (bx, by) = middles[one], middles[other]
            yield element("line", class_="link", x1=ax, y1=ay, x2=bx, y2=by)
        for x, y in middles.values():
            yield element("circle", class_="spot", cx=x, cy=y, r=_RADIUS)
        for cell, name in zip(self.names, short(tuple(self.names.values())) if self.names else (), strict=True):
            x, y = middles[cell]
            yield element("text", name, class_="label", x=x + 12, y=y + 22)

    def highlight(
        self, column: int, row: int, x: float, y: float, inset: float, /, **attributes: str | float
    ) -> Element:
        """Return what covers a point, under the pieces."""
        return element("circle", cx=x, cy=y, r=CELL * 0.46 - inset, **attributes)

    def names_in_text(self) -> Iterable[str]:
        """Return the names that points have of their own."""
        return self.names.values()


def find_points(search: Search) -> None:
    """Draw cells as points on lines where the rules connect only some of those that are next to each other."""
    for group in search.groups:
        if group.arrange is None and not group.main.single and len(group.main.axes) == 2:
            places = _numbers(group)
            found = [_drawn(lines, places) for lines in _lines(search, group.cells)]
            if links := max(found, key=len, default=frozenset()):
                group.arrange = partial(_arrange, links)


def _arrange(
    links: frozenset[tuple[Leaves, Leaves]], search: Search, group: Group, looks: Mapping[Leaves, Piece], title: str
) -> Sheet:
    orientation = orient(search.known, group.main, group.axes(), looks)
    sheet = lay_out(search.known, group.cells, group.axes(), orientation, title, len(search.boards), make=Points)
    at = {key: (place.column, place.row) for key, place in sheet.places.items()}
    drawn = frozenset((at[one], at[other]) for one, other in links)
    boards = (replace(board, links=drawn) for board in sheet.boards if isinstance(board, Points))
    return replace(sheet, boards=tuple(boards))


# ------------------------------------------------------------------------------------------ lines in the rules


def _lines(search: Search, points: Collection[Leaves]) -> Iterator[list[_Line]]:
    """Yield the lines of each fixed relation between points: pairs of them, or three in a row."""
    size = len(next(iter(points)))
    values = [{point[i]: 0 for point in points} for i in range(size)]
    rules = search.known.rules
    domains = domains_of(rules)
    for several, others in ((2, 0), (2, 1), (3, 0)):
        if several == 3 and size > 1:
            continue
        for relation in fixed_relations(rules, several * size + others):
            if prod(len(domains.get((*relation, i), ())) for i in range(relation[1])) > _MOST_ROWS:
                continue
            for way in _ways(relation, others):
                columns = [
                    None if i == way else values[(i - (way is not None and i > way)) % size] for i in range(relation[1])
                ]
                rows = list(rows_of(search.game, domains, relation, columns))
                lines = [_cut(row, way, size) for row in rows]
                if lines and all(point in points for line in lines for point in line):
                    yield lines


def _ways(relation: Signature, others: int) -> tuple[int | None, ...]:
    """Return the arguments that may name a direction."""
    return (0, relation[1] - 1) if others else (None,)


def _cut(row: Sequence[str], way: int | None, size: int) -> _Line:
    leaves = [leaf for i, leaf in enumerate(row) if i != way]
    return tuple(tuple(leaves[i : i + size]) for i in range(0, len(leaves), size))


def _numbers(group: Group) -> dict[Leaves, _Place]:
    """Return the coordinates of cells as numbers."""
    ranks = [{value: rank for rank, value in enumerate(axis.values)} for axis in group.axes()]
    return {key: (ranks[0][cell[0]], ranks[1][cell[1]]) for key, cell in group.cells.items()}


def _drawn(lines: Sequence[_Line], places: Mapping[Leaves, _Place]) -> frozenset[tuple[Leaves, Leaves]]:
    """Return the lines between points with coordinates; none if they are just those of a grid.

    A line leads to the nearest point in one of eight directions. There must be a direction in which lines lead only
    from some points that have another one there.
    """
    near = _nearest(places)
    links = {frozenset(pair) for line in lines for pair in pairwise(line) if pair[0] != pair[1]}
    steps = {pair: step for pair, step in near.items() if pair in links}
    threes = len(lines[0]) == 3
    if len(steps) < len(links) or {one for pair in links for one in pair} != set(places):
        return frozenset()
    if threes and len(places) == len({x for x, _ in places.values()}) * len({y for _, y in places.values()}):
        return frozenset()  # where three in a row win, as in tic-tac-toe
    there, drawn = Counter(near.values()), Counter(steps.values())
    if all(there[step] == number for step, number in drawn.items()):
        return frozenset()
    return frozenset((min(pair), max(pair)) for pair in links)


def _nearest(places: Mapping[Leaves, _Place]) -> dict[frozenset[Leaves], _Place]:
    """Return the pairs of points with no other one between them in a row, a column or a diagonal, by direction."""
    keys = {place: key for key, place in places.items()}
    longest = max((max(place) for place in keys), default=0) + 1
    found = {}
    for (x, y), key in keys.items():
        for step in ((1, 0), (0, 1), (1, 1), (1, -1)):
            ahead = ((x + n * step[0], y + n * step[1]) for n in range(1, longest))
            if (other := next((keys[place] for place in ahead if place in keys), None)) is not None:
                found[frozenset((key, other))] = step
    return found


# ------------------------------------------------------------------------------------------ without coordinates


def find_nets(search: Search) -> None:
    """Find points without coordinates, which moves name and which facts say something about."""
    if search.found:
        return
    known = search.known
    for names in _nets(known):
        tables = [made for table in known.tables if (made := _candidate(known, table, names)) is not None]
        points = {(name,) for name in names}
        if not tables or not any(names <= moved for moved in known.moves) or ring_places(known, names):
            continue
        found = [lines for lines in _lines(search, points) if _mutual(lines)]
        pairs = {(a[0], b[0]) for lines in found for line in lines for a, b in pairwise(line)}
        threes = {tuple(point[0] for point in line) for lines in found for line in lines if len(line) == 3}
        places = _squares(threes, pairs) or _spread(names, pairs)
        if set(places) == names:
            search.candidates = tables
            links = frozenset((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
            search.groups[0].arrange = partial(_arrange_unordered, places, links)
            return


def _mutual(lines: Sequence[_Line]) -> bool:
    """Return True if lines have three points, or lead both ways: those that lead one way are rather an order."""
    return len(lines[0]) == 3 or {line[::-1] for line in lines} == set(lines)


def _nets(known: Knowledge) -> Iterator[frozenset[str]]:
    """Yield the names of points that some relation of the rules connects, the most first."""
    domains = domains_of(known.rules)
    found: dict[frozenset[str], None] = {}
    for arguments in (2, 3):
        for relation in fixed_relations(known.rules, arguments):
            columns = [frozenset(map(str, domains.get((*relation, i), ()))) for i in range(arguments)]
            for some in (*combinations(columns, 2), columns):
                if any(one & other for one, other in combinations(some, 2)):
                    found[frozenset().union(*some)] = None
    for names in sorted(found, key=len, reverse=True):
        if _FEWEST <= len(names) <= _MOST and not any(name.isdecimal() for name in names):
            yield names


def _candidate(known: Knowledge, table: Table, names: frozenset[str]) -> Candidate | None:
    """Return a table that says something about points; None if it does not."""
    here = [leaf for leaf, domain in enumerate(table.domains) if domain <= names]
    people = set(map(name_key, known.roles))
    if len(here) != 1 or table.domains[here[0]] <= people:
        return None
    axes = Axis(tuple(sorted(names, key=naturally)), OrderKind.LETTER), Axis((ONE,), OrderKind.LETTER)
    content = tuple(leaf for leaf in range(len(table.domains)) if leaf not in here)
    blanks = blanks_of(table, content, known.roles)
    cells: frozenset[Leaves] = frozenset((name,) for name in names)
    return Candidate(table, tuple(here), content, axes, cells, True, blanks, single=True)


def _arrange_unordered(
    places: Mapping[str, _Place],
    links: Collection[tuple[str, str]],
    search: Search,
    group: Group,
    looks: Mapping[Leaves, Piece],
    title: str,
) -> Sheet:
    columns, rows = (1 + max(place[i] for place in places.values()) for i in (0, 1))
    board = Points(
        title,
        columns=("",) * columns,
        rows=("",) * rows,
        cells=frozenset(places.values()),
        upwards=False,
        links=frozenset((places[one], places[other]) for one, other in links),
        names={place: search.known.spell(name) for name, place in places.items()},
    )
    number = len(search.boards)
    return Sheet((board,), ((number,),), {(name,): CellPlace(number, *place) for name, place in places.items()})


def _squares(threes: Collection[tuple[str, ...]], pairs: Collection[tuple[str, str]]) -> dict[str, _Place]:
    """Return the places of points on squares within each other, whose sides are rows of three; or nothing."""
    rows = {frozenset(line): line for line in sorted(threes)}
    ends = Counter(end for line in rows.values() for end in (line[0], line[2]))
    corners = {point for point, number in ends.items() if number > 1} - {line[1] for line in rows.values()}
    sides: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for first, middle, last in rows.values():
        if first in corners and last in corners:
            sides[first][last] = sides[last][first] = middle
    squares = [square for start in sorted(sides, key=naturally) if (square := _square(sides, start))]
    squares = [square for at, square in enumerate(squares) if set(square) not in map(set, squares[:at])]
    near = {frozenset(pair) for pair in pairs}
    for at in range(1, len(squares)):  # each lies within the one to which lines lead
        aligned = {
            tuple(ring[(turn + way * i) % 8] for i in range(8)): None
            for ring in squares[at:]
            for turn in (0, 2, 4, 6)
            for way in (1, -1)
        }
        best = max(
            aligned, key=lambda ring: sum(frozenset(both) in near for both in zip(squares[at - 1], ring, strict=True))
        )
        rest = [ring for ring in squares[at:] if set(ring) != set(best)]
        squares = [*squares[:at], best, *rest]
    size = len(squares)
    found: dict[str, _Place] = {}
    for number, square in enumerate(squares):
        low, high = number, 2 * size - number
        edge = (
            (low, low),
            (size, low),
            (high, low),
            (high, size),
            (high, high),
            (size, high),
            (low, high),
            (low, size),
        )
        found |= dict(zip(square, edge, strict=True))
    return found


def _square(sides: Mapping[str, Mapping[str, str]], start: str) -> tuple[str, ...]:
    """Return the corners and middles of a square, clockwise from a corner; nothing if there is none."""
    walked = [start]
    while len(walked) < 4:
        following = sorted((corner for corner in sides[walked[-1]] if corner not in walked), key=naturally)
        if not following:
            return ()
        walked.append(following[0])
    if start not in sides[walked[-1]] or any(len(sides[corner]) != 2 for corner in walked):
        return ()
    return tuple(
        name for one, other in zip(walked, walked[1:] + walked[:1], strict=True) for name in (one, sides[one][other])
    )


def _spread(names: Collection[str], pairs: Collection[tuple[str, str]]) -> dict[str, _Place]:
    """Return places as far apart as the lines between points are long; nothing unless all points are connected.

    Nor is there an answer for a chain, or if lines lead from everywhere to everywhere.
    """
    near: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in pairs:
        if one != other:
            near[one].add(other)
            near[other].add(one)
    most = max(map(len, near.values()), default=0)
    far = {name: _distances(near, name) for name in sorted(names, key=naturally)}
    if not 2 < most <= min(_CROWDED, len(names) - 2) or any(len(distances) < len(names) for distances in far.values()):
        return {}
    points = {
        name: (cos(2 * pi * number / len(far)) * len(far) / 4, sin(2 * pi * number / len(far)) * len(far) / 4)
        for number, name in enumerate(far)
    }
    for _ in range(_ROUNDS):  # stress majorization, one point after the other (Gansner, Koren and North, 2004)
        for name, distances in far.items():
            x, y, total = 0.0, 0.0, 0.0
            for other, steps in distances.items():
                if steps:
                    (ax, ay), (bx, by) = points[name], points[other]
                    length = hypot(ax - bx, ay - by) or 1.0
                    weight = 1 / steps**2
                    x += weight * (bx + steps * (ax - bx) / length)
                    y += weight * (by + steps * (ay - by) / length)
                    total += weight
            points[name] = x / total, y / total
    return _on_grid(points)


def _distances(near: Mapping[str, Collection[str]], start: str) -> dict[str, int]:
    """Return the steps from a point to each one that can be reached from it."""
    found, edge = {start: 0}, [start]
    for point in edge:
        for other in sorted(near.get(point, ())):
            if other not in found:
                found[other] = found[point] + 1
                edge.append(other)
    return found


def _on_grid(points: Mapping[str, tuple[float, float]]) -> dict[str, _Place]:
    """Return columns and rows for points, each of its own."""
    left, top = (min(point[i] for point in points.values()) for i in (0, 1))
    placed: dict[str, _Place] = {}
    for name, (x, y) in points.items():
        wanted = (x - left) * _APART, (y - top) * _APART
        around = product(
            range(round(wanted[0]) - 3, round(wanted[0]) + 4), range(round(wanted[1]) - 3, round(wanted[1]) + 4)
        )
        free = [place for place in around if min(place) >= 0 and place not in placed.values()]
        placed[name] = min(free, key=lambda place: dist(place, wanted))
    return placed
