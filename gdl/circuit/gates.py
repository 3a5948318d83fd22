"""Boolean circuits of AND gates with any number of inputs and free negation; every function is built only once.

A literal is an even number for a node, and the odd number after it for the node's negation; `FALSE` and `TRUE` are the
literals of node 0. An OR is the negation of an AND of negations. A gate's inputs are sorted and have lower numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from gdl.compile_budget import check_budget

FALSE: Final = 0
TRUE: Final = 1


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Input nodes of which at most one holds at a time; `exact` if always exactly one does."""

    nodes: tuple[int, ...]
    exact: bool


@final
@dataclass(slots=True)
class Loop:
    """Mutually recursive relations: the least fixpoint of `variables` (nodes) := `updates` (literals), from all false.

    The updates are monotone in the variables. Outside the loop, a variable stands for its value in the fixpoint.
    """

    variables: tuple[int, ...]
    updates: tuple[int, ...] = ()


@final
@dataclass(slots=True)
class Laws:
    """Knowledge about the inputs, in every state and joint move for which the circuit is used."""

    groups: tuple[Group, ...] = ()
    #: The literals that an input implies, by the input's literal.
    implied: dict[int, frozenset[int]] = field(default_factory=dict)
    #: The numbers of the groups that each node belongs to.
    of: dict[int, tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        """Index the groups by node."""
        of: dict[int, list[int]] = {}
        for number, group in enumerate(self.groups):
            for node in group.nodes:
                of.setdefault(node, []).append(number)
        self.of = {node: tuple(numbers) for node, numbers in of.items()}


class Circuit:
    """Gates over numbered inputs, built by `and_` and `or_`, which simplify them by the laws."""

    def __init__(self, inputs: int, laws: Laws | None = None) -> None:
        """Start without gates."""
        #: The inputs of each node: () for constants, inputs and variables of loops.
        self.fanins: list[tuple[int, ...]] = [()] * (1 + inputs)
        self.inputs = inputs
        self.loops: list[Loop] = []
        self.laws = laws or Laws()
        self._known: dict[tuple[int, ...], int] = {}

    @property
    def size(self) -> int:
        """The number of inputs of all gates."""
        return sum(map(len, self.fanins))

    def variable(self) -> int:
        """Return a new variable of a loop, as a literal."""
        self.fanins.append(())
        return 2 * (len(self.fanins) - 1)

    def or_(self, literals: Iterable[int]) -> int:
        """Return the literal of the OR of some literals."""
        return self.and_([literal ^ 1 for literal in literals]) ^ 1

    def and_(self, literals: Iterable[int]) -> int:
        """Return the literal of the AND of some literals."""
        check_budget()
        found = set(literals)
        found.discard(TRUE)
        if FALSE in found:
            return FALSE
        for literal in found:
            if literal ^ 1 in found:
                return FALSE
        if len(found) > 1 and self.laws.of:
            if not self._lawful(found):
                return FALSE
            others = [other for group in self._crowded(found) for other in self._complement(found, group)]
            if others:
                return self.and_([*found, *others])
        if len(found) <= 1:
            return found.pop() if found else TRUE
        key = tuple(sorted(found))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = 2 * len(self.fanins)
            self.fanins.append(key)
        return known

    def _lawful(self, found: set[int]) -> bool:
        """Drop literals that others imply by the laws; return False if some contradict each other."""
        laws = self.laws
        of = laws.of
        chosen: dict[int, int] = {}  # the literal that holds, by group
        negative: list[int] = []
        for literal in list(found):
            node = literal >> 1
            if literal not in found:
                continue  # implied by another
            if literal & 1:
                if node in of:
                    negative.append(literal)
                continue
            if node in of and not _choose(chosen, literal, of[node]):
                return False
            for follows in laws.implied.get(literal, ()):
                if follows ^ 1 in found:
                    return False
                if follows != literal:
                    found.discard(follows)
                if not follows & 1 and follows >> 1 in of and not _choose(chosen, follows, of[follows >> 1]):
                    return False
        for literal in negative:
            if self._excluded(literal ^ 1, chosen, found):
                found.discard(literal)
        return True

    def _crowded(self, found: set[int]) -> list[tuple[int, ...]]:
        """Return the exact groups of which the literals exclude more than half."""
        laws = self.laws
        counts: dict[int, int] = {}
        for literal in found:
            if literal & 1:
                for number in laws.of.get(literal >> 1, ()):
                    counts[number] = counts.get(number, 0) + 1
        groups = ((laws.groups[number], count) for number, count in counts.items())
        return [group.nodes for group, count in groups if group.exact and 2 * count > len(group.nodes)]

    def _excluded(self, literal: int, chosen: dict[int, int], found: set[int]) -> bool:
        """Return True if an input contradicts the literals chosen in its groups, or in those of inputs it implies."""
        of = self.laws.of
        if any(chosen.get(number, literal) != literal for number in of[literal >> 1]):
            return True
        for follows in self.laws.implied.get(literal, ()):
            if follows ^ 1 in found and follows != literal:
                return True
            if not follows & 1 and any(chosen.get(number, follows) != follows for number in of.get(follows >> 1, ())):
                return True
        return False

    def _complement(self, found: set[int], group: Sequence[int]) -> Iterator[int]:
        """Replace the negations of most of an exact group by the OR of the others, which is yielded."""
        excluded = {2 * node + 1 for node in group} & found
        if 2 * len(excluded) > len(group):  # no other group has taken some of them
            found -= excluded
            yield self.or_([2 * node for node in group if 2 * node + 1 not in excluded])


def _choose(chosen: dict[int, int], literal: int, groups: Iterable[int]) -> bool:
    return all(chosen.setdefault(number, literal) == literal for number in groups)


def uses(circuit: Circuit, outputs: Iterable[int]) -> dict[int, int]:
    """Count the uses of each node needed by some outputs. Outputs count twice: they are never just part of a gate."""
    counts: dict[int, int] = {}
    stack: list[int] = []
    loop_of = {node: loop for loop in circuit.loops for node in loop.variables}

    def use(literals: Iterable[int], times: int) -> None:
        for literal in literals:
            node = literal >> 1
            if node in counts:
                counts[node] += times
            else:
                stack.append(node)
                counts[node] = times

    use(outputs, 2)
    while stack:
        node = stack.pop()
        use(circuit.fanins[node], 1)
        if node in loop_of:
            use(loop_of.pop(node).updates, 2)
    return counts
