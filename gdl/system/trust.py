"""Trust in cached code: folders that only the user can write to, and seals made with a key that only the user has.

Whoever can write to the cache can run code as the user, so cached code is read only if it passes both checks. Systems
without numeric user IDs (Windows) have no check of owners and permissions; the seals are checked everywhere.
"""

from __future__ import annotations

import errno
import hmac
import logging
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

#: The size of a key and of a seal, in bytes.
_SIZE: Final = 32

#: The most symbolic links in a path, as on Linux.
_LINKS: Final = 40


@lru_cache(maxsize=256)
def tell_once(line: str) -> None:
    """Log a warning, once per process. Without a configuration of `logging`, it is a line on standard error."""
    logging.getLogger("gdl").warning(line)


def is_private(folder: Path) -> bool:
    """Return True if only the user can write to an existing folder, or redirect its path; tell the reason if not.

    The folder must belong to the user, and the folders above it to the user or root. None may be writable by others,
    except for sticky ones above it, such as `/tmp`. Raises OSError if there is no such folder.
    """
    reason = _exposure(folder)
    if reason is not None:
        tell_once(f"gdl: a cache is not used, as others could change the code in it: {reason}")
    return reason is None


def make_private(folder: Path) -> None:
    """Make a folder and those above it, as far as they are missing, with mode 0700. Raises OSError."""
    if not folder.is_dir():
        if folder.parent != folder:
            make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def sealed(name: str, content: bytes) -> bytes:
    """Return content with a seal for a name in front. Raises OSError if there is no key and none can be stored."""
    return _seal(_key(_key_file()), name, content) + content


def unsealed(name: str, data: bytes) -> bytes | None:
    """Return the content of `sealed`; None if it was sealed for another name or by another user, or was changed.

    Raises OSError if there is no key and none can be stored.
    """
    content = data[_SIZE:]
    expected = _seal(_key(_key_file()), name, content)
    return content if hmac.compare_digest(data[:_SIZE], expected) else None


def has_key() -> bool:
    """Return True if there is a key for seals, which is made on first use; tell the reason if there is none."""
    try:
        file = _key_file()
        _key(file)
    except OSError as error:
        tell_once(f"gdl: the cache is not used: {error.filename}: {error.strerror}")
        return False
    return True


def _seal(key: bytes, name: str, content: bytes) -> bytes:
    code = hmac.new(key, name.encode("utf-8", "surrogatepass") + b"\0", "sha256")
    code.update(content)
    return code.digest()


def _key_file() -> Path:
    """Return the path of the user's key. Raises OSError if the user has no home folder."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    try:
        return Path(base).expanduser() / "gdl" / "cache.key"
    except RuntimeError as error:
        raise OSError(errno.ENOENT, str(error), base) from None


@lru_cache(maxsize=1)
def _key(file: Path) -> bytes:
    """Return the key in a file, which is made if it is missing or damaged. Raises OSError if it cannot be kept secret.

    Of several processes that make it at once, all return the key of the first.
    """
    with suppress(FileNotFoundError):
        key = _read_key(file)
        if len(key) == _SIZE:
            return key
        file.unlink(missing_ok=True)
    make_private(file.parent)
    reason = _exposure(file.parent)
    if reason is not None:
        raise PermissionError(errno.EACCES, reason, str(file))
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".")
    draft = Path(name)
    try:
        os.write(handle, secrets.token_bytes(_SIZE))
        os.close(handle)
        try:
            os.link(draft, file)  # unlike a renaming, fails if another process has been faster
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    key = _read_key(file)
    if len(key) != _SIZE:
        raise OSError(errno.EIO, "the key is damaged", str(file))
    return key


def _read_key(file: Path) -> bytes:
    """Return the content of a key file. Raises OSError, also if others can read or write it."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(handle)
        own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
        if not stat.S_ISREG(status.st_mode) or not own:
            raise PermissionError(errno.EACCES, "the key must be a file that only its owner can read", str(file))
        reason = _exposure(file.parent)
        if reason is not None:
            raise PermissionError(errno.EACCES, reason, str(file))
        return os.read(handle, _SIZE + 1)
    finally:
        os.close(handle)


def _exposure(folder: Path) -> str | None:
    """Return the reason why others can write to a folder or redirect its path; None if they cannot. Raises OSError."""
    if not hasattr(os, "geteuid"):
        return None
    whole = Path.cwd() / folder
    here, parts, links = Path(whole.anchor), list(reversed(whole.parts[1:])), 0
    above = _exposed(here, last=not parts)
    while above is None and parts:
        name = parts.pop()
        if name == "..":
            here = here.parent
            continue
        inner = here / name
        status = inner.lstat()
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > _LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
            if status.st_uid not in (0, os.geteuid()):
                return f"the link {inner} belongs to another user"
            target = inner.readlink()
            here = Path(target.anchor) if target.is_absolute() else here
            parts += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            continue
        here = inner
        above = _exposed(here, last=False)
    return above or _exposed(here, last=True)


def _exposed(folder: Path, *, last: bool) -> str | None:
    """Return the reason why others can change the entries of a folder, itself `last` or above it; None if not."""
    status = folder.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    if status.st_uid != os.geteuid() and (last or status.st_uid != 0):
        return f"{folder} belongs to another user"
    if status.st_mode & stat.S_ISVTX and not last:
        return None
    group = status.st_mode & stat.S_IWGRP and not _only_member(status.st_gid)
    if group or status.st_mode & stat.S_IWOTH:
        return f"others can write to {folder} (to change that: chmod go-w)"
    return None


@lru_cache(maxsize=16)
def _only_member(group: int) -> bool:
    """Return True if a group is the user's own; on some systems each user has one, and new files are writable by it."""
    import grp
    import pwd

    try:
        user, entry = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and entry.gr_name == user.pw_name and set(entry.gr_mem) <= {user.pw_name}
