"""Checks of images from files: what a viewer could not show is refused, with a reason."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final
from xml.parsers import expat

_PNG: Final = b"\x89PNG\r\n\x1a\n"
#: The most columns and rows of pixels: a small file can hold very many.
_MOST_PIXELS: Final = 2048
#: The channels of each kind of colours of a PNG image, and the bits of a channel that it may have.
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
#: The first column and row, and the steps, of each pass of an interlaced image (PNG specification, 8.1).
_PASSES: Final = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))

_SVG: Final = "http://www.w3.org/2000/svg svg"
#: The deepest elements of an SVG image.
_DEEPEST: Final = 100


class ImageError(ValueError):
    """An image cannot be used; the message says why."""


def check_png(content: bytes) -> None:
    """Check that a PNG image can be decoded, and is not too large. Raises ImageError."""
    if not content.startswith(_PNG):
        raise ImageError("not a PNG image")
    header, packed = b"", b""
    for kind, data in _chunks(content):
        header = header or (data if kind == b"IHDR" else b"")
        packed += data if kind == b"IDAT" else b""
    if len(header) != 13:
        raise ImageError("not a PNG image: it has no header")
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if not width or not height or depth not in _DEPTHS.get(colours, ()) or interlaced > 1:
        raise ImageError("not a PNG image: the header makes no sense")
    if max(width, height) > _MOST_PIXELS:
        raise ImageError(f"{width:,} x {height:,} pixels; at most {_MOST_PIXELS:,} x {_MOST_PIXELS:,} are drawn")
    passes = _PASSES if interlaced else ((0, 0, 1, 1),)
    parts = [(-((left - width) // across), -((top - height) // down)) for left, top, across, down in passes]
    expected = sum(rows * (1 + (columns * depth * _CHANNELS[colours] + 7) // 8) for columns, rows in parts if columns)
    try:
        pixels = len(zlib.decompressobj().decompress(packed, expected + 1))
    except zlib.error:
        raise ImageError("the PNG image is damaged: its pixels cannot be unpacked") from None
    if pixels != expected:
        raise ImageError("the PNG image is damaged: it has too few or too many pixels")


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and the data of each chunk up to the end of the image."""
    at, kind = len(_PNG), b""
    while kind != b"IEND":
        kind, (size,) = content[at + 4 : at + 8], struct.unpack(">I", content[at : at + 4].rjust(4, b"\xff"))
        data, check = content[at + 8 : at + 8 + size], content[at + 8 + size : at + 12 + size]
        if len(check) < 4:
            raise ImageError("the PNG image is damaged: its end is missing")
        if zlib.crc32(kind + data) != int.from_bytes(check, "big"):
            raise ImageError(f"the PNG image is damaged: a checksum is wrong ({kind.decode('latin-1')!r})")
        yield kind, data
        at += 12 + size


def check_svg(content: bytes) -> None:
    """Check that an SVG image is well-formed XML whose outermost element is one. Raises ImageError."""
    open_elements: list[str] = []

    def begin(name: str, _attributes: object) -> None:
        if not open_elements and name != _SVG:
            raise ImageError('not an SVG image: it must begin with <svg xmlns="http://www.w3.org/2000/svg">')
        open_elements.append(name)
        if len(open_elements) > _DEEPEST:
            raise ImageError(f"the SVG image has more than {_DEEPEST} elements inside one another")

    def refuse(*_: object) -> None:
        raise ImageError("the SVG image defines entities, which are not drawn")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "not well-formed") if error.code else "not well-formed"
        raise ImageError(f"not an SVG image: {reason}, line {error.lineno} of it") from None
