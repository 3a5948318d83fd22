"""Renders explanations as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from gdl.errors import Location
from gdl.explanation.tree import Absence, Attempt, Derivation, Difference, Premise, Refutation, Source
from gdl.language.rules import Atom, Condition, Distinct

if TYPE_CHECKING:
    from gdl.explanation.explanation import Explanation

#: Limits on the JSON output: the number of levels, and the total number of parts.
_MOST_LEVELS: Final = 100
_MOST_PARTS: Final = 10_000

#: The number of instances that a sentence tells.
_MOST_TOLD: Final = 4

#: Lines wider than this do not move the column of notes to the right.
_MARGIN: Final = 72


class LineKind(Enum):
    """The kind of a line, for colouring."""

    HOLDS = "holds"
    FAILS = "fails"
    RULE = "rule"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an outline: the branches of the tree, the text, and a note on its origin."""

    branches: str
    text: str
    note: str
    kind: LineKind

    def __str__(self) -> str:
        """Return the line without trailing blanks."""
        return f"{self.branches}{self.text}  {self.note}".rstrip()


@dataclass(frozen=True, slots=True)
class _Failed:
    """The condition that fails in an attempt."""

    attempt: Attempt


@dataclass(frozen=True, slots=True)
class _Held:
    condition: Condition


@dataclass(frozen=True, slots=True)
class _Note:
    text: str


_Part = Premise | Attempt | _Failed | _Held | _Note


def outline(explanation: Explanation) -> Iterator[Line]:
    """Yield the lines of an explanation. Parts that were shown before are not repeated."""
    verdict = "holds" if explanation.holds else "does not hold"
    if explanation.instances:
        count = len(explanation.instances)
        yield Line("", f"{explanation.atom} has {count:,} instance{'s' * (count != 1)}", "", LineKind.NOTE)
        for instance in explanation.instances:
            yield Line("  ", str(instance), "", LineKind.HOLDS)
        return
    if explanation.refutation is not None:
        yield Line("", f"{explanation.atom} {verdict}", _why_not(explanation.refutation), LineKind.NOTE)
        yield from _tree(_reasons(explanation.refutation))
    for number, derivation in enumerate(explanation.derivations):
        also = "" if number == 0 else ", in another way,"
        location = derivation.location
        by = f"{location.file}:{location.line}" if location is not None and number == 0 else _origin(derivation)
        yield Line("", f"{derivation.atom}{also} {verdict}", by, LineKind.HOLDS)
        yield from _tree(derivation.premises)


def in_words(explanation: Explanation) -> str:
    """Return in a sentence why an atom holds, or why it does not: one rule, and what decides there."""
    refutation = explanation.refutation
    if explanation.instances:
        count = len(explanation.instances)
        some = ", ".join(map(str, explanation.instances[:_MOST_TOLD])) + ", ..." * (count > _MOST_TOLD)
        return f"{explanation.atom} has {count:,} instance{'s' * (count != 1)}: {some}"
    if refutation is None:
        derivation = explanation.derivations[0]
        at = f" by the rule on line {derivation.location.line}" if derivation.location is not None else ""
        conditions = ", ".join(
            str(one.atom) if isinstance(one, Derivation) else str(one) for one in derivation.premises
        )
        return f"{explanation.atom} holds{at}" + (f", because of {conditions}" if conditions else "")
    if not refutation.attempts:
        return f"{explanation.atom} does not hold: {_why_not(refutation)}"
    attempt = max(refutation.attempts, key=lambda one: len(one.held))
    line = f"the rule on line {attempt.location.line}" if attempt.location is not None else "its rule"
    because = attempt.because
    if isinstance(attempt.failed, Distinct):
        why = ": they are equal"
    elif isinstance(because, Refutation) and not because.attempts:
        why = f": {_why_not(because)}"
    else:
        why = ""
    return f"{explanation.atom} does not hold: {line} needs {attempt.failed}{why}"


def outline_text(explanation: Explanation) -> str:
    """Return the outline of an explanation as text, with the notes in one column."""
    lines = list(outline(explanation))
    column = note_column(lines)
    return "\n".join(f"{(line.branches + line.text).ljust(column)}  {line.note}".rstrip() for line in lines)


def note_column(lines: Sequence[Line], width: Callable[[str], int] = len) -> int:
    """Return the width of the text before the notes, given the `width` of a string on the screen.

    Very wide lines are ignored; their notes follow the text directly.
    """
    widths = [width(line.branches + line.text) for line in lines]
    return max((one for one in widths if one <= _MARGIN), default=0)


def _tree(roots: Sequence[_Part]) -> Iterator[Line]:
    """Yield the lines of some parts, and of everything below them."""
    shown: set[Atom] = set()
    pending = [("", part, number == 0) for number, part in enumerate(reversed(roots))]
    while pending:
        indent, part, is_last = pending.pop()
        again = isinstance(part, Derivation) and bool(part.premises) and part.atom in shown
        text, note, kind = _rendered(part)
        yield Line(indent + ("└─ " if is_last else "├─ "), text, "as above" if again else note, kind)
        if isinstance(part, Derivation):
            shown.add(part.atom)
        if not again:
            indent += "   " if is_last else "│  "
            pending += [(indent, child, number == 0) for number, child in enumerate(reversed(_parts(part)))]


def _rendered(part: _Part) -> tuple[str, str, LineKind]:
    """Return the text, note and kind of a line."""
    if isinstance(part, Derivation):
        return str(part.atom), _origin(part), LineKind.HOLDS
    if isinstance(part, (Absence, Difference)):
        return str(part), "", LineKind.HOLDS
    if isinstance(part, Attempt):
        note = "" if part.complete else ", not all its bindings tried"
        return f"rule for {part.rule.head}", f"{_at(part.location)}{note}", LineKind.RULE
    if isinstance(part, _Held):
        return f"✓ {part.condition}", "", LineKind.HOLDS
    if isinstance(part, _Note):
        return part.text, "", LineKind.NOTE
    return f"✗ {part.attempt.failed}", _failure(part.attempt), LineKind.FAILS


def _parts(part: _Part) -> Sequence[_Part]:
    """Return the parts one level below a line."""
    if isinstance(part, Derivation):
        return part.premises
    if isinstance(part, Attempt):
        return [*map(_Held, part.held), _Failed(part)]
    if isinstance(part, _Failed):
        because = part.attempt.because
        if isinstance(because, Refutation):
            return _reasons(because)
        return [because] if because is not None else []
    return []


def _reasons(refutation: Refutation) -> Sequence[_Part]:
    others = refutation.others
    more = [_Note(f"and {others:,} more rule{'s' * (others != 1)}")] if others else []
    return [*refutation.attempts, *more]


def _origin(derivation: Derivation) -> str:
    if derivation.source is Source.STATE:
        return "state"
    if derivation.source is Source.MOVES:
        return "move"
    if derivation.source is Source.LIMIT:
        return "holds; not followed further"
    return _at(derivation.location)


def _at(location: Location | None) -> str:
    """Return a location as `game.kif:77`. The folder is left out, as the first line of the outline names the file."""
    return f"{PurePath(location.file).name}:{location.line}" if location is not None else ""


def _failure(attempt: Attempt) -> str:
    """Return the note on a condition that fails."""
    if isinstance(attempt.failed, Distinct):
        return f"{_at(attempt.place)}  they are equal"
    if attempt.because is None:
        return f"{_at(attempt.place)}  not followed further"
    if isinstance(attempt.because, Refutation) and not attempt.because.attempts:
        return f"{_at(attempt.place)}  {_why_not(attempt.because)}"
    return _at(attempt.place)


def _why_not(refutation: Refutation) -> str:
    """Return the reason why nothing matches, if there is no rule to follow."""
    if refutation.attempts:
        return ""
    near = ", ".join(_inside(atom) for atom in refutation.near)
    if refutation.source is Source.STATE:
        return f"the state has {near}" if near else "the state has nothing like it"
    if refutation.source is Source.MOVES:
        return f"the moves are {near}" if near else "no move is like it"
    nothing = "no such fact" if refutation.source is Source.FACT else "no rule has a matching head"
    return f"{nothing}; there is {near}" if near else nothing


def _inside(atom: Atom) -> str:
    """Return a fact of a state without `true`, and a move of a role as `role: move`."""
    if atom.signature == ("true", 1):
        return str(atom.args[0])
    return f"{atom.args[0]}: {atom.args[1]}" if atom.signature == ("does", 2) else str(atom)


# JSON


def to_json(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as JSON: atoms and rules as KIF text, locations as line numbers.

    Deep or long parts are cut off, and marked by "limit".
    """
    writer = _Json()
    refutation = explanation.refutation
    return {
        "atom": str(explanation.atom),
        "holds": explanation.holds,
        "complete": explanation.complete,
        "ways": explanation.ways,
        "derivations": [writer.premise(derivation, 0) for derivation in explanation.derivations],
        "instances": [str(instance) for instance in explanation.instances],
        "refutation": writer.refutation(refutation, 0) if refutation is not None else None,
    }


class _Json:
    """Converts trees to JSON, up to a limit."""

    def __init__(self) -> None:
        self._left = _MOST_PARTS

    def premise(self, premise: Premise, level: int) -> dict[str, Any]:
        if isinstance(premise, Absence):
            return {"atom": str(premise), "by": "absence"}
        if isinstance(premise, Difference):
            return {"atom": str(premise), "by": "difference"}
        self._left -= 1
        fields: dict[str, Any] = {"atom": str(premise.atom), "by": premise.source.value}
        if premise.rule is not None:
            fields |= {"line": _line(premise.location), "rule": str(premise.rule)}
        if premise.premises:
            if level >= _MOST_LEVELS or self._left <= 0:
                fields["by"] = Source.LIMIT.value
            else:
                fields["premises"] = [self.premise(one, level + 1) for one in premise.premises]
        return fields

    def refutation(self, refutation: Refutation, level: int) -> dict[str, Any]:
        return {
            "atom": str(refutation.atom),
            "by": refutation.source.value,
            "rules": [self._attempt(attempt, level) for attempt in refutation.attempts],
            "others": refutation.others,
            "near": [str(atom) for atom in refutation.near],
        }

    def _attempt(self, attempt: Attempt, level: int) -> dict[str, Any]:
        because = attempt.because
        return {
            "line": _line(attempt.location),
            "rule": str(attempt.rule),
            "binding": {variable.text: str(term) for variable, term in attempt.binding},
            "held": [str(condition) for condition in attempt.held],
            "failed": str(attempt.failed),
            "failed_line": _line(attempt.place),
            "because": self.premise(because, level + 1)
            if isinstance(because, Derivation)
            else self.refutation(because, level + 1)
            if because is not None
            else None,
            "complete": attempt.complete,
        }


def _line(location: Location | None) -> int | None:
    return location.line if location is not None else None
