"""Cut netlists with regular parts into pieces (see `gdl.codegen.slices`).

The pieces are evaluated in order: everything that no slice is needed for, one loop for each kind of slice, and the
rest. They pass rows to each other in memory. The code of a loop is small, what is the same for all slices is computed
before it (see `gdl.codegen.hoisting`), and a slice that would only compute zeros is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, final

from gdl.codegen.hoisting import Hoisted, hoisted
from gdl.codegen.interface import Interface, RowAddress
from gdl.codegen.netlist import ONES, ZEROS, Netlist
from gdl.codegen.slices import Argument, Family, Slice, Slicing
from gdl.codegen.specialization import Part, constants, specialized

#: Slices are skipped by the values of at most this many columns.
_MOST_GUARDS: Final = 6


@final
@dataclass(frozen=True, slots=True)
class Straight:
    """A piece that is evaluated once."""

    netlist: Netlist
    interface: Interface


@final
@dataclass(frozen=True, slots=True)
class Loop:
    """A piece that is evaluated once for each slice.

    Its interface has three more pointers: `own` to the block of facts, `next` to the same block of the next state, and
    `columns` to the rows that only this slice needs from outside, followed by its results for others.
    """

    netlist: Netlist
    interface: Interface
    #: The numbers of the blocks, and the first row of each in a state; the number of rows of a block.
    blocks: tuple[int, ...]
    starts: tuple[int, ...]
    length: int
    #: The first row of the columns of the first slice, from `base`, and the number of columns.
    columns: int
    width: int
    #: A slice may be skipped if its block is zero and these columns have these values; None if it may not.
    guards: tuple[tuple[int, bool], ...] | None
    #: What is left of the netlist then: the results for others.
    skipped: Netlist
    skipped_interface: Interface
    #: The columns of results for others.
    exports: tuple[int, ...]


Piece = Straight | Loop


def cut(netlist: Netlist, interface: Interface, family: Family, *, reads_first: bool) -> tuple[list[Piece], int]:
    """Return the pieces of a netlist, and the number of rows that they pass to each other from `interface.frame` on.

    If it cannot be cut, it is the only piece. `reads_first` tells that the code of a piece may be relied on to read
    every row before it replaces it.
    """
    slicing = Slicing(netlist, interface, family)
    kinds = [] if netlist.loops else slicing.kinds()
    return _Cut(slicing, kinds, reads_first).pieces() if kinds else ([Straight(netlist, interface)], 0)


@final
class _Cut:
    """A netlist being cut."""

    def __init__(self, slicing: Slicing, kinds: Sequence[Sequence[Slice]], reads_first: bool) -> None:
        self.slicing = slicing
        #: True if an operation must read a row before another one replaces it.
        self.ordered = slicing.in_place and not reads_first
        self.netlist = netlist = slicing.netlist
        self.interface = interface = slicing.interface
        self.kinds = kinds
        masks = slicing.masks
        self.replaces = any(place.pointer in ("in", "out") for _, place in interface.stores)
        self.inside = inside = {signal for kind in kinds for each in kind for signal in each.signals.values()}
        operations = range(netlist.inputs, netlist.signals)
        self.early = {signal for signal in operations if not masks[signal] and signal not in inside}
        self.late = [signal for signal in operations if masks[signal] and signal not in inside]
        read_late = {column[signal - netlist.inputs] for signal in self.late for column in netlist.args}
        #: The results that no loop stores in its own blocks.
        self.results = [(signal, place) for signal, place in interface.stores if not self._is_own(signal, place)]
        finals = {signal for signal, _ in (*self.results, *interface.counts, *interface.collects)}
        blocks = {each.number for kind in kinds for each in kind}
        own = {signal for signal, block in slicing.own_facts() if block in blocks}
        #: The operations and facts of slices that others read. Facts that are replaced in place must be saved for them.
        self.exported = (inside | own if slicing.in_place else inside) & (read_late | finals)
        #: The rows that later pieces read. The first piece must not replace them.
        read_later = read_late | {column[signal - netlist.inputs] for signal in inside for column in netlist.args}
        self.kept = {place for signal, place in interface.inputs.items() if signal in read_later}
        actions = (*self.results, *interface.counts, *interface.collects)
        waiting = {signal for signal, place in actions if not self._is_early(signal, place)}
        self.read_late = self.early & (read_late | waiting)
        self.first = Part(netlist, 0)
        for signal in sorted(self.early):
            self.first.add(signal)
        self.at = interface.frame
        #: The places of the first piece's signals that other pieces read.
        self.rows: dict[int, RowAddress] = {}
        self.filled: list[tuple[int, RowAddress]] = []

    def pieces(self) -> tuple[list[Piece], int]:
        loops: list[Loop] = []
        exports: dict[int, RowAddress] = {}
        for kind in self.kinds:
            loop = self._loop(kind)
            loops.append(loop)
            results = self._exports(kind)
            for number, each in enumerate(kind):
                for column, result in zip(loop.exports, results, strict=True):
                    place = RowAddress("base", loop.columns + number * loop.width + column)
                    exports[self.slicing.signal(each, result)] = place
        passed = {signal: self._row(self.first.signal[signal]) for signal in sorted(self.read_late)}
        last = self._last({**passed, **exports})
        pieces: list[Piece] = [
            self._first(),
            *(
                replace(
                    loop,
                    interface=replace(loop.interface, frame=self.at),
                    skipped_interface=replace(loop.skipped_interface, frame=self.at),
                )
                for loop in loops
            ),
            last,
        ]
        return pieces, self.at - self.interface.frame

    def _is_own(self, signal: int, place: RowAddress) -> bool:
        """Return True if a slice of a loop stores a signal in its own block of the next state."""
        block = self.slicing.member(signal)
        return signal in self.inside and block is not None and self.slicing.offset(place, block) is not None

    def _is_early(self, signal: int, place: RowAddress) -> bool:
        """Return True if the first piece may write a signal to a place."""
        return signal in self.early and not self.ordered and place not in self.kept

    def _row(self, signal: int) -> RowAddress:
        """Return the place where other pieces find a signal of the first piece."""
        if ONES < signal < self.netlist.inputs:
            return self.interface.inputs[signal]
        if signal not in self.rows:
            self.rows[signal] = RowAddress("base", self.at)
            self.at += 1
        return self.rows[signal]

    def _exports(self, kind: Sequence[Slice]) -> list[Argument]:
        """Return the operations and facts of slices that others read."""
        found: set[Argument] = set()
        for each in kind:
            found |= {("form", form) for form, signal in each.signals.items() if signal in self.exported}
            block = self.slicing.family.blocks[each.number]
            found |= {("fact", key) for key, fact in block.items() if 2 + fact in self.exported}
        return sorted(found, key=repr)

    def _loop(self, kind: Sequence[Slice]) -> Loop:
        """Return the loop for slices of one kind; rows that it reads are added to those of the first piece."""
        slicing, first = self.slicing, kind[0]
        # Columns with the same signals for every slice are the same.
        columns: dict[tuple[int, ...], int] = {}
        column_of = {
            place: columns.setdefault(tuple(each.outside[place] for each in kind), len(columns))
            for place in first.outside
        }
        facts = {key: offset for offset, key in enumerate(sorted(slicing.family.blocks[first.number]))}
        forms = slicing.forms()
        shared = sorted(
            {
                int(argument)  # type: ignore[arg-type]  # it is a signal
                for form in first.signals
                for kind_, argument in forms[form][1]
                if kind_ == "shared" and argument not in (ZEROS, ONES)
            }
        )
        # The inputs of the body: the block's facts, the columns, and rows that are the same for all slices.
        body = Netlist(len(facts) + len(columns) + len(shared))
        outside = range(2 + len(facts), 2 + len(facts) + len(columns))
        signals: dict[Argument, int] = {("shared", ZEROS): ZEROS, ("shared", ONES): ONES}
        signals |= {("fact", key): 2 + offset for key, offset in facts.items()}
        signals |= {("shared", signal): number for number, signal in enumerate(shared, outside.stop)}
        wanted = self._exports(kind)
        saved = {result: body.copy(signals[result]) for result in wanted if result[0] == "fact"}
        for form in first.signals:
            table, arguments = forms[form]
            read = [
                outside[column_of[form, place]] if argument[0] == "outside" else signals[argument]
                for place, argument in enumerate(arguments)
            ]
            signals["form", form] = body.operation(table, *read)
        following = [
            (signals["form", form], RowAddress("next", at_row))
            for form, signal in first.signals.items()
            for place in slicing.stored.get(signal, ())
            if (at_row := slicing.offset(place, first.number)) is not None
        ]
        guards = None
        # A slice cannot be skipped if others write to its block of the next state.
        alone = len({place.number for _, place in following}) == len(facts)
        if alone or not self.replaces:
            guards = _guards(body, len(facts), outside, [signal for signal, _ in following])
        results = [signal for signal, _ in following]
        results += [saved[result] if result in saved else signals[result] for result in wanted]
        body, rows, results = self._hoisted(body, outside.stop, shared, results)
        known = dict.fromkeys(range(2, outside.start), False)
        known |= {outside[column]: value for column, value in guards or ()}
        skipped, left = specialized(body, known, results[len(following) :])
        places = [RowAddress("columns", len(columns) + i) for i in range(len(wanted))]
        inputs = {2 + offset: RowAddress("own", offset) for offset in range(len(facts))}
        inputs |= {signal: RowAddress("columns", column) for column, signal in enumerate(outside)}
        inputs |= dict(enumerate(rows, outside.stop))
        start, width = self.at, len(columns) + len(wanted)
        self.at += width * len(kind)
        self.filled += [
            (self.first.signal[signal], RowAddress("base", start + number * width + column))
            for chosen, column in columns.items()
            for number, signal in enumerate(chosen)
        ]
        return Loop(
            netlist=body,
            interface=Interface(inputs, list(zip(results, [*(place for _, place in following), *places], strict=True))),
            blocks=tuple(each.number for each in kind),
            starts=tuple(slicing.starts[each.number] for each in kind),
            length=len(facts),
            columns=start,
            width=width,
            guards=guards,
            skipped=skipped,
            skipped_interface=Interface(inputs, list(zip(left, places, strict=True))),
            exports=tuple(range(len(columns), width)),
        )

    def _hoisted(
        self, body: Netlist, fixed: int, shared: Sequence[int], results: list[int]
    ) -> tuple[Netlist, list[RowAddress], list[int]]:
        """Move what the slices have in common to the first piece, if that saves operations.

        `shared` are the signals of the whole netlist that are the inputs of the body from `fixed` on. Return the new
        body, the places of the inputs from there on, and the signals of the results.
        """
        signals = [self.first.signal[signal] for signal in shared]
        if not self.ordered:
            moved = hoisted(body, range(2, fixed), range(fixed, body.inputs), results)
            if len(moved.body) < len(body):
                body, results = moved.body, list(moved.results)
                signals = self._added(moved, signals)
        return body, [self._row(signal) for signal in signals], results

    def _added(self, moved: Hoisted, inputs: Sequence[int]) -> list[int]:
        """Add hoisted operations on some inputs to the first piece; return their rows' signals there."""
        outside = moved.outside
        signals = [ZEROS, ONES, *inputs]
        for number, table in enumerate(outside.tables):
            arguments = (signals[column[number]] for column in outside.args)
            signals.append(self.first.new.operation(table, *arguments))
        return [signals[row] for row in moved.rows]

    def _first(self) -> Straight:
        """Return the piece with everything that does not depend on a block."""
        part, interface = self.first, self.interface

        def own(actions: Iterable[tuple[int, RowAddress]]) -> list[tuple[int, RowAddress]]:
            return [(part.signal[signal], place) for signal, place in actions if self._is_early(signal, place)]

        return Straight(
            part.new,
            replace(
                interface,
                stores=[*own(self.results), *self.rows.items(), *self.filled],
                counts=own(interface.counts),
                collects=own(interface.collects),
                frame=self.at,
            ),
        )

    def _last(self, passed: Mapping[int, RowAddress]) -> Straight:
        """Return the piece with everything else."""
        interface = self.interface
        part = Part(self.netlist, len(passed))
        inputs = dict(interface.inputs)
        for number, (signal, place) in enumerate(passed.items(), self.netlist.inputs):
            part.signal[signal] = number
            inputs[number] = place
        for signal in self.late:
            part.add(signal)

        def own(actions: Iterable[tuple[int, RowAddress]]) -> list[tuple[int, RowAddress]]:
            return [(part.signal[signal], place) for signal, place in actions if not self._is_early(signal, place)]

        return Straight(
            part.new,
            replace(
                interface,
                inputs=inputs,
                stores=own(self.results),
                counts=own(interface.counts),
                collects=own(interface.collects),
                frame=self.at,
            ),
        )


def _guards(
    body: Netlist, facts: int, columns: Sequence[int], following: Sequence[int]
) -> tuple[tuple[int, bool], ...] | None:
    """Return the fewest columns, with values, with which a slice without facts stays without; None if it never does."""
    zero = dict.fromkeys(range(2, 2 + facts), False)

    def holds(guards: Mapping[int, bool]) -> bool:
        known = constants(body, {**zero, **guards})
        return all(known.get(signal) is False for signal in following)

    best: dict[int, bool] | None = None
    for chosen in product((False, True), repeat=min(len(columns), _MOST_GUARDS)):
        guards = dict(zip(columns, chosen, strict=False))
        if not holds(guards):
            continue
        for column in tuple(guards):
            fewer = {guard: value for guard, value in guards.items() if guard != column}
            if holds(fewer):
                guards = fewer
        if best is None or len(guards) < len(best):
            best = guards
    return None if best is None else tuple((guard - columns[0], value) for guard, value in best.items())
