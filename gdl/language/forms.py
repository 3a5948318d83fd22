"""Recognises texts that hold a game in another form than GDL: one mistake stands for all that is misread in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from gdl.errors import Location, Source
from gdl.language.edits import Edit, Offsets
from gdl.language.syntax import Expression, Group, Symbol

#: The signs of papers, and what they are in GDL. Those for `and` and `or` can also be names of relations.
_SIGNS: Final = {"⇐": "<=", "⟸": "<=", "←": "<=", "⟵": "<=", "¬": "not", "∧": "and", "∨": "or"}
_NO_NAMES: Final = ("⇐", "⟸", "←", "⟵", "¬")

_COMMENT: Final = re.compile(r";[^\n]*")
_SIGN: Final = re.compile(rf"(?<=\()\s*([{''.join(_SIGNS)}])(?=[\s()])")
_FENCE: Final = re.compile(r"[ \t]*(?:```|~~~)")
#: A line of three or more words up to the end of a sentence, or of five or more.
_WORD: Final = r"[ \t]+\(?[\w',-]+\)?"
_PROSE: Final = re.compile(
    rf"(?m)^[ \t]*[A-Za-z][\w',-]*(?:[ \t]+[\w',-]+){{2}}(?:{_WORD})*(?:[.:!?]|(?:{_WORD}){{2}})[ \t]*$"
)
_CALL: Final = re.compile(r"(?m)^[ \t]*[A-Za-z]\w*\(")
_TOKEN: Final = re.compile(r"[()]|[^\s()]+")

_WRITE: Final = (
    "a fact is written (role robot), a rule (<= HEAD CONDITION ...), a variable ?x, and a negation (not ...)"
)


@final
@dataclass(frozen=True, slots=True)
class Form:
    """The notation of a text, and the edits that make it GDL, if they are known; `title` describes them."""

    message: str
    location: Location
    title: str = ""
    edits: tuple[Edit, ...] = ()


def form_of(source: Source) -> Form | None:
    """Return the form of a text that should not be parsed; None for GDL."""
    if encoding := _encoding(source.text):
        return Form(f"this text is in {encoding}; save it as UTF-8", Location(source, 1, 1))
    # Comments become blanks, so that all offsets stay.
    plain = _COMMENT.sub(lambda found: " " * len(found.group()), source.text)
    return _markdown(source, plain) or _infix(source, plain) or _paper(source, plain)


def _encoding(text: str) -> str | None:
    """Recognise encodings of two or four bytes for each character by their marks, or by their null characters."""
    marked = text.startswith(("\udcff\udcfe", "\udcfe\udcff"))
    start = text[:64]
    if not start or not (marked or 4 * start.count("\0") > len(start)):
        return None
    return "UTF-32" if "\0\0" in start else "UTF-16"


def _markdown(source: Source, plain: str) -> Form | None:
    """Recognise fences around rules, and sentences between them."""
    lines = plain.split("\n")
    fences = (
        [number for number, line in enumerate(lines) if _FENCE.match(line)] if "```" in plain or "~~~" in plain else []
    )
    blocks = [
        range(first + 1, last)
        for first, last in zip(fences[::2], [*fences[1::2], len(lines)], strict=False)
        if any(line.lstrip().startswith("(") for line in lines[first + 1 : last])
    ]
    if blocks:
        kept = {number for block in blocks for number in block}
        strange = [number for number in range(len(lines)) if number not in kept]
    else:
        strange = sorted({*fences, *_prose(lines, plain)})
    return _as_comments(source, strange, bool(fences))


def _prose(lines: Sequence[str], plain: str) -> Iterator[int]:
    """Yield the numbers of lines outside parentheses that are sentences."""
    if not _PROSE.search(plain):
        return
    depth = 0
    for number, line in enumerate(lines):
        opened = line.count("(") - line.count(")")
        if depth == 0 and not opened and _PROSE.match(line):
            yield number
        else:
            depth = max(0, depth + opened)


def _as_comments(source: Source, strange: Sequence[int], fenced: bool) -> Form | None:
    """Make comments of lines, unless they are comments or blank."""
    offsets = Offsets(source)
    starts = [
        offsets.start(Location(source, number + 1, 1))
        for number in strange
        if source.line(number + 1).strip() and not source.line(number + 1).lstrip().startswith(";")
    ]
    if not starts:
        return None
    what = "Markdown around the rules" if fenced else "prose between the rules"
    line, _ = offsets.place(starts[0])
    place = Location(source, line, 1, max(1, len(source.line(line))))
    message = f"there is {what}; only what follows a ; is a comment"
    return Form(message, place, "make comments of it", tuple(Edit(start, start, "; ") for start in starts))


def _infix(source: Source, plain: str) -> Form | None:
    """Recognise Prolog and infix GDL: most statements have their name before the parentheses."""
    if len(_CALL.findall(plain)) < 2:
        return None
    depth, end = 0, -1
    calls = groups = dots = 0
    starts_line = False
    for token in _TOKEN.finditer(plain):
        text = token.group()
        if text == ")":
            depth = max(0, depth - 1)
        elif text == "(":
            if depth == 0 and token.start() != end:
                groups += 1
            elif depth == 0:
                calls += starts_line
            depth += 1
        elif depth == 0:
            end = token.end()
            starts_line = not plain[plain.rfind("\n", 0, token.start()) + 1 : token.start()].strip()
            dots += text.endswith(".")
    if calls < 2 or calls <= groups:
        return None
    language = "Prolog" if dots else "infix GDL"
    start = _CALL.search(plain)
    assert start is not None
    at = start.end() - len(start.group().lstrip())
    place = Offsets(source).location(at, start.end() - 1)
    return Form(f"this is {language}, which is not read here; {_WRITE}", place)


def _paper(source: Source, plain: str) -> Form | None:
    """Recognise the signs of papers where a list begins."""
    found = [(sign.start(1), str(sign[1])) for sign in _SIGN.finditer(plain)]
    signs = list(dict.fromkeys(sign for _, sign in found if sign in _NO_NAMES))
    if not signs:
        return None
    plainly = dict.fromkeys(_SIGNS[sign] for sign in signs)
    message = f"this text has signs of papers, {_listed(signs)}; in GDL, {_listed(plainly)} stand for them"
    at = next(at for at, sign in found if sign in _NO_NAMES)
    edits = tuple(Edit(at, at + 1, _SIGNS[sign]) for at, sign in found)
    return Form(message, Offsets(source).location(at, at + 1), "write the words of GDL", edits)


def _listed(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def wrapping(source: Source, statements: Sequence[Expression]) -> Form | None:
    """Recognise rules in a list around them all, as in the START message of a match."""
    if len(statements) != 1 or not isinstance(statements[0], Group):
        return None
    outer = statements[0]
    for group in (outer, *outer.items):
        if isinstance(group, Group) and len(group.items) > 1 and any(map(_declares_role, group.items)):
            offsets = Offsets(source)
            margins = (
                (offsets.span(outer)[0], offsets.span(group.items[0])[0]),
                (offsets.span(group.items[-1])[1], offsets.span(outer)[1]),
            )
            edits = tuple(Edit(start, end, _comments(source.text[start:end])) for start, end in margins)
            message = "the rules are in a list; each of them is a list of its own, with nothing around them"
            return Form(message, outer.location, "leave out what is around the rules", edits)
    return None


def _declares_role(item: Expression) -> bool:
    match item:
        case Group(items=(Symbol(key="role"), Symbol())):
            return True
    return False


def _comments(text: str) -> str:
    return "".join(f"{comment}\n" for comment in _COMMENT.findall(text))
