"""Matches in one call, and the face of `ggp`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.toy_files import ROOT
from support.toy_rules import NIM

import gdl
import ggp
from ggp.match.lineup import LineupError
from ggp.match.record import RecordError
from ggp.players import UnknownPlayerError
from ggp.rules.shipped_games import UnknownGameError


def test_every_exported_name_is_there_and_documented() -> None:
    for name in ggp.__all__:
        value = getattr(ggp, name)
        assert isinstance(value, str) or value.__doc__, name
    assert set(ggp.__all__) <= set(dir(ggp))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ggp.nothing  # noqa: B018


def test_importing_ggp_loads_nothing() -> None:
    code = "import sys, ggp; print(*(name for name in sys.modules if name.split('.')[0] in ('gdl', 'numpy', 'rich')))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_a_match_by_names() -> None:
    match = ggp.play("tic_tac_toe", xplayer="greedy", oplayer="random", seed=7)
    assert match.result is ggp.Result.FINISHED
    assert match.players == ("greedy", "random")
    assert match.goal_of == {"xplayer": 100, "oplayer": 0}
    assert ggp.play("tic_tac_toe", xplayer="greedy", OPLAYER="random", seed=7).plies[-1].state == match.plies[-1].state


@pytest.mark.parametrize(
    "rules", [ROOT / "games" / "classics" / "tic_tac_toe.kif", str(ROOT / "games" / "classics" / "tic_tac_toe.kif")]
)
def test_a_match_by_path(rules: str | Path) -> None:
    assert ggp.play(rules, "random", seed=1).game_name == "tic_tac_toe"


def test_a_match_of_rules_and_of_an_engine() -> None:
    sheet = gdl.Rulesheet(NIM)
    first, second = (ggp.play(rules, "random", seed=3) for rules in (sheet, gdl.compile(sheet)))
    assert first.completed
    assert [ply.moves for ply in first.plies] == [ply.moves for ply in second.plies]


def test_players_by_mapping_and_as_objects(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    lineup = {"xplayer": ggp.make_player("legal"), "oplayer": "random"}
    match = ggp.play("tic_tac_toe", lineup, seed=1, record=file)
    assert match.players == ("legal", "random")
    assert ggp.read_record(file).goals == match.goals


def test_what_is_wrong_with_a_lineup_is_said() -> None:
    with pytest.raises(UnknownGameError):
        ggp.play("tic_tac_to")
    with pytest.raises(UnknownPlayerError):
        ggp.play("tic_tac_toe", "gredy")
    with pytest.raises(gdl.UnknownRoleError):
        ggp.play("tic_tac_toe", wolf="greedy")
    with pytest.raises(LineupError, match="two players for xplayer"):
        ggp.play("tic_tac_toe", {"xplayer": "greedy"}, Xplayer="random")
    with pytest.raises(LineupError, match="one player object"):
        ggp.play("tic_tac_toe", ggp.make_player("legal"))
    with pytest.raises(ValueError, match="clock"):
        ggp.play("tic_tac_toe", "random", play_clock=-1)
    with pytest.raises(ValueError, match="nonsense"):
        ggp.play("tic_tac_toe", "random", policy="nonsense")


def test_a_player_that_searches_gets_the_compiled_game() -> None:
    seen = []

    class Spy:
        name = "spy"
        compiles = True

        def start(self, start: object, deadline: object) -> None:  # noqa: ARG002
            seen.append(start.game)  # type: ignore[attr-defined]

        def move(self, turn: object) -> object:
            return turn.legal[0]  # type: ignore[attr-defined]

        def stop(self, end: object) -> None:
            pass

    ggp.play("tic_tac_toe", xplayer=Spy(), oplayer="legal", seed=1)  # type: ignore[arg-type]
    assert isinstance(seen[0], gdl.Simulator)


class TestRecords:
    """Records print themselves and show their boards."""

    match = staticmethod(lambda: ggp.play("tic_tac_toe", "legal", seed=1))

    def test_it_prints_in_one_line(self) -> None:
        match = self.match()
        assert str(match) == f"tic_tac_toe: finished after {len(match.plies)} plies: xplayer 100, oplayer 0"
        assert repr(match) == f"<MatchRecord {match}>"

    def test_it_has_a_picture_of_each_state(self) -> None:
        match = self.match()
        boards = match.boards
        assert len(boards) == len(match.plies) + 1
        assert "x" not in str(boards[0]).splitlines()[0]
        assert str(boards[-1]) == str(boards[len(match.plies)])
        assert [str(board) for board in boards[1:3]] == [str(boards[1]), str(boards[2])]
        assert boards[0].svg.startswith("<svg")
        assert boards.animation().svg.count("@keyframes") == len(boards)
        with pytest.raises(IndexError):
            boards[len(boards)]

    def test_notebooks_show_a_table_and_the_match(self) -> None:
        page = self.match()._repr_html_()
        assert "<td>xplayer</td><td>legal</td><td>100</td>" in page
        assert "data:image/svg+xml;base64," in page

    def test_names_of_others_are_no_markup(self) -> None:
        record = ggp.play(gdl.Rulesheet(NIM), "random", seed=1)
        page = replace(record, players=("<b>", "&"), rules="")._repr_html_()
        assert "<td>&lt;b&gt;</td>" in page
        assert "<img" not in page

    def test_without_rules_there_are_no_boards(self) -> None:
        with pytest.raises(RecordError, match="no rules"):
            replace(self.match(), rules="").boards  # noqa: B018
