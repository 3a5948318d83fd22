"""Checks for names that are spelled almost like another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from gdl.checker.diagnostic import Diagnostic
from gdl.checker.view import View

#: Names shorter than this are not checked, as any two are similar.
_SHORTEST: Final = 3


def misspelled(view: View) -> Iterator[Diagnostic]:
    """Report constants and functions that occur once and differ by one slip from a more frequent one.

    Names with digits are exempt: they are usually numbered series.
    """
    terms = Counter(term.name.key for term in view.terms)
    relations = {atom.name.key for atom in view.atoms}
    words = {name for name in terms if len(name) >= _SHORTEST and not any(map(str.isdigit, name))}
    usual = [name for name in terms if terms[name] > 1 and name in words]
    for term in view.terms:
        name = term.name.key
        if terms[name] > 1 or name in relations or name not in words:
            continue
        if meant := sorted((other for other in usual if one_slip(name, other)), key=lambda other: -terms[other]):
            spelled = view.reading.spelling.get(meant[0], meant[0])
            message = f"{term.name.text} occurs only here; did you mean {spelled}?"
            yield Diagnostic("misspelled-name", message, term.name.location)


def one_slip(written: str, meant: str) -> bool:
    """Return True if two words differ by one slip of the finger.

    That is one character inserted, deleted or replaced, or two adjacent characters swapped.
    """
    if len(written) > len(meant):
        written, meant = meant, written
    if len(meant) - len(written) == 1:
        return any(meant[:at] + meant[at + 1 :] == written for at in range(len(meant)))
    if len(meant) != len(written):
        return False
    differ = [at for at in range(len(meant)) if written[at] != meant[at]]
    if len(differ) == 2:
        first, second = differ
        return second == first + 1 and written[first : second + 1] == meant[second] + meant[first]
    return len(differ) == 1
