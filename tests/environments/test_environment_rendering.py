"""Pictures of positions, and pixels of PNG files, compared with files that are packed here row by row."""

from __future__ import annotations

import struct
import zlib
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.environments.game import EnvironmentGame
from ggp.environments.pixels import NoFontError, _family, pixels, pixels_of_png
from ggp.environments.position import Position
from ggp.environments.rendering import Renderer


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(image: np.ndarray, filters: list[int], depth: int = 8, interlaced: int = 0) -> bytes:
    """A PNG file of an image (height, width, channels), with a filter for each row (PNG specification, 9.2)."""
    height, width, channels = image.shape
    padded = np.zeros((height + 1, width + 1, channels), int)
    padded[1:, 1:] = image
    rows = []
    for y in range(height):
        left, up, corner = padded[y + 1, :-1], padded[y, 1:], padded[y, :-1]
        initial = left + up - corner
        order = np.stack([abs(initial - left), abs(initial - up), abs(initial - corner)])
        paeth = np.choose(order.argmin(axis=0), [left, up, corner])
        guess = [0, left, up, (left + up) // 2, paeth][filters[y]]
        rows.append(bytes([filters[y]]) + ((image[y].astype(int) - guess) % 256).astype(np.uint8).tobytes())
    header = struct.pack(">IIBBBBB", width, height, depth, 2 if channels == 3 else 6, 0, 0, interlaced)
    packed = zlib.compress(b"".join(rows))
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", packed[:7]) + chunk(b"IDAT", packed[7:]) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 6), st.sampled_from([3, 4]))
def test_every_filter_is_undone(seed: int, height: int, width: int, channels: int) -> None:
    random = np.random.default_rng(seed)
    image = random.integers(0, 256, (height, width, channels), np.uint8)
    found = pixels_of_png(png(image, random.integers(0, 5, height).tolist()))
    assert np.array_equal(found, image[:, :, :3])


def test_other_files_are_refused() -> None:
    image = np.zeros((1, 1, 3), np.uint8)
    for content in (b"GIF89a", png(image, [0], depth=16), png(image, [0], interlaced=1)):
        with pytest.raises(ValueError, match="PNG"):
            pixels_of_png(content)


def test_an_svg_is_drawn_on_white() -> None:
    pytest.importorskip("resvg_py", reason="needs the extra gymnasium")
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"><rect width="2" height="2" fill="#ff8000"/></svg>'
    )
    assert pixels(svg).tolist() == [[[255, 128, 0]] * 2 + [[255] * 3] * 2] * 2


@pytest.fixture
def position() -> Position:
    position = Position(EnvironmentGame("tic_tac_toe"))
    position.advance({0: 4}, np.random.default_rng(0))
    return position


_DEJAVU = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")


@pytest.mark.parametrize(
    "fonts",
    [
        [],
        pytest.param([str(_DEJAVU)], marks=pytest.mark.skipif(not _DEJAVU.exists(), reason="DejaVu is not installed")),
    ],
    ids=["none", "DejaVu alone"],
)
def test_texts_are_drawn_with_the_fonts_there_are(fonts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    resvg = pytest.importorskip("resvg_py")
    drawn = partial(resvg.svg_to_bytes, skip_system_fonts=True, font_files=fonts)
    monkeypatch.setattr(resvg, "svg_to_bytes", drawn)
    begun = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    text = f'{begun}<text y="18" font-family="Arial,sans-serif">M</text>'
    _family.cache_clear()
    try:
        with nullcontext() if fonts else pytest.raises(NoFontError, match="no font for texts is installed"):
            assert (pixels(f"{text}</svg>") < 128).any()
    finally:
        _family.cache_clear()


def test_text_shows_the_last_move(position: Position) -> None:
    shown = Renderer(position.game, "ansi").render(position)
    assert shown == "3  . . .\n2  .[x].\n1  . . .\n   1 2 3\n\ncontrol oplayer"


def test_the_mode_human_prints(position: Position, capsys: pytest.CaptureFixture[str]) -> None:
    assert Renderer(position.game, "human").render(position) is None
    assert capsys.readouterr().out == f"{Renderer(position.game, 'ansi').render(position)}\n\n"


def test_a_picture_has_the_colours_of_pieces(position: Position) -> None:
    pytest.importorskip("resvg_py", reason="needs the extra gymnasium")
    shown = Renderer(position.game, "rgb_array").render(position)
    assert isinstance(shown, np.ndarray)
    svg = Renderer(position.game, "svg").render(position)
    assert isinstance(svg, str)
    assert f'width="{shown.shape[1]}" height="{shown.shape[0]}"' in svg
    before = Renderer(position.game, "rgb_array").render(Position(position.game))
    assert not np.array_equal(before, shown)


def test_wishes_beside_the_rules_are_kept(tmp_path: Path) -> None:
    rules = (Path(__file__).parents[2] / "games" / "classics" / "tic_tac_toe.kif").read_text()
    (tmp_path / "noughts.kif").write_text(rules)
    (tmp_path / "noughts.board.toml").write_text('title = "Noughts and crosses"')
    game = EnvironmentGame(tmp_path / "noughts.kif")
    assert "Noughts and crosses" in str(Renderer(game, "svg").render(Position(game)))


def test_an_unknown_mode_is_refused(position: Position) -> None:
    with pytest.raises(ValueError, match="there are ansi, svg, rgb_array, human"):
        Renderer(position.game, "smell")
