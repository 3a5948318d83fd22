"""Atomic writing of text files."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: readers see the old text or the new one. Raises OSError, or ValueError for bad paths."""
    # Beside the target, because files can only be replaced atomically within one file system.
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
