"""Fixes, one after another, until nothing is left that can be mended."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, final

from gdl.checker import Diagnostic, check_reading
from gdl.errors import Source
from gdl.language.edits import Edit, apply
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read
from gdl.language.rules import Atom, Distinct, Literal, Rule, substitute
from gdl.terms import Term, Variable

#: A fix can make room for another one; after so many rounds it is enough.
_ROUNDS: Final = 50

_LINE_END: Final = re.compile("\r\n|\r|\n")


@final
@dataclass(frozen=True, slots=True)
class Mended:
    """A text after its fixes, and what they were for: each diagnostic as it was when its turn came."""

    text: str
    applied: tuple[Diagnostic, ...]


def mended(source: Source, ignored: Collection[str] = ()) -> Mended:
    """Mend all that has a fix, but for codes that are ignored.

    Of a text that can be played the rules stay the same, but for their spelling: a fix that would change them is left
    out.
    """
    text, applied = source.text, []
    refused: set[tuple[str, tuple[Edit, ...]]] = set()
    for _ in range(_ROUNDS):
        reading = read(Source(source.name, text))
        found = [one for one in check_reading(reading) if one.fix is not None and one.code not in ignored]
        chosen = _compatible(one for one in found if (one.code, _edits(one)) not in refused)
        if not chosen:
            break
        after = apply(text, [edit for one in chosen for edit in _edits(one)])
        if not _says_the_same(reading, read(Source(source.name, after))):
            # One of them is to blame: they are tried one by one.
            chosen = chosen[:1]
            after = apply(text, _edits(chosen[0]))
            if not _says_the_same(reading, read(Source(source.name, after))):
                refused.add((chosen[0].code, _edits(chosen[0])))
                continue
        text = after
        applied += chosen
    return Mended(text, tuple(applied))


def _edits(diagnostic: Diagnostic) -> tuple[Edit, ...]:
    return diagnostic.fix.edits if diagnostic.fix is not None else ()


def _compatible(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those whose edits keep clear of each other; of two that do not, the first."""
    taken: list[tuple[int, int]] = []
    chosen = []
    for diagnostic in diagnostics:
        edits = _edits(diagnostic)
        # What lies between the edits of one fix belongs to it, too.
        start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
        if all(end < other_start or other_end < start for other_start, other_end in taken):
            taken.append((start, end))
            chosen.append(diagnostic)
    return chosen


def _says_the_same(before: Reading, after: Reading) -> bool:
    """Whether a text that can be played has the same rules after some edits, and another no new kind of mistake."""
    if before.mistakes:
        return {one.code for one in after.mistakes} <= {one.code for one in before.mistakes}
    return not after.mistakes and set(map(_canonical, before.rules)) == set(map(_canonical, after.rules))


def _canonical(rule: Rule) -> Rule:
    """The rule with its variables named in their order."""
    names: dict[Variable, Term] = {}
    for variable in (*rule.head.variables(), *(v for condition in rule.body for v in condition.variables())):
        names.setdefault(variable, Variable(f" {len(names)}"))

    def named(atom: Atom) -> Atom:
        return Atom(atom.name.lower(), tuple(substitute(arg, names) for arg in atom.args))

    body = [
        Distinct(substitute(one.left, names), substitute(one.right, names))
        if isinstance(one, Distinct)
        else Literal(named(one.atom), one.negated)
        for one in rule.body
    ]
    return Rule(named(rule.head), tuple(body))


def with_ends_of(original: str, text: str) -> str:
    """The text with a file's line ends and byte order mark: those of lines that are as before, else the commonest."""
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
