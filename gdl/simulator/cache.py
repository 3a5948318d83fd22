"""A cache on disk for circuits and code; processes can share it, and damaged or unwritable folders do no harm.

Folders that others can write to are not used, and entries are sealed; see `gdl.system.trust`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, final

from gdl.system.files import clear_folder, locked, open_input, write_whole
from gdl.system.trust import has_key, is_private, make_private, sealed, tell_once, unsealed

#: The environment variable that names the folder of the cache; if it is empty, nothing is cached.
VARIABLE: Final = "GDL_CACHE"

#: The maximum size of the cache in bytes. Once it is larger, the least recently used entries are evicted until it is
#: down to this share of the maximum.
LIMIT: Final = 2 << 30
_LEFT: Final = 0.8

#: Blanks and comments, as in `kif.lark`, and parentheses with the blanks around them.
_BLANKS: Final = re.compile(r"(?:\s+|;[^\n]*)+")
_AROUND: Final = re.compile(r" ?([()]) ?")


def default_folder() -> Path | None:
    """Return the folder named by `GDL_CACHE` (None if empty), by default one in the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named).expanduser() if named else None
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "gdl"


#: The name of the entry of a circuit: see `circuit_entries`.
CIRCUIT: Final = "circuit"


@cache
def fingerprint(package: Path | None = None) -> str:
    """Return a hash of the text of a package, by default `gdl`, so that entries of other versions are never read."""
    digest = hashlib.sha256()
    root = package or Path(__file__).parent.parent
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".lark"):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@final
class Cache:
    """Entries of one key, by name. Unreadable and damaged entries count as missing."""

    def __init__(self, folder: Path | None, *parts: str) -> None:
        """Use entries whose key is made of `parts`; without a folder, nothing is cached."""
        key = hashlib.sha256("\0".join((fingerprint(), *parts)).encode("utf-8", "surrogatepass")).hexdigest()
        self._key = key
        self._root = folder
        self.folder = folder / key[:2] / key[2:34] if folder is not None else None

    def read(self, name: str) -> bytes | None:
        """Return the content written under a name; None if it is missing, damaged or not sealed by the user."""
        if self.folder is None:
            return None
        try:
            if not is_private(self.folder) or not has_key():
                return None
            with open_input(self.folder / name) as file:  # not a pipe or a device, which may have no end
                data = file.read()
            content = unsealed(self._sealed_name(name), data)
        except (OSError, ValueError):
            return None
        if content is None:
            tell_once(
                f"gdl: ignored entries in {self._root} that are damaged or not from this user; they are made again"
            )
        with suppress(OSError):
            os.utime(self.folder)  # the time of its last use
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write an entry, as a whole or not at all. Unwritable folders, and those of others, are ignored."""
        if self.folder is None:
            return
        with suppress(OSError, ValueError):
            make_private(self.folder)
            if not is_private(self.folder) or not has_key():
                return
            first = not any(self.folder.iterdir())
            clear_folder(self.folder / name)
            write_whole(self.folder / name, sealed(self._sealed_name(name), content), mode=0o600)
            if first:  # only once per game, as the whole cache is scanned
                _trim(self.folder.parent.parent, self.folder)

    @contextmanager
    def making(self, patience: float, waiting: Callable[[], object]) -> Iterator[None]:
        """Keep other processes from making entries of this key meanwhile: they wait, and can then read them.

        If another process is making them, `waiting` is called, and after `patience` seconds both do.
        """
        with ExitStack() as held:
            if self.folder is not None:
                with suppress(OSError):
                    make_private(self.folder)
                    if is_private(self.folder):
                        held.enter_context(locked(self.folder, patience, waiting))
            yield

    def _sealed_name(self, name: str) -> str:
        """Return the name for which an entry is sealed, so that it cannot take the place of another."""
        return f"{self._key}/{name}"


def circuit_entries(folder: Path | None, text: str, seconds: float) -> Cache:
    """Return the entries for the circuit of rules, made within a budget of some seconds, on which it depends."""
    return Cache(folder, without_layout(text), repr(float(seconds)))


def without_layout(text: str) -> str:
    """Return the text of rules without comments, and without the blanks and line breaks that separate nothing.

    Rules that arrive over the network on one line share the entries of their file, as do rules with other comments.
    """
    return _AROUND.sub(r"\1", _BLANKS.sub(" ", text)).strip()


def entries_in(root: Path) -> dict[Path, int]:
    """Return the folders of all entries of a cache, each with its size in bytes. They may be deleted at any time."""
    return {Path(folder.path): _size(folder.path) for folder in _folders(root)} if root.is_dir() else {}


def native_files(*packages: Path) -> list[Path]:
    """Return the files in which Numba caches the machine code of packages; these too may be deleted at any time."""
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return [file for one in packages for file in Path(named).rglob(f"{one.name}.*.nbc")]
    return [file for one in packages for file in one.rglob("__pycache__/*.nbc")]


def _trim(root: Path, new: Path) -> None:
    """Evict the least recently used entries if the cache is too large, except for the new folder."""
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
    """Yield the folders of entries. Anything else in the root, which users can choose freely, is left alone."""
    for above in os.scandir(root):
        if re.fullmatch("[0-9a-f]{2}", above.name) and above.is_dir(follow_symlinks=False):
            for folder in os.scandir(above):
                if re.fullmatch("[0-9a-f]{32}", folder.name) and folder.is_dir(follow_symlinks=False):
                    yield folder


def _used(folder: os.DirEntry[str]) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process has deleted it
        return 0.0


def _size(folder: str) -> int:
    """Return the total size of the files in a folder, in bytes."""
    try:
        return sum(file.stat().st_size for file in os.scandir(folder))
    except OSError:
        return 0
