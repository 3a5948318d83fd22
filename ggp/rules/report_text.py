"""Write findings as plain text, safe for a screen: shorten long lists, break long lines, replace control characters.

Rule files, players and expectations may contain anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gdl.terms import Term

#: Terminal controls and characters that change the writing direction, but neither tabs nor line ends.
_CONTROLS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Return a line of text with each unprintable character replaced."""
    return text if text.isprintable() else "".join(one if one.isprintable() else _REPLACEMENT for one in text)


def without_controls(text: str) -> str:
    """Return text of any number of lines with each control character replaced.

    Bytes of file names that are not valid text are kept, as the streams of a command escape them.
    """
    return _CONTROLS.sub(_REPLACEMENT, text)


WIDTH: Final = 110

#: Replaces spaces at which a line must not be broken.
_GLUE: Final = "\0"


def sorted_listing(terms: Iterable[Term | str], limit: int = 10) -> str:
    """Return the texts of terms, sorted and joined; only the first ones if there are more than `limit`."""
    texts = sorted(map(str, terms))
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


def difference_lines(label: str, expected: Collection[Term], found: Collection[Term]) -> list[str]:
    """Return lines that describe how two sets of terms differ; none if they are equal."""
    missing = set(expected) - set(found)
    unexpected = set(found) - set(expected)
    if not missing and not unexpected:
        return []
    lines = [f"{label}: {len(expected)} expected, {len(found)} found"]
    if missing:
        lines.append(f"  missing: {sorted_listing(missing)}")
    if unexpected:
        lines.append(f"  unexpected: {sorted_listing(unexpected)}")
    return lines


def indent_and_wrap(lines: Iterable[str]) -> list[str]:
    """Return the lines indented; those that become too long are broken between terms."""
    broken = []
    for line in lines:
        margin = "  " + " " * (len(line) - len(line.lstrip()))
        wrapper = TextWrapper(
            WIDTH,
            initial_indent=margin,
            subsequent_indent=margin + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        broken += [part.replace(_GLUE, " ") for part in wrapper.wrap(_glued(line.strip()))]
    return broken


def _glued(line: str) -> str:
    """Return the line with the spaces inside terms and quotes replaced, so that it is not broken there."""
    depth = 0
    quoted = False
    glued = []
    for character in line:
        depth += (character == "(") - (character == ")")
        quoted ^= character == '"'
        glued.append(_GLUE if character == " " and (depth > 0 or quoted) else character)
    return "".join(glued)


def joint_move_text(joint_move: Sequence[Term]) -> str:
    """Return a joint move as in an expectation file, without the quotes."""
    return " ".join(map(str, joint_move))


def number_and_noun(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 check`, `2,000 checks`; `many` is a plural not formed with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
