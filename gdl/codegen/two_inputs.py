"""Three-input functions as instructions on two values, for processors that have few others.

If any value may be kept as its complement, every function of two values is a single instruction. An XOR is one in any
case. The others are an AND whose arguments or result may be negated, and with what is kept, that is an AND, an OR, or
an AND that negates one argument. So functions are made of *nodes*: ANDs of two nodes or their negations, and XORs.
Equal nodes are made once. Only where the bits of a value itself are needed, as for a store, it has to be negated if its
complement is kept.

Some processors have an instruction that chooses between two values by a third one. There, choices are nodes, too. The
two values have to be kept in the same way, or one of them is negated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from typing import Final, final

from gdl.codegen.netlist import CHOOSE, NOT, ONES, A, B, C
from gdl.compile_budget import check_budget

#: Two nodes or inputs: each as its number times two, plus one if it is negated. In an AND, the first one is smaller. In
#: an XOR, it is larger, and none is negated. In a choice, there are three: the one that chooses and its choice where it
#: holds, neither of which is negated, and its choice elsewhere.
Node = tuple[int, ...]

#: A way to compute a function: nodes, with the numbers 0, 1 and 2 for its arguments and those from 3 on for the nodes
#: themselves; and the one that is the result, times two, plus one if it is negated.
Way = tuple[tuple[Node, ...], int]

#: The number of an instruction, its arguments, and its result or another number (see `gdl.codegen.straight_line`).
Instruction = tuple[int, tuple[int, ...], int]


def two_inputs(
    instructions: Sequence[Instruction], values: int, *, choices: bool = False
) -> tuple[list[Instruction], int]:
    """Return instructions on at most two values that compute the same, and the number of their values.

    With `choices`, there are also those of three values that choose, and negations. New values have numbers from
    `values` on. Instructions that are no functions (see `straight_line`) stay.
    """
    made = _TwoInputs(values, choices=choices)
    made.replace(instructions)
    return made.instructions, made.values


@final
class _TwoInputs:
    """Instructions under construction."""

    def __init__(self, values: int, *, choices: bool) -> None:
        self._choices = choices
        self.instructions: list[Instruction] = []
        self.values = values
        #: The node for each value of the instructions that are replaced, if it is not its own.
        self._nodes: dict[int, int] = {ONES: 1}
        self._made: dict[Node, int] = {}
        #: The values of which the bits themselves are needed.
        self._wanted: set[int] = set()
        #: The values that are kept as their complements, and what has been negated.
        self._complements: set[int] = set()
        self._negated: dict[int, int] = {}

    def replace(self, instructions: Sequence[Instruction]) -> None:
        pairs = self._pairs(instructions)
        self._wanted = {value for kind, arguments, _ in instructions if kind > NOT for value in arguments}
        for kind, arguments, result in instructions:
            check_budget()
            nodes = [self._nodes.get(argument, 2 * argument) for argument in arguments]
            if kind <= NOT:
                self._nodes[result] = self._function(kind, arguments, nodes, pairs, wanted=result in self._wanted)
            else:
                self.instructions.append((kind, tuple(map(self._exact, nodes)), result))

    def _function(
        self, table: int, arguments: Sequence[int], nodes: Sequence[int], pairs: Counter[Node], *, wanted: bool
    ) -> int:
        """Return the node of a function, made in the way that needs the fewest new nodes.

        Of several, it is the one with nodes that other functions have use for.
        """
        best: tuple[tuple[int, int], Way] | None = None
        for way in ways(self._choices)[table]:
            known: list[int | None] = [*nodes, *(None,) * (3 - len(nodes))]
            new = 0
            shared = 0
            for node in way[0]:
                parts = [None if (part := known[each >> 1]) is None else part ^ (each & 1) for each in node]
                there = [part for part in parts if part is not None]
                found = self._known(node, there) if len(there) == len(node) else None
                known.append(found)
                if found is None:
                    new += 1
                    if max(node) < 6:
                        shared += pairs[_named(arguments, node)]
                    if len(node) == 3 and len(there) == 3 and self._differ(there[1], there[2]):
                        new += 1
            if best is None or (new, -shared) < best[0]:
                best = (new, -shared), way
        assert best is not None
        steps, last = best[1]
        made = list(nodes) + [0] * (3 - len(nodes))
        for number, node in enumerate(steps, 1):
            kept = last & 1 if wanted and number == len(steps) else None
            made.append(self._node(node, [made[each >> 1] ^ (each & 1) for each in node], kept))
        return made[last >> 1] ^ (last & 1)

    def _known(self, kind: Node, parts: Sequence[int]) -> int | None:
        """Return a node of a kind, that of another one, if it need not be made."""
        key, sign = _normal(kind, parts)
        if len(key) == 1:
            return key[0] ^ sign
        found = self._made.get(key)
        return None if found is None else found ^ sign

    def _node(self, kind: Node, parts: Sequence[int], wanted: int | None = None) -> int:
        """Return a node, which is made if it is new; its complement is kept if the bits of that are `wanted`."""
        key, sign = _normal(kind, parts)
        if len(key) == 1:
            return key[0] ^ sign
        if key not in self._made:
            kept = None if wanted is None else wanted ^ sign
            complements = self._complements
            values = tuple(part >> 1 for part in key)
            signs = tuple((part & 1) ^ (part >> 1 in complements) for part in key)
            if len(key) == 3:
                table, values, is_complement = CHOOSE, *self._chosen(key, signs, kept)
            elif key[0] > key[1]:
                table, is_complement = A ^ B, signs[0] != signs[1]
            else:
                table = (A & B, A & (B ^ NOT), (A ^ NOT) & B, A | B)[2 * signs[0] + signs[1]]
                is_complement = signs == (1, 1)
                if self._choices and signs[0] != signs[1] and kept:
                    table, is_complement = (B | (A ^ NOT)) if signs[1] else (A | (B ^ NOT)), True
            value, self.values = self.values, self.values + 1
            if is_complement:
                complements.add(value)
            self._made[key] = 2 * value
            self.instructions.append((table, values, value))
        return self._made[key] ^ sign

    def _differ(self, one: int, other: int) -> bool:
        """Return True if one node is kept as its complement, and another one is not."""
        return bool((one ^ other) & 1) != ((one >> 1 in self._complements) != (other >> 1 in self._complements))

    def _chosen(self, key: Node, signs: tuple[int, ...], kept: int | None) -> tuple[tuple[int, ...], bool]:
        """Return the values between which one chooses, with that one, and whether the result is a complement.

        If that is free to choose, it is as it should be `kept`, or so that no value has to be negated anew.
        """
        chooser, one, other = key
        sign = signs[2] if one >> 1 in self._negated else signs[1]
        if kept in signs[1:]:
            sign = kept
        choices = self._exact(one ^ sign), self._exact(other ^ sign)
        return (chooser >> 1, *(choices[::-1] if signs[0] else choices)), bool(sign)

    def _exact(self, node: int) -> int:
        """Return a value with the bits of a node."""
        value, sign = node >> 1, node & 1
        if value == 0:
            return sign
        if sign == (value in self._complements):
            return value
        if value not in self._negated:
            self._negated[value], self.values = self.values, self.values + 1
            negation = (A ^ NOT, (value,)) if self._choices else (A ^ B, (ONES, value))
            self.instructions.append((*negation, self._negated[value]))
        return self._negated[value]

    def _pairs(self, instructions: Iterable[Instruction]) -> Counter[Node]:
        """Return how many functions have use for each node of their arguments."""
        found: Counter[Node] = Counter()
        for kind, arguments, _ in instructions:
            if kind <= NOT:
                for node in _first_nodes(kind, self._choices):
                    found[_named(arguments, node)] += 1
        return found


def _normal(kind: Node, parts: Sequence[int]) -> tuple[Node, int]:
    """Return a node of the same kind as another one, or only a part if it equals that; and 1 if it is to be negated."""
    if len(kind) == 3:
        return _choice(*parts)
    if kind[0] > kind[1]:
        sign = (parts[0] ^ parts[1]) & 1
        one, other = sorted((parts[0] & ~1, parts[1] & ~1), reverse=True)
        return ((0,) if one == other else (one, other) if other else (one,)), sign
    one, other = sorted(parts)
    if one <= 1:
        return (other if one else 0,), 0
    if one ^ other <= 1:
        return (one if one == other else 0,), 0
    return (one, other), 0


def _choice(chooser: int, one: int, other: int) -> tuple[Node, int]:
    if chooser & 1:
        chooser, one, other = chooser ^ 1, other, one
    if one >> 1 == chooser >> 1:
        one = 1 ^ one & 1
    if other >> 1 == chooser >> 1:
        other &= 1
    if chooser == 0 or one == other:
        return (other,), 0
    if one ^ other == 1:
        return _normal(_XOR, (chooser, other))
    for constant, part, where in ((one, other, chooser ^ 1), (other, one, chooser)):
        if constant <= 1:
            node, sign = _normal(_AND, (where, part ^ constant))
            return node, sign ^ constant
    return (chooser, one & ~1, other ^ (one & 1)), one & 1


#: Some nodes that are no choices.
_AND: Final = (0, 2)
_XOR: Final = (2, 0)


def _named(arguments: Sequence[int], node: Node) -> Node:
    """Return a node of arguments' numbers as one of the arguments."""
    named = tuple(2 * arguments[part >> 1] + (part & 1) for part in node)
    return _normal(node, named)[0]


@cache
def _first_nodes(table: int, choices: bool) -> tuple[Node, ...]:
    """Return the nodes of arguments alone that some way to compute a function has."""
    return tuple({node for nodes, _ in ways(choices)[table] for node in nodes if max(node) < 6})


#: An argument, or a node: which of its parts are negated (None for an XOR), and the parts.
_Tree = int | tuple[tuple[int, ...] | None, *tuple["_Tree", ...]]

#: The trees that compute a function or its complement, each with the truth table of what it computes.
_Trees = dict[int, list[tuple[_Tree, int]]]


@cache
def ways(choices: bool = False) -> list[list[Way]]:
    """Return, for each truth table, all ways to compute it with the fewest nodes."""
    found: _Trees = {_class(leaf): [(number, leaf)] for number, leaf in enumerate((A, B, C))}
    by_cost: list[list[int]] = [list(found)]
    while len(found) < NOT // 2:
        new: _Trees = {}
        costs = range(len(by_cost))
        for cost in costs:
            for one, other in product(by_cost[cost], by_cost[-1 - cost]):
                if one < other:
                    _join(found, new, one, other)
        for one, other in product(costs, costs) if choices else ():
            if (third := len(by_cost) - 1 - one - other) >= 0:
                for three in product(by_cost[one], by_cost[other], by_cost[third]):
                    if len(set(three)) == 3:
                        _choose(found, new, *three)
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


def _choose(found: _Trees, new: _Trees, *functions: int) -> None:
    """Add the functions by which one of three functions chooses between the others."""
    for (first, a), (second, b), (third, c) in product(*(found[each] for each in functions)):
        for sign in (0, 1):
            value = (a & b) | ((a ^ NOT) & (c ^ NOT * sign))
            if value not in (0, NOT) and _class(value) not in found:
                new.setdefault(_class(value), []).append((((0, 0, sign), first, second, third), value))


def _way(tree: _Tree, negated: bool) -> Way:
    nodes: list[Node] = []

    def place(part: _Tree) -> int:
        if isinstance(part, int):
            return 2 * part
        signs, *parts = part
        placed = [place(each) for each in parts]
        if signs is None:
            nodes.append(tuple(sorted(placed, reverse=True)))
        else:
            node = tuple(each + sign for each, sign in zip(placed, signs, strict=True))
            nodes.append(node if len(node) == 3 else tuple(sorted(node)))
        return 2 * (2 + len(nodes))

    result = place(tree) + negated
    return tuple(nodes), result
