"""Images of pieces, which a file beside the rules names."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest
from support.drawn import by_class, loaded

from ggp.board import lay
from ggp.board.drawing.scene import picture, scene_of
from ggp.board.drawing.svg import svg
from ggp.board.images import MOST_BYTES
from ggp.board.wishes import WishError, Wishes, fulfil, parse_wishes, text_of, wishes_beside

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes([0, 0, 0, 8, 0, 0, 0, 8]) + bytes(20)
SVG = b'<?xml version="1.0"?>\n<!-- a star --><svg xmlns="http://www.w3.org/2000/svg"/>'


def beside(folder: Path, text: str) -> Wishes:
    (folder / "game.board.toml").write_text(text, encoding="utf-8")
    (folder / "star.svg").write_bytes(SVG)
    (folder / "moon.PNG").write_bytes(PNG)
    (folder / "bomb.png").write_bytes(PNG.replace(bytes([0, 0, 0, 8]), bytes([0, 0, 64, 0])))
    (folder / "cut.png").write_bytes(PNG[:8] + bytes(20))
    (folder / "link.svg").symlink_to(folder.parent / "elsewhere.svg")
    (folder / "large.png").write_bytes(PNG + bytes(MOST_BYTES))
    (folder / "page.svg").write_bytes(b"<html><svg/></html>")
    (folder / "text.png").write_bytes(SVG)
    (folder / "sub").mkdir()
    (folder / "sub" / "star.svg").write_bytes(SVG)
    return wishes_beside(folder / "game.kif")


def test_images_become_part_of_the_drawing_once(tmp_path: Path) -> None:
    wishes = beside(tmp_path, '[pieces]\nw = "star.svg"\ns = "moon.PNG"\n')
    game, layout = loaded("wolf_sheep")
    text = svg(fulfil(layout, wishes), game.initial_state())
    assert text.count("<image ") == text.count("base64,") == 2
    assert text.count("<use ") == len(by_class(text, "piece")) == 5
    kind, _, content = wishes.pieces["w"].partition(";base64,")
    assert (kind, b64decode(content)) == ("data:image/svg+xml", SVG)


def test_positions_only_name_the_images(tmp_path: Path) -> None:
    wishes = beside(tmp_path, '[pieces]\nw = "star.svg"\n')
    game, layout = loaded("wolf_sheep")
    dressed = fulfil(layout, wishes)
    scene = scene_of(dressed)
    (image,) = [one.children[0] for one in scene.ground if one.name == "defs"]
    drawn = "".join(one.text() for one in picture(scene, lay(dressed, game.initial_state())).pieces)
    assert not isinstance(image, str)
    assert f'href="#{image.attributes["id"]}"' in drawn
    assert "base64" not in drawn


def test_wishes_as_text_need_no_files(tmp_path: Path) -> None:
    wishes = beside(
        tmp_path, 'title = "\\"A\\u007f\\n"\nflip = true\n[colours]\n"a b" = "red"\n[pieces]\nw = "star.svg"\n'
    )
    assert parse_wishes(text_of(wishes)) == wishes
    assert text_of(Wishes()) == ""


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        ("none.png", "No such file"),
        ("bomb.png", "16,384 x 16,384 pixels; at most 2,048 x 2,048 are drawn"),
        ("cut.png", "not a PNG image"),
        ("link.svg", "an image must be in the same folder as this file"),
        ("large.png", "larger than 100,000 bytes"),
        ("page.svg", "not an SVG image"),
        ("text.png", "not a PNG image"),
        ("star.jpeg", "a PNG or SVG file"),
        ("sub/star.svg", "in the same folder"),
        ("../star.svg", "in the same folder"),
        ("\\u0000.svg", "null"),
        ("data:image/png;base64,AAAA", "not a PNG image"),
        ("data:image/png;base64,A", "in base64"),
        ("data:text/html,x", "in base64"),
    ],
)
def test_other_images_are_refused_with_their_line(look: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(WishError, match=reason) as caught:
        beside(tmp_path, f'title = "T"\n\n[pieces]\n# the wolf\n"w" = "{look}"\n')
    assert str(caught.value).startswith(f"{tmp_path / 'game.board.toml'}:5: board-file: w = ")


def test_an_image_needs_a_folder() -> None:
    with pytest.raises(WishError, match="no folder"):
        parse_wishes('[pieces]\nw = "star.svg"\n')


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("flip = 3", 1),
        ("[colours]\nflop = 'red'\nflip = 'rde'", 3),
        ("[pieces]\nflip = 'red'\n[colours]\nflip = 'rde'", 4),
        ("\n[flop]\na = 1", 2),
        ("colours = {flip = 'rde'}", 0),
    ],
)
def test_errors_have_a_line_if_it_is_found(text: str, line: int) -> None:
    with pytest.raises(WishError) as caught:
        parse_wishes(text.replace("'red'\n[c", "'rook'\n[c"))
    assert caught.value.line == line
