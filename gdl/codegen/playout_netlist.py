"""The netlists of random playouts: choose moves, make the next state, check for its end; count goals, begin again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import TRUE
from gdl.circuit.move_rows import Choosing
from gdl.circuit.movers_side import MoversSide
from gdl.circuit.playout_step import step_circuit
from gdl.codegen.netlist import CHOOSE, NOT, ONES, ZEROS, A, B, C, Netlist
from gdl.codegen.playout_estimates import best_tries, operations_per_ply, step_operations
from gdl.codegen.random_choice import Choice, draw, walk
from gdl.codegen.slices import Family, family_of
from gdl.codegen.technology_mapping import Lowering
from gdl.terms import Term

#: Lanes rest before they begin again if a step without draws and ends has more operations than this.
_LONG: Final = 400

#: The mover's side is used if it takes less than this share of the operations: with 98 %, tic-tac-toe was slower.
_FEWER: Final = 0.96


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


def playout_netlist(
    game: GameCircuit, *, age_bits: int, given: bool = False, tries: int | None = None, resting: bool | None = None
) -> PlayoutNetlist:
    """Return the netlists of a game's playouts, with ages of `age_bits` bits.

    Without a given state, the mover's side is used if that is faster. In each step, a move is drawn up to `tries` times
    (by default, the number that is estimated to be fastest). `resting` tells whether lanes rest before they begin again
    (by default, if a step is long enough).
    """

    def make(side: MoversSide | None) -> PlayoutNetlist:
        playout = _Playout(game, side, age_bits, given, tries)
        return playout.begun_again(resting=playout.is_long() if resting is None else resting)

    return _faster(make, None if given else game.side)


def once_netlist(game: GameCircuit) -> PlayoutNetlist:
    """Return the netlists of playouts that begin in given states and do not begin again; without ages.

    If the mover's side is used, the states must be renamed before.
    """
    return _faster(lambda side: _Playout(game, side, 0, False, None).once(), game.side)


def _faster(make: Callable[[MoversSide | None], PlayoutNetlist], side: MoversSide | None) -> PlayoutNetlist:
    """Return playouts without the mover's side, or with it if that takes clearly fewer operations."""
    usual = make(None)
    if side is None:
        return usual
    other = make(side)
    return other if _cost(other) < _FEWER * _cost(usual) else usual


def _cost(playout: PlayoutNetlist) -> float:
    return operations_per_ply(*(len(part.netlist) for part in playout.parts))


class _Playout:
    """The netlist under construction: that of a step at first, then perhaps that of a restart."""

    def __init__(
        self, game: GameCircuit, side: MoversSide | None, age_bits: int, given: bool, tries: int | None
    ) -> None:
        self.side = side
        self.sides = int(side is not None)
        self.game = game = game if side is None else side.game
        self.step = step_circuit(game)
        self.tries = best_tries(self.step) if tries is None else tries
        self.randoms = self.tries * sum((len(rows) - 1).bit_length() for rows in self.step.rows if rows)
        self.facts = sorted(self.step.next)
        self.age_bits = age_bits
        self.given = given
        #: The lanes in which a role has no legal move in this step.
        self.stuck = ZEROS

    def is_long(self) -> bool:
        return step_operations(self.step) > _LONG

    def begun_again(self, *, resting: bool) -> PlayoutNetlist:
        """Build playouts that begin again."""
        self._open(resting=resting, randoms=self.randoms)
        part, places, netlist = self.part, self.places, self.netlist
        moved, following, ending = self._stepped()
        part.counters["plies"] = netlist.operation(A & B & (C ^ NOT), moved, places.active, self.stuck)
        terminal = ending.signal(self.game.terminal)
        age, longer, part.overflow = self._aged(netlist.operation(A & (B ^ NOT), moved, self.stuck))
        # A lane without an accepted draw has not moved, and its state was not terminal.
        over = netlist.operation(A | B | C, terminal, longer, self.stuck)
        side = self._sided(moved)
        if not resting:
            self._begin_again(over, self.stuck, terminal, age, side, following, ending)
            return self._result(part, None)
        part.next = [*following.values(), *age, *side, *self._flags(over)]
        self._open(resting=True, randoms=0)
        ending = self._ending(self.places.facts)
        terminal = ending.signal(self.game.terminal)
        places = self.places
        side = [places.side][: self.sides]
        self._begin_again(places.over, places.stuck, terminal, places.age, side, places.facts, ending)
        self.part.counters["restarts"] = ONES
        self.part.next += [ZEROS] * self._flag_count
        return self._result(part, self.part)

    def once(self) -> PlayoutNetlist:
        """Build playouts that do not begin again."""
        game = self.game
        self._open(resting=True, randoms=self.randoms)
        part = self.part
        moved, following, ending = self._stepped()
        over = self.netlist.or_(ending.signal(game.terminal), self.stuck)
        part.next = [*following.values(), *self._sided(moved), *self._flags(over)]
        self._open(resting=True, randoms=0)
        places, netlist = self.places, self.netlist
        goals = self._goals(self._ending(places.facts), places.side).values()
        self.part.finals = [netlist.operation(A & (B ^ NOT), goal, places.stuck) for goal in goals]
        self.part.finals.append(netlist.not_(places.over))
        return self._result(part, self.part)

    def _open(self, *, resting: bool, randoms: int) -> None:
        """Begin a netlist."""
        facts, bits = len(self.facts), self.age_bits
        self._flag_count = flags = (1 + self._may_get_stuck()) * resting
        begin = facts * self.given
        count = facts + bits + self.sides + flags + bits + 1 + begin + bits
        self.netlist = Netlist(count + randoms)
        rows = iter(range(2, self.netlist.inputs))
        self.places = Places(
            facts={fact: next(rows) for fact in self.facts},
            age=[next(rows) for _ in range(bits)],
            side=next(rows) if self.sides else ZEROS,
            over=next(rows) if flags else ZEROS,
            stuck=next(rows) if flags == 2 else ZEROS,
            limit=[next(rows) for _ in range(bits)],
            active=next(rows),
            begin={fact: next(rows) if self.given else int(self.game.init[fact]) for fact in self.facts},
            longest=[next(rows) for _ in range(bits)],
        )
        self.random = rows
        self.part = PlayoutPart(self.netlist, randoms)

    def _result(self, step: PlayoutPart, restart: PlayoutPart | None) -> PlayoutNetlist:
        rows = tuple(map(len, self.step.rows))
        family = family_of(step.netlist, [self.game.facts[fact] for fact in self.facts])
        return PlayoutNetlist(
            step, restart, self.facts, self.side, self.given, self.age_bits, self._flag_count, rows, family
        )

    def _may_get_stuck(self) -> bool:
        """Return True unless every role is known to have a legal move wherever a playout goes on."""
        return len(self.game.always_moves) < len(self.game.roles)

    def _flags(self, over: int) -> list[int]:
        """Return the flags after a step."""
        places, netlist = self.places, self.netlist
        # In a lane that rests, nothing happens, but its old state may look as if a role could not move in it.
        stuck = netlist.operation(A | (B & (C ^ NOT)), places.stuck, self.stuck, places.over)
        return [netlist.or_(places.over, over), stuck][: self._flag_count]

    def _sided(self, moved: int) -> list[int]:
        """Return the side after a step."""
        return [self.netlist.operation(A ^ B, self.places.side, moved)][: self.sides]

    def _begin_again(
        self,
        over: int,
        stuck: int,
        terminal: int,
        age: list[int],
        side: list[int],
        facts: dict[int, int],
        ending: Lowering,
    ) -> None:
        """Count the goals of lanes whose playouts are over, and let them begin again."""
        part, places, netlist = self.part, self.places, self.netlist
        part.ended = ended = netlist.and_(over, places.active)
        finished = netlist.operation(A & B & (C ^ NOT), ended, terminal, stuck)
        part.counters |= {"ended": ended, "finished": finished, "stuck": netlist.and_(stuck, places.active)}
        self._count_goals(self._goals(ending, side[0] if side else ZEROS), finished)
        longer = ZEROS
        for mine, most in zip(age, places.longest, strict=True):
            longer = netlist.operation((A & (B ^ NOT)) | ((A ^ B ^ NOT) & C), mine, most, longer)
        longer = netlist.and_(longer, ended)
        # The rows that are replaced come last: code reads each of them before it writes it.
        part.longest = [
            netlist.operation(CHOOSE, longer, mine, most) for mine, most in zip(age, places.longest, strict=True)
        ]
        part.next = [netlist.operation(CHOOSE, over, places.begin[fact], row) for fact, row in facts.items()]
        part.next += [netlist.operation((A ^ NOT) & B, over, bit) for bit in [*age, *side]]

    def _ending(self, facts: dict[int, int]) -> Lowering:
        """Return the gates for terminal and goals, over the signals of facts."""
        outcome = [self.game.terminal, *self.game.goals.values()]
        return Lowering(self.netlist, self.game.circuit, outcome, {1 + fact: row for fact, row in facts.items()})

    def _stepped(self) -> tuple[int, dict[int, int], Lowering]:
        """Return the lanes in which every role has moved, the facts after the step, and the gates over these facts."""
        step, netlist, places = self.step, self.netlist, self.places
        nodes = {1 + fact: signal for fact, signal in places.facts.items()}
        lowering = Lowering(netlist, step.circuit, step.outputs(), nodes)
        moved = self._choose(lowering)
        following = {fact: lowering.signal(literal) for fact, literal in step.next.items()}
        for fact in self.facts:
            if fact not in step.persistent:
                following[fact] = netlist.operation(CHOOSE, moved, following[fact], places.facts[fact])
        return moved, following, self._ending(following)

    def _choose(self, lowering: Lowering) -> int:
        """Make signals for the chosen rows; return the lanes in which every role has moved."""
        step, netlist = self.step, self.netlist
        drawn: list[Choice | None] = []
        moved = netlist.not_(self.places.over)
        for choosing, rows in zip(step.choosings, step.rows, strict=True):
            legal = [lowering.signal(row) for row in rows]
            choice = draw(netlist, legal, self._random, self.tries) if legal else None
            drawn.append(choice)
            if choice is not None:
                moved = netlist.and_(moved, choice.accepted)
            self._note_stuck(lowering, choosing, ZEROS if choice is None else choice.some)
        lowering.signals[step.moved >> 1] = moved
        for chosen, choice in zip(step.chosen, drawn, strict=True):
            if choice is not None:
                for literal, row in zip(chosen, walk(netlist, choice, moved), strict=True):
                    lowering.signals[literal >> 1] = row
        return moved

    def _note_stuck(self, lowering: Lowering, choosing: Choosing, some: int) -> None:
        """Add the lanes in which a role has no legal move: in each of its cases, or because no case applies."""
        netlist = self.netlist
        groups = [set(group.nodes) for group in self.game.circuit.laws.groups if group.exact]
        for role in choosing.roles:
            if role in self.game.always_moves:
                continue
            cases = [case for case in choosing.cases if case.role == role]
            wrong = ZEROS
            for case in cases:
                fine = some if case.rows else ZEROS
                if case.forced is not None:
                    fine = lowering.signal(self.step.forced[case.forced])
                wrong = netlist.operation(A | (B & (C ^ NOT)), wrong, lowering.signal(case.key), fine)
            keys = {case.key >> 1 for case in cases}
            if TRUE not in (case.key for case in cases) and keys not in groups:
                known = netlist.any_of([lowering.signal(case.key) for case in cases])
                wrong = netlist.operation(A | (B ^ NOT), wrong, known)
            self.stuck = netlist.or_(self.stuck, wrong)

    def _random(self) -> int:
        # A copy, as each read of a random row makes a new one.
        return self.netlist.copy(next(self.random))

    def _aged(self, moved: int) -> tuple[list[int], int, int]:
        """Return the bits of the ages after the step, and the lanes in which they exceed the limit or overflow."""
        netlist = self.netlist
        carry, longer = moved, ZEROS
        age = []
        for bit, limit in zip(self.places.age, self.places.limit, strict=True):
            age.append(netlist.operation(A ^ B, bit, carry))
            carry = netlist.and_(bit, carry)
            longer = netlist.operation((A & (B ^ NOT)) | ((A ^ B ^ NOT) & C), age[-1], limit, longer)
        return age, longer, carry

    def _goals(self, ending: Lowering, side: int) -> dict[tuple[int, Term], int]:
        """Return the rows of goals; where facts are renamed, each role has the other one's goals."""
        game, netlist = self.game, self.netlist
        rows = {key: ending.signal(literal) for key, literal in game.goals.items()}
        if not self.sides:
            return rows
        return {
            (role, value): netlist.operation(CHOOSE, side, rows[1 - role, value], row)
            for (role, value), row in rows.items()
        }

    def _count_goals(self, goals: dict[tuple[int, Term], int], finished: int) -> None:
        game, netlist = self.game, self.netlist
        for role in range(len(game.roles)):
            some = twice = ZEROS
            rows = {key: row for key, row in goals.items() if key[0] == role}
            for row in rows.values():
                twice = netlist.operation(A | (B & C), twice, some, row)
                some = netlist.or_(some, row)
            valid = netlist.operation(A & B & (C ^ NOT), finished, some, twice)
            if role in game.one_goal:
                valid = finished
            for key, row in rows.items():
                self.part.counters[key] = netlist.and_(valid, row)
