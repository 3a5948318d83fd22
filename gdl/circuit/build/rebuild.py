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
            missing = [child >> 1 for child in self._leaves(node) if child >> 1 not in table]
            if missing:
                stack += missing
                continue
            stack.pop()
            table[node] = self._gate(fanins[node])
        return table[literal >> 1] ^ (literal & 1)

    def close(self) -> None:
        """Add the updates of the loops that are needed, once everything else has been mapped."""
        while self._open:
            old = self._open.pop(0)
            variables = tuple(self._table[node] >> 1 for node in old.variables)
            self.new.loops.append(Loop(variables, tuple(map(self.literal, old.updates))))

    def _inlined(self, literal: int) -> bool:
        """Return True if a gate has a single use, and so becomes part of the gate that uses it."""
        node = literal >> 1
        return bool(self.old.fanins[node]) and self._uses.get(node) == 1 and node not in self._table

    def _product(self, fanin: Iterable[int]) -> Iterable[int]:
        """Yield the inputs of an AND, with ANDs that only it uses replaced by their inputs."""
        for literal in fanin:
            if not literal & 1 and self._inlined(literal):
                yield from self._product(self.old.fanins[literal >> 1])
            else:
                yield literal

    def _terms(self, fanin: Iterable[int]) -> Iterable[tuple[int, ...]]:
        """Yield the products whose NOR is the gate."""
        for literal in self._product(fanin):
            if literal & 1 and self._inlined(literal):
                yield tuple(self._product(self.old.fanins[literal >> 1]))
            else:
                yield (literal ^ 1,)

    def _leaves(self, node: int) -> Iterable[int]:
        return (literal for product in self._terms(self.old.fanins[node]) for literal in product)

    def _gate(self, fanin: Iterable[int]) -> int:
        products = [[new for x in product for new in self._factors(x)] for product in self._terms(fanin)]
        if all(len(product) == 1 for product in products):
            return self.new.and_(literal ^ 1 for (literal,) in products)
        return sum_of_products(self.new, products) ^ TRUE

    def _factors(self, literal: int) -> tuple[int, ...]:
        new = self._table[literal >> 1] ^ (literal & 1)
        return self.products.get(new, (new,))
