"""Find regular parts of netlists: slices that compute the same for each value of one argument of facts.

For example, a game may remember the boards of the last hundred plies as facts `(was ?n ?x ?y ?piece)`. What is computed
from the facts of one `?n` alone is then the same for most values of `?n`. It becomes the body of a loop over them, so
that the code is small, and is skipped where it would only compute zeros.

The netlist is cut into pieces that are evaluated in order: what no slice is needed for, one loop for each kind of
slice, and the rest. They pass rows to each other in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, final

from gdl.codegen.interface import Interface, RowAddress
from gdl.codegen.netlist import ONES, ZEROS, Netlist, cofactor, gathered
from gdl.terms import Function, Term, shape_of

#: There must be at least this many slices of a kind, and they must have this share of all operations.
_FEWEST: Final = 8
_SHARE: Final = 0.5

#: Slices are skipped by the values of at most this many columns.
_MOST_GUARDS: Final = 6

#: Netlists with fewer operations than this are not cut.
_SMALLEST: Final = 5_000


@final
@dataclass(frozen=True, slots=True)
class Family:
    """The facts of one relation, in blocks by the value of one argument.

    A block has the number of each fact, by its other arguments.
    """

    blocks: tuple[dict[tuple[str, ...], int], ...]

    def order(self, facts: int) -> list[int]:
        """Return a new place for each fact. Blocks become contiguous; equal blocks have the same order."""
        own = [number for block in self.blocks for _, number in sorted(block.items())]
        members = set(own)
        sequence = [*(number for number in range(facts) if number not in members), *own]
        places = [0] * facts
        for place, number in enumerate(sequence):
            places[number] = place
        return places


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


def family_of(netlist: Netlist, facts: Sequence[Term]) -> Family | None:
    """Return the largest family such that most of a netlist's operations are about single blocks, if there is one.

    The netlist's first inputs are the facts.
    """
    if len(netlist) < _SMALLEST:
        return None
    found: dict[tuple[str, int, int], dict[str, dict[tuple[str, ...], int]]] = {}
    for number, fact in enumerate(facts):
        if isinstance(fact, Function):
            keys = tuple(arg.key for arg in fact.args)
            for place, key in enumerate(keys):
                blocks = found.setdefault((*shape_of(fact), place), {})
                blocks.setdefault(key, {})[keys[:place] + keys[place + 1 :]] = number
    best, most = None, 0
    for blocks in found.values():
        facts_of = sum(map(len, blocks.values()))
        if len(blocks) >= _FEWEST and facts_of > most:
            family = Family(tuple(blocks.values()))
            members = sum(mask & (mask - 1) == 0 < mask for mask in _masks(netlist, family)[netlist.inputs :])
            if members > _SHARE * len(netlist):
                best, most = family, facts_of
    return best


def _masks(netlist: Netlist, family: Family) -> list[int]:
    """Return the blocks that each signal depends on, as bits of a number."""
    masks = [0] * netlist.inputs
    for number, block in enumerate(family.blocks):
        for fact in block.values():
            masks[2 + fact] = 1 << number
    for one, two, three in zip(*netlist.args, strict=True):
        masks.append(masks[one] | masks[two] | masks[three])
    return masks


def cut(netlist: Netlist, interface: Interface, family: Family) -> tuple[list[Piece], int]:
    """Return the pieces of a netlist, and the number of rows that they pass to each other from `interface.frame` on.

    If it cannot be cut, it is the only piece.
    """
    pieces = None if netlist.loops else _Cut(netlist, interface, family).pieces()
    return pieces or ([Straight(netlist, interface)], 0)


#: What an operation of a slice depends on: the kind of argument, with a number or the other arguments of a fact.
_Argument = tuple[str, int | tuple[str, ...]]


@final
@dataclass(slots=True)
class _Slice:
    """The operations of one block: their signals by the numbers of their forms, in order."""

    number: int
    signals: dict[int, int] = field(default_factory=dict)
    #: The signals from outside that only few slices need, by form and place.
    outside: dict[tuple[int, int], int] = field(default_factory=dict)


@final
class _Cut:
    """A netlist being cut."""

    def __init__(self, netlist: Netlist, interface: Interface, family: Family) -> None:
        self.netlist = netlist
        self.interface = interface
        self.family = family
        self.masks = _masks(netlist, family)
        self.relative = {2 + fact: key for block in family.blocks for key, fact in block.items()}
        self.forms: dict[tuple[int, tuple[_Argument, ...], int], int] = {}
        self.form_of: dict[int, int] = {}
        self.stored: dict[int, list[RowAddress]] = {}
        for signal, place in interface.stores:
            self.stored.setdefault(signal, []).append(place)
        #: The address of a state's first row of each block.
        self.starts = [
            min((interface.inputs[2 + fact].number for fact in block.values()), default=0) for block in family.blocks
        ]
        self.in_place = any(place.pointer == "in" for _, place in interface.stores)
        self.replaces = any(place.pointer in ("in", "out") for _, place in interface.stores)
        self.out = "in" if self.in_place else "out"

    def member(self, signal: int) -> int | None:
        """Return the number of the only block that an operation depends on."""
        mask = self.masks[signal]
        if signal < self.netlist.inputs or not mask or mask & (mask - 1):
            return None
        return mask.bit_length() - 1

    def pieces(self) -> tuple[list[Piece], int] | None:
        netlist, interface = self.netlist, self.interface
        slices = self._slices()
        if slices is None:
            return None
        kinds: dict[object, list[_Slice]] = {}
        for each in slices:
            kinds.setdefault(self._kind(each), []).append(each)
        looped = [each for each in kinds.values() if len(each) >= _FEWEST]
        inside = {signal for kind in looped for each in kind for signal in each.signals.values()}
        if len(inside) < _SHARE * len(netlist):
            return None
        blocks = {each.number for kind in looped for each in kind}
        late = [
            signal for signal in range(netlist.inputs, netlist.signals) if self.masks[signal] and signal not in inside
        ]
        read_late = {column[signal - netlist.inputs] for signal in late for column in netlist.args}
        own = {signal for signal, block in self._own_facts() if block in blocks}
        results = [(signal, place) for signal, place in interface.stores if not self._is_own(signal, place, inside)]
        finals = {signal for signal, _ in (*results, *interface.counts, *interface.collects)}
        # Facts that are replaced in place must be saved for those who read them later.
        exported = (inside | own if self.in_place else inside) & (read_late | finals)
        early = {signal for signal in range(netlist.inputs, netlist.signals) if not self.masks[signal]}
        shared = {netlist.args[place][signal - netlist.inputs] for signal in inside for place in range(3)}
        # Results replace the inputs of an evaluation in place, so they have to wait.
        waiting = early & finals if self.in_place else set()
        passed = sorted(early & (shared | read_late | waiting))
        rows = {signal: RowAddress("base", interface.frame + i) for i, signal in enumerate(passed)}
        at = interface.frame + len(passed)
        loops, columns, exports = [], [], {}
        for kind in looped:
            loop, filled = self._loop(kind, exported, rows, at)
            loops.append(loop)
            columns += filled
            for number, each in enumerate(kind):
                for column, result in zip(loop.exports, self._exports(kind, exported), strict=True):
                    place = RowAddress("base", at + number * loop.width + column)
                    exports[self._signal(each, result)] = place
            at += loop.width * len(kind)
        taken = at - interface.frame
        first = self._early(early, results, [*rows.items(), *columns], at)
        last = self._late(late, results, {**rows, **exports}, early, at)
        loops = [
            replace(
                loop,
                interface=replace(loop.interface, frame=at),
                skipped_interface=replace(loop.skipped_interface, frame=at),
            )
            for loop in loops
        ]
        return [first, *loops, last], taken

    def _own_facts(self) -> Iterable[tuple[int, int]]:
        for number, block in enumerate(self.family.blocks):
            for fact in block.values():
                yield 2 + fact, number

    def _is_own(self, signal: int, place: RowAddress, inside: set[int]) -> bool:
        """Return True if a slice of a loop stores a signal in its own block of the next state."""
        block = self.member(signal)
        return signal in inside and block is not None and self._offset(place, block) is not None

    def _offset(self, place: RowAddress, block: int) -> int | None:
        """Return the number of a row in a block of the next state, if it is there."""
        offset = place.number - self.starts[block]
        inside = place.pointer == self.out and 0 <= offset < len(self.family.blocks[block])
        return offset if inside else None

    def _slices(self) -> list[_Slice] | None:
        """Return the slice of each block; None if one reads a random row."""
        netlist, masks = self.netlist, self.masks
        slices = [_Slice(number) for number in range(len(self.family.blocks))]
        readers: dict[int, int] = {}
        arguments = list(zip(*netlist.args, strict=True))
        for number, signals in enumerate(arguments):
            mask = masks[netlist.inputs + number]
            if self.member(netlist.inputs + number) is not None:
                for signal in signals:
                    if not masks[signal]:
                        readers[signal] = readers.get(signal, 0) | mask
        if not self.interface.randoms.isdisjoint(readers):
            return None
        half = len(slices) // 2
        shared = {signal for signal, mask in readers.items() if mask.bit_count() > half}
        for number, signals in enumerate(arguments):
            signal = netlist.inputs + number
            owner = self.member(signal)
            if owner is not None:
                self._add(slices[owner], signal, signals, shared)
        return slices

    def _add(self, own: _Slice, signal: int, arguments: tuple[int, ...], shared: set[int]) -> None:
        """Add an operation to a slice."""
        described = [self._argument(argument, shared) for argument in arguments]
        order = tuple(sorted(range(3), key=lambda place: (repr(described[place]), arguments[place])))
        table = gathered(self.netlist.tables[signal - self.netlist.inputs], order)
        sorted_ = tuple(described[place] for place in order)
        turn = 0
        while (form := self._form(table, sorted_, turn)) in own.signals:  # it differs only in what is outside
            turn += 1
        own.signals[form] = signal
        self.form_of[signal] = form
        for place, old in enumerate(order):
            if described[old][0] == "outside":
                own.outside[form, place] = arguments[old]

    def _form(self, table: int, arguments: tuple[_Argument, ...], turn: int) -> int:
        return self.forms.setdefault((table, arguments, turn), len(self.forms))

    def _argument(self, signal: int, shared: set[int]) -> _Argument:
        if signal in self.relative:
            return "fact", self.relative[signal]
        if signal in self.form_of:
            return "form", self.form_of[signal]
        return ("shared", signal) if signal <= ONES or signal in shared else ("outside", 0)

    def _kind(self, own: _Slice) -> object:
        """Return a key that slices have in common if the same loop can compute them."""
        stores = {
            (form, self._offset(place, own.number))
            for form, signal in own.signals.items()
            for place in self.stored.get(signal, ())
        }
        return frozenset(own.signals), frozenset(stores), tuple(sorted(self.family.blocks[own.number]))

    def _exports(self, kind: Sequence[_Slice], exported: set[int]) -> list[_Argument]:
        """Return the operations and facts of slices that others read."""
        found: set[_Argument] = set()
        for each in kind:
            found |= {("form", form) for form, signal in each.signals.items() if signal in exported}
            block = self.family.blocks[each.number]
            found |= {("fact", key) for key, fact in block.items() if 2 + fact in exported}
        return sorted(found, key=repr)

    def _signal(self, own: _Slice, argument: _Argument) -> int:
        """Return the signal of an operation or fact of a slice."""
        _, key = argument
        return own.signals[key] if isinstance(key, int) else 2 + self.family.blocks[own.number][key]

    def _loop(
        self, kind: Sequence[_Slice], exported: set[int], rows: Mapping[int, RowAddress], at: int
    ) -> tuple[Loop, list[tuple[int, RowAddress]]]:
        """Return the loop for slices of one kind, and the signals that must be stored in its columns."""
        first = kind[0]
        # Columns with the same signals for every slice are the same.
        columns: dict[tuple[int, ...], int] = {}
        column_of = {
            place: columns.setdefault(tuple(each.outside[place] for each in kind), len(columns))
            for place in first.outside
        }
        forms = {number: form for form, number in self.forms.items()}
        facts = {key: offset for offset, key in enumerate(sorted(self.family.blocks[first.number]))}
        shared = sorted(
            {
                int(argument)  # type: ignore[arg-type]  # it is a signal
                for form in first.signals
                for kind_, argument in forms[form][1]
                if kind_ == "shared" and argument not in (ZEROS, ONES)
            }
        )
        body = Netlist(len(facts) + len(shared) + len(columns))
        inputs: dict[int, RowAddress] = {}
        signals: dict[_Argument, int] = {("shared", ZEROS): ZEROS, ("shared", ONES): ONES}
        for key, offset in facts.items():
            signals["fact", key] = 2 + offset
            inputs[2 + offset] = RowAddress("own", offset)
        for number, signal in enumerate(shared, 2 + len(facts)):
            signals["shared", signal] = number
            inputs[number] = rows[signal] if signal in rows else self.interface.inputs[signal]
        outside = 2 + len(facts) + len(shared)
        for number in range(len(columns)):
            inputs[outside + number] = RowAddress("columns", number)
        wanted = self._exports(kind, exported)
        saved = {result: body.copy(signals[result]) for result in wanted if result[0] == "fact"}
        for form in first.signals:
            table, arguments, _ = forms[form]
            read = [
                outside + column_of[form, place] if argument[0] == "outside" else signals[argument]
                for place, argument in enumerate(arguments)
            ]
            signals["form", form] = body.operation(table, *read)
        stores = [
            (signals["form", form], RowAddress("next", at_row))
            for form, signal in first.signals.items()
            for place in self.stored.get(signal, ())
            if (at_row := self._offset(place, first.number)) is not None
        ]
        results = [saved[result] if result in saved else signals[result] for result in wanted]
        guards = None
        # A slice cannot be skipped if others write to its block of the next state.
        alone = len({place.number for _, place in stores}) == len(facts)
        if alone or not self.replaces:
            following = [signal for signal, _ in stores]
            guards = _guards(body, len(facts), range(outside, outside + len(columns)), following)
        known = dict.fromkeys(range(2, 2 + len(facts)), False) | {outside + i: value for i, value in guards or ()}
        skipped, left = _left(body, known, results)
        places = [RowAddress("columns", len(columns) + i) for i in range(len(results))]
        stores += zip(results, places, strict=True)
        width = len(columns) + len(results)
        loop = Loop(
            netlist=body,
            interface=Interface(inputs, stores),
            blocks=tuple(each.number for each in kind),
            starts=tuple(self.starts[each.number] for each in kind),
            length=len(facts),
            columns=at,
            width=width,
            guards=guards,
            skipped=skipped,
            skipped_interface=Interface(inputs, list(zip(left, places, strict=True))),
            exports=tuple(range(len(columns), width)),
        )
        filled = [
            (signal, RowAddress("base", at + number * width + column))
            for chosen, column in columns.items()
            for number, signal in enumerate(chosen)
        ]
        return loop, filled

    def _early(
        self,
        early: set[int],
        results: Iterable[tuple[int, RowAddress]],
        passed: Sequence[tuple[int, RowAddress]],
        frame: int,
    ) -> Straight:
        """Return the piece with everything that does not depend on a block."""
        interface = self.interface
        part = _Part(self.netlist, 0)
        for signal in sorted(early):
            part.add(signal)
        now = early if not self.in_place else set()

        def own(actions: Iterable[tuple[int, RowAddress]]) -> list[tuple[int, RowAddress]]:
            return [(part.signal[signal], place) for signal, place in actions if signal in now]

        return Straight(
            part.new,
            replace(
                interface,
                stores=own(results) + [(part.signal[signal], place) for signal, place in passed],
                counts=own(interface.counts),
                collects=own(interface.collects),
                frame=frame,
            ),
        )

    def _late(
        self,
        late: Iterable[int],
        results: Iterable[tuple[int, RowAddress]],
        passed: Mapping[int, RowAddress],
        early: set[int],
        frame: int,
    ) -> Straight:
        """Return the piece with everything else."""
        interface = self.interface
        part = _Part(self.netlist, len(passed))
        inputs = dict(interface.inputs)
        for number, (signal, place) in enumerate(passed.items(), self.netlist.inputs):
            part.signal[signal] = number
            inputs[number] = place
        for signal in late:
            part.add(signal)
        done = set() if self.in_place else early

        def own(actions: Iterable[tuple[int, RowAddress]]) -> list[tuple[int, RowAddress]]:
            return [(part.signal[signal], place) for signal, place in actions if signal not in done]

        return Straight(
            part.new,
            replace(
                interface,
                inputs=inputs,
                stores=own(results),
                counts=own(interface.counts),
                collects=own(interface.collects),
                frame=frame,
            ),
        )


@final
class _Part:
    """Some operations of a netlist as another netlist, with more inputs."""

    def __init__(self, old: Netlist, more: int) -> None:
        self.old = old
        self.new = Netlist(old.inputs - 2 + more)
        self.signal = {signal: signal for signal in range(old.inputs)}

    def add(self, signal: int) -> None:
        number = signal - self.old.inputs
        arguments = [self.signal[column[number]] for column in self.old.args]
        # Copies stay copies: each read of a random row makes a new one.
        self.signal[signal] = self.new.exact(self.old.tables[number], *arguments)


def _guards(
    body: Netlist, facts: int, columns: Sequence[int], following: Sequence[int]
) -> tuple[tuple[int, bool], ...] | None:
    """Return the fewest columns, with values, with which a slice without facts stays without; None if it never does."""
    zero = dict.fromkeys(range(2, 2 + facts), False)

    def holds(guards: Mapping[int, bool]) -> bool:
        known = _constants(body, {**zero, **guards})
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


def _left(netlist: Netlist, known: Mapping[int, bool], results: Sequence[int]) -> tuple[Netlist, list[int]]:
    """Return what is left of a netlist if some inputs are known and only some results are needed; and these results."""
    left = Netlist(netlist.inputs - 2)
    signals = {signal: signal for signal in range(netlist.inputs)}
    signals |= {signal: ONES if value else ZEROS for signal, value in known.items()}
    for number in range(len(netlist)):
        arguments = [signals[column[number]] for column in netlist.args]
        signals[netlist.inputs + number] = left.operation(netlist.tables[number], *arguments)
    return _pruned(left, [signals[signal] for signal in results])


def _pruned(netlist: Netlist, results: Sequence[int]) -> tuple[Netlist, list[int]]:
    """Return a netlist without the operations that no result needs."""
    needed = set(results)
    for number in reversed(range(len(netlist))):
        if netlist.inputs + number in needed:
            needed.update(column[number] for column in netlist.args)
    part = _Part(netlist, 0)
    for signal in range(netlist.inputs, netlist.signals):
        if signal in needed:
            part.add(signal)
    return part.new, [part.signal[signal] for signal in results]


def _constants(netlist: Netlist, inputs: Mapping[int, bool]) -> dict[int, bool]:
    """Return the signals that are constant if some inputs are, with their values."""
    known = {ZEROS: False, ONES: True, **inputs}
    for number, arguments in enumerate(zip(*netlist.args, strict=True)):
        table = netlist.tables[number]
        for place, signal in enumerate(arguments):
            if signal in known:
                table = cofactor(table, place, known[signal])
        if table in (0, 0xFF):
            known[netlist.inputs + number] = bool(table)
    return known
