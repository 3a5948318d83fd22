"""Map circuits to netlists: gates with any number of inputs are packed into three-input operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from gdl.circuit.gates import TRUE, Circuit, Loop, uses
from gdl.codegen.netlist import NOT, ONES, ZEROS, A, Netlist, cofactor, gathered, spread
from gdl.compile_budget import check_budget

#: A function of up to three signals that is not yet an operation: the signals, and the table over them.
Expression = tuple[tuple[int, ...], int]

#: The largest gate for which overlaps between its parts are searched.
_FEW = 8


class Lowering:
    """Makes operations for the gates of one circuit on demand, given signals for its inputs.

    A gate that only one other gate needs becomes part of that gate's operation if it is a function of two signals.
    """

    def __init__(self, netlist: Netlist, circuit: Circuit, outputs: Iterable[int], signals: dict[int, int]) -> None:
        """Prepare to lower a circuit; `signals` are the known signals of nodes, and more are added to it."""
        self.netlist = netlist
        self.circuit = circuit
        #: The signals of nodes.
        self.signals = signals
        self._uses = uses(circuit, outputs)
        self._expressions: dict[int, Expression] = {}
        self._loop_of = {node: loop for loop in circuit.loops for node in loop.variables}

    def signal(self, literal: int) -> int:
        """Return the signal of a literal."""
        return self._make(self.expression(literal))

    def expression(self, literal: int) -> Expression:
        """Return a literal as a function of signals."""
        if literal <= TRUE:
            return ((), NOT if literal == TRUE else 0)
        self._prepare(literal >> 1)
        expression = self._expressions.pop(literal >> 1, None)
        return _negated(((self.signals[literal >> 1],), A) if expression is None else expression, literal)

    def _prepare(self, root: int) -> None:
        """Make operations for everything a node needs, without recursion; the node itself may stay an expression."""
        stack = [root]
        fanins, signals, expressions = self.circuit.fanins, self.signals, self._expressions
        while stack:
            check_budget()
            node = stack[-1]
            if node in signals or node in expressions:
                stack.pop()
                continue
            if node in self._loop_of:
                self._loop(self._loop_of[node])
                continue
            if not fanins[node]:
                raise KeyError(f"the input {node} has no signal")
            missing = [
                child >> 1 for child in fanins[node] if child >> 1 not in signals and child >> 1 not in expressions
            ]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            expression = self._gate(fanins[node])
            if self._uses.get(node) == 1 and len(expression[0]) <= 2:
                expressions[node] = expression
            else:
                signals[node] = self._make(expression)

    def _loop(self, loop: Loop) -> None:
        """Make the operations of a loop: first those it needs from outside, then its own."""
        inside = self._dependent(loop)
        for node in sorted(inside):
            for literal in self.circuit.fanins[node]:
                if literal >> 1 not in inside and literal > TRUE:
                    self.signal(literal & ~1)
        for literal in loop.updates:
            if literal >> 1 not in inside:
                self.signal(literal)
        variables = self.netlist.open_loop(len(loop.variables))
        self.signals.update(zip(loop.variables, variables, strict=True))
        self.netlist.close_loop(variables, [self.signal(literal) for literal in loop.updates])

    def _dependent(self, loop: Loop) -> set[int]:
        """Return the variables of a loop, and the gates of its updates that depend on a variable."""
        inside = set(loop.variables)
        cone: list[int] = []
        seen: set[int] = set()
        stack = [literal >> 1 for literal in loop.updates]
        while stack:
            node = stack.pop()
            if node not in seen and node not in self.signals:
                seen.add(node)
                cone.append(node)
                stack += [literal >> 1 for literal in self.circuit.fanins[node]]
        for node in sorted(cone):  # a gate comes after its inputs
            if any(literal >> 1 in inside for literal in self.circuit.fanins[node]):
                inside.add(node)
        return inside

    def _gate(self, fanin: tuple[int, ...]) -> Expression:
        parts: list[Expression] = []
        for literal in fanin:
            node = literal >> 1
            expression = self._expressions.pop(node, None)
            parts.append(_negated(expression if expression is not None else ((self.signals[node],), A), literal))
        return self.all_of(parts)

    def all_of(self, parts: list[Expression]) -> Expression:
        """Return the AND of expressions; operations are made as soon as they are full."""
        wide = [part for part in parts if len(part[0]) == 2]
        narrow = [part for part in parts if len(part[0]) != 2]
        total: Expression = ((), NOT)
        while wide or narrow:
            room = 3 - len(total[0])
            if len(parts) <= _FEW and total[0]:
                best = max(wide + narrow, key=lambda part: _fit(total, part))
                if _fit(total, best) > 0:
                    (wide if best in wide else narrow).remove(best)
                    total = conjunction(total, best)
                    continue
            elif wide and room >= 2:
                total = conjunction(total, wide.pop())
                continue
            elif narrow and room:
                total = conjunction(total, narrow.pop())
                continue
            total = self._settled(total)
        return total

    def _settled(self, expression: Expression) -> Expression:
        """Return an expression as a single signal."""
        signal = self._make(expression)
        return ((signal,), A) if signal > ONES else ((), NOT if signal == ONES else 0)

    def _make(self, expression: Expression) -> int:
        signals, table = expression
        return self.netlist.operation(table, *(*signals, ZEROS, ZEROS, ZEROS)[:3])


def _fit(total: Expression, part: Expression) -> int:
    """Return a score for adding a part to an operation, the more shared signals the better; 0 if it does not fit."""
    together = len(set(total[0]).union(part[0]))
    return 0 if together > 3 else 10 * (len(total[0]) + len(part[0]) - together) + together


def _negated(expression: Expression, literal: int) -> Expression:
    signals, table = expression
    return signals, table ^ NOT if literal & 1 else table


def conjunction(left: Expression, right: Expression) -> Expression:
    """Return the AND of two expressions that have at most three signals between them."""
    signals = tuple(dict.fromkeys(left[0] + right[0]))
    matter, both = _conjunction(
        left[1], tuple(map(signals.index, left[0])), right[1], tuple(map(signals.index, right[0])), len(signals)
    )
    return tuple([signals[place] for place in matter]), both


@cache
def _conjunction(
    left: int, left_places: tuple[int, ...], right: int, right_places: tuple[int, ...], count: int
) -> tuple[tuple[int, ...], int]:
    """Return the places that matter of two tables' signals, and the table of the AND over them.

    There are few tables and ways to place them, and this is called for each part of each gate.
    """
    both = spread(left, left_places) & spread(right, right_places)
    matter = tuple(place for place in range(count) if cofactor(both, place, 0) != cofactor(both, place, 1))
    return matter, both if len(matter) == count else gathered(both, matter)
