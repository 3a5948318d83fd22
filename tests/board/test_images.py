"""Images of pieces, which a file beside the rules names."""

from __future__ import annotations

import struct
import zlib
from base64 import b64decode
from pathlib import Path

import pytest
from support.drawn import by_class, loaded
from support.line_rules import FENCES

import gdl
from ggp.board import find_boards, lay
from ggp.board.drawing.scene import picture, scene_of
from ggp.board.drawing.svg import svg
from ggp.board.image_content import ImageError, check_png
from ggp.board.images import MOST_BYTES
from ggp.board.wishes import WishError, Wishes, fulfil, parse_wishes, text_of, wishes_beside
from ggp.environments.pixels import png_of


def png(
    width: int = 8, height: int = 8, *, depth: int = 8, colours: int = 0, interlaced: int = 0, pixels: int
) -> bytes:
    """A PNG image whose pixels take so many bytes when they are unpacked."""
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, interlaced)),
        (b"IDAT", zlib.compress(bytes(pixels))),
        (b"IEND", b""),
    )
    parts = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


PNG = png(pixels=8 * 9)
SVG = b'<?xml version="1.0"?>\n<!-- a star --><svg xmlns="http://www.w3.org/2000/svg"/>'


def beside(folder: Path, text: str) -> Wishes:
    (folder / "game.board.toml").write_text(text, encoding="utf-8")
    (folder / "star.svg").write_bytes(SVG)
    (folder / "moon.PNG").write_bytes(PNG)
    (folder / "bomb.png").write_bytes(png(16384, 16384, pixels=1))
    (folder / "cut.png").write_bytes(PNG[:-6])
    (folder / "headless.png").write_bytes(PNG[:8] + PNG[33:])
    (folder / "bit.png").write_bytes(PNG[:50] + bytes([PNG[50] ^ 1]) + PNG[51:])
    (folder / "short.png").write_bytes(png(pixels=8 * 9 - 1))
    (folder / "long.png").write_bytes(png(pixels=10_000_000))
    (folder / "odd.png").write_bytes(png(depth=3, pixels=8 * 9))
    (folder / "open.svg").write_bytes(SVG.replace(b"/>", b">\n<g>"))
    (folder / "plain.svg").write_bytes(b"<svg/>")
    (folder / "laughs.svg").write_bytes(
        b'<!DOCTYPE svg [<!ENTITY a "ha">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'
    )
    (folder / "deep.svg").write_bytes(SVG.replace(b"/>", b">" + b"<g>" * 200))
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
        ("cut.png", "damaged: its end is missing"),
        ("headless.png", "it has no header"),
        ("bit.png", "a checksum is wrong .'IDAT'"),
        ("short.png", "too few or too many pixels"),
        ("long.png", "too few or too many pixels"),
        ("odd.png", "the header makes no sense"),
        ("open.svg", "not an SVG image: no element found, line 3 of it"),
        ("plain.svg", "it must begin with <svg xmlns="),
        ("laughs.svg", "defines entities"),
        ("deep.svg", "more than 100 elements"),
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


@pytest.mark.parametrize(
    ("size", "depth", "colours", "interlaced", "pixels"),
    [
        ((8, 8), 8, 6, 0, 8 * 33),
        ((9, 3), 1, 3, 0, 3 * 3),
        ((5, 5), 16, 2, 0, 5 * 31),
        ((8, 8), 8, 0, 1, 2 + 2 + 3 + 2 * 3 + 2 * 5 + 4 * 5 + 4 * 9),
        ((1, 1), 8, 0, 1, 2),
        ((3, 2), 4, 4, 1, None),
    ],
)
def test_which_png_images_can_be_decoded(
    size: tuple[int, int], depth: int, colours: int, interlaced: int, pixels: int | None
) -> None:
    made = png(*size, depth=depth, colours=colours, interlaced=interlaced, pixels=pixels or 10)
    if pixels is None:
        with pytest.raises(ImageError, match="makes no sense"):
            check_png(made)
    else:
        check_png(made)


def test_pixels_are_checked_as_a_decoder_reads_them() -> None:
    # What this project writes itself, and what resvg does.
    check_png(png_of('<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"/>'))


def test_all_images_together_have_a_limit(tmp_path: Path) -> None:
    padding = b"<!--" + b"x" * 90_000 + b"-->"
    for number in range(6):
        (tmp_path / f"{number}.svg").write_bytes(SVG + padding + str(number).encode().join((b"<!--", b"-->")))
    names = "".join(f'p{number} = "{number}.svg"\n' for number in range(6))
    with pytest.raises(WishError, match="all images together are larger than 500,000 bytes") as caught:
        parse_wishes(f"[pieces]\n{names}", "b.toml", tmp_path)
    assert caught.value.line == 7
    parse_wishes(f"[pieces]\n{names}".replace("5.svg", "4.svg"), "b.toml", tmp_path)  # one image twice


def test_images_on_pieces_of_several_cells_and_on_lines(tmp_path: Path) -> None:
    beside(tmp_path, "")
    game, layout = loaded("sliding_pieces")
    wishes = parse_wishes('[pieces]\npiece2 = "star.svg"\npiece4 = "moon.PNG"\n', folder=tmp_path)
    text = svg(fulfil(layout, wishes), game.initial_state())
    assert text.count("<image ") == text.count("<use ") == 2
    assert len(by_class(text, "joined")) == 10
    fences = gdl.Reasoner(FENCES)
    moves = ("(build 1 2 1 3)", "noop")
    wishes = parse_wishes('[pieces]\nbuilt = "star.svg"\n', folder=tmp_path)
    text = svg(fulfil(find_boards(fences), wishes), fences.next_state(fences.initial_state(), moves))
    assert text.count("<use ") == len(by_class(text, "body")) == 1


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
