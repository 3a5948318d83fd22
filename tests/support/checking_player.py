"""A player that checks everything it is told against the Reasoner, and plays at random."""

from __future__ import annotations

import random

import gdl
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn


class CheckingPlayer:
    """Raises AssertionError if a match is not told as `ggp.Player` promises. `ends` has what all matches ended with."""

    name = "checking"
    ends: list[End] = []  # noqa: RUF012

    def start(self, start: Start, _deadline: Deadline) -> None:
        self.role = start.role
        self.reasoner = gdl.Reasoner(start.rules)
        self.state: gdl.State | None = None
        self.ply = 0
        self.random = random.Random(start.seed)
        self.own_move: gdl.Term | None = None

    def move(self, turn: Turn) -> gdl.Term:
        self.follow(turn.ply, turn.moves, turn.own_move)
        assert self.state == self.reasoner.state(turn.state)
        assert turn.legal == self.reasoner.legal_moves(self.state, self.role)
        self.own_move = self.random.choice(turn.legal)
        return self.own_move

    def follow(self, ply: int, moves: tuple[gdl.Term, ...] | None, own_move: gdl.Term | None) -> None:
        """Advance to the state of a ply, the first of which is 1."""
        assert ply == self.ply + 1
        assert own_move == self.own_move
        if self.state is None:
            assert moves is None
            self.state = self.reasoner.initial_state()
        else:
            self.state = self.reasoner.next_state(self.state, moves)
        self.ply = ply

    def stop(self, end: End) -> None:
        if end.result == "finished":
            self.follow(end.ply + 1, end.moves, end.own_move)
            assert self.reasoner.is_terminal(self.state)
            assert self.reasoner.goal(self.state, self.role) == end.goal
        CheckingPlayer.ends.append(end)
