"""The formatter: one layout for rule files.

Only white space changes; the tokens, the comments and their order stay. The head of a rule and each of its conditions
have a line of their own. Facts that share a line keep sharing it, as in tables of numbers. Up to two blank lines
between statements are kept; those inside a rule are removed. A comment stays beside the token that it stood beside, or
on its own line before the token that it preceded. Formatting is idempotent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from gdl.errors import RulesheetError, Source
from gdl.language.parser import parse, source_of
from gdl.terms import name_key

#: The maximum length of a line, in characters; comments and single symbols may exceed it.
WIDTH = 110

#: The maximum number of consecutive blank lines.
_BLANK_LINES = 2

#: The tokens and comments of a text that has been parsed without mistakes.
_TOKEN = re.compile(r"(?P<comment>;[^\n]*)|[()]|[^\s();]+")

#: Groups with these names have all their items in one column if they do not fit on a line.
_ALIGNED = ("<=", "or", "and", "not", "distinct")
_NESTED = ("or", "and")


class _CommentPlace(Enum):
    """The place of a comment: beside a token, below such a comment, or alone on its line."""

    BESIDE = 1
    BELOW = 2
    ALONE = 3


@dataclass(frozen=True, slots=True)
class _Comment:
    text: str
    place: _CommentPlace
    blank: int = 0


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A symbol or variable with `blank` lines before it; `joined` if it shares its line with the token before it."""

    text: str
    blank: int = 0
    joined: bool = False

    @property
    def flat(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class _Group:
    """A group and the comments in it. `flat` is its text on one line, or None if it needs several."""

    items: tuple[_Item, ...]
    blank: int = 0
    joined: bool = False
    flat: str | None = field(init=False)

    def __post_init__(self) -> None:
        """Compute `flat`."""
        parts = [None if isinstance(item, _Comment) else item.flat for item in self.items]
        nested = self.name in _NESTED and any(map(_has_nested, self.items))
        flat = None if nested or None in parts else f"({' '.join(map(str, parts))})"
        object.__setattr__(self, "flat", flat)

    @property
    def name(self) -> str | None:
        first = self.items[0] if self.items else None
        return name_key(first.text) if isinstance(first, _Leaf) else None


_Node = _Leaf | _Group
_Item = _Node | _Comment


def _has_nested(item: _Item) -> bool:
    return isinstance(item, _Group) and (item.name in _NESTED or any(map(_has_nested, item.items)))


def format_text(text: str, name: str = "<string>") -> str:
    """Return a text in the canonical layout. Raises RulesheetError if it is not a list of KIF expressions."""
    return format_source(source_of(text, name))


def format_source(source: Source) -> str:
    """Return the text of a source in the canonical layout, with LF line endings. Raises RulesheetError."""
    _, mistakes = parse(source)
    if mistakes:
        raise RulesheetError(mistakes)
    writer = _Writer()
    writer.statements(_read(source.text))
    return writer.text()


# Reading


def _read(text: str) -> Sequence[_Item]:
    """Return the statements and comments of a correct text, each comment in the group that contains it."""
    reader = _Reader()
    end = 0
    for token in _TOKEN.finditer(text):
        gap = text[end : token.start()]
        lines = gap.count("\n")
        if token.lastgroup == "comment":
            column = token.start() - (text.rfind("\n", 0, token.start()) + 1)
            reader.comment(token.group().rstrip(), lines, column)
        else:
            reader.token(token.group(), lines)
        end = token.end()
    return reader.statements


class _Reader:
    """Builds groups from tokens. `lines` is the number of line endings between a token and the one before it."""

    def __init__(self) -> None:
        self.statements: list[_Item] = []
        self._open: list[tuple[list[_Item], int, bool]] = []
        self._items = self.statements
        # The column of the comment just read, if it may continue on the next line.
        self._column: int | None = None
        self._begun = False

    def token(self, text: str, lines: int) -> None:
        self._column = None
        blank, joined = self._before(lines)
        if text == "(":
            self._open.append((self._items, blank, joined))
            self._items = []
        elif text == ")":
            items, (self._items, blank, joined) = self._items, self._open.pop()
            beside = _comments_beside(items)
            self._items.append(_Group(tuple(items[: len(items) - len(beside)]), blank, joined))
            # A comment beside the last item is moved behind the closing parenthesis.
            self._items.extend(beside)
        else:
            self._items.append(_Leaf(text, blank, joined))

    def comment(self, text: str, lines: int, column: int) -> None:
        continued = lines == 1 and column == self._column
        begun = self._begun
        blank, _ = self._before(lines)
        if begun and lines == 0:
            # A comment may already stand here, if the closing parenthesis was moved in front of it.
            taken = bool(self._items) and isinstance(self._items[-1], _Comment)
            place = _CommentPlace.BELOW if taken else _CommentPlace.BESIDE
        else:
            place = _CommentPlace.BELOW if continued else _CommentPlace.ALONE
        self._items.append(_Comment(text, place, blank))
        self._column = column if place is not _CommentPlace.ALONE else None

    def _before(self, lines: int) -> tuple[int, bool]:
        """Return the number of blank lines before a token, and True if it shares its line with the one before."""
        begun, self._begun = self._begun, True
        return (min(lines - 1, _BLANK_LINES), False) if begun and lines else (0, begun)


def _comments_beside(items: Sequence[_Item]) -> Sequence[_Item]:
    """Return the comments at the end of a group that stand beside its last item."""
    for count, item in enumerate(reversed(items), 1):
        if not isinstance(item, _Comment) or item.place is _CommentPlace.ALONE:
            break
        if item.place is _CommentPlace.BESIDE:
            return items[len(items) - count :]
    return ()


# Writing


class _Writer:
    """Collects lines of text. Columns count from 0."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line = ""
        self._comment_column = 0

    def text(self) -> str:
        lines = [*self._lines, self._line] if self._line else self._lines
        return "".join(f"{line}\n" for line in lines)

    def statements(self, items: Sequence[_Item]) -> None:
        for line in _lines_of(items):
            separate = len(" ".join(item.flat or "" for item in line if not isinstance(item, _Comment))) > WIDTH
            for number, item in enumerate(line):
                if isinstance(item, _Comment):
                    self._comment(item, 0)
                    continue
                if number == 0 or separate:
                    self._new_line(0, item.blank)
                else:
                    self._line += " "
                if isinstance(item, _Group) and _is_rule(item):
                    self._broken(item, 0)
                else:
                    self._item(item, 0)

    def _item(self, item: _Node, closing: int) -> None:
        """Write a symbol or group that is followed by `closing` closing parentheses."""
        if isinstance(item, _Leaf):
            self._line += item.text
        elif item.flat is not None and (not item.items or self._fits(item.flat, closing)):
            self._line += item.flat
        else:
            self._broken(item, closing)

    def _fits(self, flat: str, closing: int) -> bool:
        return len(self._line) + len(flat) + closing <= WIDTH

    def _broken(self, group: _Group, closing: int) -> None:
        column = len(self._line)
        inner = column + (len(group.name) + 2 if group.name in _ALIGNED else 2)
        self._line += "("
        last = group.items[-1]
        for number, item in enumerate(group.items):
            if isinstance(item, _Comment):
                self._comment(item, inner)
                continue
            if number == 1 and isinstance(group.items[0], _Leaf):
                self._line += " "
            elif number:
                self._new_line(inner)
            self._item(item, closing + 1 if item is last else 0)
        if isinstance(last, _Comment):
            self._new_line(column)
        self._line += ")"

    def _comment(self, comment: _Comment, column: int) -> None:
        if comment.place is _CommentPlace.BESIDE:
            self._line += "  "
            self._comment_column = len(self._line)
        else:
            below = comment.place is _CommentPlace.BELOW
            self._new_line(self._comment_column if below else column, 0 if column else comment.blank)
        self._line += comment.text

    def _new_line(self, column: int, blank: int = 0) -> None:
        if self._line:
            self._lines.append(self._line)
            self._lines.extend([""] * blank)
        self._line = " " * column


def _lines_of(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """Yield the statements of each line: a rule, a comment, or facts that share the line."""
    line: list[_Item] = []
    for item in items:
        shared = isinstance(item, (_Leaf, _Group)) and item.joined and _is_fact(item) and bool(line)
        if line and not (shared and _is_fact(line[-1])):
            yield line
            line = []
        line.append(item)
    if line:
        yield line


def _is_fact(item: _Item) -> bool:
    """Return True if a statement is a fact that fits on one line."""
    return isinstance(item, _Leaf) or (isinstance(item, _Group) and item.flat is not None and item.name != "<=")


def _is_rule(group: _Group) -> bool:
    """Return True if a statement is a rule with a body."""
    return group.name == "<=" and sum(not isinstance(item, _Comment) for item in group.items) > 2
