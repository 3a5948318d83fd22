"""Hoist what does not vary out of the bodies of loops.

Most inputs of a loop's body are the same for all slices. An operation that reads both kinds of inputs is in the loop,
even if most of its formula is about the latter. For example, `(own & a | own & b) & !c` is an AND of `own` and one row,
`(a | b) & !c`, which is computed once. For every signal that varies, cuts of up to three signals
that vary are searched, such that the signal is a function of them with the same rows for all slices as coefficients.
The coefficients move out of the loop, and the signal takes few operations. Combinations of the signals of a cut that
never occur leave a choice of coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, final

from gdl.codegen.coefficients import Label, Shape, emitted, labelled
from gdl.codegen.netlist import ONES, ZEROS, Netlist
from gdl.codegen.truth_tables import Table, applied, either, pattern, synthesized

#: The largest number of signals in a cut, of cuts of a signal, and of inputs on which a signal with a cut depends.
_CUT: Final = 3
_CUTS: Final = 6
_SUPPORT: Final = 12


@final
@dataclass(frozen=True, slots=True)
class Hoisted:
    """The body of a loop after hoisting."""

    #: The operations outside of the loop. Its inputs are those of the original body that do not vary.
    outside: Netlist
    #: The signals of `outside` that the body reads.
    rows: tuple[int, ...]
    #: The new body. Its inputs are those of the original body that vary, followed by `rows`.
    body: Netlist
    #: The signals of the results.
    results: tuple[int, ...]


def hoisted(netlist: Netlist, varying: Sequence[int], fixed: Sequence[int], results: Sequence[int]) -> Hoisted:
    """Hoist what depends only on the inputs `fixed`, not on those `varying`, out of a netlist without loops."""
    return _Hoisting(netlist, varying, fixed, results).result()


@final
@dataclass(frozen=True, slots=True)
class _Plan:
    """A way to compute a signal: by operations on the signals of a cut and coefficients."""

    cut: tuple[int, ...]
    shape: Shape
    #: The coefficients' values, and where they matter, as tables over `support`.
    rows: tuple[tuple[Table, Table], ...]
    support: tuple[int, ...]


@final
class _Hoisting:
    def __init__(self, netlist: Netlist, varying: Sequence[int], fixed: Sequence[int], results: Sequence[int]) -> None:
        self.netlist = netlist
        self.varying = tuple(varying)
        self.fixed = tuple(fixed)
        self.results = tuple(results)
        self.varies = set(varying)
        for signal in range(netlist.inputs, netlist.signals):
            if not self.varies.isdisjoint(self.arguments(signal)):
                self.varies.add(signal)
        self.fanouts = [0] * netlist.signals
        for column in netlist.args:
            for signal in column:
                self.fanouts[signal] += 1
        for signal in results:
            self.fanouts[signal] += 1
        self.support: dict[int, frozenset[int] | None] = {}
        self.cuts: dict[int, list[tuple[int, ...]]] = {}
        self.plans: dict[int, _Plan] = {}
        self.flow: dict[int, float] = {}

    def arguments(self, signal: int) -> tuple[int, int, int]:
        number = signal - self.netlist.inputs
        one, two, three = (column[number] for column in self.netlist.args)
        return one, two, three

    def result(self) -> Hoisted:
        """Choose a plan for each signal, then build the netlists."""
        for signal in (*self.varying, *self.fixed):
            self.support[signal] = frozenset((signal,))
        for signal in self.varying:
            self.cuts[signal] = [(signal,)]
            self.flow[signal] = 0.0
        for signal in range(self.netlist.inputs, self.netlist.signals):
            self._look(signal)
        return _Building(self).result()

    def _look(self, signal: int) -> None:
        """Find the support, cuts and best plan of an operation."""
        arguments = [argument for argument in self.arguments(signal) if argument > ONES]
        supports = [self.support[argument] for argument in arguments]
        known = [support for support in supports if support is not None]
        joined = frozenset().union(*known)
        support = self.support[signal] = joined if len(known) == len(supports) and len(joined) <= _SUPPORT else None
        if signal not in self.varies:
            return
        direct = tuple(sorted({argument for argument in arguments if argument in self.varies}))
        if support is None:
            self.cuts[signal] = [(signal,)]
            self.flow[signal] = 1 + sum(self.flow[leaf] / self.fanouts[leaf] for leaf in direct)
            return
        tables = self._tables(signal, sorted(support))
        plans = []
        for cut in self._merged(direct):
            plan = self._plan(signal, cut, tuple(sorted(support)), tables)
            if plan is not None:
                plans.append(
                    (plan.shape.cost + sum(self.flow[leaf] / self.fanouts[leaf] for leaf in cut), len(cut), plan)
                )
        plans.sort(key=lambda each: (each[0], each[1], each[2].cut))
        self.flow[signal], _, self.plans[signal] = plans[0]
        kept = [plan.cut for _, _, plan in plans[:_CUTS]]
        # A function of one signal that varies is never a leaf: that signal can stand for it.
        single = next((cut for cut in kept if len(cut) == 1), None)
        self.cuts[signal] = [(signal,), *kept] if single is None else kept
        if single is not None:
            self.fanouts[single[0]] += self.fanouts[signal] - 1

    def _merged(self, direct: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the cuts of an operation, made of the cuts of its arguments."""
        chosen = product(*(self.cuts[argument] for argument in direct))
        found = {tuple(sorted({leaf for cut in cuts for leaf in cut})) for cuts in chosen}
        return sorted(cut for cut in found if len(cut) <= _CUT)

    def _tables(self, root: int, inputs: Sequence[int]) -> dict[int, Table]:
        """Return the tables of all signals that an operation depends on, over some inputs."""
        size = 1 << len(inputs)
        full = (1 << size) - 1
        tables = {ZEROS: 0, ONES: full}
        for place, signal in enumerate(inputs):
            tables[signal] = pattern(place, len(inputs))
        stack = [root]
        while stack:
            signal = stack[-1]
            if signal in tables:
                stack.pop()
                continue
            missing = [argument for argument in self.arguments(signal) if argument not in tables]
            if missing:
                stack += missing
                continue
            one, two, three = (tables[argument] for argument in self.arguments(signal))
            tables[signal] = applied(self.netlist.tables[signal - self.netlist.inputs], one, two, three, full)
        return tables

    def _plan(
        self, signal: int, cut: tuple[int, ...], inputs: tuple[int, ...], tables: Mapping[int, Table]
    ) -> _Plan | None:
        """Return the plan for a signal by a cut, if it is a function of the cut and coefficients."""
        if any(leaf not in tables for leaf in cut):
            return None
        full = tables[ONES]
        moving = [place for place, each in enumerate(inputs) if each in self.varies]
        labels: list[Label | None] = []
        rows: list[tuple[Table, Table]] = []
        for values in product((False, True), repeat=len(cut)):
            where = full
            for leaf, value in zip(cut, values, strict=True):
                where &= tables[leaf] if value else full ^ tables[leaf]
            on, off = where & tables[signal], where & (full ^ tables[signal])
            for place in moving:
                on, off = either(on, place, len(inputs)), either(off, place, len(inputs))
            if on & off:
                return None
            labels.append(labelled(on, off, rows))
        return _Plan(cut, Shape(tuple(labels), range(len(cut))), tuple(rows), inputs)


@final
class _Building:
    """The netlists under construction."""

    def __init__(self, hoisting: _Hoisting) -> None:
        self.hoisting = hoisting
        self.outside = Netlist(len(hoisting.fixed))
        self.inputs = {ZEROS: ZEROS, ONES: ONES}
        self.inputs |= {signal: 2 + i for i, signal in enumerate(hoisting.fixed)}
        self.rows: dict[int, int] = {}
        self.needed = self._needed()

    def _needed(self) -> list[int]:
        """Return the operations of the body that are needed, each soon before one that needs it."""
        hoisting = self.hoisting
        needed: dict[int, None] = {}
        # Results that depend on others come first, as they read them.
        stack = [signal for signal in sorted(hoisting.results) if signal in hoisting.varies]
        while stack:
            signal = stack[-1]
            if signal in needed or signal < hoisting.netlist.inputs:
                stack.pop()
                continue
            plan = hoisting.plans.get(signal)
            leaves = hoisting.arguments(signal) if plan is None else plan.cut
            missing = [
                leaf
                for leaf in leaves
                if leaf in hoisting.varies and leaf >= hoisting.netlist.inputs and leaf not in needed
            ]
            if missing:
                stack += missing
                continue
            needed[stack.pop()] = None
        return list(needed)

    def result(self) -> Hoisted:
        """Build the netlists: the rows outside first, as they become inputs of the body."""
        hoisting = self.hoisting
        plans = hoisting.plans
        rows_of = {
            signal: [self._synthesized(*row, plans[signal].support) for row in plans[signal].rows]
            for signal in self.needed
            if signal in plans
        }
        for signal in self.needed:
            if signal not in plans:
                for argument in hoisting.arguments(signal):
                    self._fixed(argument)
        for signal in hoisting.results:
            self._fixed(signal)
        coefficients = sorted(
            {row for rows in rows_of.values() for row in rows}
            | {self.inputs[s] for s in self._read() if s not in hoisting.varies}
        )
        read = [row for row in coefficients if row > ONES]
        body = Netlist(len(hoisting.varying) + len(read))
        row_of = {ZEROS: ZEROS, ONES: ONES}
        row_of |= {row: 2 + len(hoisting.varying) + i for i, row in enumerate(read)}
        signals = {signal: 2 + i for i, signal in enumerate(hoisting.varying)}

        def known(signal: int) -> int:
            return signals[signal] if signal in hoisting.varies else row_of[self.inputs[signal]]

        for signal in self.needed:
            plan = plans.get(signal)
            if plan is None:
                table = hoisting.netlist.tables[signal - hoisting.netlist.inputs]
                signals[signal] = body.operation(table, *(known(each) for each in hoisting.arguments(signal)))
            else:
                rows = [row_of[row] for row in rows_of[signal]]
                signals[signal] = emitted(body, plan.shape, [signals[leaf] for leaf in plan.cut], rows)
        return Hoisted(self.outside, tuple(read), body, tuple(known(signal) for signal in hoisting.results))

    def _read(self) -> Iterable[int]:
        """Yield the signals that results and operations without a plan read."""
        yield from self.hoisting.results
        for signal in self.needed:
            if signal not in self.hoisting.plans:
                yield from self.hoisting.arguments(signal)

    def _fixed(self, signal: int) -> None:
        """Make the operations outside for a signal that does not vary."""
        stack = [signal]
        hoisting, known = self.hoisting, self.inputs
        while stack:
            each = stack[-1]
            if each in known or each in hoisting.varies:
                stack.pop()
                continue
            missing = [argument for argument in hoisting.arguments(each) if argument not in known]
            if missing:
                stack += missing
                continue
            table = hoisting.netlist.tables[each - hoisting.netlist.inputs]
            known[each] = self.outside.operation(table, *(known[argument] for argument in hoisting.arguments(each)))

    def _synthesized(self, value: Table, matters: Table, support: tuple[int, ...]) -> int:
        """Return the signal outside of a row with given values where they matter."""
        fixed = [place for place, signal in enumerate(support) if signal not in self.hoisting.varies]
        return synthesized(
            self.outside,
            value,
            matters,
            {place: self.inputs[support[place]] for place in fixed},
            len(support),
        )
