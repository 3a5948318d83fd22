"""The proved length of a game: by a clock, by all states, or not at all; compared with all lines of play."""

from __future__ import annotations

from functools import cache

import pytest
from support.conformance import HEAP
from support.profiles import first_few
from support.small_games import small_game

import gdl
from gdl.errors import GdlError
from ggp.environments import length
from ggp.environments.length import longest

#: Nothing that is done matters; it ends after five plies. Moves depend on the clock.
CLOCK = """
(role r) (init (ply 0)) (init (at 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(cell 0) (cell 1) (cell 2)
(<= (legal r (go ?c)) (cell ?c) (true (ply ?p)) (distinct ?p 3))
(<= (legal r stay) (true (ply 3)))
(<= (next (ply ?q)) (true (ply ?p)) (after ?p ?q))
(<= (next (at ?c)) (does r (go ?c)))
(<= terminal (true (ply 5)))
(<= (goal r 100) (true (at 0))) (<= (goal r 0) (not (true (at 0))))
"""
ENDLESS = """(role r) (legal r a) (legal r b) (init p) (<= (next p) (does r a)) (<= (next p) (does r b))
(<= terminal q) (goal r 0) (<= (next q) (true q))"""


def test_all_states_are_visited() -> None:
    assert longest(gdl.compile(HEAP)) == 3


def test_a_clock_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    assert longest(gdl.compile(CLOCK)) == 5
    monkeypatch.setattr(length, "_MOVES", 0)  # not even the first ply is visited
    assert longest(gdl.compile(CLOCK)) == 5
    assert longest(gdl.compile(HEAP)) is None


def test_a_game_without_end_has_no_length() -> None:
    assert longest(gdl.compile(ENDLESS)) is None


def test_a_game_that_is_over_has_the_length_0() -> None:
    assert longest(gdl.compile("(role r) (legal r m) terminal (goal r 50)")) == 0


def test_large_joint_moves_are_not_listed() -> None:
    roles = " ".join(f"(role r{i})" for i in range(12))
    rules = f"""{roles} {" ".join(f"(n {i})" for i in range(30))} (init running)
    (<= (legal ?r ?n) (role ?r) (n ?n)) (<= terminal (not (true running)))
    (<= (next ?r) (does ?r 0)) (<= (goal ?r 50) (role ?r))"""
    # 30 to the power of 12 joint moves; the clock `running` shows the end without them.
    assert longest(gdl.compile(rules)) == 1


@pytest.mark.parametrize("seed", first_few(range(12), 5))
def test_random_games_agree_with_all_lines_of_the_reasoner(seed: int) -> None:
    rules = small_game(seed)
    game = gdl.Reasoner(rules)
    most = 40

    @cache
    def plies(state: gdl.State, left: int) -> int:
        """The length of the longest line, at most `left`."""
        if not left or game.is_terminal(state):
            return 0
        moves = [{}]
        for role in game.roles:
            moves = [{**others, role: move} for others in moves for move in game.legal_moves(state, role)]
        return 1 + max(plies(game.next_state(state, move), left - 1) for move in moves)

    try:
        expected = plies(game.initial_state(), most)
    except GdlError:
        pytest.skip("a role lacks a move")
    found = longest(gdl.compile(rules))
    assert found == expected if expected < most else found is None or found >= most
