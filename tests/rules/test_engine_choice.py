"""The engine of a match: compiled if possible."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.toy_files import rule_file
from support.toy_rules import COIN
from support.toy_rules import NIM as RULES

import gdl
from gdl.compile_errors import CompileError
from ggp.rules.engine_choice import compiled_or_reasoner


class TestEngines:
    def test_what_can_be_compiled_is(self, tmp_path: Path) -> None:
        loaded = compiled_or_reasoner(gdl.Reasoner.load(rule_file(tmp_path, RULES)))
        assert (loaded.engine, loaded.reason, loaded.player_roles) == ("simulator", "", ("left", "right"))

    def test_rules_with_bytes_that_are_not_utf8_can_be_compiled(self, tmp_path: Path) -> None:
        file = tmp_path / "nim.kif"
        file.write_bytes(b"; caf\xe9\n" + RULES.encode())
        assert compiled_or_reasoner(gdl.Reasoner.load(file)).engine == "simulator"

    def test_else_the_reasoner_plays_and_says_why(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: object, progress: object) -> None:  # noqa: ARG001
            raise CompileError("nim", "grounding", "seconds")

        monkeypatch.setattr(gdl, "compile", refuse)
        loaded = compiled_or_reasoner(gdl.Reasoner.load(rule_file(tmp_path, RULES)))
        assert isinstance(loaded.game, gdl.Reasoner)
        assert loaded.engine == "reasoner"
        assert loaded.reason == str(CompileError("nim", "grounding", "seconds")).splitlines()[0]

    def test_chance_has_no_player(self, tmp_path: Path) -> None:
        assert compiled_or_reasoner(gdl.Reasoner.load(rule_file(tmp_path, COIN))).player_roles == ("guesser", "other")
