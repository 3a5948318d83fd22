"""`ggp show`: what a rule file holds."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import Ggp
from support.toy_files import rule_file


class TestShow:
    def test_what_a_file_holds(self, ggp: Ggp, nim: Path) -> None:
        outcome = ggp("show", nim)
        assert outcome.status == 0
        text = " ".join(outcome.out.split())
        assert f"nim {nim}" in text
        assert "roles left, right" in text
        assert "start 2 facts: control/1 1, heap/1 1" in text
        assert "legal moves left 2, right 1" in text
        assert "legal/2 state 2" in text
        assert "take/3 7" in text
        assert "next/1 moves 2" in text

    def test_how_to_play_it(self, ggp: Ggp) -> None:
        out = ggp("show", "tic_tac_toe").out
        assert "how to play   Tic-tac-toe\n  Two roles mark the cells" in out
        assert "\n    (mark X Y): by the role in control: a blank cell\n" in out
        assert "\n    The match ends when “wins ROLE”, or when not “blank_left”.\n" in out
        found = json.loads(ggp("show", "tic_tac_toe", "--json").out)["how_to_play"]
        assert found["first"] == "Two roles mark the cells of a board of 3 by 3 in turn."

    def test_shipped_games(self, ggp: Ggp) -> None:
        assert "cell/3 64" in ggp("show", "wolf_sheep").out


def test_show_names_what_nothing_defines_and_roles_without_moves(ggp: Ggp, tmp_path: Path) -> None:
    rules = """
        (role r) (init (heap 3)) (goal r 1) (<= terminal (true (heap 0)))
        (<= (legal r take) (haep ?n) (true (heap ?n)))
    """
    done = ggp("show", rule_file(tmp_path, rules))
    assert done.status == 0
    assert any(line.split() == ["legal", "moves", "r", "0"] for line in done.lines)
    assert "no rule or fact defines haep/1; did you mean heap/1?" in done.out


def test_show_spaces(ggp: Ggp, tmp_path: Path) -> None:
    done = ggp("show", "tic_tac_toe", "--spaces")
    assert done.status == 0
    text = " ".join(done.out.split())
    assert "actions 10: 0 (mark 1 1), 1 (mark 1 2)," in text
    assert "9 noop facts 29: 0 (cell 1 1 b)," in text
    assert "planes 5 x 3 x 3: 0 cell b, 1 cell o, 2 cell x, 3 (control oplayer), 4 (control xplayer)" in text
    hidden = """
        (role a) (role random) (init start) (legal a x) (legal random left) (legal random right)
        (<= (sees a ?m) (does random ?m)) (<= (next done) (true start)) (<= terminal (true done)) (goal a 50)
    """
    text = " ".join(ggp("show", rule_file(tmp_path, hidden), "--spaces").out.split())
    assert "percepts 5: 0 sees left, 1 sees right, 2 did left, 3 did right, 4 did x" in text
    assert "facts" not in text
