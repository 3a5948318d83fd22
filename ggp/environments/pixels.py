"""Pictures as PNG files and as arrays of pixels: SVG documents, drawn by resvg."""

from __future__ import annotations

import struct
import zlib
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, final

from gdl.errors import GdlError
from ggp.environments.libraries import MissingLibraryError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SVG: Final = "http://www.w3.org/2000/svg"

#: Families of fonts for texts; the first one that is installed is taken.
_FAMILIES: Final = ("Arial", "Liberation Sans", "DejaVu Sans", "Noto Sans", "FreeSans", "Helvetica", "Roboto", "Ubuntu")

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def pixels(svg: str) -> NDArray[np.uint8]:
    """Return the pixels of an SVG document on a white ground: (height, width, 3).

    Raises MissingLibraryError and NoFontError.
    """
    return pixels_of_png(png_of(svg, background="#ffffff"))


def png_of(svg: str, background: str | None = None) -> bytes:
    """Return a PNG file of an SVG document, on a ground of a colour or none.

    Raises MissingLibraryError, and NoFontError if there are texts and no fonts.
    """
    try:
        import resvg_py
    except ModuleNotFoundError as error:
        raise MissingLibraryError("resvg-py", "png") from error
    family = _family() if "<text" in svg else None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, background=background, sans_serif_family=family))


@cache
def _family() -> str:
    """Return a family of fonts that is installed, found by drawing a letter. Raises NoFontError."""
    import resvg_py

    empty = f'<svg xmlns="{_SVG}" width="20" height="20">'
    letter = f'{empty}<text y="18" font-size="20" font-family="sans-serif">M</text></svg>'
    blank = bytes(resvg_py.svg_to_bytes(svg_string=f"{empty}</svg>"))
    for family in _FAMILIES:
        if bytes(resvg_py.svg_to_bytes(svg_string=letter, sans_serif_family=family)) != blank:
            return family
    raise NoFontError


@final
class NoFontError(GdlError):
    """There is no font for the texts of a picture."""

    code = "no-font"
    template = "{code}: no font for texts is installed; one of these is needed: {0}"

    def __init__(self, families: str = ", ".join(_FAMILIES)) -> None:
        """Name the families that were looked for."""
        super().__init__(families)


def pixels_of_png(png: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a PNG file with 8 bits a channel, without its transparency (PNG specification, 9 and 12).

    Raises ValueError for other files.
    """
    import numpy as np

    if not png.startswith(_SIGNATURE):
        raise ValueError("not a PNG file")
    place, packed, header = len(_SIGNATURE), [], b""
    while place < len(png):
        (size,) = struct.unpack_from(">I", png, place)
        kind, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        header = content if kind == b"IHDR" else header
        if kind == b"IDAT":
            packed.append(content)
        place += 12 + size
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if depth != 8 or colours not in (2, 6) or interlaced:
        raise ValueError("expected a PNG file with 8 bits a channel, in colours, and not interlaced")
    channels = 3 if colours == 2 else 4
    lines = np.frombuffer(zlib.decompress(b"".join(packed)), np.uint8).reshape(height, -1)
    found = np.zeros((height + 1, width, channels), np.uint8)
    for (above, row), line in zip(pairwise(found), lines, strict=True):
        row[:] = _unfiltered(int(line[0]), line[1:].reshape(width, channels), above)
    return np.ascontiguousarray(found[1:, :, :3])


def _unfiltered(kind: int, line: NDArray[np.uint8], above: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a row of pixels: each was stored as a difference to its neighbours on the left and above."""
    import numpy as np

    if kind == 0:
        return line
    if kind == 1:
        return np.add.accumulate(line, axis=0, dtype=np.uint8)
    if kind == 2:
        return line + above
    row = np.empty_like(line)
    for channel in range(line.shape[1]):
        stored, upper = line[:, channel].tolist(), above[:, channel].tolist()
        row[:, channel] = _averaged(stored, upper) if kind == 3 else _paeth(stored, upper)
    return row


def _averaged(stored: list[int], upper: list[int]) -> list[int]:
    left, found = 0, []
    for value, up in zip(stored, upper, strict=True):
        left = (value + (left + up) // 2) & 255
        found.append(left)
    return found


def _paeth(stored: list[int], upper: list[int]) -> list[int]:
    """Add the neighbour that is nearest to left + above - corner."""
    left = corner = 0
    found = []
    for value, up in zip(stored, upper, strict=True):
        from_left, from_up, from_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        if from_left <= from_up and from_left <= from_corner:
            nearest = left
        else:
            nearest = up if from_up <= from_corner else corner
        left, corner = (value + nearest) & 255, up
        found.append(left)
    return found
