"""Knights and pawns: both sides first choose their army in secret, then race to the far row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

from . import GameModel, words

Cell = tuple[int, int]

PAWN_STEPS: Final = ((-1, 1), (0, 1), (1, 1))
KNIGHT_JUMPS: Final = ((-2, 1), (-1, 2), (1, 2), (2, 1))
FAR_ROW: Final = {"white": 8, "black": 1}
OPPONENT: Final = {"white": "black", "black": "white"}


@dataclass(frozen=True, slots=True)
class Position:
    """The pieces as (x, y, name) in the order of x and y, the role in control, the step number."""

    pieces: tuple[tuple[int, int, str], ...]
    control: str
    step: int

    def board(self) -> dict[Cell, str]:
        return {(x, y): name for x, y, name in self.pieces}


def position(board: dict[Cell, str], control: str, step: int) -> Position:
    return Position(tuple(sorted((x, y, name) for (x, y), name in board.items())), control, step)


@dataclass(frozen=True, slots=True)
class KnightsAndPawns:
    """The game on its 8x8 board."""

    roles: tuple[str, ...] = ("white", "black")

    def initial(self) -> Position:
        return Position((), "white", 1)

    def facts(self, state: Position) -> frozenset[str]:
        cells = {f"(cell {x} {y} {name})" for x, y, name in state.pieces}
        return frozenset(cells | {f"(control {state.control})", f"(step {state.step})"})

    def legal(self, state: Position, role: str) -> list[str]:
        if state.step == 1:
            kinds = (role + "knight", role + "pawn")
            return sorted(f"(place {a} {b} {c})" for a, b, c in product(kinds, repeat=3))
        if role != state.control:
            return ["noop"]
        board = state.board()
        forward = 1 if role == "white" else -1
        moves = []
        for (x, y), name in board.items():
            if not name.startswith(role):
                continue
            for dx, dy in PAWN_STEPS if name.endswith("pawn") else KNIGHT_JUMPS:
                x2, y2 = x + dx, y + dy * forward
                on_board = 1 <= x2 <= 8 and 1 <= y2 <= 8
                if on_board and not board.get((x2, y2), "").startswith(role):
                    moves.append(f"(move {x} {y} {x2} {y2})")
        return sorted(moves)

    def next(self, state: Position, joint: tuple[str, ...]) -> Position:
        if state.step == 1:
            return position(self._placed(joint), "white", 2)
        board = state.board()
        x1, y1, x2, y2 = map(int, words(joint[self.roles.index(state.control)])[1:])
        board[x2, y2] = board.pop((x1, y1))
        return position(board, OPPONENT[state.control], state.step + 1)

    def _placed(self, joint: tuple[str, ...]) -> dict[Cell, str]:
        _, white1, white2, white3 = words(joint[0])
        _, black1, black2, black3 = words(joint[1])
        board = {}
        for x in range(1, 9):
            board[x, 1] = white1
            board[x, 2] = white2 if x <= 4 else white3
            board[x, 7] = black1
            board[x, 8] = black2 if x <= 4 else black3
        return board

    def _wins(self, state: Position, role: str) -> bool:
        if any(name.startswith(role) and y == FAR_ROW[role] for _, y, name in state.pieces):
            return True
        opponent_left = any(name.startswith(OPPONENT[role]) for _, _, name in state.pieces)
        return state.step > 1 and not opponent_left

    def terminal(self, state: Position) -> bool:
        return state.step == 60 or any(self._wins(state, role) for role in self.roles)

    def goals(self, state: Position) -> dict[str, int]:
        return {role: 100 if self._wins(state, role) else 0 for role in self.roles}


MODELS: Final[dict[str, GameModel]] = {"knights_and_pawns": KnightsAndPawns()}
