"""The survey of puzzles is a table."""

from __future__ import annotations

import pytest
from support.puzzles import TOKENS

from ggp.survey import puzzles as survey


def test_the_survey_is_a_table(tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path_factory.mktemp("puzzles")
    (folder / "tokens.kif").write_text(TOKENS, encoding="utf-8")
    (folder / "two.kif").write_text("(role a) (role b) terminal", encoding="utf-8")
    (folder / "wrong.kif").write_text("(role a", encoding="utf-8")
    survey.main([str(folder), "--start-clock", "20", "--play-clock", "5"])
    out, err = capsys.readouterr()
    assert [line.split("|")[1:3] for line in out.splitlines()[2:]] == [[" tokens ", " 100 "]]
    assert err.startswith("wrong: ")
