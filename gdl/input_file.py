"""Reading of files that users name: only regular files, and only up to a limit, so that reading always ends soon."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO, Final

#: The maximum size of a rule file in bytes; a million facts have about 20 MB.
RULES: Final = 64 << 20

#: The maximum size of a match record in bytes.
RECORDS: Final = 256 << 20

#: The folders of open files, where a shell's process substitution `<(...)` has its pipe.
_OPEN_FILES: Final = ("/dev/fd", "/proc/self/fd")

_KINDS: Final = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def open_input(path: str | Path, most: int | None = None) -> IO[bytes]:
    """Open a regular file of at most `most` bytes for reading. Raises OSError with a `strerror`, or ValueError.

    Named pipes and devices are refused at once. Pipes that are already open, such as those of process substitution,
    are accepted.
    """
    name = os.fspath(path)
    is_open = name == "/dev/stdin" or str(Path(name).parent) in _OPEN_FILES
    # Without O_NONBLOCK, opening a named pipe would wait until another process writes to it.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    handle = os.open(name, flags if is_open else flags | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        if not stat.S_ISREG(status.st_mode) and not (is_open and stat.S_ISFIFO(status.st_mode)):
            kind = next((kind for test, kind in _KINDS if test(status.st_mode)), "something else")
            raise OSError(errno.EINVAL, f"{kind}, not a regular file", name)
        if most is not None and status.st_size > most:
            raise _too_large(name, most)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_input(path: str | Path, most: int = RULES) -> bytes:
    """Return the content of a file. Raises what `open_input` raises."""
    with open_input(path, most) as file:
        return read_at_most(file, most, os.fspath(path))


def read_at_most(file: IO[bytes], most: int, name: str) -> bytes:
    """Return everything that is left in an open file. Raises OSError if it is more than `most` bytes."""
    data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(name, most)
    return data


def _too_large(name: str, most: int) -> OSError:
    return OSError(errno.EFBIG, f"larger than {most >> 20} MiB", name)
