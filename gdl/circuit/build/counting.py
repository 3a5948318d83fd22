"""Circuits for atoms that depend on how many of some facts or moves hold.

Rules count one fact after the other, with an atom for each number at each fact: 2,000 atoms for 64 cells of a board.
Here, adders make the number in binary instead, and what depends on it, or on the numbers of two sets, is decided bit by
bit: whether black has more discs than white, for example.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Mapping, Sequence
from typing import Final, NamedTuple, final

from gdl.circuit.gates import FALSE, TRUE, Circuit
from gdl.grounder.counts import counts_of
from gdl.grounder.program import GroundProgram

#: The fewest atoms that are counted in binary.
_FEWEST: Final = 10

#: The operations of an adder, for each atom that is counted, and those of an atom on the way of the rules.
_ADDER: Final = 3.0
_STEP: Final = 1.5

#: The most pairs of numbers that a relation of two sets may have.
_MOST_PAIRS: Final = 20_000


class Relation(NamedTuple):
    """The meaning of an atom: it holds for some numbers of atoms, one of each of up to two sets, that hold.

    The bit `a * (len(second) + 1) + b` of `pairs` is set if the atom holds if `a` atoms of the first set hold and `b`
    of the second one, which may be empty.
    """

    first: frozenset[int]
    second: frozenset[int]
    pairs: int

    @property
    def full(self) -> int:
        """All pairs."""
        return (1 << (len(self.first) + 1) * (len(self.second) + 1)) - 1

    def lifted(self, first: frozenset[int], second: frozenset[int]) -> int:
        """Return the pairs as those of other sets, which contain its own."""
        if (self.first, self.second) == (first, second):
            return self.pairs
        width = len(second) + 1
        if self.first == first:  # the number of the second one does not matter
            row = (1 << width) - 1
            return sum(row << a * width for a in range(len(first) + 1) if self.pairs >> a & 1)
        return sum(self.pairs << a * width for a in range(len(first) + 1))


def relations_of(program: GroundProgram) -> dict[int, Relation]:
    """Return the atoms that depend on nothing but the numbers of atoms in one or two sets of facts or moves."""
    empty = frozenset[int]()
    found = {
        atom: Relation(count.atoms, empty, sum(1 << number for number in count.numbers))
        for atom, count in counts_of(program).items()
        if len(count.atoms) >= _FEWEST
    }
    if not found:
        return {}
    bodies: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for head, body in program.rules:
        bodies[head].append(body)
    users: defaultdict[int, set[int]] = defaultdict(set)
    for head, own in bodies.items():
        for body in own:
            for literal in body:
                users[abs(literal)].add(head)
    known = list(found)
    for atom in known:  # which grows meanwhile
        for user in sorted(users[atom]):
            if user not in found and (relation := _combined(bodies[user], found)) is not None:
                found[user] = relation
                known.append(user)
    return found


def _combined(bodies: Sequence[tuple[int, ...]], known: Mapping[int, Relation]) -> Relation | None:
    """Return the relation of an atom with these rules; None if it is none, or not known yet."""
    literals = {literal for body in bodies for literal in body}
    if not all(abs(literal) in known for literal in literals):
        return None
    relations = [known[abs(literal)] for literal in literals]
    sets = {one for relation in relations for one in (relation.first, relation.second) if one}
    if not 1 <= len(sets) <= 2:
        return None
    first, second = (*sorted(sets, key=sorted), frozenset[int]())[:2]
    if (len(first) + 1) * (len(second) + 1) > _MOST_PAIRS:
        return None
    full = Relation(first, second, 0).full
    pairs = 0
    for body in bodies:
        together = full
        for literal in body:
            own = known[abs(literal)].lifted(first, second)
            together &= own if literal > 0 else full ^ own
        pairs |= together
    return Relation(first, second, pairs)


@final
class Counting:
    """Circuits for relations of numbers; adders are made when they are needed first."""

    def __init__(self, program: GroundProgram, circuit: Circuit, literals: Mapping[int, int]) -> None:
        """Prepare to count; `literals` has those of facts and moves."""
        self._relations = relations_of(program)
        self._circuit = circuit
        self._literals = literals
        self._numbers: dict[frozenset[int], list[int]] = {frozenset(): []}

    def pays(self, atom: int, bodies: Mapping[int, Sequence[tuple[int, ...]]], defined: Container[int]) -> bool:
        """Return True if an atom is a relation that takes fewer operations than its rules.

        `defined` has the atoms that have literals.
        """
        relation = self._relations.get(atom)
        if relation is None:
            return False
        sets = (relation.first, relation.second)
        bits = sum(len(one).bit_length() for one in sets)
        cost = 2 * bits + _ADDER * sum(len(one) for one in sets if one not in self._numbers)
        seen, stack = {atom}, [atom]
        while stack and _STEP * len(seen) <= cost:
            for body in bodies.get(stack.pop(), ()):
                new = {abs(literal) for literal in body if abs(literal) not in defined} - seen
                seen |= new
                stack += sorted(new)
        return _STEP * len(seen) > cost

    def literal(self, atom: int) -> int:
        """Return the literal of an atom that is a relation."""
        relation = self._relations[atom]
        first, second = self._number(relation.first), self._number(relation.second)
        width = len(relation.second) + 1
        # Numbers that are too large never occur, so it does not matter what holds for them.
        rows = [relation.pairs >> a * width & (1 << width) - 1 for a in range(len(relation.first) + 1)]
        cares = [(1 << width) - 1] * len(rows)
        more = [0] * ((1 << len(first)) - len(rows))
        return self._decided(tuple(rows + more), tuple(cares + more), first, second, {})

    def _decided(
        self,
        rows: tuple[int, ...],
        cares: tuple[int, ...],
        first: Sequence[int],
        second: Sequence[int],
        known: dict[tuple[tuple[int, ...], tuple[int, ...]], int],
    ) -> int:
        """Return the literal of a relation, given bits of its two numbers, the lowest ones first.

        There is a row for each first number; its bits are for the second ones. Only those in `cares` matter.
        """
        if not any(rows):
            return FALSE
        if rows == cares:
            return TRUE
        key = rows, cares
        if key not in known:
            if len(first) >= len(second):
                bit, half = first[-1], len(rows) // 2
                parts = [(rows[:half], cares[:half]), (rows[half:], cares[half:])]
                rest = first[:-1], second
            else:
                bit, half = second[-1], 1 << len(second) - 1
                low = (1 << half) - 1
                parts = [
                    (tuple(row & low for row in rows), tuple(care & low for care in cares)),
                    (tuple(row >> half for row in rows), tuple(care >> half for care in cares)),
                ]
                rest = first, second[:-1]
            known[key] = self._chosen(bit, parts, rest, known)
        return known[key]

    def _chosen(
        self,
        bit: int,
        parts: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
        rest: tuple[Sequence[int], Sequence[int]],
        known: dict[tuple[tuple[int, ...], tuple[int, ...]], int],
    ) -> int:
        """Return the literal of the first part if a bit is not set, and of the second one if it is."""
        occurring = [part for part in parts if any(part[1])]
        literals = [self._decided(*part, *rest, known) for part in occurring]
        if len(set(literals)) == 1:
            return literals[0]
        circuit = self._circuit
        return circuit.or_([circuit.and_([bit ^ 1, literals[0]]), circuit.and_([bit, literals[1]])])

    def _number(self, atoms: frozenset[int]) -> list[int]:
        """Return the literals of the bits of the number of atoms that hold, the lowest one first."""
        if atoms not in self._numbers:
            columns = [deque(self._literals[atom] for atom in sorted(atoms))]
            bits: list[int] = []
            for column in columns:  # which grow meanwhile
                while len(column) > 1:
                    addends = [column.popleft() for _ in range(min(3, len(column)))]
                    total, carry = self._added(*addends)
                    column.append(total)
                    if len(columns) == len(bits) + 1:
                        columns.append(deque())
                    columns[len(bits) + 1].append(carry)
                bits.append(column[0])
            self._numbers[atoms] = bits[: len(atoms).bit_length()]
        return self._numbers[atoms]

    def _added(self, a: int, b: int, c: int = FALSE) -> tuple[int, int]:
        """Return the two bits of a sum."""
        circuit = self._circuit
        odd = self._differ(a, b)
        if c == FALSE:
            return odd, circuit.and_([a, b])
        return self._differ(odd, c), circuit.or_([circuit.and_([odd, c]), circuit.and_([odd ^ 1, a])])

    def _differ(self, a: int, b: int) -> int:
        circuit = self._circuit
        return circuit.or_([circuit.and_([a, b ^ 1]), circuit.and_([a ^ 1, b])])
