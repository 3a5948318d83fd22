"""Split a KIF text into its elements, without parsing them.

START carries a whole rule file. It is cut out here as text and parsed only once, by the code that needs its rules.
"""

from __future__ import annotations

import re
from typing import Final

from gdl.language.parser import source_of
from ggp.network.protocol.errors import ProtocolError

#: A comment, a parenthesis or a symbol. Within a group, symbols can be skipped.
_TOKEN: Final = re.compile(r";[^\n]*|[()]|[^\s();]+")
_BRACKET: Final = re.compile(r";[^\n]*|[()]")

#: The number of characters of a text that an error message shows.
_SHOWN: Final = 60


def elements(text: str) -> list[str]:
    """Return the top-level symbols and groups of a text as written, without the comments between them.

    Takes linear time, however deep the nesting. Raises ProtocolError for unbalanced parentheses.
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
        raise ProtocolError(f"the text ends with {depth} unclosed parentheses: {shown(text)}")
    return found


def is_group(element: str) -> bool:
    """Return True if an element is a group rather than a symbol."""
    return element.startswith("(")


def inside(group: str) -> str:
    """Return the text between the parentheses of a group."""
    return group[1:-1]


def shown(text: str) -> str:
    """Return a text as error messages show it: quoted, on one line, shortened."""
    line = " ".join(text[: 4 * _SHOWN].split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "...")
