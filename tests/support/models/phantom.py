"""Games on boards whose roles do not see each other's pieces: who tries what cannot be done is told so, and goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words
from .connect_four import HEIGHT, WIDTH, Columns, has_four

Cell = tuple[int, int]

LINES: Final = (
    *(tuple((m, n) for n in (1, 2, 3)) for m in (1, 2, 3)),
    *(tuple((m, n) for m in (1, 2, 3)) for n in (1, 2, 3)),
    ((1, 1), (2, 2), (3, 3)),
    ((1, 3), (2, 2), (3, 1)),
)


@dataclass(frozen=True, slots=True)
class Marks:
    """A position of Kriegspiel tic-tac-toe: the cells of x and o, the cells that each has found out, and who moves."""

    marks: tuple[frozenset[Cell], frozenset[Cell]]
    found: tuple[frozenset[Cell], frozenset[Cell]]
    mover: int


@dataclass(frozen=True, slots=True)
class KriegspielTicTacToe:
    """The game."""

    roles: tuple[str, ...] = ("x", "o")

    def initial(self) -> Marks:
        nothing: frozenset[Cell] = frozenset()
        return Marks((nothing, nothing), (nothing, nothing), 0)

    def facts(self, state: Marks) -> frozenset[str]:
        facts = {f"(control {self.roles[state.mover]})"}
        for place, role in enumerate(self.roles):
            facts |= {f"(cell {m} {n} {role})" for m, n in state.marks[place]}
            facts |= {f"({role}_knows {m} {n})" for m, n in state.found[place]}
        return frozenset(facts)

    def legal(self, state: Marks, role: str) -> list[str]:
        place = self.roles.index(role)
        if place != state.mover:
            return ["noop"]
        known = state.marks[place] | state.found[place]
        return [f"(mark {m} {n})" for m in (1, 2, 3) for n in (1, 2, 3) if (m, n) not in known]

    def next(self, state: Marks, joint: tuple[str, ...]) -> Marks:
        mover = state.mover
        _, m, n = words(joint[mover])
        cell = (int(m), int(n))
        if cell in state.marks[1 - mover]:
            return Marks(state.marks, _with(state.found, mover, cell), mover)
        return Marks(_with(state.marks, mover, cell), state.found, 1 - mover)

    def line(self, state: Marks, place: int) -> bool:
        return any(set(line) <= state.marks[place] for line in LINES)

    def terminal(self, state: Marks) -> bool:
        return self.line(state, 0) or self.line(state, 1) or sum(map(len, state.marks)) == 9

    def goals(self, state: Marks) -> dict[str, int]:
        one, two = self.line(state, 0), self.line(state, 1)
        return {"x": 50 + 50 * (one - two), "o": 50 + 50 * (two - one)}


def _with(
    cells: tuple[frozenset[Cell], frozenset[Cell]], place: int, cell: Cell
) -> tuple[frozenset[Cell], frozenset[Cell]]:
    one, two = (known | {cell} if number == place else known for number, known in enumerate(cells))
    return one, two


@dataclass(frozen=True, slots=True)
class Discs:
    """A position of phantom connect four: the columns, those that red and yellow know to be full, and who moves."""

    columns: Columns
    full: tuple[frozenset[int], ...]
    mover: int


@dataclass(frozen=True, slots=True)
class PhantomConnectFour:
    """The game."""

    roles: tuple[str, ...] = ("red", "yellow")

    def initial(self) -> Discs:
        return Discs(WIDTH * ("",), (frozenset(), frozenset()), 0)

    def facts(self, state: Discs) -> frozenset[str]:
        facts = {f"(control {self.roles[state.mover]})"}
        for x, column in enumerate(state.columns, 1):
            for y, colour in enumerate(column, 1):
                facts.add(f"(cell {x} {y} {'red' if colour == 'r' else 'yellow'})")
        for role, known in zip(self.roles, state.full, strict=True):
            facts |= {f"(known_full {role} {x})" for x in known}
        return frozenset(facts)

    def legal(self, state: Discs, role: str) -> list[str]:
        if role != self.roles[state.mover]:
            return ["noop"]
        return [f"(drop {x})" for x in range(1, WIDTH + 1) if x not in state.full[state.mover]]

    def next(self, state: Discs, joint: tuple[str, ...]) -> Discs:
        mover = state.mover
        x = int(words(joint[mover])[1])
        column = state.columns[x - 1]
        fails = len(column) == HEIGHT
        known = [set(own) for own in state.full]
        if len(column) >= HEIGHT - 1:
            known[mover].add(x)
        full = tuple(map(frozenset, known))
        if fails:
            return Discs(state.columns, full, mover)
        columns = list(state.columns)
        columns[x - 1] += self.roles[mover][0]
        return Discs(tuple(columns), full, 1 - mover)

    def terminal(self, state: Discs) -> bool:
        full = all(len(column) == HEIGHT for column in state.columns)
        return full or has_four(state.columns, "r") or has_four(state.columns, "y")

    def goals(self, state: Discs) -> dict[str, int]:
        one, two = has_four(state.columns, "r"), has_four(state.columns, "y")
        return {"red": 50 + 50 * (one - two), "yellow": 50 + 50 * (two - one)}


@dataclass(frozen=True, slots=True)
class Armies:
    """A position of blind breakthrough: the cells of white and black, the cells found blocked, and who moves."""

    pieces: tuple[frozenset[Cell], frozenset[Cell]]
    blocked: frozenset[Cell]
    mover: int


@dataclass(frozen=True, slots=True)
class BlindBreakthrough:
    """The game on a square board with two rows of pieces on each side."""

    size: int
    roles: tuple[str, ...] = ("white", "black")

    def initial(self) -> Armies:
        rows = ((1, 2), (self.size - 1, self.size))
        white, black = (frozenset((x, y) for x in range(1, self.size + 1) for y in own) for own in rows)
        return Armies((white, black), frozenset(), 0)

    def facts(self, state: Armies) -> frozenset[str]:
        facts = {f"(control {self.roles[state.mover]})"} | {f"(blocked {x} {y})" for x, y in state.blocked}
        for place, role in enumerate(self.roles):
            facts |= {f"(cell {x} {y} {role})" for x, y in state.pieces[place]}
        return frozenset(facts)

    def legal(self, state: Armies, role: str) -> list[str]:
        if role != self.roles[state.mover]:
            return ["noop"]
        own = state.pieces[state.mover]
        ahead = 1 - 2 * state.mover
        targets = [((x, y), (x + side, y + ahead)) for x, y in own for side in (-1, 0, 1)]
        return sorted(
            f"(move {x1} {y1} {x2} {y2})"
            for (x1, y1), (x2, y2) in targets
            if 1 <= x2 <= self.size and 1 <= y2 <= self.size and (x2, y2) not in own
            if x1 != x2 or (x2, y2) not in state.blocked
        )

    def next(self, state: Armies, joint: tuple[str, ...]) -> Armies:
        mover = state.mover
        x1, y1, x2, y2 = map(int, words(joint[mover])[1:])
        own, other = state.pieces[mover], state.pieces[1 - mover]
        if x1 == x2 and (x2, y2) in other:
            return Armies(state.pieces, state.blocked | {(x2, y2)}, mover)
        own, other = own - {(x1, y1)} | {(x2, y2)}, other - {(x2, y2)}
        return Armies((other, own) if mover else (own, other), frozenset(), 1 - mover)

    def wins(self, state: Armies, place: int) -> bool:
        far = 1 if place else self.size
        return any(y == far for _, y in state.pieces[place]) or not state.pieces[1 - place]

    def terminal(self, state: Armies) -> bool:
        return self.wins(state, 0) or self.wins(state, 1)

    def goals(self, state: Armies) -> dict[str, int]:
        one, two = self.wins(state, 0), self.wins(state, 1)
        return {"white": 50 + 50 * (one - two), "black": 50 + 50 * (two - one)}


MODELS: Final[dict[str, GameModel]] = {
    "hidden/blind_breakthrough_6x6": BlindBreakthrough(6),
    "hidden/kriegspiel_tic_tac_toe": KriegspielTicTacToe(),
    "hidden/phantom_connect_four": PhantomConnectFour(),
}
