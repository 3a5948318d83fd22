"""Battle: two armies of pawns and kings; a turn is a move or the defence of one piece; captures count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

ORTHOGONAL: Final = ((0, 1), (0, -1), (1, 0), (-1, 0))
EIGHT: Final = (*ORTHOGONAL, (1, 1), (1, -1), (-1, 1), (-1, -1))

# Rows y = 8 down to y = 1, x = 1 to 8 from left to right; n and N are north's pawns and kings.
START: Final = (
    ".nNNNNn.",
    "s.nnnn.n",
    "Ss....nN",
    "Ss....nN",
    "Ss....nN",
    "Ss....nN",
    "s.ssss.n",
    ".sSSSSs.",
)
NAME: Final = {"n": "np", "N": "nk", "s": "sp", "S": "sk"}


@dataclass(frozen=True, slots=True)
class Position:
    """The board as one string of 64 squares, y = 1 first, and all that goes with it."""

    board: str
    control: int
    step: int
    captures: tuple[int, int]
    defended: Cell | None

    def at(self, x: int, y: int) -> str:
        """The square's letter; a `#` beyond the edge."""
        return self.board[8 * (y - 1) + x - 1] if 1 <= x <= 8 and 1 <= y <= 8 else "#"


def put(board: str, x: int, y: int, letter: str) -> str:
    index = 8 * (y - 1) + x - 1
    return board[:index] + letter + board[index + 1 :]


@dataclass(frozen=True, slots=True)
class Battle:
    """The game. A role is 0 (north) or 1 (south) inside a position."""

    roles: tuple[str, ...] = ("north", "south")

    def initial(self) -> Position:
        return Position("".join(reversed(START)), 0, 0, (0, 0), None)

    def facts(self, state: Position) -> frozenset[str]:
        facts = {f"(control {self.roles[state.control]})", f"(step {state.step})"}
        facts |= {f"(captures {role} {n})" for role, n in zip(self.roles, state.captures, strict=True)}
        for x in range(1, 9):
            for y in range(1, 9):
                if state.at(x, y) != ".":
                    facts.add(f"(cell {x} {y} {NAME[state.at(x, y)]})")
        if state.defended:
            facts.add("(defended {} {})".format(*state.defended))
        return frozenset(facts)

    def legal(self, state: Position, role: str) -> list[str]:
        if role != self.roles[state.control]:
            return ["noop"]
        own = "nN" if role == "north" else "sS"
        moves = []
        for x in range(1, 9):
            for y in range(1, 9):
                letter = state.at(x, y)
                if letter not in own:
                    continue
                moves.append(f"(defend {x} {y})")
                for dx, dy in EIGHT if letter.isupper() else ORTHOGONAL:
                    if state.at(x + dx, y + dy) not in own + "#":
                        moves.append(f"(move {x} {y} {x + dx} {y + dy})")
        return sorted(moves)

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        verb, *numbers = words(joint[state.control])
        board, captures, defended = state.board, list(state.captures), None
        if verb == "defend":
            defended = (int(numbers[0]), int(numbers[1]))
        else:
            x1, y1, x2, y2 = map(int, numbers)
            target = state.at(x2, y2)
            if target == "." or state.defended != (x2, y2):
                board = put(put(board, x2, y2, state.at(x1, y1)), x1, y1, ".")
                captures[state.control] += target != "."
        return Position(board, 1 - state.control, state.step + 1, (captures[0], captures[1]), defended)

    def terminal(self, state: Position) -> bool:
        board = state.board.lower()
        return state.step == 30 or "n" not in board or "s" not in board or 10 in state.captures

    def goals(self, state: Position) -> dict[str, int]:
        return {role: 10 * n for role, n in zip(self.roles, state.captures, strict=True)}


MODELS: Final[dict[str, GameModel]] = {"battle": Battle()}
