"""Pictures in one call, and states in notebooks."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.toy_rules import NIM

import gdl
import ggp


def test_a_position_after_moves(tmp_path: Path) -> None:
    picture = ggp.render("tic_tac_toe", "(mark 2 2)", title="An opening")
    assert str(picture).splitlines()[1] == "2  .[x]."
    picture.save(tmp_path / "board.svg")
    text = (tmp_path / "board.svg").read_text(encoding="utf-8")
    assert text == picture.svg == picture._repr_svg_()
    assert "An opening" in text


def test_a_state_of_an_engine() -> None:
    game = gdl.Reasoner.load(ggp.find_game("tic_tac_toe"))
    state = game.next_state(game.initial_state(), {"xplayer": "(mark 1 1)", "oplayer": "noop"})
    assert "x" in str(ggp.render(game, state=state)).splitlines()[2]


def test_a_match_plays_itself() -> None:
    match = ggp.play("tic_tac_toe", "legal", seed=1)
    assert ggp.render(match).svg.count("@keyframes") == len(match.plies) + 1
    assert "@keyframes" not in ggp.render(match, seconds=0).svg
    with pytest.raises(ValueError, match="record"):
        ggp.render(match, "(mark 1 1)")


def test_moves_and_a_state_contradict_each_other() -> None:
    game = gdl.Reasoner(NIM)
    with pytest.raises(ValueError, match="either"):
        ggp.render(game, "(take one)", state=game.initial_state())


@pytest.mark.parametrize("load", [gdl.Reasoner.load, lambda path: gdl.compile(gdl.Rulesheet.load(path))])
def test_notebooks_show_the_board_of_a_state(load: object) -> None:
    game = load(ggp.find_game("tic_tac_toe"))  # type: ignore[operator]
    assert game.initial_state()._repr_svg_().startswith("<svg")


def test_without_a_package_that_draws_a_state_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from gdl.reasoner import drawing

    monkeypatch.setattr(drawing, "_function", lambda: None)
    assert gdl.Reasoner(NIM).initial_state()._repr_svg_() is None
