"""The fox game: foxes jump over sheep, sheep try to fill the pen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]
Board = tuple[frozenset[Cell], frozenset[Cell]]  # foxes, sheep

POSITIONS: Final = frozenset((x, y) for x in range(1, 8) for y in range(1, 8) if x in (3, 4, 5) or y in (3, 4, 5))
PEN: Final = frozenset((x, y) for x in (3, 4, 5) for y in (1, 2, 3))
ORTHOGONAL: Final = ((0, -1), (0, 1), (-1, 0), (1, 0))
DIAGONAL: Final = ((-1, -1), (-1, 1), (1, -1), (1, 1))
SHEEP: Final = frozenset(cell for cell in POSITIONS if cell[1] >= 4)


def directions(cell: Cell) -> tuple[Cell, ...]:
    """The directions in which a line leaves a position (or the board: the caller looks)."""
    return ORTHOGONAL + DIAGONAL if sum(cell) % 2 == 0 else ORTHOGONAL


def fox_steps(board: Board, fox: Cell) -> list[Cell]:
    """The positions that a fox can step to."""
    foxes, sheep = board
    ends = [(fox[0] + dx, fox[1] + dy) for dx, dy in directions(fox)]
    return [end for end in ends if end in POSITIONS - foxes - sheep]


def jumps(board: Board, fox: Cell) -> list[Cell]:
    """The positions that a fox can jump to."""
    foxes, sheep = board
    ends = []
    for dx, dy in directions(fox):
        over = (fox[0] + dx, fox[1] + dy)
        end = (fox[0] + 2 * dx, fox[1] + 2 * dy)
        if over in sheep and end in POSITIONS - foxes - sheep:
            ends.append(end)
    return ends


def sheep_steps(board: Board) -> list[tuple[Cell, Cell]]:
    """The steps of all sheep, from and to: no sheep goes away from the pen."""
    foxes, sheep = board
    free = POSITIONS - foxes - sheep
    steps = [((x, y), (x + dx, y + dy)) for x, y in sheep for dx, dy in directions((x, y)) if dy <= 0]
    return [(start, end) for start, end in steps if end in free]


@dataclass(frozen=True, slots=True)
class Position:
    """A state. `past` has every board at the start or at the end of a turn, without the present one."""

    board: Board
    control: str
    jumper: Cell | None
    quiet_turns: int
    past: frozenset[Board]
    start: bool = False


@dataclass(frozen=True, slots=True)
class FoxGame:
    """The game with the positions on which foxes start."""

    foxes: frozenset[Cell]
    roles: tuple[str, ...] = ("fox", "sheep")

    def initial(self) -> Position:
        return Position((self.foxes, SHEEP), "fox", None, 0, frozenset(), start=True)

    def facts(self, state: Position) -> frozenset[str]:
        foxes, sheep = state.board
        facts = {f"(control {state.control})"}
        for cell in POSITIONS:
            content = "fox" if cell in foxes else "sheep" if cell in sheep else "empty"
            facts.add(f"(cell {cell[0]} {cell[1]} {content})")
        if state.jumper is not None:
            facts.add(f"(jumping {state.jumper[0]} {state.jumper[1]})")
        return frozenset(facts)

    def legal(self, state: Position, role: str) -> list[str]:
        if role != state.control:
            return ["noop"]
        steps: list[tuple[Cell, Cell]] = []
        leaps: list[tuple[Cell, Cell]] = []
        others: list[str] = []
        if role == "sheep":
            steps = sheep_steps(state.board)
        elif state.jumper is not None:
            leaps = [(state.jumper, end) for end in jumps(state.board, state.jumper)]
            others = ["stop"]
        else:
            steps = [(fox, end) for fox in state.board[0] for end in fox_steps(state.board, fox)]
            leaps = [(fox, end) for fox in state.board[0] for end in jumps(state.board, fox)]
        moves = [f"(move {x1} {y1} {x2} {y2})" for (x1, y1), (x2, y2) in steps]
        moves += [f"(jump {x1} {y1} {x2} {y2})" for (x1, y1), (x2, y2) in leaps]
        return sorted(moves + others)

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        foxes, sheep = state.board
        kind, *numbers = words(joint[self.roles.index(state.control)])
        if kind == "stop":
            return self.end_turn(state, state.board, quiet=False)
        x1, y1, x2, y2 = map(int, numbers)
        start, end = (x1, y1), (x2, y2)
        if state.control == "sheep":
            return self.end_turn(state, (foxes, sheep - {start} | {end}), quiet=y1 == y2)
        foxes = foxes - {start} | {end}
        if kind == "move":
            return self.end_turn(state, (foxes, sheep), quiet=True)
        board = (foxes, sheep - {((x1 + x2) // 2, (y1 + y2) // 2)})
        if not jumps(board, end):
            return self.end_turn(state, board, quiet=False)
        return Position(board, "fox", end, 0, self.past(state))

    def past(self, state: Position) -> frozenset[Board]:
        """The boards at the starts and ends of turns up to this state. Those within a series do not count."""
        return state.past if state.jumper is not None else state.past | {state.board}

    def end_turn(self, state: Position, board: Board, quiet: bool) -> Position:
        """The state after the removal of stuck foxes. `quiet`: neither a capture nor a sheep's step forward."""
        foxes, sheep = board
        kept = frozenset(fox for fox in foxes if fox_steps(board, fox) or jumps(board, fox))
        other = "sheep" if state.control == "fox" else "fox"
        quiet_turns = state.quiet_turns + 1 if quiet and kept == foxes else 0
        return Position((kept, sheep), other, None, quiet_turns, self.past(state))

    def result(self, state: Position) -> str:
        """Who has won: `fox`, `sheep`, `draw`, or the empty string while the game goes on."""
        if state.start or state.jumper is not None:
            return ""
        foxes, sheep = state.board
        if len(sheep) < 9:
            return "fox"
        if foxes | sheep >= PEN or not foxes:
            return "sheep"
        if state.board in state.past:
            return state.control  # Whoever just moved is disqualified, and it is the other one's turn now.
        if state.quiet_turns == 100:
            return "draw"
        if state.control == "sheep" and not sheep_steps(state.board):
            return "draw"
        return ""

    def terminal(self, state: Position) -> bool:
        return self.result(state) != ""

    def goals(self, state: Position) -> dict[str, int]:
        winner = self.result(state)
        if winner not in self.roles:
            return {"fox": 50, "sheep": 50}
        return {role: 100 if role == winner else 0 for role in self.roles}


MODELS: Final[dict[str, GameModel]] = {
    "fox_game": FoxGame(PEN),
    "variants/fox_game_two_foxes": FoxGame(frozenset({(3, 1), (5, 1)})),
}
