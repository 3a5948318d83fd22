"""The parts of the netlists of random playouts: their inputs, and what their results mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from gdl.circuit.movers_side import MoversSide
from gdl.codegen.netlist import ZEROS, Netlist
from gdl.codegen.slices import Family
from gdl.terms import Term


@final
@dataclass(frozen=True, slots=True)
class Places:
    """The signals of the inputs that the netlists of one game's playouts share, in this order.

    The state: facts, the bits of ages, the side, and flags; then the limit of ages, the row of lanes that count
    (`active`), the facts of the state in which playouts begin, if it is given, and the bits of the longest age of each
    lane.
    """

    facts: dict[int, int]
    age: list[int]
    #: The lanes in which facts are renamed, as it is the turn of the other role; ZEROS if that is never done.
    side: int
    #: The lanes whose playouts are over, and wait to begin again; nothing if they begin again in the same step.
    over: int
    #: Those of them in which a role has no legal move; ZEROS if that is never so.
    stuck: int
    limit: list[int]
    active: int
    begin: dict[int, int]
    longest: list[int]


@final
@dataclass(slots=True)
class PlayoutPart:
    """A netlist, and the meaning of its results."""

    netlist: Netlist
    #: The number of inputs that are random rows; they are the last ones.
    randoms: int = 0
    #: The rows of the next state.
    next: list[int] = field(default_factory=list)
    #: Rows whose ones are counted, by their meaning.
    counters: dict[str | tuple[int, Term], int] = field(default_factory=dict)
    #: The lanes in which a playout that counts ends.
    ended: int = ZEROS
    #: The lanes whose age is more than the bits of ages can express; the row is collected.
    overflow: int = ZEROS
    #: The bits of the longest age of each lane.
    longest: list[int] = field(default_factory=list)
    #: For playouts that do not begin again: the rows of goals, then the row of lanes whose playouts are not over.
    finals: list[int] = field(default_factory=list)


@final
@dataclass(slots=True)
class PlayoutNetlist:
    """The netlists of playouts: one step, and what is done when playouts are over.

    A lane whose playout is over rests until `restart` counts its goals and lets it begin again. As goals are then
    computed only once in several steps, this is faster for all but small games. For those, `restart` is None, and a
    step does it all.
    """

    step: PlayoutPart
    restart: PlayoutPart | None
    #: The numbers of the facts that a step needs.
    facts: list[int]
    #: The number of plies that a step makes, one in each phase; 1 without phases.
    plies: int
    #: The mover's side, if it is used.
    side: MoversSide | None
    #: True if playouts begin in a given state; otherwise they begin in the initial state, without rows for it.
    given: bool
    age_bits: int
    #: The number of rows of the state that are flags: over, stuck.
    flags: int
    #: The numbers of rows of moves, for each choice.
    rows: tuple[int, ...]
    #: Facts in blocks, by which the netlists may be cut into slices. The rows of a block are contiguous.
    family: Family | None

    @property
    def sides(self) -> int:
        """The number of rows of a state for the side: 1 if facts are renamed, so that one role always has the turn."""
        return int(self.side is not None)

    @property
    def state(self) -> int:
        """The number of rows of a state."""
        return len(self.facts) + self.age_bits + self.sides + self.flags

    @property
    def parts(self) -> tuple[PlayoutPart, ...]:
        """All netlists."""
        return (self.step,) if self.restart is None else (self.step, self.restart)
