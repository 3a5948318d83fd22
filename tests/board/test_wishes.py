"""Wishes about colours, shapes and the way up."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.drawn import loaded

from ggp.board import CellPlace
from ggp.board.wishes import WishError, Wishes, fulfil, parse_wishes, wishes_beside

# ------------------------------------------------------------------------------------------ wishes


def test_wishes_change_colours_shapes_and_the_way_up() -> None:
    wishes = parse_wishes('title = "T"\nflip = true\n[colours]\nwolf = "red"\n[pieces]\nW = "king"\ns = "Sh"\n')
    _, layout = loaded("wolf_sheep")
    turned = fulfil(layout, wishes)
    assert turned.boards[0].rows == layout.boards[0].rows[::-1]
    (layer,) = [one for one in turned.layers.values() if one.name == "cell"]
    assert layer.places["c4", "c8"] == CellPlace(0, 3, 7)
    looks = {piece.name: (piece.shape, piece.glyph) for piece in layer.pieces.values() if not piece.blank}
    assert looks["w"][0] == "king"
    assert looks["s"] == ("", "Sh")
    assert fulfil(layout, Wishes()) is layout


@pytest.mark.parametrize(
    "text",
    [
        *("title = 3", "flop = true", "[colours]\na = 'rde'", "[colours]\na = 1", "[pieces]\na = 'toolong'", "= ="),
        pytest.param("title = " + "9" * 5000, id="digits"),
        pytest.param("title = " + "[" * 5000, id="nested"),
    ],
)
def test_wishes_that_do_not_fit_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "game.board.toml").write_text(text)
    with pytest.raises(WishError, match="board-file"):
        wishes_beside(tmp_path / "game.kif")


def test_no_file_means_no_wishes(tmp_path: Path) -> None:
    assert wishes_beside(tmp_path / "game.kif") == Wishes()
