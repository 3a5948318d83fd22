"""Text files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file: a reader finds it as it was before, or as it is after. Raises OSError, and ValueError for paths."""
    # Beside the target, as only within one file system a file can be put in another's place at once.
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
