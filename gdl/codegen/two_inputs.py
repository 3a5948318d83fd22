"""Three-input functions as instructions on two values, for processors that have no others.

If any value may be kept as its complement, every function of two values is a single instruction. An XOR is one in any
case. The others are an AND whose arguments or result may be negated, and with what is kept, that is an AND, an OR, or
an AND that negates one argument. So functions are made of *nodes*: ANDs of two nodes or their negations, and XORs.
Equal nodes are made once. Only where the bits of a value itself are needed, as for a store, it has to be negated if its
complement is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import final

from gdl.codegen.netlist import NOT, ONES, A, B, C
from gdl.compile_budget import check_budget

#: Two nodes or inputs: each as its number times two, plus one if it is negated. In an AND, the first one is smaller. In
#: an XOR, it is larger, and none is negated.
Node = tuple[int, int]

#: A way to compute a function: nodes, with the numbers 0, 1 and 2 for its arguments and those from 3 on for the nodes
#: themselves; and the one that is the result, times two, plus one if it is negated.
Way = tuple[tuple[Node, ...], int]

#: The number of an instruction, its arguments, and its result or another number (see `gdl.codegen.straight_line`).
Instruction = tuple[int, tuple[int, ...], int]


def two_inputs(instructions: Sequence[Instruction], values: int) -> tuple[list[Instruction], int]:
    """Return instructions on at most two values that compute the same, and the number of their values.

    New values have numbers from `values` on. Instructions that are no functions (see `straight_line`) stay.
    """
    made = _TwoInputs(values)
    made.replace(instructions)
    return made.instructions, made.values


@final
class _TwoInputs:
    """Instructions under construction."""

    def __init__(self, values: int) -> None:
        self.instructions: list[Instruction] = []
        self.values = values
        #: The node for each value of the instructions that are replaced, if it is not its own.
        self._nodes: dict[int, int] = {ONES: 1}
        self._made: dict[Node, int] = {}
        #: The values that are kept as their complements, and what has been negated.
        self._complements: set[int] = set()
        self._negated: dict[int, int] = {}

    def replace(self, instructions: Sequence[Instruction]) -> None:
        pairs = _pairs(instructions)
        for kind, arguments, result in instructions:
            check_budget()
            nodes = [self._nodes.get(argument, 2 * argument) for argument in arguments]
            if kind <= NOT:
                self._nodes[result] = self._function(kind, arguments, nodes, pairs)
            else:
                self.instructions.append((kind, tuple(map(self._exact, nodes)), result))

    def _function(self, table: int, arguments: Sequence[int], nodes: Sequence[int], pairs: Counter[Node]) -> int:
        """Return the node of a function, made in the way that needs the fewest new nodes.

        Of several, it is the one with nodes that other functions have use for.
        """
        best: tuple[tuple[int, int], Way] | None = None
        for way in ways()[table]:
            known: list[int | None] = [*nodes, *(None,) * (3 - len(nodes))]
            new = 0
            shared = 0
            for one, other in way[0]:
                left, right = known[one >> 1], known[other >> 1]
                if left is None or right is None:
                    known.append(None)
                    new += 1
                    continue
                found = self._known(left ^ (one & 1), right ^ (other & 1), xor=one > other)
                known.append(found)
                if found is None:
                    new += 1
                    if one < 6 and other < 6:
                        shared += pairs[_pair(arguments, one, other)]
            if best is None or (new, -shared) < best[0]:
                best = (new, -shared), way
        assert best is not None
        made = list(nodes) + [0] * (3 - len(nodes))
        for one, other in best[1][0]:
            made.append(self._node(made[one >> 1] ^ (one & 1), made[other >> 1] ^ (other & 1), xor=one > other))
        return made[best[1][1] >> 1] ^ (best[1][1] & 1)

    def _known(self, one: int, other: int, *, xor: bool) -> int | None:
        """Return a node if it need not be made."""
        if xor:
            sign = (one ^ other) & 1
            one, other = one & ~1, other & ~1
            if one < other:
                one, other = other, one
            if one == other or not other:
                return (0 if one == other else one) ^ sign
            found = self._made.get((one, other))
            return None if found is None else found ^ sign
        if one > other:
            one, other = other, one
        if one <= 1:
            return other if one else 0
        if one ^ other <= 1:
            return one if one == other else 0
        return self._made.get((one, other))

    def _node(self, one: int, other: int, *, xor: bool) -> int:
        """Return a node, which is made if it is new."""
        known = self._known(one, other, xor=xor)
        if known is not None:
            return known
        value, self.values = self.values, self.values + 1
        complements = self._complements
        left, right = one >> 1, other >> 1
        if xor:
            sign = (one ^ other) & 1
            key = max(one & ~1, other & ~1), min(one & ~1, other & ~1)
            table = A ^ B
            is_complement = (left in complements) != (right in complements)
        else:
            sign = 0
            key = min(one, other), max(one, other)
            signs = (one & 1) ^ (left in complements), (other & 1) ^ (right in complements)
            table = {(0, 0): A & B, (1, 0): (A ^ NOT) & B, (0, 1): A & (B ^ NOT), (1, 1): A | B}[signs]
            is_complement = signs == (1, 1)
        if is_complement:
            complements.add(value)
        self._made[key] = 2 * value
        self.instructions.append((table, (left, right), value))
        return 2 * value ^ sign

    def _exact(self, node: int) -> int:
        """Return a value with the bits of a node."""
        value, sign = node >> 1, node & 1
        if value == 0:
            return sign
        if sign == (value in self._complements):
            return value
        if value not in self._negated:
            self._negated[value], self.values = self.values, self.values + 1
            self.instructions.append((A ^ B, (ONES, value), self._negated[value]))
        return self._negated[value]


def _pairs(instructions: Iterable[Instruction]) -> Counter[Node]:
    """Return how many functions have use for each node of two of their arguments."""
    found: Counter[Node] = Counter()
    for kind, arguments, _ in instructions:
        if kind <= NOT:
            for one, other in _first_nodes(kind):
                found[_pair(arguments, one, other)] += 1
    return found


def _pair(arguments: Sequence[int], one: int, other: int) -> Node:
    left, right = 2 * arguments[one >> 1] + (one & 1), 2 * arguments[other >> 1] + (other & 1)
    return (left, right) if (left < right) == (one < other) else (right, left)


@cache
def _first_nodes(table: int) -> tuple[Node, ...]:
    """Return the nodes of two arguments that some way to compute a function has."""
    return tuple({node for nodes, _ in ways()[table] for node in nodes if max(node) < 6})


#: An argument, or a node: which of its parts are negated (None for an XOR), and the parts.
_Tree = int | tuple[tuple[int, int] | None, "_Tree", "_Tree"]

#: The trees that compute a function or its complement, each with the truth table of what it computes.
_Trees = dict[int, list[tuple[_Tree, int]]]


@cache
def ways() -> list[list[Way]]:
    """Return, for each truth table, all ways to compute it with the fewest nodes."""
    found: _Trees = {_class(leaf): [(number, leaf)] for number, leaf in enumerate((A, B, C))}
    by_cost: list[list[int]] = [list(found)]
    while by_cost[-1]:
        new: _Trees = {}
        for cost, classes in enumerate(by_cost):
            for one in classes:
                for other in by_cost[len(by_cost) - 1 - cost]:
                    if one < other:
                        _join(found, new, one, other)
        found.update(new)
        by_cost.append(list(new))
    return [[_way(tree, value != table) for tree, value in found.get(_class(table), ())] for table in range(NOT + 1)]


def _class(table: int) -> int:
    return min(table, table ^ NOT)


def _join(found: _Trees, new: _Trees, one: int, other: int) -> None:
    """Add the functions of two functions that have not been found yet."""
    for left, a in found[one]:
        for right, b in found[other]:
            made: list[tuple[_Tree, int]] = [((None, left, right), a ^ b)]
            made += [(((i, j), left, right), (a ^ NOT * i) & (b ^ NOT * j)) for i in (0, 1) for j in (0, 1)]
            for tree, value in made:
                if value not in (0, NOT) and _class(value) not in found:
                    new.setdefault(_class(value), []).append((tree, value))


def _way(tree: _Tree, negated: bool) -> Way:
    nodes: list[Node] = []

    def place(part: _Tree) -> int:
        if isinstance(part, int):
            return 2 * part
        signs, left, right = part
        one, other = place(left), place(right)
        if signs is None:
            nodes.append((max(one, other), min(one, other)))
        else:
            one, other = one + signs[0], other + signs[1]
            nodes.append((min(one, other), max(one, other)))
        return 2 * (2 + len(nodes))

    result = place(tree) + negated
    return tuple(nodes), result
