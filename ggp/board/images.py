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

from gdl.system.files import read_input
from ggp.board.image_content import ImageError, check_png, check_svg

#: The largest accepted image, and all images of a game together, in bytes.
MOST_BYTES: Final = 100_000
MOST_TOGETHER: Final = 500_000

_ENDINGS: Final = {".png": "image/png", ".svg": "image/svg+xml"}
_URI: Final = re.compile(r"data:(image/png|image/svg\+xml);base64,([A-Za-z0-9+/=]+)")


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
    (check_png if kind == "image/png" else check_svg)(content)
    return f"data:{kind};base64,{b64encode(content).decode()}"


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


def image_size(uri: str) -> int:
    """Return how many bytes an image has."""
    return len(_decoded(uri)[1])


def image_id(uri: str) -> str:
    """Return the name under which an image is part of a drawing; it is the same in all drawings."""
    return f"image-{sha256(uri.encode()).hexdigest()[:16]}"
