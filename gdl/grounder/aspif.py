"""Reads aspif, clingo's intermediate format (Kaminski, Schaub, Wanko: A tutorial on hybrid ASP solving, 2017).

A rule is a line `1 CHOICE 1 HEAD 0 LENGTH LITERALS`. A name is a line `4 LENGTH SYMBOL COUNT ATOMS`; a symbol without
atoms is a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from gdl.grounder.program import ALWAYS, GroundRule


class _Numbers(dict[bytes, int]):
    """Integers by their digits.

    Each integer is a single object however often it is read, which saves time and memory.
    """

    def __missing__(self, digits: bytes) -> int:
        """Parse the digits, and keep the result."""
        number = self[digits] = int(digits)
        return number


@dataclass(slots=True)
class Reader:
    """Reads an aspif program line by line, and keeps its rules and names."""

    #: The rules that have a body, without duplicates.
    rules: dict[GroundRule, None] = field(default_factory=dict)
    facts: set[int] = field(default_factory=set)
    #: Open atoms: heads of choice rules.
    choices: set[int] = field(default_factory=set)
    #: The atom of each shown symbol, by the symbol as clingo prints it.
    names: dict[str, int] = field(default_factory=dict)
    #: The number of rules and facts read, including duplicates.
    count: int = 0
    #: True once the end of the program has been read.
    complete: bool = False
    _numbers: _Numbers = field(default_factory=_Numbers)

    def read(self, lines: Sequence[bytes]) -> None:
        """Process some lines."""
        numbers = self._numbers.__getitem__
        rules = self.rules
        others = 0
        for line in lines:
            if line.startswith(b"1 0 1 "):
                if line.endswith(b" 0"):
                    self.facts.add(int(line.split(None, 4)[3]))
                    continue
                _, _, _, head, _, _, *body = line.split()
                rules[numbers(head), tuple(map(numbers, body))] = None
            elif line.startswith(b"1 1 1 "):
                self.choices.add(numbers(line.split(None, 4)[3]))
                others += 1
            elif line.startswith(b"4 "):
                _, _, symbol, _, *atoms = line.split()
                self.names[symbol.decode()] = numbers(atoms[0]) if atoms else ALWAYS
                others += 1
            else:
                self.complete = line == b"0"
                others += 1
        self.count += len(lines) - others


def simplified(reader: Reader, open_atoms: set[int]) -> tuple[list[GroundRule], set[int], set[int]]:
    """Return simplified rules, the set of atoms that always hold, and the set of atoms found never to hold.

    Atoms of both sets are evaluated away. Facts always hold, and so do open atoms that are not in `open_atoms`, which
    are those of domains. An atom that is neither open nor the head of a rule never holds.
    """
    kept = list(reader.rules)
    true = reader.facts | (reader.choices - open_atoms)
    heads = {head for head, _ in kept}
    literals = set(chain.from_iterable(body for _, body in kept))
    false = {abs(literal) for literal in literals} - heads - open_atoms - true
    new = false.union(atom for atom in true if atom in literals or -atom in literals or atom in heads)
    while new:
        kept = list(dict.fromkeys(_without(kept, new, true, false)))
        facts = {head for head, body in kept if not body} - true
        left = {head for head, _ in kept}
        lost = heads - left - true - open_atoms - false
        true |= facts
        false |= lost
        heads = left
        new = facts | lost
    return kept, true, false


def _without(rules: Iterable[GroundRule], new: set[int], true: set[int], false: set[int]) -> Iterator[GroundRule]:
    """Yield the rules with the atoms in `new` evaluated; each of these atoms is in `true` or in `false`."""
    touched = {literal for atom in new for literal in (atom, -atom)}
    for rule in rules:
        head, body = rule
        if head in true:
            continue
        if touched.isdisjoint(body):
            yield rule
        elif not any(-literal in true if literal < 0 else literal in false for literal in body):
            yield head, tuple(literal for literal in body if literal not in touched)
