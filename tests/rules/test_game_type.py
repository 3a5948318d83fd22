"""The kinds of games: proved where they are compiled, seen in playouts where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from ggp.rules.game_type import CONSTANT_SUM, TURNS, GameType, classify_game
from ggp.rules.shipped_games import find_game

#: Two roles that take turns, take one or two of five; who takes the last one loses.
NIM = """
(role a) (role b) (init (left 5)) (init (control a))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (minus ?n 1 ?m) (succ ?m ?n)) (<= (minus ?n 2 ?m) (succ ?k ?n) (succ ?m ?k))
(<= (legal ?r (take ?k)) (true (control ?r)) (true (left ?n)) (minus ?n ?k ?m))
(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
(<= (next (left ?m)) (true (left ?n)) (does ?r (take ?k)) (minus ?n ?k ?m))
(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (true (left 0)) (true (control ?r)))
(<= (goal a 0) (true (left 0)) (true (control b))) (<= (goal b 0) (true (left 0)) (true (control a)))
"""

#: Both choose at once, and may win together.
COORDINATION = """
(role a) (role b) (init start)
(<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r))
(<= (next both) (does a ?m) (does b ?m)) (<= (next apart) (does a left) (does b right))
(<= (next apart) (does a right) (does b left))
(<= terminal (true both)) (<= terminal (true apart))
(<= (goal ?r 100) (role ?r) (true both)) (<= (goal ?r 0) (role ?r) (true apart))
"""

ALONE = "(role r) (init 0) (legal r go) (legal r stay) (<= (next 1) (does r go)) (<= (next 0) (does r stay)) \
(<= terminal (true 1)) (<= (goal r 100) (true 1))"

DICE = """
(role r) (role random) (init start) (<= (legal r wait) (true start)) (<= (legal random heads) (true start))
(<= (legal random tails) (true start)) (<= (next (coin ?c)) (does random ?c)) (<= terminal (true (coin ?c)))
(<= (goal r 100) (true (coin heads))) (<= (goal r 0) (true (coin tails))) (goal random 0)
"""

HIDDEN = """
(role r) (role s) (init start) (<= (legal r ?m) (side ?m)) (legal s wait) (side left) (side right)
(<= (next (went ?m)) (does r ?m)) (<= (sees s moved) (does r ?m)) (<= terminal (true (went ?m)))
(<= (goal r 100) (true (went left))) (<= (goal r 0) (true (went right)))
(<= (goal s 100) (true (went right))) (<= (goal s 0) (true (went left)))
"""


def both_kinds(rules: str) -> tuple[GameType, GameType]:
    return classify_game(gdl.compile(rules)), classify_game(gdl.Reasoner(rules))


def test_turns_and_constant_sum_are_proved_of_a_compiled_game() -> None:
    compiled, reasoned = both_kinds(NIM)
    assert compiled.turns
    assert compiled.constant_sum
    assert compiled.proved == {TURNS, CONSTANT_SUM}
    assert compiled.duel
    assert compiled.describe() == "two players, in turns, constant sum"
    assert not reasoned.proved
    assert (reasoned.turns, reasoned.constant_sum, reasoned.duel) == (True, True, True)
    assert reasoned.describe() == "two players, in turns (as far as seen), constant sum (as far as seen)"


def test_proofs_may_be_left_out() -> None:
    game = gdl.compile(find_game("tic_tac_toe"))
    assert classify_game(game, prove=True).proved
    kind = classify_game(game, prove=False)
    assert kind.duel
    assert not kind.proved


def test_moves_at_once_and_a_common_interest() -> None:
    for kind in both_kinds(COORDINATION):
        assert not kind.turns
        assert kind.together == 1
        assert not kind.constant_sum
        assert not kind.opposed
        assert not kind.duel
        assert kind.describe() == "two players, at once in 100.0% of states, not constant sum"


def test_one_player() -> None:
    for kind in both_kinds(ALONE):
        assert kind.single
        assert not kind.duel
        assert not kind.constant_sum
        assert kind.describe() == "one player"


def test_chance_is_no_player() -> None:
    for kind in both_kinds(DICE):
        assert kind.players == 1
        assert kind.chance
        assert not kind.single
        assert kind.describe() == "one player, with chance"


def test_hidden_states() -> None:
    for kind in both_kinds(HIDDEN):
        assert kind.hidden
        assert kind.turns
        assert not kind.duel
        assert kind.describe().endswith("hidden states")


def test_a_game_that_never_ends() -> None:
    endless = "(role a) (role b) (init 0) (legal a x) (legal b x) (legal b y) (<= (next 0) (true 0)) \
(<= terminal (true 1)) (goal a 1) (goal b 2)"
    kind = classify_game(gdl.Reasoner(endless))
    assert kind.ends == 0
    assert kind.describe() == "two players, in turns (as far as seen), goals unknown"


def test_the_same_seed_gives_the_same_kind() -> None:
    game = gdl.compile(NIM)
    assert classify_game(game, seed=3, seconds=60) == classify_game(game, seed=3, seconds=60)


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("tic_tac_toe", "two players, in turns, constant sum"),
        ("connect_four", "two players, in turns, constant sum"),
        ("wolf_sheep_diagonal", "two players, in turns, constant sum"),
        ("sliding_pieces", "one player"),
    ],
)
def test_shipped_games(name: str, described: str) -> None:
    path: Path = find_game(name)
    assert classify_game(gdl.compile(path)).describe() == described


@pytest.mark.slow
def test_knights_and_pawns_begins_with_a_choice_at_once() -> None:
    kind = classify_game(gdl.compile(find_game("knights_and_pawns")))
    assert not kind.turns
    assert 0 < kind.together < 0.05
    assert kind.duel
    assert kind.opposed
