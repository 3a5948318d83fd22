"""The output of players in processes of their own: kept in files of limited size."""

from __future__ import annotations

import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, final

from ggp.match.channels import one_line

#: The maximum size of a log in bytes; if there is more output, the older half is dropped.
LARGEST_LOG: Final = 1 << 20

#: Bytes read at once, and seconds of rest after each reading once a process has written more than a whole log.
_CHUNK: Final = 1 << 16
_REST: Final = 0.05

#: Bytes of a process's last output that are kept in memory, and characters of it in messages.
_TAIL: Final = 1 << 14
_SHOWN: Final = 160

#: The beginning of the report of `faulthandler`, and of its lines with the calls, of which the first is the innermost.
_FATAL: Final = "Fatal Python error: "
_CALL: Final = "  File "

#: The first part of the names of temporary folders.
_PREFIX: Final = "ggp-players-"

#: Seconds to wait for the rest of the output of a process that has ended.
_DRAIN: Final = 0.3


@contextmanager
def temporary_logs(note: Callable[[str], object]) -> Iterator[Path]:
    """Return a temporary folder for logs. If there are any at the end, `note` is called with a line that names it."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        yield folder
    finally:
        try:
            folder.rmdir()
        except OSError:  # not empty
            note(f"output of players: {folder}")


@final
class LogFolder:
    """A folder for logs: the given one, or a temporary one. It is created with the first log."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use a folder, or a temporary one without it."""
        self._folder = folder
        self._lock = threading.Lock()

    def create(self, stem: str) -> tuple[Path, IO[bytes]]:
        """Create a new file for a log and return its path. Raises OSError."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            path = self._folder / (f"{stem}.log" if number == 1 else f"{stem}-{number}.log")
            try:
                return path, path.open("x+b")
            except FileExistsError:
                number += 1


@final
class PlayerLog:
    """The log of all processes of one player. The file is created with the first output."""

    def __init__(self, player: str, folder: LogFolder) -> None:
        """Keep the name of the player, from which the name of the file is derived."""
        self.player = player
        #: The file, or None if there has been no output.
        self.path: Path | None = None
        self._folder = folder
        self._stem = re.sub(r"[^A-Za-z0-9_-]+", "_", player.rpartition(":")[2]).strip("_") or "player"
        self._file: IO[bytes] | None = None
        self._writer = ""
        self._size = 0
        self._lock = threading.Lock()

    def write(self, writer: str, data: bytes) -> None:
        """Append output; a line names its writer if that is another one than before. Errors of the disk are ignored."""
        with self._lock, suppress(OSError, ValueError):
            if self.path is None:
                self.path, self._file = self._folder.create(self._stem)
            if self._file is None:  # closed
                return
            if writer != self._writer:
                self._writer = writer
                data = f"--- {writer}\n".encode() + data
            self._file.write(data)
            self._size += len(data)
            if self._size > LARGEST_LOG:
                self._shorten(self._file)
            self._file.flush()

    def close(self) -> None:
        """Close the file; later output is dropped."""
        with self._lock, suppress(OSError):
            if self._file is not None:
                self._file.close()
            self._file = None

    def _shorten(self, file: IO[bytes]) -> None:
        file.flush()
        file.seek(-LARGEST_LOG // 2, os.SEEK_END)
        kept = b"--- earlier output has been dropped\n" + file.read()
        file.seek(0)
        file.write(kept)
        file.truncate()
        self._size = len(kept)


@final
class Output:
    """The output of one process, which a thread copies to a log."""

    def __init__(self, stream: IO[bytes], log: PlayerLog, writer: str) -> None:
        """Start the thread. `writer` describes the process in the log."""
        self._writer = writer
        self._stream = stream
        self._log = log
        self._tail = b""
        self._total = 0
        self._thread = threading.Thread(target=self._copy, name="output of a player", daemon=True)
        self._thread.start()

    def name(self, writer: str) -> None:
        """Describe the process anew, as it begins something new."""
        self._writer = writer
        self._tail = b""

    def last(self) -> str:
        """Return the last output since `name`, of a process that has ended, in one line; empty if there is none."""
        self._thread.join(_DRAIN)
        before, fatal, report = self._tail.decode(errors="replace").partition(_FATAL)
        if fatal:
            lines = report.splitlines()
            place = next((line for line in lines if line.startswith(_CALL)), "")
            return one_line(f"{fatal}{lines[0] if lines else ''} {place}")
        text = " ".join(before.split())
        return one_line(text if len(text) <= _SHOWN else f"...{text[-_SHOWN:]}")

    def _copy(self) -> None:
        # The stream may be closed by the thread that ends the process.
        with suppress(OSError, ValueError):
            while data := os.read(self._stream.fileno(), _CHUNK):
                self._tail = (self._tail + data)[-_TAIL:]
                self._total += len(data)
                self._log.write(self._writer, data)
                if self._total > LARGEST_LOG:
                    # A process that writes all the time waits for this thread, not the match.
                    time.sleep(_REST)
