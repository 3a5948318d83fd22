"""The netlists of random playouts: choose moves, make the next state, check for its end; count goals, begin again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import TRUE
from gdl.circuit.move_rows import Choosing
from gdl.circuit.movers_side import MoversSide
from gdl.circuit.phases import Phases, phases_of
from gdl.circuit.playout_step import StepCircuit, phase_circuits, step_circuit
from gdl.codegen.netlist import CHOOSE, NOT, ONES, ZEROS, A, B, C, Netlist
from gdl.codegen.playout_estimates import best_tries, cost_per_ply, step_operations
from gdl.codegen.playout_parts import Places, PlayoutNetlist, PlayoutPart
from gdl.codegen.random_choice import Choice, draw, walk
from gdl.codegen.slices import family_of
from gdl.codegen.technology_mapping import Lowering
from gdl.terms import Term

#: Lanes rest before they begin again if a step without draws and ends has more operations than this.
_LONG: Final = 400

#: The mover's side is used if that takes less than this share of the time: with 98 % of the operations, tic-tac-toe was
#: slower. Phases, which have more code, are used if they take less than another share: with 96 %, three connect fours
#: on larger boards were a tenth slower.
_FEWER: Final = 0.96
_PHASED: Final = 0.93

#: Phases are tried if the gates of the game have less than this share of their inputs in each. If they have more than
#: `_LARGE` inputs, it takes seconds to find out which is faster: the mover's side is preferred, and phases are used if
#: less than another share is left. With 90 %, three public skirmishes were slower, as there is more code in all.
_SMALLER: Final = 0.98
_LARGE: Final = 6_000
_SMALLER_LARGE: Final = 0.87


def playout_netlist(
    game: GameCircuit, *, age_bits: int, given: bool = False, tries: int | None = None, resting: bool | None = None
) -> PlayoutNetlist:
    """Return the netlists of a game's playouts, with ages of `age_bits` bits.

    Playouts of a long step make a ply in each phase of the game if that is faster. Without a given state, they may use
    the mover's side instead. In each ply, a move is drawn up to `tries` times (by default, the number that is estimated
    to be fastest). `resting` tells whether lanes rest before they begin again (by default, if a step is long enough).
    """

    def make(side: MoversSide | None, phases: Phases | None) -> PlayoutNetlist:
        playout = _Playout(game, side, age_bits, given, tries, None if resting is False else phases)
        return playout.begun_again(resting=playout.is_long() if resting is None else resting)

    return _fastest(make, game, None if given else game.side)


def once_netlist(game: GameCircuit) -> PlayoutNetlist:
    """Return the netlists of playouts that begin in given states and do not begin again; without ages.

    If the mover's side is used, the states must be renamed before.
    """
    return _fastest(lambda side, phases: _Playout(game, side, 0, False, None, phases).once(), game, game.side)


def _fastest(
    make: Callable[[MoversSide | None, Phases | None], PlayoutNetlist], game: GameCircuit, side: MoversSide | None
) -> PlayoutNetlist:
    """Return the playouts that are likely to be fastest: with the mover's side, with phases, or without both."""
    phases: Phases | None = None
    if game.circuit.size <= _LARGE:
        phases = phases_of(game, _SMALLER)
    elif side is None and (phases := phases_of(game, _SMALLER_LARGE)) is not None:
        return make(None, phases)
    best = make(None, None)
    lowest = _cost(best, 1)
    if side is not None and (cost := _cost(made := make(side, None), 1)) < _FEWER * lowest:
        best, lowest = made, cost
    if phases is not None and _cost(made := make(None, phases), phases.distance) < _PHASED * lowest:
        best = made
    return best


def _cost(playout: PlayoutNetlist, distance: float) -> float:
    """Return the estimated time per ply; `distance` is the mean number of phases from one ply to the next."""
    restart = 0 if playout.restart is None else len(playout.restart.netlist)
    return cost_per_ply(len(playout.step.netlist), restart, max(1.0, playout.plies / distance))


@final
@dataclass(slots=True)
class _Ply:
    """A ply that a step makes."""

    step: StepCircuit
    #: The fact of its phase, and the game as it is right after it; without phases, None and the game itself.
    phase: int | None
    after: GameCircuit
    #: The number of times that a move is drawn.
    tries: int

    @property
    def randoms(self) -> int:
        """The number of random rows that it needs."""
        return self.tries * sum((len(rows) - 1).bit_length() for rows in self.step.rows if rows)


@final
@dataclass(slots=True)
class _State:
    """The signals of a state, before or after a ply: see `Places`."""

    facts: dict[int, int]
    age: list[int]
    side: int
    over: int
    stuck: int


class _Playout:
    """The netlist under construction: that of a step at first, then perhaps that of a restart."""

    def __init__(
        self,
        game: GameCircuit,
        side: MoversSide | None,
        age_bits: int,
        given: bool,
        tries: int | None,
        phases: Phases | None,
    ) -> None:
        self.side = side
        self.sides = int(side is not None)
        self.game = game = game if side is None else side.game
        self.plies: list[_Ply] = []
        if phases is not None:
            plies = zip(phase_circuits(game, phases), phases.facts, phases.after, strict=True)
            self.plies = [_Ply(*ply, tries or best_tries(ply[0], len(phases.facts))) for ply in plies]
        # If no lane rests, lanes begin again after any ply, whatever the phase is.
        if not self.plies or not self.is_long():
            step = step_circuit(game)
            self.plies = [_Ply(step, None, game, tries or best_tries(step))]
        self.randoms = sum(ply.randoms for ply in self.plies)
        self.facts = sorted(self.plies[0].step.next)
        self.age_bits = age_bits
        self.given = given

    def is_long(self) -> bool:
        return sum(step_operations(ply.step) for ply in self.plies) > _LONG

    def begun_again(self, *, resting: bool) -> PlayoutNetlist:
        """Build playouts that begin again."""
        self._open(resting=resting, randoms=self.randoms)
        part, state, netlist = self.part, self._state(), self.netlist
        for number, ply in enumerate(self.plies):
            before = state
            state, moved, stuck, ending = self._after(before, ply)
            part.counters[f"plies {number}"] = netlist.operation(A & B & (C ^ NOT), moved, self.places.active, stuck)
            # A lane without an accepted draw has not moved, and its state was not terminal.
            terminal = self._terminal(ply, moved, ending)
            state.age, longer = self._aged(before.age, netlist.operation(A & (B ^ NOT), moved, stuck))
            over = netlist.operation(A | B | C, terminal, longer, stuck)
            if not resting:
                self._begin_again(replace(state, over=over, stuck=stuck), terminal, ending)
                return self._result(part, None)
            self._flag(state, over, stuck)
        part.next = self._rows(state)
        self._open(resting=True, randoms=0)
        state = self._state()
        ending = self._ending(self.game, state.facts)
        self._begin_again(state, ending.signal(self.game.terminal), ending)
        self.part.counters["restarts"] = ONES
        self.part.next += [ZEROS] * self._flag_count
        return self._result(part, self.part)

    def once(self) -> PlayoutNetlist:
        """Build playouts that do not begin again."""
        self._open(resting=True, randoms=self.randoms)
        part, state = self.part, self._state()
        for ply in self.plies:
            state, moved, stuck, ending = self._after(state, ply)
            self._flag(state, self.netlist.or_(self._terminal(ply, moved, ending), stuck), stuck)
        part.next = self._rows(state)
        self._open(resting=True, randoms=0)
        state, netlist = self._state(), self.netlist
        goals = self._goals(self._ending(self.game, state.facts), state.side).values()
        self.part.finals = [netlist.operation(A & (B ^ NOT), goal, state.stuck) for goal in goals]
        self.part.finals.append(netlist.not_(state.over))
        return self._result(part, self.part)

    def _state(self) -> _State:
        """Return the state in which a netlist begins."""
        places = self.places
        return _State(places.facts, places.age, places.side, places.over, places.stuck)

    def _rows(self, state: _State) -> list[int]:
        """Return the rows of a state."""
        flags = [state.over, state.stuck][: self._flag_count]
        return [*state.facts.values(), *state.age, *[state.side][: self.sides], *flags]

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
        rows = tuple(len(own) for ply in self.plies for own in ply.step.rows)
        family = family_of(step.netlist, [self.game.facts[fact] for fact in self.facts])
        plies = len(self.plies)
        return PlayoutNetlist(
            step, restart, self.facts, plies, self.side, self.given, self.age_bits, self._flag_count, rows, family
        )

    def _may_get_stuck(self) -> bool:
        """Return True unless every role is known to have a legal move wherever a playout goes on."""
        return len(self.game.always_moves) < len(self.game.roles)

    def _flag(self, state: _State, over: int, stuck: int) -> None:
        """Note the lanes whose playouts are over after a ply, and those in which a role was stuck in it."""
        # In a lane that rests, nothing happens, but its old state may look as if a role could not move in it.
        state.stuck = self.netlist.operation(A | (B & (C ^ NOT)), state.stuck, stuck, state.over)
        state.over = self.netlist.or_(state.over, over)

    def _begin_again(self, state: _State, terminal: int, ending: Lowering) -> None:
        """Count the goals of lanes whose playouts are over, and let them begin again."""
        part, places, netlist = self.part, self.places, self.netlist
        over, stuck, age = state.over, state.stuck, state.age
        part.ended = ended = netlist.and_(over, places.active)
        finished = netlist.operation(A & B & (C ^ NOT), ended, terminal, stuck)
        part.counters |= {"ended": ended, "finished": finished, "stuck": netlist.and_(stuck, places.active)}
        self._count_goals(self._goals(ending, state.side), finished)
        longer = ZEROS
        for mine, most in zip(age, places.longest, strict=True):
            longer = netlist.operation((A & (B ^ NOT)) | ((A ^ B ^ NOT) & C), mine, most, longer)
        longer = netlist.and_(longer, ended)
        # The rows that are replaced come last: code reads each of them before it writes it.
        part.longest = [
            netlist.operation(CHOOSE, longer, mine, most) for mine, most in zip(age, places.longest, strict=True)
        ]
        part.next = [netlist.operation(CHOOSE, over, places.begin[fact], row) for fact, row in state.facts.items()]
        side = [state.side][: self.sides]
        part.next += [netlist.operation((A ^ NOT) & B, over, bit) for bit in [*age, *side]]

    def _ending(self, game: GameCircuit, facts: dict[int, int]) -> Lowering:
        """Return the gates of a game for terminal and goals, over the signals of facts."""
        outcome = [game.terminal, *game.goals.values()]
        return Lowering(self.netlist, game.circuit, outcome, {1 + fact: row for fact, row in facts.items()})

    def _terminal(self, ply: _Ply, moved: int, ending: Lowering) -> int:
        """Return the lanes whose state is terminal after a ply."""
        terminal = ending.signal(ply.after.terminal)
        # A lane of another phase has not moved, and `after` says nothing about its state.
        return terminal if ply.phase is None else self.netlist.and_(terminal, moved)

    def _after(self, before: _State, ply: _Ply) -> tuple[_State, int, int, Lowering]:
        """Return what follows after a ply: the state, with the flags and the age of that before it.

        Also return the lanes in which every role has moved, those in which one has no legal move, and the gates over
        the facts of the state.
        """
        step, netlist, facts = ply.step, self.netlist, before.facts
        lowering = Lowering(netlist, step.circuit, step.outputs(), {1 + fact: row for fact, row in facts.items()})
        moved, stuck = self._choose(lowering, before, ply)
        following = {fact: lowering.signal(literal) for fact, literal in step.next.items()}
        for fact in self.facts:
            if fact not in step.persistent:
                following[fact] = netlist.operation(CHOOSE, moved, following[fact], facts[fact])
        side = netlist.operation(A ^ B, before.side, moved) if self.sides else ZEROS
        return replace(before, facts=following, side=side), moved, stuck, self._ending(ply.after, following)

    def _choose(self, lowering: Lowering, before: _State, ply: _Ply) -> tuple[int, int]:
        """Make signals for the chosen rows.

        Return the lanes in which every role has moved, and those in which one has no legal move.
        """
        step, netlist = ply.step, self.netlist
        here = ONES if ply.phase is None else before.facts[ply.phase]
        drawn: list[Choice | None] = []
        moved, stuck = netlist.operation(A & (B ^ NOT), here, before.over), ZEROS
        for choosing, rows in zip(step.choosings, step.rows, strict=True):
            legal = [lowering.signal(row) for row in rows]
            choice = draw(netlist, legal, self._random, ply.tries) if legal else None
            drawn.append(choice)
            if choice is not None:
                moved = netlist.and_(moved, choice.accepted)
            stuck = self._stuck(stuck, lowering, choosing, step, ZEROS if choice is None else choice.some)
        lowering.signals[step.moved >> 1] = moved
        for chosen, choice in zip(step.chosen, drawn, strict=True):
            if choice is not None:
                for literal, row in zip(chosen, walk(netlist, choice, moved), strict=True):
                    lowering.signals[literal >> 1] = row
        return moved, netlist.and_(stuck, here)

    def _stuck(self, stuck: int, lowering: Lowering, choosing: Choosing, step: StepCircuit, some: int) -> int:
        """Return some lanes, with those in which a role has no legal move in one of its cases, or has no case."""
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
                    fine = lowering.signal(step.forced[case.forced])
                wrong = netlist.operation(A | (B & (C ^ NOT)), wrong, lowering.signal(case.key), fine)
            keys = {case.key >> 1 for case in cases}
            if TRUE not in (case.key for case in cases) and keys not in groups:
                known = netlist.any_of([lowering.signal(case.key) for case in cases])
                wrong = netlist.operation(A | (B ^ NOT), wrong, known)
            stuck = netlist.or_(stuck, wrong)
        return stuck

    def _random(self) -> int:
        # A copy, as each read of a random row makes a new one.
        return self.netlist.copy(next(self.random))

    def _aged(self, before: list[int], moved: int) -> tuple[list[int], int]:
        """Return the bits of the ages after a ply, and the lanes in which they exceed the limit; note overflows."""
        netlist = self.netlist
        carry, longer = moved, ZEROS
        age = []
        for bit, limit in zip(before, self.places.limit, strict=True):
            age.append(netlist.operation(A ^ B, bit, carry))
            carry = netlist.and_(bit, carry)
            longer = netlist.operation((A & (B ^ NOT)) | ((A ^ B ^ NOT) & C), age[-1], limit, longer)
        self.part.overflow = netlist.or_(self.part.overflow, carry)
        return age, longer

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
