"""The comments of a rule file that describe the game: the one at its top, and those above the rules of a relation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any, Final, final

from gdl.terms import name_key

#: A line that divides a file, alone or around the heading of a section.
_RULER: Final = re.compile(r"([-=*#~_+/])\1{4,}|;{8,}")

#: A line of a box drawn with asterisks.
_BOXED: Final = re.compile(r";+\s*\*(?P<text>.*)\*\s*")

#: A row of a table: perhaps a heading, then what is described, two spaces, and its description.
_ROW: Final = re.compile(r"(?P<heading>\S+)?(?P<gap>\s+)(?P<subject>\([^()]*\)|\S+)\s{2,}(?P<text>\S.*)")

#: The subject of a comment above rules: `(wins R): ...` or `full: ...`.
_SUBJECT: Final = re.compile(r"(?:\((?P<with_arguments>[^\s():]+)[^():]*\)|(?P<alone>[^\s():]+)):\s+\S")

#: An item of a list.
_ITEM: Final = re.compile(r"\s*(\d+[.)]|[-*])\s+\S")

#: The largest number of characters of a comment that are read.
_LONGEST: Final = 20_000


class Kind(StrEnum):
    """The kind of a block of a comment."""

    TEXT = "text"
    #: A row of a table: the subject, and its description.
    ROW = "row"
    #: Lines whose spaces matter, as in a diagram.
    DRAWING = "drawing"


@final
@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph of text, a row of a table with its `subject`, or a drawing, the only one with several lines."""

    kind: Kind
    text: str
    subject: str = ""

    def data(self) -> dict[str, Any]:
        """Return the block as JSON data."""
        return {"kind": self.kind.value, "subject": self.subject, "text": self.text}


@final
@dataclass(frozen=True, slots=True)
class OpeningComment:
    """The comment at the top of a rule file: its title, which may be empty, and the rest."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def first_sentence(self) -> str:
        """The first sentence after the title, or the title itself; empty without a comment."""
        texts = [block.text for block in self.blocks if block.kind is Kind.TEXT]
        sentence, full_stop, _ = (texts[0] if texts else self.title).partition(". ")
        return sentence + full_stop.strip()


def opening_comment(text: str) -> OpeningComment:
    """Return the comment at the top of a rule file as text: without semicolons, its lines joined."""
    paragraphs = list(_paragraphs(_opening_lines(text[:_LONGEST])))
    title = ""
    # A title is a single line without a full stop, followed by something else.
    if len(paragraphs) > 1 and len(paragraphs[0]) == 1 and not paragraphs[0][0].rstrip().endswith("."):
        title = paragraphs.pop(0)[0].strip()
    return OpeningComment(title, tuple(block for paragraph in paragraphs for block in _blocks(paragraph)))


def relation_comments(text: str) -> dict[str, str]:
    """Return the comments that begin with the name of a relation and a colon, by the key of the name."""
    found: dict[str, str] = {}
    lines = [line.strip() for line in text.splitlines()]
    for is_comment, group in groupby(lines, key=lambda line: line.startswith(";")):
        words = " ".join(" ".join(line.strip("; \t") for line in group).split()) if is_comment else ""
        subject = _SUBJECT.match(words)
        if subject:
            found.setdefault(name_key(subject["with_arguments"] or subject["alone"]), words)
    return found


def _opening_lines(text: str) -> list[str]:
    """Return the lines of the comment at the top, without semicolons; the headings of sections do not belong to it."""
    found: list[str] = []
    groups: list[list[str]] = [[]]
    for line in text.splitlines():
        bare = line.strip()
        if bare and not bare.startswith(";"):
            # A comment directly above a rule is about that rule, unless it is the first.
            if len([group for group in groups if group]) > 1:
                groups.pop()
            break
        if bare:
            groups[-1].append(bare)
        elif groups[-1]:
            groups.append([])
    for number, group in enumerate(filter(None, groups)):
        if number and any(_RULER.search(line) for line in group):
            break
        found += [*([""] if number else []), *("" if _RULER.search(line) else _bare(line) for line in group)]
    return found


def _bare(line: str) -> str:
    """Return a line without semicolons and without the sides of a box."""
    boxed = _BOXED.fullmatch(line)
    return re.sub(r"\s*;{2,}$", "", boxed["text"] if boxed else line.lstrip(";")).rstrip()


def _paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    for filled, group in groupby(lines, key=lambda line: bool(line.strip(";-=* \t"))):
        if filled:
            yield [line.expandtabs().rstrip() for line in group]


def _blocks(lines: list[str]) -> Iterator[Block]:
    """Yield the blocks of a paragraph: a table, text, or text before a drawing."""
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    lines = [line[margin:] for line in lines]
    rows = _table(lines)
    if rows is not None:
        yield from rows
        return
    for kind, group in groupby(lines, key=_line_kind):
        if kind is Kind.DRAWING:
            yield Block(kind, "\n".join(group))
        elif kind is Kind.TEXT:
            yield Block(kind, " ".join(" ".join(group).split()))
        else:
            yield from (Block(Kind.TEXT, " ".join(line.split())) for line in group)


def _line_kind(line: str) -> Kind:
    """Return the kind of a line outside tables; items of lists count as rows."""
    if _ITEM.match(line) and "   " not in line.strip():
        return Kind.ROW
    return Kind.DRAWING if line.startswith(" ") or "   " in line.strip() else Kind.TEXT


def _table(lines: list[str]) -> list[Block] | None:
    """Return the rows of a table; None if the lines are none."""
    rows: list[tuple[str, str, list[str]]] = []
    column = start = 0
    heading = ""
    for line in lines:
        row = _ROW.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        if row and (not rows or row.start("subject") == start):
            heading = row["heading"] or heading
            start, column = row.start("subject"), row.start("text")
            rows.append((heading, row["subject"], [row["text"]]))
        elif rows and indent >= min(column, start + 2) and indent > start:
            rows[-1][2].append(line.strip())
        else:
            return None
    if not any(subject.startswith("(") for _, subject, _ in rows):
        return None  # a diagram, perhaps
    blocks = []
    before = ""
    for name, subject, texts in rows:
        if name and name != before:
            blocks.append(Block(Kind.TEXT, f"{name}:"))
        before = name
        blocks.append(Block(Kind.ROW, " ".join(" ".join(texts).split()), subject))
    return blocks
