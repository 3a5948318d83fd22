"""Read and write rule files for commands: from a path or standard input, and never in part."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path

from gdl.errors import FileError, Source
from gdl.language.parser import read_source, source_of
from gdl.system.files import RULES, read_at_most, read_input, whole_file

#: The path that stands for standard input.
STDIN = "-"


def read_rules(file: str) -> Source:
    """Return the text of a file or of standard input. Raises FileError."""
    if file != STDIN:
        return read_source(file)
    if sys.stdin is None:
        raise FileError("<stdin>", "closed")
    try:
        data = read_at_most(sys.stdin.buffer, RULES, "<stdin>")
    except (OSError, ValueError) as error:
        raise FileError("<stdin>", getattr(error, "strerror", None) or str(error)) from None
    return source_of(data.decode("utf-8", errors="surrogateescape"), "<stdin>")


def raw_text(file: str) -> str:
    """Return the text of a file unchanged, line ends and byte order mark included. Raises FileError."""
    try:
        return read_input(file).decode("utf-8", errors="surrogateescape")
    except (OSError, ValueError) as error:
        raise FileError(file, getattr(error, "strerror", None) or str(error)) from None


def is_unchanged(file: str, text: str) -> bool:
    """Return True if a file already has this text, line ends included. Raises FileError."""
    return raw_text(file) == text


def write_rules(file: str, text: str) -> None:
    """Replace the text of an existing file atomically: readers see the old or the new text. Raises FileError.

    The file keeps its permissions, and symbolic links to it stay intact.
    """
    try:
        path = Path(file).resolve(strict=True)
        with whole_file(path) as stream:
            Path(stream.name).chmod(path.stat().st_mode & 0o7777)
            stream.write(_encoded(text))
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that points to itself
        raise FileError(file, getattr(error, "strerror", None) or str(error)) from None


def print_rules(text: str) -> None:
    """Print a text to standard output, with the same bytes as in a file."""
    sys.stdout.flush()
    sys.stdout.buffer.write(_encoded(text))
    sys.stdout.buffer.flush()


def difference(before: str, after: str, name: str) -> str:
    """Return the differences between two texts as a unified diff; empty if there are none."""
    lines = unified_diff(_lines(before), _lines(after), f"{name} (before)", f"{name} (after)", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Return the lines of a text; the last is marked if it has no line end."""
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return lines


def _encoded(text: str) -> bytes:
    """Encode text as UTF-8; bytes that were not valid UTF-8 when read are restored."""
    return text.encode("utf-8", errors="surrogateescape")
