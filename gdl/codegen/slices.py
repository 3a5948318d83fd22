"""Find regular parts of netlists: slices that compute the same for each value of one argument of facts.

For example, a game may remember the boards of the last hundred plies as facts `(was ?n ?x ?y ?piece)`. What is computed
from the facts of one `?n` alone is then the same for most values of `?n`: it is the slice of that value.
`gdl.codegen.cutting` makes it the body of a loop over these values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from gdl.codegen.interface import Interface, RowAddress
from gdl.codegen.netlist import ONES, ZEROS, Netlist, gathered
from gdl.terms import Function, Term, shape_of

#: There must be at least this many slices of a kind, and slices must have this share of all operations. Smaller kinds
#: become loops, too, if slices have this many operations, as it is worthwhile to skip them.
_FEWEST: Final = 8
_SHARE: Final = 0.5
_MANY: Final = 100

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


#: What an operation of a slice depends on: the kind of argument, with a number or the other arguments of a fact.
Argument = tuple[str, int | tuple[str, ...]]


@final
@dataclass(slots=True)
class Slice:
    """The operations of one block: their signals by the numbers of their forms, in order."""

    number: int
    signals: dict[int, int] = field(default_factory=dict)
    #: The signals from outside that only few slices need, by form and place.
    outside: dict[tuple[int, int], int] = field(default_factory=dict)


@final
class Slicing:
    """The slices of a netlist. A *form* is what operations of several slices have in common."""

    def __init__(self, netlist: Netlist, interface: Interface, family: Family) -> None:
        """Prepare to find slices by a family of facts."""
        self.netlist = netlist
        self.interface = interface
        self.family = family
        #: The blocks that each signal depends on, as bits of a number.
        self.masks = _masks(netlist, family)
        #: The address of a state's first row of each block.
        self.starts = [
            min((interface.inputs[2 + fact].number for fact in block.values()), default=0) for block in family.blocks
        ]
        #: True if results replace the state in place.
        self.in_place = any(place.pointer == "in" for _, place in interface.stores)
        #: The places where each signal is stored.
        self.stored: dict[int, list[RowAddress]] = {}
        for signal, place in interface.stores:
            self.stored.setdefault(signal, []).append(place)
        self._relative = {2 + fact: key for block in family.blocks for key, fact in block.items()}
        self._forms: dict[tuple[int, tuple[Argument, ...], int], int] = {}
        self._form_of: dict[int, int] = {}

    def member(self, signal: int) -> int | None:
        """Return the number of the only block that an operation depends on."""
        mask = self.masks[signal]
        if signal < self.netlist.inputs or not mask or mask & (mask - 1):
            return None
        return mask.bit_length() - 1

    def own_facts(self) -> Iterator[tuple[int, int]]:
        """Yield the signals of the family's facts, each with its block."""
        for number, block in enumerate(self.family.blocks):
            for fact in block.values():
                yield 2 + fact, number

    def offset(self, place: RowAddress, block: int) -> int | None:
        """Return the number of a row in a block of the next state, if it is there."""
        offset = place.number - self.starts[block]
        inside = place.pointer == ("in" if self.in_place else "out") and 0 <= offset < len(self.family.blocks[block])
        return offset if inside else None

    def kinds(self) -> list[list[Slice]]:
        """Return the slices that become loops, in groups that one loop can compute; none if that is not worthwhile."""
        slices = self._slices()
        kinds: dict[object, list[Slice]] = {}
        for each in slices:
            stores = {
                (form, self.offset(place, each.number))
                for form, signal in each.signals.items()
                for place in self.stored.get(signal, ())
            }
            facts = tuple(sorted(self.family.blocks[each.number]))
            kinds.setdefault((frozenset(each.signals), frozenset(stores), facts), []).append(each)
        operations = sum(len(kind) * len(kind[0].signals) for kind in kinds.values() if len(kind) >= _FEWEST)
        if operations < _SHARE * len(self.netlist):
            return []
        return [kind for kind in kinds.values() if len(kind) >= _FEWEST or len(kind[0].signals) >= _MANY]

    def forms(self) -> dict[int, tuple[int, tuple[Argument, ...]]]:
        """Return the truth table and the arguments of each form."""
        return {number: (table, arguments) for (table, arguments, _), number in self._forms.items()}

    def signal(self, own: Slice, argument: Argument) -> int:
        """Return the signal of an operation or fact of a slice."""
        _, key = argument
        return own.signals[key] if isinstance(key, int) else 2 + self.family.blocks[own.number][key]

    def _slices(self) -> list[Slice]:
        """Return the slice of each block; none if one reads a random row."""
        netlist, masks = self.netlist, self.masks
        slices = [Slice(number) for number in range(len(self.family.blocks))]
        arguments = dict(enumerate(zip(*netlist.args, strict=True), netlist.inputs))
        owners = {signal: owner for signal in arguments if (owner := self.member(signal)) is not None}
        single = self._read_once(owners)
        readers: dict[int, int] = {ZEROS: -1, ONES: -1}
        for signal, owner in (owners | single).items():
            for argument in arguments[signal]:
                if not masks[argument]:
                    readers[argument] = readers.get(argument, 0) | 1 << owner
        if not self.interface.randoms.isdisjoint(readers):
            return []
        half = len(slices) // 2
        shared = {signal for signal, mask in readers.items() if mask < 0 or mask.bit_count() > half}
        # What only one slice reads is part of it, if it is likely that the other slices have the same.
        owners |= {
            signal: owner
            for signal, owner in single.items()
            if sum(argument not in shared for argument in arguments[signal]) == 1
        }
        for signal, owner in sorted(owners.items()):
            self._add(slices[owner], signal, arguments[signal], shared)
        return slices

    def _read_once(self, owners: Mapping[int, int]) -> dict[int, int]:
        """Return the operations that depend on no block, but that only one operation reads, which belongs to a slice.

        `owners` are the slices that operations belong to.
        """
        netlist, interface = self.netlist, self.interface
        reader: dict[int, int] = {}
        for signal, arguments in enumerate(zip(*netlist.args, strict=True), netlist.inputs):
            for argument in arguments:
                reader[argument] = -1 if argument in reader else signal
        for signal, _ in (*interface.stores, *interface.counts, *interface.collects):
            reader[signal] = -1
        return {
            signal: owners[reader[signal]]
            for signal in range(netlist.inputs, netlist.signals)
            if not self.masks[signal] and reader.get(signal, -1) in owners
        }

    def _add(self, own: Slice, signal: int, arguments: tuple[int, ...], shared: set[int]) -> None:
        """Add an operation to a slice."""
        described = [self._argument(argument, shared) for argument in arguments]
        order = tuple(sorted(range(3), key=lambda place: (repr(described[place]), arguments[place])))
        table = gathered(self.netlist.tables[signal - self.netlist.inputs], order)
        sorted_ = tuple(described[place] for place in order)
        turn = 0
        while (form := self._form(table, sorted_, turn)) in own.signals:  # it differs only in what is outside
            turn += 1
        own.signals[form] = signal
        self._form_of[signal] = form
        for place, old in enumerate(order):
            if described[old][0] == "outside":
                own.outside[form, place] = arguments[old]

    def _form(self, table: int, arguments: tuple[Argument, ...], turn: int) -> int:
        return self._forms.setdefault((table, arguments, turn), len(self._forms))

    def _argument(self, signal: int, shared: set[int]) -> Argument:
        if signal in self._relative:
            return "fact", self._relative[signal]
        if signal in self._form_of:
            return "form", self._form_of[signal]
        return ("shared", signal) if signal <= ONES or signal in shared else ("outside", 0)
