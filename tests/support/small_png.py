"""Pictures in a third of the size: boards and pages have few colours, so a palette does."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from ggp.environments.pixels import pixels_of_png


def write_small(path: Path, png: bytes) -> None:
    """Write a picture as a PNG file with the 256 most frequent colours (PNG specification, colour type 3)."""
    pixels = pixels_of_png(png)
    height, width, _ = pixels.shape
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    palette = _channels(colours[np.argsort(-counts)[:256]])
    nearest = np.array([np.argmin(((palette - one) ** 2).sum(axis=1)) for one in _channels(colours)], np.uint8)
    rows = np.hstack([np.zeros((height, 1), np.uint8), nearest[places.reshape(height, width)]])
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks))


def _channels(
    colours: np.ndarray[tuple[int, ...], np.dtype[np.uint32]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
