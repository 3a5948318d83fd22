"""Atomic writing of files: readers see the old content or the new one, also if two threads or processes write."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import IO


@contextmanager
def whole_file(path: Path, *, fsync: bool = False, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes the place of `path` at the end of the context, unless an error ends it.

    With `fsync`, the file and its entry in the folder are on the disk then, and so survive a power failure. Without it,
    a power failure may bring back the old content. `mode` has the permissions of the file, apart from the umask. Raises
    OSError, or ValueError for bad paths.
    """
    # Beside the target, because files can only be replaced atomically within one file system.
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with named_errors(path):
            with _created(draft, mode) as file:
                yield file
                if fsync:
                    file.flush()
                    os.fsync(file.fileno())
            draft.replace(path)
    except BaseException:
        with suppress(OSError, ValueError):
            draft.unlink(missing_ok=True)
        raise
    if fsync:
        _sync_folder(path.parent)


def clear_folder(path: Path) -> None:
    """Delete a folder in the place of a file of a cache, which could not be written otherwise. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        rmtree(path)


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Add the name of a file to an error of writing that has none, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file that may be a device, text in UTF-8. Raises OSError, which names the file."""
    with named_errors(path):
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def write_whole(path: Path, content: str | bytes, *, fsync: bool = False, mode: int = 0o666) -> None:
    """Write a file atomically, text in UTF-8. Raises as `whole_file`."""
    # Text is encoded here, as a text file would translate the ends of lines.
    data = content.encode() if isinstance(content, str) else content
    with whole_file(path, fsync=fsync, mode=mode) as file:
        file.write(data)


def _created(path: Path, mode: int) -> IO[bytes]:
    # The mode "x" follows no link that somebody else has put there. Path.open takes no opener.
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some file systems cannot do this
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
