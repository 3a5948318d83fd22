"""Images of pieces: PNG and SVG files beside the rules, carried inside drawings as data URIs.

As part of a drawing, an image runs no scripts and loads nothing.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from gdl.input_file import read_input

#: The largest accepted image, in bytes.
MOST_BYTES: Final = 100_000

_ENDINGS: Final = {".png": "image/png", ".svg": "image/svg+xml"}
_PNG: Final = b"\x89PNG\r\n\x1a\n"
#: The most columns and rows of pixels: a small file can hold very many.
_MOST_PIXELS: Final = 2048
_SVG: Final = re.compile(
    rb"(\xef\xbb\xbf)?\s*((<\?[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>]*>)\s*)*<svg[\s>]", re.DOTALL
)
_URI: Final = re.compile(r"data:(image/png|image/svg\+xml);base64,([A-Za-z0-9+/=]+)")


class ImageError(ValueError):
    """An image cannot be used; the message says why."""


def is_image(look: str) -> bool:
    """Return True if a text is the data URI of an image."""
    return look.startswith("data:")


def names_image(look: str) -> bool:
    """Return True if a text is the name of an image file, or a data URI."""
    return is_image(look) or Path(look).suffix.lower() in _ENDINGS


def image_uri(look: str, folder: Path | None) -> str:
    """Return the data URI of an image, given that or the name of a file in a folder. Raises ImageError."""
    if is_image(look):
        kind, content = _decoded(look)
    elif folder is None:
        raise ImageError("there is no folder for images")
    else:
        kind, content = _ENDINGS[Path(look).suffix.lower()], _content(look, folder)
    if not (content.startswith(_PNG) if kind == "image/png" else _SVG.match(content)):
        raise ImageError(f"not {'a PNG' if kind == 'image/png' else 'an SVG'} image")
    if kind == "image/png":
        _check_pixels(content)
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _check_pixels(png: bytes) -> None:
    """Check the size that the header of a PNG image says. Raises ImageError."""
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    if png[12:16] != b"IHDR" or len(png) < 24 or not width or not height:
        raise ImageError("not a PNG image")
    if max(width, height) > _MOST_PIXELS:
        raise ImageError(f"{width:,} x {height:,} pixels; at most {_MOST_PIXELS:,} x {_MOST_PIXELS:,} are drawn")


def _content(name: str, folder: Path) -> bytes:
    if Path(name).name != name or "\\" in name:
        raise ImageError("an image must be in the same folder as this file")
    try:
        if (folder / name).resolve().parent != folder.resolve():  # a link
            raise ImageError("an image must be in the same folder as this file")
        large = (folder / name).stat().st_size > MOST_BYTES
        content = b"" if large else read_input(folder / name, MOST_BYTES)
    except ImageError:
        raise
    except (OSError, ValueError) as error:
        raise ImageError(getattr(error, "strerror", None) or str(error)) from None
    if large:
        raise ImageError(f"larger than {MOST_BYTES:,} bytes")
    return content


def _decoded(uri: str) -> tuple[str, bytes]:
    with suppress(ValueError):
        if found := _URI.fullmatch(uri):
            return found[1], b64decode(found[2], validate=True)
    raise ImageError("a data URI must have a PNG or SVG image in base64")


def image_id(uri: str) -> str:
    """Return the name under which an image is part of a drawing; it is the same in all drawings."""
    return f"image-{sha256(uri.encode()).hexdigest()[:16]}"
