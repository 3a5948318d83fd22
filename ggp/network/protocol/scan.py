"""Where the elements of a KIF text begin and end, found without reading what is in them.

A START carries a whole rule file, which is cut out here as it stands, and is read once, by those who need its rules.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.parser import source_of
from ggp.network.protocol.errors import ProtocolError

#: A comment, a parenthesis, or a symbol; and without symbols, which count for nothing within a group.
_TOKEN: Final = re.compile(r";[^\n]*|[()]|[^\s();]+")
_BRACKET: Final = re.compile(r";[^\n]*|[()]")

#: Of a text in an error message, so many characters are shown.
_SHOWN: Final = 60


def elements(text: str) -> list[str]:
    """The symbols and groups that stand side by side in a text, each as it is written, without comments between them.

    Takes time in proportion to the text, however deeply it is nested. Raises ProtocolError where parentheses do not
    match.
    """
    text = source_of(text, "").text
    found: list[str] = []
    depth = start = at = 0
    while token := (_BRACKET if depth else _TOKEN).search(text, at):
        first = text[token.start()]
        at = token.end()
        if first == "(":
            if depth == 0:
                start = token.start()
            depth += 1
        elif first == ")":
            depth -= 1
            if depth < 0:
                raise ProtocolError(f"a parenthesis closes nothing: {shown(text)}")
            if depth == 0:
                found.append(text[start:at])
        elif depth == 0 and first != ";":
            found.append(token.group())
    if depth:
        raise ProtocolError(f"the text breaks off, {depth} parentheses are open: {shown(text)}")
    return found


def is_group(element: str) -> bool:
    """Whether an element is a group, and no symbol."""
    return element.startswith("(")


def inside(group: str) -> str:
    """What stands between the parentheses of a group."""
    return group[1:-1]


def is_whole(text: str) -> bool:
    """Whether a text holds at least one element, and none that is not closed yet."""
    try:
        return bool(elements(text))
    except ProtocolError:
        return False


def shown(text: str) -> str:
    """A text as it stands in an error message: one line, not too long."""
    line = " ".join(text[: 4 * _SHOWN].split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "...")
