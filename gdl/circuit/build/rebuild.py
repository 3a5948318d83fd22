"""Rebuild circuits: under more laws, with inputs or gates replaced, and without unused gates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.build.ground_program import implied_by_moves
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import TRUE, Circuit, Group, Laws, Loop, uses


def rebuild(
    game: GameCircuit, groups: Iterable[Group] | None = None, replaced: Mapping[int, int] | None = None
) -> GameCircuit:
    """Rebuild a game under other groups (default: its own), with nodes replaced by literals of inputs or constants."""
    groups = game.circuit.laws.groups if groups is None else tuple(groups)
    rebuilding = Rebuilding(game.circuit, game.outputs(), Laws(groups), replaced or {})
    circuit = rebuilding.new
    new = rebuilding.literal
    legal = tuple(map(new, game.legal))
    new(game.terminal)
    for literal in game.goals.values():
        new(literal)
    circuit.laws.implied.update(implied_by_moves(circuit, len(game.facts), legal))
    result = game.mapped(circuit, new)
    rebuilding.close()
    return result


class Rebuilding:
    """Maps the literals of an old circuit to those of a new one, gate by gate, on demand."""

    def __init__(self, old: Circuit, outputs: Iterable[int], laws: Laws, replaced: Mapping[int, int]) -> None:
        """Start a new circuit under some laws; `outputs` are the old outputs, `replaced` new literals of old nodes."""
        self.old = old
        self.new = Circuit(old.inputs, laws)
        self._table: dict[int, int] = {0: 0, **{node: 2 * node for node in range(1, 1 + old.inputs)}, **replaced}
        self._uses = uses(old, outputs)
        self._loop_of = {node: loop for loop in old.loops for node in loop.variables}
        self._open: list[Loop] = []
        #: New ANDs that are treated as products wherever they occur in sums, even if other gates use them, too.
        self.products: dict[int, tuple[int, ...]] = {}

    def replace(self, node: int, literal: int) -> None:
        """Map an old node to a literal of the new circuit."""
        self._table[node] = literal

    def literal(self, literal: int) -> int:
        """Return the new literal of an old one."""
        stack = [literal >> 1]
        table, fanins = self._table, self.old.fanins
        #: The terms of gates on the stack, which wait for the gates that they need.
        waiting: dict[int, list[list[int]]] = {}
        while stack:
            node = stack[-1]
            if node in table:
                stack.pop()
                continue
            if node in self._loop_of:
                for variable in self._loop_of[node].variables:
                    table[variable] = self.new.variable()
                self._open.append(self._loop_of[node])
                continue
            terms = waiting.pop(node, None)
            if terms is None:
                terms = self._terms(fanins[node])
                missing = [child >> 1 for product in terms for child in product if child >> 1 not in table]
                if missing:
                    waiting[node] = terms
                    stack += missing
                    continue
            stack.pop()
            table[node] = self._gate(terms)
        return table[literal >> 1] ^ (literal & 1)

    def close(self) -> None:
        """Add the updates of the loops that are needed, once everything else has been mapped."""
        while self._open:
            old = self._open.pop(0)
            variables = tuple(self._table[node] >> 1 for node in old.variables)
            self.new.loops.append(Loop(variables, tuple(map(self.literal, old.updates))))

    def _inlined(self, node: int) -> bool:
        """Return True if a gate has a single use, and so becomes part of the gate that uses it."""
        return self._uses.get(node) == 1 and bool(self.old.fanins[node]) and node not in self._table

    def _product(self, fanin: Iterable[int], found: list[int]) -> list[int]:
        """Add the inputs of an AND to those found, with ANDs that only it uses replaced by their inputs."""
        for literal in fanin:
            if not literal & 1 and self._inlined(literal >> 1):
                self._product(self.old.fanins[literal >> 1], found)
            else:
                found.append(literal)
        return found

    def _terms(self, fanin: Iterable[int]) -> list[list[int]]:
        """Return the products whose NOR is the gate."""
        return [
            self._product(self.old.fanins[literal >> 1], [])
            if literal & 1 and self._inlined(literal >> 1)
            else [literal ^ 1]
            for literal in self._product(fanin, [])
        ]

    def _gate(self, terms: Iterable[Iterable[int]]) -> int:
        table = self._table
        products = [[table[literal >> 1] ^ (literal & 1) for literal in term] for term in terms]
        if self.products:
            products = [[x for literal in term for x in self.products.get(literal, (literal,))] for term in products]
        if all(len(product) == 1 for product in products):
            return self.new.and_([literal ^ 1 for (literal,) in products])
        return sum_of_products(self.new, products) ^ TRUE
