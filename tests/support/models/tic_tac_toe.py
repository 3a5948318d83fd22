"""Tic-tac-toe: three in a row on a board of three by three."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

ROWS: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
COLUMNS: Final = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
DIAGONALS: Final = ((0, 4, 8), (2, 4, 6))
LINES: Final = (*ROWS, *COLUMNS, *DIAGONALS)


@dataclass(frozen=True, slots=True)
class TicTacToe:
    """The game. A state is the board as a string of nine letters `x`, `o` and `b`, x = 1 first."""

    roles: tuple[str, ...] = ("xplayer", "oplayer")

    def initial(self) -> str:
        return 9 * "b"

    def control(self, state: str) -> str:
        return "xplayer" if state.count("b") % 2 == 1 else "oplayer"

    def facts(self, state: str) -> frozenset[str]:
        cells = {f"(cell {i // 3 + 1} {i % 3 + 1} {mark})" for i, mark in enumerate(state)}
        return frozenset(cells | {f"(control {self.control(state)})"})

    def legal(self, state: str, role: str) -> list[str]:
        if role != self.control(state):
            return ["noop"]
        return [f"(mark {i // 3 + 1} {i % 3 + 1})" for i, mark in enumerate(state) if mark == "b"]

    def next(self, state: str, joint: tuple[str, ...]) -> str:
        role = self.control(state)
        _, x, y = words(joint[self.roles.index(role)])
        i = 3 * (int(x) - 1) + int(y) - 1
        return state[:i] + role[0] + state[i + 1 :]

    def has_line(self, state: str, mark: str) -> bool:
        return any(state[a] == state[b] == state[c] == mark for a, b, c in LINES)

    def terminal(self, state: str) -> bool:
        return "b" not in state or self.has_line(state, "x") or self.has_line(state, "o")

    def goals(self, state: str) -> dict[str, int]:
        if self.has_line(state, "x"):
            return {"xplayer": 100, "oplayer": 0}
        if self.has_line(state, "o"):
            return {"xplayer": 0, "oplayer": 100}
        return {"xplayer": 50, "oplayer": 50}


MODELS: Final[dict[str, GameModel]] = {"classics/tic_tac_toe": TicTacToe()}
