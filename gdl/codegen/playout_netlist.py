"""The netlist of one step of random playouts: choose moves, make the next state, check for its end, begin again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import TRUE, uses
from gdl.circuit.move_rows import Choosing
from gdl.circuit.playout_step import StepCircuit, step_circuit
from gdl.codegen.netlist import CHOOSE, NOT, ONES, ZEROS, A, B, C, Netlist
from gdl.codegen.random_choice import Choice, draw, walk
from gdl.codegen.technology_mapping import Lowering
from gdl.terms import Term

#: The number of operations per bit of a draw (seven to make it random, three to mask, compare and accept it), and the
#: average probability that a draw is rejected.
_DRAW: Final = 10
_FAILS: Final = 0.28


@final
@dataclass(slots=True)
class PlayoutNetlist:
    """A netlist with the meaning of its rows.

    Its inputs are, in this order: the state (facts, then the bits of ages), the limit of ages, the row of lanes that
    count (`active`), the row of lanes whose playouts are cut off at the limit, the facts of the state in which playouts
    begin, the random rows.
    """

    netlist: Netlist
    #: The numbers of the facts that a step needs.
    facts: list[int]
    #: True if playouts begin in a given state; otherwise they begin in the initial state, without rows for it.
    given: bool
    age_bits: int
    randoms: int
    #: The numbers of rows of moves, for each choice.
    rows: tuple[int, ...]
    #: The rows of the next state.
    next: list[int] = field(default_factory=list)
    #: Rows whose ones are counted in every step, by their meaning.
    counters: dict[str | tuple[int, Term], int] = field(default_factory=dict)
    #: The lanes in which a playout that counts ends.
    ended: int = ZEROS
    #: The lanes in which a playout is longer than the limit, and continues.
    longer: int = ZEROS
    #: The lanes in which a playout has reached the limit; the row is collected.
    longest: int = ZEROS
    #: For playouts that do not begin again: collected rows of the lanes in which a playout ends with each goal, and the
    #: goals that hold in the next state.
    once: bool = False
    finals: list[int] = field(default_factory=list)
    standing: list[int] = field(default_factory=list)

    @property
    def state(self) -> int:
        """The number of rows of a state."""
        return len(self.facts) + self.age_bits


def playout_netlist(
    game: GameCircuit, *, age_bits: int, given: bool = False, tries: int | None = None
) -> PlayoutNetlist:
    """Return the netlist of one step of a game's playouts, with ages of `age_bits` bits.

    In each step, a move is drawn up to `tries` times (by default, the number that is estimated to be fastest).
    """
    return _Playout(game, age_bits, given, tries).built()


def once_netlist(game: GameCircuit) -> PlayoutNetlist:
    """Return the netlist of one step of playouts that begin in given states and do not begin again; without ages."""
    return _Playout(game, 0, False, None).once()


def best_tries(step: StepCircuit) -> int:
    """Return the best number of draws per step: each costs operations, but without success the whole step is wasted."""
    circuit = step.circuit
    gates = (circuit.fanins[node] for node in uses(circuit, step.outputs()))
    choices = [rows for rows in step.rows if len(rows) > 1]
    # A gate of n inputs is (n - 1) / 2 operations; counting and walking takes some eight operations per row.
    work = sum(len(fanin) - 1 for fanin in gates if fanin) / 2 + 8 * sum(map(len, choices)) + 3 * len(step.next)
    draw = _DRAW * sum((len(rows) - 1).bit_length() for rows in choices)
    return min(range(1, 7), key=lambda tries: (work + tries * draw) / (1 - _FAILS**tries) ** len(choices))


class _Playout:
    def __init__(self, game: GameCircuit, age_bits: int, given: bool, tries: int | None) -> None:
        self.game = game
        self.step = step_circuit(game)
        self.tries = tries = best_tries(self.step) if tries is None else tries
        self.facts = sorted(self.step.next)
        state, begin = len(self.facts) + age_bits, len(self.facts) * given
        randoms = tries * sum((len(rows) - 1).bit_length() for rows in self.step.rows if rows)
        self.netlist = netlist = Netlist(state + age_bits + 2 + begin + randoms)
        rows = iter(range(2, netlist.inputs))
        self.state = {fact: next(rows) for fact in self.facts}
        self.age = [next(rows) for _ in range(age_bits)]
        self.limit = [next(rows) for _ in range(age_bits)]
        self.active, self.cutting = next(rows), next(rows)
        #: The lanes in which a role has no legal move.
        self.stuck = ZEROS
        self.begin = {fact: next(rows) if given else int(game.init[fact]) for fact in self.facts}
        self.random = rows
        self.result = PlayoutNetlist(netlist, self.facts, given, age_bits, randoms, tuple(map(len, self.step.rows)))

    def built(self) -> PlayoutNetlist:
        game, netlist, result = self.game, self.netlist, self.result
        moved, following, ending = self._stepped()
        counts = netlist.operation(A & B & (C ^ NOT), moved, self.active, self.stuck)
        terminal = netlist.operation(A & (B ^ NOT), ending.signal(game.terminal), self.stuck)
        age, longer = self._aged(netlist.operation(A & (B ^ NOT), moved, self.stuck))
        cut = netlist.operation(A & B & (C ^ NOT), longer, self.cutting, terminal)
        # A lane without an accepted draw has not moved, and its state was not terminal.
        over = netlist.operation(A | B | C, terminal, cut, self.stuck)
        result.ended = netlist.and_(over, self.active)
        result.longer = netlist.operation(A & (B ^ NOT) & C, longer, self.cutting, self.active)
        result.longest = netlist.operation(A & B & C, longer, self.cutting, self.active)
        result.next = [netlist.operation(CHOOSE, over, self.begin[fact], row) for fact, row in following.items()]
        result.next += [netlist.operation((A ^ NOT) & B, over, bit) for bit in age]
        finished = netlist.operation(A & B & (C ^ NOT), result.ended, terminal, ZEROS)
        stuck = netlist.and_(self.stuck, self.active)
        result.counters = {"plies": counts, "ended": result.ended, "finished": finished, "stuck": stuck}
        self._count_goals(ending, finished)
        return result

    def once(self) -> PlayoutNetlist:
        """Build the step in which ended lanes do not begin again; their further steps do not count."""
        game, netlist, result = self.game, self.netlist, self.result
        result.once = True
        _, following, ending = self._stepped()
        terminal = netlist.operation(A & B & (C ^ NOT), ending.signal(game.terminal), self.active, self.stuck)
        result.ended = netlist.operation(A | (B & C), terminal, self.stuck, self.active)
        result.next = list(following.values())
        result.standing = [ending.signal(literal) for literal in game.goals.values()]
        result.finals = [netlist.and_(terminal, row) for row in result.standing]
        return result

    def _stepped(self) -> tuple[int, dict[int, int], Lowering]:
        """Return the lanes in which every role has moved, the facts after the step, and the gates over these facts."""
        game, step, netlist = self.game, self.step, self.netlist
        nodes = {1 + fact: signal for fact, signal in self.state.items()}
        lowering = Lowering(netlist, step.circuit, step.outputs(), nodes)
        moved = self._choose(lowering)
        following = {fact: lowering.signal(literal) for fact, literal in step.next.items()}
        for fact in self.facts:
            if fact not in step.persistent:
                following[fact] = netlist.operation(CHOOSE, moved, following[fact], self.state[fact])
        outcome = [game.terminal, *game.goals.values()]
        return moved, following, Lowering(netlist, game.circuit, outcome, {1 + f: row for f, row in following.items()})

    def _choose(self, lowering: Lowering) -> int:
        """Make signals for the chosen rows; return the lanes in which every role has moved."""
        step, netlist = self.step, self.netlist
        drawn: list[Choice | None] = []
        moved = ONES
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

    def _aged(self, moved: int) -> tuple[list[int], int]:
        """Return the bits of the ages after the step, and the lanes in which they exceed the limit."""
        netlist = self.netlist
        carry, longer = moved, ZEROS
        age = []
        for bit, limit in zip(self.age, self.limit, strict=True):
            age.append(netlist.operation(A ^ B, bit, carry))
            carry = netlist.and_(bit, carry)
            longer = netlist.operation((A & (B ^ NOT)) | ((A ^ B ^ NOT) & C), age[-1], limit, longer)
        return age, longer

    def _count_goals(self, ending: Lowering, finished: int) -> None:
        game, netlist = self.game, self.netlist
        for role in range(len(game.roles)):
            some = twice = ZEROS
            rows = {key: ending.signal(literal) for key, literal in game.goals.items() if key[0] == role}
            for row in rows.values():
                twice = netlist.operation(A | (B & C), twice, some, row)
                some = netlist.or_(some, row)
            valid = netlist.operation(A & B & (C ^ NOT), finished, some, twice)
            if role in game.one_goal:
                valid = finished
            for key, row in rows.items():
                self.result.counters[key] = netlist.and_(valid, row)
