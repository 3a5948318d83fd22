"""Atomic writing of files."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes, *, fsync: bool = False) -> None:
    """Write a file atomically: readers see the old content or the new one. Text is written in UTF-8.

    With `fsync`, return only once the file and its entry in the folder are on the disk, and so survive a power failure.
    Without it, a power failure may bring back the old content. Raises OSError, or ValueError for bad paths.
    """
    # Beside the target, because files can only be replaced atomically within one file system.
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # Text is encoded here, as a text file would translate the ends of lines.
        with draft.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if fsync:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    if fsync:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some file systems cannot do this
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
