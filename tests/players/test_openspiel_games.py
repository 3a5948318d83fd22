"""OpenSpiel as a peer: which rule files are its games, and that its playouts are counted rightly."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any, cast

import pytest
from support.fake_openspiel import FakeSpiel
from support.toy_files import ROOT
from support.toy_games import Endless, Nim, OneRound

import gdl
from ggp.players.openspiel import games as openspiel
from ggp.players.openspiel.games import Level, MissingOpenSpielError, Rollouts, RuleTree, Sample, find, levels, sample
from ggp.rules.shipped_games import games_folder

CLASSICS = games_folder() / "classics"
PUBLIC = ROOT.parent / "shared" / "rulesheets"


def tree_of(game: Any) -> RuleTree:
    tree = RuleTree.of(game)
    assert tree is not None
    return tree


@pytest.fixture
def pyspiel() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


class TestTrees:
    def test_the_levels_of_a_game(self) -> None:
        # Three in a heap: take 1, 2, or all 3; then from 2 take 1 or 2, from 1 take 1; then the last.
        assert list(levels(tree_of(Nim(3)))) == [Level(3, 1, 1), Level(3, 2, -2), Level(1, 1, 1)]

    def test_states_reached_by_several_paths_are_looked_at_once(self) -> None:
        class Counting(Nim):
            made = 0

            def next_state(self, state, moves):  # type: ignore[no-untyped-def]
                self.made += 1
                return super().next_state(state, moves)

        game = Counting(30)
        assert [level.paths for level in islice(levels(tree_of(game)), 6)] == [3**depth for depth in range(1, 7)]
        # At depth d the heap has lost d to 3d.
        assert game.made == 3 * sum(2 * depth + 1 for depth in range(6))

    def test_the_first_level_is_always_counted_and_others_as_far_as_allowed(self) -> None:
        assert [level.paths for level in levels(tree_of(Nim(30)), most=0)] == [3]
        assert [level.paths for level in levels(tree_of(Nim(30)), most=11)] == [3]
        assert [level.paths for level in levels(tree_of(Nim(30)), most=12)] == [3, 9]

    def test_outcomes_are_those_of_who_moves_first_whatever_the_order_of_roles(self) -> None:
        game = Nim(3)
        game.roles = ("right", "left")
        assert list(levels(tree_of(game))) == list(levels(tree_of(Nim(3))))

    @pytest.mark.parametrize(
        "game",
        [
            OneRound(("a", "b"), {("x", "p"): (50, 50), ("y", "q"): (50, 50)}),  # both choose
            OneRound(("a",), {("x",): (50,), ("y",): (50,)}),
            OneRound(("a", "b", "c"), {("x", "p", "p"): (50, 50, 50), ("y", "p", "p"): (50, 50, 50)}),
            Nim(0),  # over at once
            Nim(1),  # no choice
        ],
    )
    def test_what_is_no_game_of_two_in_turn_has_no_tree(self, game: Any) -> None:
        assert RuleTree.of(game) is None


class TestSamples:
    def test_playouts_of_a_tree(self) -> None:
        made = sample(tree_of(Nim(3)), 4000, seed=1, longest=3)
        assert made is not None
        # Ends after 1, 2, 3 plies with probability 1/3, 1/3 + 1/6, 1/6.
        assert made.length == pytest.approx(11 / 6, abs=0.05)
        assert made.outcome == pytest.approx(0, abs=0.08)
        assert made.length_deviation == pytest.approx(0.687, abs=0.03)
        assert made.outcome_deviation == pytest.approx(1, abs=0.01)

    def test_a_playout_that_is_too_long(self) -> None:
        assert sample(tree_of(Nim(3)), 100, seed=1, longest=2) is None

    def test_what_fits(self) -> None:
        peer = Sample(10_000, 20.0, 0.1, length_deviation=5.0, outcome_deviation=1.0)  # errors of 0.05 and 0.01
        assert Sample(10**9, 20.19, 0.1).fits(peer)
        assert not Sample(10**9, 20.21, 0.1).fits(peer)
        assert not Sample(10**9, 19.79, 0.1).fits(peer)
        assert Sample(10**9, 20.0, 0.139).fits(peer)
        assert not Sample(10**9, 20.0, 0.141).fits(peer)
        assert not Sample(10**9, 20.0, 0.059).fits(peer)
        assert Sample(100, 21.9, 0.1).fits(peer)  # a small sample says less

    def test_playouts_of_one_length(self) -> None:
        peer = Sample(100, 9.0, 1.0)
        assert Sample(100, 9.0, 1.0).fits(peer)
        assert not Sample(100, 9.01, 1.0).fits(peer)


class TestRollouts:
    @pytest.fixture
    def fake(self, monkeypatch: pytest.MonkeyPatch) -> FakeSpiel:
        fake = FakeSpiel(twelve=12, twenty=20)
        monkeypatch.setitem(sys.modules, "pyspiel", fake)
        monkeypatch.setattr(openspiel, "SAMPLE_PLIES", 60)
        return fake

    @pytest.mark.usefixtures("fake")
    def test_playouts_for_lengths_go_on_until_there_are_enough(self) -> None:
        assert Rollouts("twelve").sample.playouts == 10
        assert Rollouts("twenty").sample.length == 5

    @pytest.mark.usefixtures("fake")
    def test_trees_that_differ_are_not_the_same_game(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Rollouts, "sample", Sample(10**6, 6, 0, length_deviation=1e9, outcome_deviation=1e9))
        found = find(Nim(20), names=("twelve", "twenty"))
        assert found is not None
        assert found.name == "twenty"
        assert find(Nim(21), names=("twelve", "twenty")) is None

    @pytest.mark.usefixtures("fake")
    def test_playouts_that_differ_are_not_of_the_same_game(self, monkeypatch: pytest.MonkeyPatch) -> None:
        own = sample(tree_of(Nim(12)), 100, seed=0, longest=12)
        assert own is not None
        near = Sample(10**6, own.length, own.outcome, length_deviation=1, outcome_deviation=1)
        monkeypatch.setattr(Rollouts, "sample", near)
        assert find(Nim(12), names=("twelve",)) is not None
        for other in (
            Sample(10**6, own.length + 0.5, own.outcome, length_deviation=1, outcome_deviation=1),
            Sample(10**6, own.length, own.outcome + 0.5, length_deviation=1, outcome_deviation=1),
        ):
            monkeypatch.setattr(Rollouts, "sample", other)
            assert find(Nim(12), names=("twelve",)) is None

    def test_games_that_do_not_go_in_turn_are_not_looked_for(self, fake: FakeSpiel) -> None:
        assert find(Endless()) is None
        assert not fake.searches


def test_without_openspiel_the_command_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingOpenSpielError, match=r"cannot be imported .*`pip install 'open_spiel>=1.6.9'`"):
        find(Nim())


@pytest.mark.parametrize("version", ["1.5", "1.6", "1.6.8", "0.10.11"])
def test_an_old_openspiel_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    fake = FakeSpiel()
    fake.__version__ = version
    monkeypatch.setitem(sys.modules, "pyspiel", fake)
    with pytest.raises(MissingOpenSpielError, match=f"^no-openspiel: OpenSpiel {version} is too old; `pip install "):
        find(Nim())


@pytest.mark.usefixtures("pyspiel")
class TestInstalled:
    """With OpenSpiel itself."""

    @pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough", "othello"])
    @pytest.mark.slow
    def test_shipped_games_are_recognized(self, name: str) -> None:
        found = find(gdl.Reasoner.load(CLASSICS / f"{name}.kif"))
        assert found is not None
        assert found.name == name

    @pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
    def test_by_the_simulator_too(self, name: str) -> None:
        game = gdl.compile(CLASSICS / f"{name}.kif")
        found = find(cast(Any, game), game)
        assert found is not None
        assert found.name == name

    @pytest.mark.parametrize("name", ["wolf_sheep", "battle"])
    def test_other_games_are_not(self, name: str) -> None:
        assert find(gdl.Reasoner.load(games_folder() / f"{name}.kif")) is None

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            # Lines do not reach the last column.
            ("connect_four", lambda text: text.replace("(right_of 6 7)", "")),
            # A line loses.
            ("tic_tac_toe", lambda text: text.replace("?role 100)", "?role 0)").replace("?other 0)", "?other 100)")),
            # A full board without a line is lost for who moved first.
            ("tic_tac_toe", lambda text: text.replace("(goal ?role 50)\n    (role", "(goal oplayer 100)\n    (role")
            + "(<= (goal xplayer 0) (not (wins xplayer)) (not (wins oplayer)))"),
        ],
    )  # fmt: skip
    def test_changed_rules_are_told_apart(self, name: str, change: Callable[[str], str]) -> None:
        text = (CLASSICS / f"{name}.kif").read_text(encoding="utf-8")
        changed = change(text)
        assert changed != text
        game = gdl.compile(changed)
        assert find(cast(Any, game), game) is None

    def test_so_many_playouts_are_made_as_are_counted(self) -> None:
        rollouts = Rollouts("tic_tac_toe")
        for playouts in (1, 97, 1009):  # primes: the mean of any other number would not be so many whole numbers
            total = rollouts.outcome(playouts, seed=playouts) * playouts
            assert total == pytest.approx(round(total), abs=1e-9)
        assert rollouts.outcome(2, seed=1) in (-1, -0.5, 0, 0.5, 1)

    def test_they_begin_in_the_initial_state(self) -> None:
        # The first player wins 0.585, loses 0.288: known from counting all 255,168 games with their probabilities.
        assert Rollouts("tic_tac_toe").outcome(100_000, seed=1) == pytest.approx(0.2968, abs=0.012)

    def test_lengths(self) -> None:
        made = Rollouts("connect_four").sample
        assert made.playouts * made.length >= openspiel.SAMPLE_PLIES
        assert made.length == pytest.approx(21.31, abs=0.4)
        assert made.outcome == pytest.approx(0.114, abs=0.05)

    @pytest.mark.slow
    @pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public rule files are not here")
    @pytest.mark.parametrize(
        ("file", "name"),
        [
            ("ticTacToe", "tic_tac_toe"),
            ("tictactoe2", "tic_tac_toe"),
            ("sum15", "tic_tac_toe"),  # three of the numbers 1 to 9 that sum up to 15: lines of a magic square
            ("connect4", "connect_four"),
            ("connectFour", "connect_four(rows=6,columns=8)"),
            ("connectFour_9x6", "connect_four(rows=6,columns=9)"),
            ("breakthrough", "breakthrough"),
            ("tictactoe_orthogonal", None),
            ("ticblock", None),
            ("golden_rectangle", None),
        ],
    )
    def test_public_files(self, file: str, name: str | None) -> None:
        game = gdl.compile(PUBLIC / f"{file}.kif")
        found = find(cast(Any, game), game)
        assert (found.name if found else None) == name
