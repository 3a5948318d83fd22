"""Apply the checker's fixes, one after another, until none is left."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, final

from gdl.checker import Diagnostic, check_reading
from gdl.errors import Location, Source
from gdl.language.edits import Edit, Offsets, apply, offset_before
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read
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


def mended(source: Source, ignored: Collection[str] = (), *, guesses: bool = False) -> Mended:
    """Apply all fixes, except for ignored codes.

    The rules of a playable text stay the same, apart from their spelling: fixes that would change them are skipped.
    With `guesses`, suggestions are applied, too, one by one, unless they make as many problems as they solve.
    """
    text, applied = source.text, []
    lines: list[int] = []
    rounds: list[list[Edit]] = []
    refused: set[tuple[str, tuple[Edit, ...]]] = set()
    for _ in range(_ROUNDS):
        reading = read(Source(source.name, text))
        told = check_reading(reading)
        found = [one for one in told if one.fix is not None and one.code not in ignored]
        found = [one for one in found if (one.code, _edits(one)) not in refused]
        chosen = _compatible(one for one in found if one.fix is not None and not one.fix.guess)
        if not chosen and guesses and (guess := _better_guess(text, source.name, found, told)):
            text = apply(text, _edits(guess))
            applied.append(guess)
            lines.append(_original_line(source, rounds, guess.location))
            rounds.append(list(_edits(guess)))
            continue
        if not chosen:
            break
        edits = [edit for one in chosen for edit in _edits(one)]
        after = apply(text, edits)
        if not _says_the_same(reading, read(Source(source.name, after))):
            # One of the fixes changes the rules: try them one by one.
            chosen = chosen[:1]
            edits = list(_edits(chosen[0]))
            after = apply(text, edits)
            if not _says_the_same(reading, read(Source(source.name, after))):
                refused.add((chosen[0].code, _edits(chosen[0])))
                continue
        text = after
        applied += chosen
        lines += [_original_line(source, rounds, one.location) for one in chosen]
        rounds.append(edits)
    return Mended(text, tuple(applied), tuple(lines))


def _better_guess(text: str, name: str, found: Sequence[Diagnostic], told: Sequence[Diagnostic]) -> Diagnostic | None:
    """Return the first suggestion after which there are fewer problems, and no new kind of error.

    One problem may take the place of a foreign notation, which hides all others in its statement.
    """
    before, kinds = _problems(told)
    for one in found:
        after, new_kinds = _problems(check_reading(read(Source(name, apply(text, _edits(one))))))
        if after < before + (one.code == "foreign-notation") and new_kinds <= kinds:
            return one
    return None


def _problems(told: Iterable[Diagnostic]) -> tuple[int, set[str]]:
    """Return the number of errors and warnings, and the codes of the errors."""
    problems = [one for one in told if one.severity != "hint"]
    return len(problems), {one.code for one in problems if one.severity == "error"}


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


def _says_the_same(before: Reading, after: Reading) -> bool:
    """Return True if a playable text keeps its rules, or if a broken one gets no new kind of error."""
    if before.mistakes:
        return {one.code for one in after.mistakes} <= {one.code for one in before.mistakes}
    return not after.mistakes and set(map(_canonical, before.rules)) == set(map(_canonical, after.rules))


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
