"""Checks for names that are spelled almost like another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, final

from gdl.checker.diagnostic import Diagnostic
from gdl.checker.rewrite import respelled
from gdl.checker.view import View

#: Names shorter than this are not checked, as any two are similar.
_SHORTEST: Final = 3

#: The number of characters of a name in which slips are looked for, and of names compared that share all but one.
_LONGEST: Final = 40
_ALIKE: Final = 20


def misspelled(view: View) -> Iterator[Diagnostic]:
    """Report constants and functions that occur once and differ by one slip from a more frequent one.

    Names with digits are exempt: they are usually numbered series.
    """
    terms = Counter(term.name.key for term in view.terms)
    relations = {atom.name.key for atom in view.atoms}
    words = {name for name in terms if len(name) >= _SHORTEST and not any(map(str.isdigit, name))}
    # The most frequent names first: they are suggested first.
    usual = _Neighbours(
        sorted((name for name in terms if terms[name] > 1 and name in words), key=lambda name: -terms[name])
    )
    for term in view.terms:
        name = term.name.key
        if terms[name] > 1 or name in relations or name not in words:
            continue
        if meant := usual.nearest(name):
            spelled = view.reading.spelling.get(meant, meant)
            message = f"{term.name.text} occurs only here; did you mean {spelled}?"
            fix = respelled(view, [term.name], spelled)
            yield Diagnostic("misspelled-name", message, term.name.location, fix=fix)


@final
class _Neighbours:
    """Names by what is left of them without one character.

    Two names that differ by one slip have one of these texts in common, or one name is such a text of the other.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Sort names, the best suggestions first."""
        self._rank: dict[str, int] = {}
        self._names: dict[str, list[str]] = {}
        for name in names:
            self._rank[name] = len(self._rank)
            for text in _shortened(name):
                alike = self._names.setdefault(text, [])
                if len(alike) < _ALIKE:
                    alike.append(name)

    def nearest(self, written: str) -> str | None:
        """Return the best name from which this one differs by one slip, or None."""
        found = {name for text in _shortened(written) for name in self._names.get(text, ())}
        return min((name for name in found if one_slip(written, name)), key=self._rank.__getitem__, default=None)


def _shortened(name: str) -> set[str]:
    return {name, *(name[:at] + name[at + 1 :] for at in range(min(len(name), _LONGEST)))}


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
