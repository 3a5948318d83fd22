"""The moves that keep the value of a position, against the values of all positions."""

from __future__ import annotations

import random

import pytest
from support.toy_files import ROOT
from support.toy_graphs import GraphGame
from support.toy_rules import COIN

import gdl
from ggp.solver.errors import NotSolvableError
from ggp.solver.move_values import move_values
from ggp.solver.solve import solve


def test_every_move_against_all_positions() -> None:
    game = gdl.compile(ROOT / "games/classics/tic_tac_toe.kif")
    source = random.Random(1)
    kinds = set()
    for _ in range(25):
        state = game.initial_state()
        for _ in range(source.randint(1, 6)):
            if game.is_terminal(state):
                break
            state = game.next_state(state, [source.choice(game.legal_moves(state, role)) for role in game.roles])
        if game.is_terminal(state):
            continue
        found = move_values(game, state, seconds=None)
        assert found is not None
        assert found.value == worth(game, state)
        legal = [game.legal_moves(state, role) for role in game.roles]
        assert sorted(found.keeping + found.losing) == sorted(legal[found.role])
        for move in legal[found.role]:
            joint = [move if role == found.role else own[0] for role, own in enumerate(legal)]
            kept = worth(game, game.next_state(state, joint)) == found.value
            assert (move in found.keeping) == kept
        kinds.add((found.value, found.role, bool(found.losing)))
    assert len(kinds) >= 5, kinds


def worth(game: gdl.Simulator, state: gdl.PackedState) -> int:
    """Return the first role's goal if nobody makes a mistake, from all positions."""
    answer = solve(game, state, seconds=None, memory=1, progress=lambda _: None)
    assert answer.solution is not None
    goals = answer.solution.worth.verdict(0).goals
    assert goals is not None
    return goals[0]


def test_no_time_and_no_end_are_no_values() -> None:
    connect_four = gdl.compile(ROOT / "games/classics/connect_four.kif")
    assert move_values(connect_four, connect_four.initial_state(), seconds=0.1) is None
    toy = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (0, 3)}, {2: (0, 100), 3: (100, 0)})
    game = gdl.compile(toy.text)
    assert move_values(game, game.initial_state(), seconds=None) is None


def test_games_that_are_not_of_two_roles_are_refused() -> None:
    game = gdl.compile("(role r) (init a) (legal r go) (<= (next b) (true a)) (<= terminal (true b)) (goal r 100)")
    with pytest.raises(NotSolvableError, match="two roles"):
        move_values(game, game.initial_state(), seconds=None)
    coin = gdl.compile(COIN)
    with pytest.raises(NotSolvableError):
        move_values(coin, coin.initial_state(), seconds=None)
