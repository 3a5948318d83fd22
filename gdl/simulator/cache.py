"""What took long to make, kept on disk: safe with several processes, and against damaged or unwritable folders."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, final

#: The folder for entries is named by this variable of the environment; where it is empty, nothing is kept.
VARIABLE: Final = "GDL_CACHE"

#: So many bytes are kept. Where there are more, what was not used for longest goes, down to this share of it.
LIMIT: Final = 2 << 30
_LEFT: Final = 0.8


def default_folder() -> Path | None:
    """The folder that `GDL_CACHE` names, or one in the user's folder for caches; None where it is empty."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named).expanduser() if named else None
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "gdl"


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """What the text of this package is like: entries of another version are never read."""
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".lark"):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@final
class Cache:
    """Entries by key and name. An entry that cannot be read, or is damaged, is as if it were not there."""

    def __init__(self, folder: Path | None, *parts: str) -> None:
        key = hashlib.sha256("\0".join((fingerprint(), *parts)).encode("utf-8", "surrogatepass")).hexdigest()
        self._key = key
        self.folder = folder / key[:2] / key[2:34] if folder is not None else None

    def read(self, name: str) -> bytes | None:
        """What was written under a name, if it is there as a whole."""
        if self.folder is None:
            return None
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(self.folder)  # used now
        digest, content = data[:32], data[32:]
        return content if self._digest(name, content) == digest else None

    def write(self, name: str, content: bytes) -> None:
        """Keep an entry, all of it or nothing; a folder that cannot be written to is no mistake."""
        if self.folder is None:
            return
        with suppress(OSError):
            new = not self.folder.exists()
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, path = tempfile.mkstemp(dir=self.folder, prefix=".")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self._digest(name, content) + content)
                Path(path).replace(self.folder / name)
            except BaseException:
                with suppress(OSError):
                    Path(path).unlink()
                raise
            if new:  # once a game, as all that is kept is looked at
                _trim(self.folder.parent.parent, self.folder)

    def _digest(self, name: str, content: bytes) -> bytes:
        """What an entry begins with: it is of this key and name, and whole."""
        return hashlib.sha256(f"{self._key}/{name}\0".encode() + content).digest()


def _trim(root: Path, new: Path) -> None:
    """Let go of what was not used for longest where too much is kept; the new folder stays."""
    folders = sorted((folder for folder in _folders(root) if folder.path != str(new)), key=_used)
    sizes = {folder.path: _size(folder.path) for folder in folders}
    total = sum(sizes.values()) + _size(str(new))
    if total <= LIMIT:
        return
    for folder in folders:
        shutil.rmtree(folder.path, ignore_errors=True)
        total -= sizes[folder.path]
        if total <= _LEFT * LIMIT:
            break


def _folders(root: Path) -> Iterator[os.DirEntry[str]]:
    """The folders of entries. Whatever else lies in the root, which anybody may name, is not ours."""
    for above in os.scandir(root):
        if re.fullmatch("[0-9a-f]{2}", above.name) and above.is_dir(follow_symlinks=False):
            for folder in os.scandir(above):
                if re.fullmatch("[0-9a-f]{32}", folder.name) and folder.is_dir(follow_symlinks=False):
                    yield folder


def _used(folder: os.DirEntry[str]) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process let go of it
        return 0.0


def _size(folder: str) -> int:
    """The bytes of the files in a folder."""
    try:
        return sum(file.stat().st_size for file in os.scandir(folder))
    except OSError:
        return 0
