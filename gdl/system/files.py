"""Files: reading those that users name up to a limit, atomic writing, and locks between processes."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import IO, Final

from gdl.errors import NamedFileError

#: The maximum size of a rule file in bytes; a million facts have about 20 MB.
RULES: Final = 64 << 20

#: The maximum size of a match record in bytes.
RECORDS: Final = 256 << 20

#: The folders of open files, where a shell's process substitution `<(...)` has its pipe.
_OPEN_FILES: Final = ("/dev/fd", "/proc/self/fd")

#: The names of files that are being written, and the seconds after which nobody does so any longer.
_DRAFT: Final = re.compile(r"\.[0-9a-f]{16}\.tmp")
_WRITING: Final = 3600.0

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


def clear_drafts(folder: Path) -> None:
    """Delete what processes that were killed while they wrote files have left in a folder. Errors are ignored."""
    with suppress(OSError):
        for draft in folder.glob(".*.tmp"):
            if _DRAFT.fullmatch(draft.name) and time.time() - draft.lstat().st_mtime > _WRITING:
                draft.unlink()


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


#: Seconds between two looks at a lock that another process holds.
_GLANCE: Final = 0.1


@contextmanager
def locked(path: Path, patience: float, waiting: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Hold the lock of a file or folder until the context is left or this process ends.

    If another process holds it, call `waiting` once, and wait for up to `patience` seconds. After that, and where
    nothing can be locked, the context is entered without the lock: the same work is then done twice, which does no
    harm.
    """
    file = None
    with suppress(OSError):
        file = os.open(path, os.O_RDONLY)
    try:
        if file is not None:
            _lock(file, patience, waiting)
        yield
    finally:
        if file is not None:
            os.close(file)  # which unlocks it


def _lock(file: int, patience: float, waiting: Callable[[], object]) -> None:
    with suppress(ImportError, OSError):  # Windows has no `fcntl`, and not every file system has locks
        import fcntl

        until = time.monotonic() + patience
        told = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= until:
                    return
            if not told:
                told = True
                waiting()
            time.sleep(_GLANCE)


class FileInUseError(NamedFileError):
    """Another process is writing a file."""

    code = "file-in-use"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other processes out that would write the same file, until the context is left or this process ends.

    The lock is that of a file beside it, as the file itself is replaced whenever it is written. One that a killed
    process leaves locks nothing. Raises FileInUseError if another process is in the context, and OSError if no file can
    be made there; where nothing can be locked, all may enter it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    target = path.resolve()
    beside = target.with_name(f".{target.name}.lock")
    handle = -1
    while handle < 0:
        handle = os.open(beside, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            current = os.path.samestat(os.fstat(handle), beside.lstat())
        except FileNotFoundError:
            current = False
        except BlockingIOError:
            os.close(handle)
            raise FileInUseError(str(path), "another process writes it") from None
        except OSError:
            current = True  # a file system without locks
        if not current:  # another process has just left, and deleted it
            os.close(handle)
            handle = -1
    try:
        yield
    finally:
        with suppress(OSError):
            beside.unlink()
        os.close(handle)
