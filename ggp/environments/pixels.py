"""Pictures as PNG files and as arrays of pixels: SVG documents, drawn by resvg."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

from ggp.environments.libraries import MissingLibraryError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def pixels(svg: str) -> NDArray[np.uint8]:
    """Return the pixels of an SVG document on a white ground: (height, width, 3). Raises MissingLibraryError."""
    return pixels_of_png(png_of(svg, background="#ffffff"))


def png_of(svg: str, background: str | None = None) -> bytes:
    """Return a PNG file of an SVG document, on a ground of a colour or none. Raises MissingLibraryError."""
    try:
        import resvg_py
    except ModuleNotFoundError as error:
        raise MissingLibraryError("resvg-py", "png") from error
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, background=background))


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
