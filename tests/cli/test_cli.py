"""The command line: what it refuses, and the status it ends with."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (["play", "nowhere"], "unknown-game: no file and no game nowhere"),
            (["play", "wolf_shep"], "unknown-game: no file and no game wolf_shep; did you mean "),
            (["play", "."], ".: a folder, not a rule file"),
            (["show", "nowhere"], "unknown-game: "),
            (["bench", "wolf_sheep", "nowhere"], "unknown-game: "),
            (["test", "nowhere"], "unknown-game: "),
            (["play", "wolf_sheep", "--player", "gredy"], "unknown-player: no player gredy"),
            (["play", "wolf_sheep", "--player", "wlf=legal"], "unknown-role: no role wlf"),
            (["play", "wolf_sheep", "--player", "wolf=legal", "--player", "wolf=legal"], "lineup: two players for"),
            (["play", "wolf_sheep", "--player", "none.py:Me"], "player-load: none.py:Me: FileNotFoundError"),
            (["play", "wolf_sheep", "--record", "/nowhere/at/all.json"], "match-record: /nowhere/at/all.json: "),
        ],
    )
    def test_bad_input(self, ggp: Ggp, arguments: list[str], error: str) -> None:
        outcome = ggp(*arguments)
        assert outcome.status == 2
        assert outcome.err.startswith(error)
        assert len(outcome.err.splitlines()) == 1
        assert outcome.out == ""

    @pytest.mark.parametrize(
        "arguments",
        [
            ["play"],
            ["play", "wolf_sheep", "--policy", "forgive"],
            ["play", "wolf_sheep", "--play-clock", "0"],
            ["play", "wolf_sheep", "--start-clock", "-1"],
            ["play", "wolf_sheep", "--play-clock", "nan"],
            ["play", "wolf_sheep", "--play-clock", "soon"],
            ["play", "wolf_sheep", "--max-plies", "0"],
            ["play", "wolf_sheep", "--seed", "x"],
            ["play", "wolf_sheep", "--loud"],
            ["bench", "wolf_sheep", "--seconds", "0"],
            ["frobnicate"],
        ],
    )
    def test_bad_options(self, ggp: Ggp, arguments: list[str]) -> None:
        outcome = ggp(*arguments)
        assert outcome.status == 2
        assert "Error" in outcome.err
        assert "Traceback" not in outcome.err

    def test_mistakes_in_rules_are_told_at_their_place(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, "(role [red]\n")
        outcome = ggp("play", file, "--player", "random")
        assert outcome.status == 2
        assert f"{file}:1:1: unbalanced-parenthesis:" in outcome.err
        assert "    (role [red]" in outcome.err

    def test_files_that_cannot_be_read(self, ggp: Ggp, tmp_path: Path) -> None:
        outcome = ggp("show", tmp_path / ("x" * 300))
        assert outcome.status == 2
        assert "File name too long" in outcome.err
