"""The command line: what it refuses, and the status it ends with."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file

import gdl
from ggp.match.record import read_record

GROWING = """(role r) (init (s a)) (legal r go) (goal r 0) (<= terminal (true (s b)))
(<= (next (s (f ?x ?x))) (true (s ?x)))
"""


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

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (
                MemoryError,
                "out of memory: the rules, or what was asked about them, need more than this process may use\n",
            ),
            (RecursionError, "the rules, or their terms, are nested too deeply for Python's stack\n"),
        ],
    )
    def test_limits_of_the_process(
        self, ggp: Ggp, monkeypatch: pytest.MonkeyPatch, error: type[Exception], message: str
    ) -> None:
        def load(_: Path) -> None:
            raise error

        monkeypatch.setattr(gdl.Reasoner, "load", load)
        outcome = ggp("show", "tic_tac_toe")
        assert (outcome.status, outcome.err) == (2, message)

    def test_rules_that_derive_too_much_end_a_match_and_its_record_is_kept(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, GROWING)
        outcome = ggp("play", file, "--player", "random", "--record", tmp_path / "match.json")
        error = f"{file}:2:1: derivation-limit: deriving next/1 builds a term of more than 10,000 names"
        assert outcome.status == 1
        assert f"the rules are at fault: {error}" in outcome.out.replace("\n", "")
        record = read_record(tmp_path / "match.json")
        assert record.rules_error.startswith(error)
        assert len(record.plies) == 12

    @pytest.mark.slow
    def test_rules_that_derive_too_much_at_once(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, GROWING + "(init (s zero)) (<= (init (s (n ?x))) (init (s ?x)))")
        for command in ("show", "play"):
            outcome = ggp(command, file)
            assert outcome.status == 2
            assert "deriving init/1 builds a term with more than 2,000 levels" in outcome.out + outcome.err
            assert "Traceback" not in outcome.err

    def test_terms_that_grow_are_reported_by_the_checker(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, GROWING)
        outcome = ggp("check", file, "--simulate", "--playouts", "1", "--seconds", "0")
        assert outcome.status == 1
        told = "error: growing-recursion: deriving next/1 builds a term of more than 10,000 names"
        assert f"{file}:2:1: {told}" in outcome.out


@pytest.mark.parametrize(
    ("usual", "named"),
    [
        (("explain", "tic_tac_toe", "terminal"), ("explain", "atom", "tic_tac_toe", "terminal")),
        (("explain", "--lines", "1", "tic_tac_toe", "terminal"), ("explain", "atom", "tic_tac_toe", "terminal")),
        (("bench", "no_such_game"), ("bench", "playouts", "no_such_game")),
    ],
)
def test_the_usual_subcommand_need_not_be_named(ggp: Ggp, usual: tuple[str, ...], named: tuple[str, ...]) -> None:
    found, other = ggp(*usual), ggp(*named)
    assert (found.status, found.lines[:1], found.err) == (other.status, other.lines[:1], other.err)


@pytest.mark.parametrize(
    ("command", "subcommands"), [("bench", ("playouts", "environments")), ("explain", ("atom", "belief"))]
)
def test_help_of_subcommands(ggp: Ggp, command: str, subcommands: tuple[str, ...]) -> None:
    about = ggp(command, "--help")
    assert about.status == 0
    for name in subcommands:
        assert f"\n  {name} " in about.out
        assert f" {command} {name} [OPTIONS] " in ggp(command, name, "--help").out
