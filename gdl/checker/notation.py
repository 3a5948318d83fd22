"""Finds statements that are written in the notation of another language, and says how GDL writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, final

from gdl.checker.diagnostic import Diagnostic, Fix
from gdl.checker.rewrite import unwrapped
from gdl.checker.view import TARGETS, View
from gdl.errors import Location
from gdl.language.edits import Edit, apply
from gdl.language.normalize import CONNECTIVES, KEYWORD_ARITY
from gdl.language.rules import Signature
from gdl.language.syntax import Expression, Group, Symbol, leaves

#: Arrows whose left side follows from the right one, and arrows whose right side follows from the left one.
_BACKWARD: Final = (
    "<-",
    ":-",
    "<--",
    "<==",
    "<<=",
    "=<",
    ":=",
    "=",
    "==",
    "\N{LEFTWARDS ARROW}",
    "\N{LEFTWARDS DOUBLE ARROW}",
)
_FORWARD: Final = ("=>", "->", "-->", "==>", ">=", "if", "implies", "\N{RIGHTWARDS ARROW}")

_COMMENTS: Final = ("//", "/*", "#", "%", "--")
_NEGATIONS: Final = ("!", "~", "\\+", "\N{NOT SIGN}")
_SEPARATORS: Final = re.compile(r"[,]")
_QUOTES: Final = re.compile("[\"'`\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]")


@final
@dataclass(frozen=True, slots=True)
class Foreign:
    """A diagnostic about a part of a text, which makes whatever else is said about that part misleading."""

    diagnostic: Diagnostic
    start: int
    end: int


@final
class Foreigns:
    """Whatever is written as in another language."""

    def __init__(self, view: View) -> None:
        """Look for it in a text."""
        self.diagnostics: list[Diagnostic] = []
        self._view = view
        # One byte for each character: files with very many mistakes are checked in linear time.
        self._covered = bytearray(len(view.reading.source.text) + 1)
        for found in _all(view):
            if not self._covered[found.start]:
                self._covered[found.start : found.end] = b"\1" * (found.end - found.start)
                self.diagnostics.append(found.diagnostic)
        lines = {one.location.line for one in self.diagnostics}
        for item in view.reading.statements:
            # What is left of such a statement: signs between its parts.
            if isinstance(item, Symbol) and item.location.line in lines and not item.text.isidentifier():
                self._covered[view.offsets.start(item.location)] = 1

    def cover(self, location: Location) -> bool:
        """Return True if a location lies in a part of the text that is misread."""
        return bool(self._covered[self._view.offsets.start(location)])


def _all(view: View) -> Iterator[Foreign]:
    yield from _comments(view)
    statements = view.reading.statements
    yield from _infix(view, statements)
    for statement in statements:
        if isinstance(statement, Group):
            yield from _arrows(view, statement)
    yield from _calls(view, statements)
    yield from _epistemic(view, statements)
    for statement in statements:
        if isinstance(statement, Group):
            yield from _negations(view, statement)
            yield from _characters(view, statement, _SEPARATORS, "arguments are separated by blanks, not by commas")
            yield from _characters(view, statement, _QUOTES, "names have no quotes; all spellings are names")


def _epistemic(view: View, statements: Sequence[Expression]) -> Iterator[Foreign]:
    """Report statements about what roles know, which GDL-III has."""
    if not any(atom.name.key == "knows" for atom in view.heads()):
        for atom in view.conditions():
            if atom.name.key == "knows":
                message = f"{atom.name} is a keyword of GDL-III, which is not read here"
                yield _report(view, atom.name, message, view.offsets.span(statements[atom.statement]), None)


def _report(view: View, item: Expression, message: str, region: tuple[int, int], fix: Fix | None) -> Foreign:
    return Foreign(Diagnostic("foreign-notation", message, view.place(item), fix=fix), *region)


def _guess(title: str, *edits: Edit) -> Fix:
    return Fix(title, edits, guess=True)


def _comments(view: View) -> Iterator[Foreign]:
    """Report comments that do not begin with a semicolon; each lasts to the end of its line."""
    text = view.reading.source.text
    for atom in view.atoms:
        mark = next((mark for mark in _COMMENTS if atom.name.text.startswith(mark)), None)
        if mark is not None and isinstance(atom.item, Symbol):
            start = view.offsets.start(atom.name.location)
            end = text.find("\n", start)
            region = start, len(text) if end < 0 else end
            fix = _guess("make it a comment", Edit(start, start + len(mark), ";"))
            yield _report(view, atom.item, f"a comment begins with ; rather than {mark}", region, fix)


def _infix(view: View, statements: Sequence[Expression]) -> Iterator[Foreign]:
    """Report rules without parentheses around them: a head, an arrow, and conditions up to the end of the line."""
    for at, arrow in enumerate(statements):
        if not (
            isinstance(arrow, Symbol) and arrow.key in (*_BACKWARD, *_FORWARD, "<=") and 0 < at < len(statements) - 1
        ):
            continue
        first = at - 2 if at > 1 and _called(view, *statements[at - 2 : at]) else at - 1
        last = at + 1
        while last + 1 < len(statements) and _goes_on(view, *statements[last : last + 2]):
            last += 1
        before, after = statements[first:at], statements[at + 1 : last + 1]
        start, end = view.offsets.span(before[0])[0], view.offsets.span(after[-1])[1]
        fix = None
        if arrow.key not in _FORWARD and ";" not in view.reading.source.text[start:end]:
            head, condition = _as_atom(view, before), _as_atom(view, after)
            fix = (
                _guess("write it as one list", Edit(start, end, f"(<= {head} {condition})"))
                if head and condition
                else None
            )
        message = f"a rule is written (<= HEAD CONDITION ...); here {arrow} stands between head and conditions"
        yield _report(view, arrow, message, (start, end), fix)


def _goes_on(view: View, item: Expression, following: Expression) -> bool:
    """Return True if an expression belongs to the same rule without parentheses as the one before it."""
    end, start = view.offsets.span(item)[1], view.offsets.span(following)[0]
    is_sign = isinstance(item, Symbol) and not item.text[-1].isalnum()
    return is_sign or "\n" not in view.reading.source.text[end:start]


def _as_atom(view: View, items: Sequence[Expression]) -> str | None:
    """Translate a single atom; None if there are others, or signs or variables of other languages."""
    match items:
        case (Group() as group,):
            pass
        case (Symbol() as name, Group() as group) if _called(view, name, group) and name.text.isidentifier():
            pass
        case _:
            return None
    if any(leaf.text[0].isupper() for leaf in leaves(group)):
        return None
    return _translated(view, items)


def _translated(view: View, items: Sequence[Expression]) -> str:
    """Return the text of consecutive expressions with all names inside their parentheses."""
    start, end = view.offsets.span(items[0])[0], view.offsets.span(items[-1])[1]
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in _uncalled(view, items)]
    return " ".join(apply(view.reading.source.text[start:end], moved).split())


def _arrows(view: View, statement: Group) -> Iterator[Foreign]:
    """Report rules that begin with another arrow than `<=`, or that have it in the wrong place."""
    span = view.offsets.span(statement)
    match statement.items:
        case (Symbol() as arrow, first, *rest) if (arrow.key in _BACKWARD and _is_head(first)) or (
            arrow.key in _FORWARD and _defines(first) and not any(map(_defines, rest))
        ):
            fix = _guess("write <=", Edit(*view.offsets.span(arrow), "<="))
            yield _report(view, arrow, f"a rule begins with <=, not with {arrow}; did you mean <=?", span, fix)
        case (Symbol() as arrow, _, *_) if arrow.key in _FORWARD and len(statement.items) > 2:
            head = statement.items[-1]
            message = f"a rule is written (<= HEAD CONDITION ...); did you mean (<= {head} ...)?"
            start, end = view.offsets.span(head)
            text = view.text(head)
            before = view.offsets.span(statement.items[-2])[1]
            put = Edit(*view.offsets.span(arrow), f"<= {text}"), Edit(before, end, "")
            yield _report(view, arrow, message, span, _guess("put the head first", *put) if ";" not in text else None)
        case (Symbol(key="<") as less, Symbol(key="=") as equal, *_):
            gap = view.offsets.span(less)[1], view.offsets.span(equal)[0]
            yield _report(
                view, less, "<= is one word; did you mean <=?", span, _guess("write <=", Edit(gap[0], gap[1], ""))
            )
        case (Symbol() as arrow, _, *_) if arrow.key.startswith("<=") and arrow.key[2:].isidentifier():
            at = view.offsets.start(arrow.location) + 2
            message = f"a blank is missing after <=; did you mean <= {arrow.text[2:]}?"
            yield _report(view, arrow, message, span, _guess("put a blank after <=", Edit(at, at, " ")))
        case (first, Symbol() as arrow, _, *_) if arrow.key in (*_BACKWARD, "<=") and isinstance(first, Group):
            begin = view.offsets.span(first)[0]
            start, end = view.offsets.span(arrow)
            fix = _guess("put <= first", Edit(begin, begin, "<= "), Edit(start, end + 1, ""))
            message = f"the arrow comes first; did you mean (<= {first} ...)?"
            yield _report(view, arrow, message, span, fix)
        case (Symbol(key="<="), Group(items=(Symbol() as name, head, *_)) as whole, *_) if name.key in (
            *_BACKWARD,
            "<=",
        ) and _is_head(head):
            fix = _guess("leave out the inner parentheses", *unwrapped(view, whole, whole.items[1:]))
            message = f"a rule is written (<= HEAD CONDITION ...); did you mean (<= {head} ...)?"
            yield _report(view, name, message, span, fix)


def _is_head(item: Expression) -> bool:
    return isinstance(item, Group) or (isinstance(item, Symbol) and item.key in TARGETS)


def _defines(item: Expression) -> bool:
    """Return True if only heads of rules look like this."""
    name = item.items[0] if isinstance(item, Group) and item.items else item
    return isinstance(name, Symbol) and name.key in ("next", "legal", "goal", "terminal", "init")


def _calls(view: View, statements: Sequence[Expression]) -> Iterator[Foreign]:
    """Report names directly before their parentheses, as in `role(robot)`."""
    defined = {atom.signature for atom in view.heads()}
    yield from _calls_among(view, statements, defined, lone=True)
    for statement in statements:
        if isinstance(statement, Group) and statement.items[:1] and str(statement.items[0]) == "<=":
            yield from _calls_among(view, statement.items[1:], defined, lone=False)


def _calls_among(view: View, items: Sequence[Expression], defined: set[Signature], *, lone: bool) -> Iterator[Foreign]:
    for name, group in pairwise(items):
        if not _called(view, name, group):
            continue
        assert isinstance(name, Symbol)
        assert isinstance(group, Group)
        known = KEYWORD_ARITY.get(name.key, 0) > 0 or name.key in CONNECTIVES[:-1]
        if lone or known or (name.key, len(group.items)) in defined:
            message = f"the name stands inside the parentheses; did you mean {_translated(view, (name, group))}?"
            region = view.offsets.span(name)[0], view.offsets.span(group)[1]
            fix = _guess("move the parenthesis", *_uncalled(view, (name, group)))
            yield _report(view, name, message, region, fix)


def _called(view: View, name: Expression, group: Expression) -> bool:
    if not (isinstance(name, Symbol) and isinstance(group, Group)) or name.key in (*_NEGATIONS, "<="):
        return False
    return bool(group.items) and view.offsets.end(name.location) == view.offsets.start(group.location)


def _holds_calls(view: View, group: Group) -> bool:
    return isinstance(group.items[0], Group) or any(_called(view, *pair) for pair in pairwise(group.items))


def _uncalled(view: View, items: Sequence[Expression]) -> Iterator[Edit]:
    """Move all names inside the parentheses after them, and remove commas."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        if isinstance(item, Group):
            yield from _uncalled(view, item.items)
        elif isinstance(item, Symbol):
            start, end = view.offsets.span(item)
            if following is not None and _called(view, item, following):
                last = max(start, start + item.text.rfind(",") + 1)
                if item.key in CONNECTIVES and isinstance(following, Group) and not _holds_calls(view, following):
                    # `not(p x)` negates one condition, which keeps its parentheses.
                    closing = view.offsets.span(following)[1]
                    yield from (Edit(last, last, "("), Edit(end, end, " "), Edit(closing, closing, ")"))
                else:
                    yield from (Edit(last, last, "("), Edit(end, end + 1, " "))
            yield from _without(view, item, _SEPARATORS)


def _negations(view: View, statement: Group) -> Iterator[Foreign]:
    """Report other signs for `not` before a condition."""
    for number, item in enumerate(statement.items[2:], 2):
        following = statement.items[number + 1] if number + 1 < len(statement.items) else None
        match item, following:
            case Symbol() as sign, Group() as group if sign.key in _NEGATIONS:
                (start, end), (opening, closing) = view.offsets.span(sign), view.offsets.span(group)
                put = Edit(start, end, "(not "), Edit(closing, closing, ")")
                message = f"a negation is written (not CONDITION); did you mean (not {group})?"
                yield _report(view, sign, message, (start, opening + 1), _guess("write not", *put))
            case Group(items=(Symbol() as sign, Group() as group)), _ if sign.key in _NEGATIONS:
                message = f"a negation is written (not CONDITION); did you mean (not {group})?"
                fix = _guess("write not", Edit(*view.offsets.span(sign), "not"))
                yield _report(view, sign, message, view.offsets.span(item), fix)


def _characters(view: View, statement: Group, pattern: re.Pattern[str], message: str) -> Iterator[Foreign]:
    """Report characters that other languages need, once for each statement."""
    found = [leaf for leaf in leaves(statement) if pattern.search(leaf.text)]
    if found:
        edits = [edit for leaf in found for edit in _without(view, leaf, pattern)]
        region = view.offsets.span(statement)
        yield _report(view, found[0], message, region, _guess("leave them out", *edits))


def _without(view: View, leaf: Expression, pattern: re.Pattern[str]) -> Iterator[Edit]:
    start, end = view.offsets.span(leaf)
    text = view.reading.source.text
    for match in pattern.finditer(text, start, end):
        inside = match.group() == "," and start < match.start() < end - 1
        yield Edit(*match.span(), " " if inside else "")
