"""Apply the checker's fixes, one after another, until none is left."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, final

from gdl.checker import Diagnostic, Severity, check_reading
from gdl.errors import Location, Source
from gdl.language.edits import Edit, Offsets, apply, offset_before
from gdl.language.parser import source_of
from gdl.language.reading import read
from gdl.language.rules import Atom, Distinct, Literal, Rule, substitute
from gdl.terms import Term, Variable

#: The largest number of rounds; a fix can make another one possible.
_ROUNDS: Final = 50

_LINE_END: Final = re.compile("\r\n|\r|\n")


@final
@dataclass(frozen=True, slots=True)
class Mended:
    """A text after its fixes, and the diagnostics that they fixed, each as it was when its turn came.

    `lines` are the lines of these diagnostics in the original text.
    """

    text: str
    applied: tuple[Diagnostic, ...]
    lines: tuple[int, ...]


@final
class _Text:
    """A text between two fixes, and what is said of it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.reading = read(Source(name, text))
        self.told = check_reading(self.reading)

    def after(self, fixed: Iterable[Diagnostic]) -> _Text:
        return _Text(self.name, apply(self.text, [edit for one in fixed for edit in _edits(one)]))

    def count(self, *severities: Severity) -> int:
        return sum(one.severity in severities for one in self.told)

    @property
    def kinds(self) -> set[str]:
        return {one.code for one in self.told if one.severity == "error"}


def mended(source: Source, ignored: Collection[str] = (), *, guesses: bool = False) -> Mended:
    """Apply all fixes, except for ignored codes.

    The rules of a playable text stay the same, apart from their spelling, and so does all that follows from them. A
    broken text keeps those of its rules that can be read. Fixes that would change the rules, or add errors, are
    skipped. With `guesses`, suggestions are applied, too, one by one, unless they make as many problems as they solve.
    """
    now = _Text(source.name, source.text)
    applied: list[Diagnostic] = []
    lines: list[int] = []
    rounds: list[list[Edit]] = []
    refused: set[tuple[str, tuple[Edit, ...]]] = set()
    for _ in range(_ROUNDS):
        found = [one for one in now.told if one.fix is not None and one.code not in ignored]
        found = [one for one in found if (one.code, _edits(one)) not in refused]
        certain = _compatible(one for one in found if one.fix is not None and not one.fix.guess)
        if certain:
            # If one of the fixes changes the rules, they are tried one by one.
            tried = ((chosen, now.after(chosen)) for chosen in (certain, certain[:1]))
            step = next((one for one in tried if _says_the_same(now, one[1])), None)
        else:
            tried = (([guess], now.after([guess])) for guess in found if guesses)
            step = next((one for one in tried if _is_better(now, one[1], one[0])), None)
        if step is not None:
            chosen, now = step
            applied += chosen
            lines += [_original_line(source, rounds, one.location) for one in chosen]
            rounds.append([edit for one in chosen for edit in _edits(one)])
        elif certain:
            refused.add((certain[0].code, _edits(certain[0])))
        else:
            break
    return Mended(now.text, tuple(applied), tuple(lines))


def _is_better(now: _Text, then: _Text, guess: Sequence[Diagnostic]) -> bool:
    """Return True if there are fewer problems after a suggestion, not more errors, and no new kind of error.

    One problem may take the place of a foreign notation, which hides all others in its statement.
    """
    if not now.reading.whole:
        return _shows_more(now, then)
    allowed = now.count("error", "warning") + (guess[0].code == "foreign-notation")
    fewer = then.count("error", "warning") < allowed and then.count("error") <= now.count("error")
    return fewer and then.kinds <= now.kinds


def _shows_more(now: _Text, then: _Text) -> bool:
    """Return True if a text that could not be parsed, so that not all of its mistakes were told, can be parsed now."""
    return then.reading.whole or (now.reading.form is not None and then.reading.form is None)


def _original_line(source: Source, rounds: Sequence[Sequence[Edit]], location: Location) -> int:
    """Return the line of the original text that a location in the text after some rounds of edits comes from."""
    offset = Offsets(location.source).start(location)
    for edits in reversed(rounds):
        offset = offset_before(edits, offset)
    return Offsets(source).place(offset)[0]


def _edits(diagnostic: Diagnostic) -> tuple[Edit, ...]:
    return diagnostic.fix.edits if diagnostic.fix is not None else ()


def _compatible(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics whose edits keep clear of each other; of two that collide, the first."""
    taken: list[tuple[int, int]] = []
    chosen = []
    for diagnostic in diagnostics:
        edits = _edits(diagnostic)
        # The text between the edits of one fix belongs to the fix.
        start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
        if all(end < other_start or other_end < start for other_start, other_end in taken):
            taken.append((start, end))
            chosen.append(diagnostic)
    return chosen


def _says_the_same(now: _Text, then: _Text) -> bool:
    """Return True if a playable text keeps its rules, and a broken one those that can be read, without more errors."""
    if not now.reading.whole:
        return _shows_more(now, then)
    before, after = (set(map(_canonical, text.reading.rules)) for text in (now, then))
    kept = before <= after if now.reading.mistakes else before == after and not then.reading.mistakes
    return kept and then.count("error") <= now.count("error") and then.kinds <= now.kinds


def _canonical(rule: Rule) -> Rule:
    """Return the rule in lower case, with its variables named in order of appearance."""
    names: dict[Variable, Term] = {}
    for variable in (*rule.head.variables(), *(v for condition in rule.body for v in condition.variables())):
        names.setdefault(variable, Variable(f" {len(names)}"))

    def named(atom: Atom) -> Atom:
        return Atom(atom.signature[0], tuple(substitute(arg, names) for arg in atom.args))

    body = [
        Distinct(substitute(one.left, names), substitute(one.right, names))
        if isinstance(one, Distinct)
        else Literal(named(one.atom), one.negated)
        for one in rule.body
    ]
    return Rule(named(rule.head), tuple(body))


def with_ends_of(original: str, text: str) -> str:
    """Return the text with a file's byte order mark and line ends; new lines get the most common one."""
    mark = "\ufeff" * original.startswith("\ufeff")
    ends = _LINE_END.findall(original)
    if set(ends) <= {"\n"}:
        return mark + text
    before, after = source_of(original, "").text.split("\n"), text.split("\n")
    chosen = [max(set(ends), key=ends.count)] * (len(after) - 1)
    for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        for k in range(block.size):
            if block.a + k < len(ends) and block.b + k < len(chosen):
                chosen[block.b + k] = ends[block.a + k]
    return mark + "".join(line + end for line, end in zip(after, [*chosen, ""], strict=True))
