"""What took long to make, kept on disk: safe with several processes, and against damaged or unwritable folders."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, final

#: The folder for entries is named by this variable of the environment; where it is empty, nothing is kept.
VARIABLE: Final = "GDL_CACHE"


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
    root = Path(__file__).parent
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
        digest, content = data[:32], data[32:]
        return content if self._digest(name, content) == digest else None

    def write(self, name: str, content: bytes) -> None:
        """Keep an entry, all of it or nothing; a folder that cannot be written to is no mistake."""
        if self.folder is None:
            return
        with suppress(OSError):
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

    def _digest(self, name: str, content: bytes) -> bytes:
        """What an entry begins with: it is of this key and name, and whole."""
        return hashlib.sha256(f"{self._key}/{name}\0".encode() + content).digest()
