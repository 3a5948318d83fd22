"""Reading aspif, clingo's intermediate format (Kaminski, Schaub, Wanko: A tutorial on hybrid ASP solving, 2017).

A rule is a line `1 CHOICE 1 HEAD 0 LENGTH LITERALS`, a name `4 LENGTH SYMBOL COUNT ATOMS`: no atom is a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from gdl.grounder.program import ALWAYS, GroundRule


class _Numbers(dict[bytes, int]):
    """Numbers by their digits. Each number is one object, however often it is read: that saves time and memory."""

    def __missing__(self, digits: bytes) -> int:
        number = self[digits] = int(digits)
        return number


@dataclass(slots=True)
class Reader:
    """Takes the lines of an aspif program, keeps its rules and names."""

    rules: dict[GroundRule, None] = field(default_factory=dict)
    #: Atoms that are open.
    choices: set[int] = field(default_factory=set)
    #: The atom of each symbol that is shown, as clingo prints it.
    names: dict[str, int] = field(default_factory=dict)
    #: How many rules were read, duplicates among them.
    count: int = 0
    _numbers: _Numbers = field(default_factory=_Numbers)

    def read(self, lines: Iterable[bytes]) -> None:
        """Takes some lines."""
        numbers = self._numbers.__getitem__
        rules = self.rules
        count = 0
        for line in lines:
            if line.startswith(b"1 0 1 "):
                _, _, _, head, _, _, *body = line.split()
                rules[numbers(head), tuple(map(numbers, body))] = None
                count += 1
            elif line.startswith(b"1 1 1 "):
                self.choices.add(numbers(line.split(None, 4)[3]))
            elif line.startswith(b"4 "):
                _, _, symbol, _, *atoms = line.split()
                self.names[symbol.decode()] = numbers(atoms[0]) if atoms else ALWAYS
        self.count += count


def simplified(
    rules: Iterable[GroundRule], always: Iterable[int], choices: set[int]
) -> tuple[list[GroundRule], set[int], set[int]]:
    """The rules without atoms that always or never hold; the atoms that always hold, and those found never to hold.

    `always` are atoms known to hold. An atom that is neither open nor the head of a rule never holds.
    """
    kept = list(rules)
    true = set(always)
    true.update(head for head, body in kept if not body)
    heads = {head for head, _ in kept}
    literals = set(chain.from_iterable(body for _, body in kept))
    false = {abs(literal) for literal in literals} - heads - choices - true
    new = true | false
    while new:
        kept = list(_without(kept, new, true, false))
        facts = {head for head, body in kept if not body} - true
        left = {head for head, _ in kept}
        lost = heads - left - true - choices - false
        true |= facts
        false |= lost
        heads = left
        new = facts | lost
    return kept, true, false


def _without(rules: Iterable[GroundRule], new: set[int], true: set[int], false: set[int]) -> Iterator[GroundRule]:
    """The rules with the atoms in `new` evaluated: they are in `true` or in `false`."""
    touched = {literal for atom in new for literal in (atom, -atom)}
    changed: dict[GroundRule, None] = {}
    for rule in rules:
        head, body = rule
        if head in true:
            continue
        if touched.isdisjoint(body):
            yield rule
        elif not any(-literal in true if literal < 0 else literal in false for literal in body):
            changed[head, tuple(literal for literal in body if literal not in touched)] = None
    yield from changed
