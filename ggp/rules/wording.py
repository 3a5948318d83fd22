"""How findings are written: plain text, long lists shortened, long lines broken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from textwrap import TextWrapper
from typing import Final

from gdl.terms import Term

WIDTH: Final = 110

#: Stands for a blank at which no line is broken.
_GLUE: Final = "\0"


def sorted_listing(terms: Iterable[Term | str], limit: int = 10) -> str:
    """The terms by their text, sorted; the first ones only if there are more than `limit`."""
    texts = sorted(map(str, terms))
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


def difference_lines(label: str, expected: Collection[Term], found: Collection[Term]) -> list[str]:
    """The lines that tell two sets of terms apart; none where they are equal."""
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
    """The lines further to the right; those that get too long are broken between terms."""
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
    """The line without the blanks inside of terms and of texts in quotes, so that it is not broken there."""
    depth = 0
    quoted = False
    glued = []
    for character in line:
        depth += (character == "(") - (character == ")")
        quoted ^= character == '"'
        glued.append(_GLUE if character == " " and (depth > 0 or quoted) else character)
    return "".join(glued)


def joint_move_text(joint_move: Sequence[Term]) -> str:
    """A joint move as an expectation file has it, without the quotes."""
    return " ".join(map(str, joint_move))


def number_and_noun(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun: `1 check`, `2 checks`; `many` is the plural where it is not formed by an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
