"""Properties of all states of a game: proved by induction over its circuit, or refuted by moves.

A claim about every state may follow from the invariants that induction has proved; otherwise, a bounded search looks
for moves that lead to a state where it fails. Such moves count only if the Reasoner confirms them by playing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from time import monotonic
from typing import Final, final

from gdl.circuit.answer_sets.encoding import CircuitEncoding
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.causes import causes_in_program
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE
from gdl.circuit.pipeline import BUILDING, refusing
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.invariants import find_invariants, simplified
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover
from gdl.compile_budget import CompileBudget, Watch, begin_stage
from gdl.errors import GdlError
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.simulator.self_check import check_circuit, comparing
from gdl.terms import Constant, Term, name_key
from ggp.rules.checking.bounded import BoundedSearch, Moves
from ggp.rules.checking.playing import Played
from ggp.rules.checking.structure import Family, families
from ggp.rules.checking.termination import Ending, ending
from ggp.rules.checking.verdict import Verdict
from ggp.rules.report_text import number_and_noun

#: The largest number of plies that searches look ahead.
_MAX_PLIES: Final = 200

#: The number of gates per second of time; proofs about larger circuits take much longer than the time given.
_GATES: Final = 2_500

#: Describes what is wrong with a state; returns None if nothing is.
Judge = Callable[[State], str | None]


@final
class TooLarge(Exception):
    """The circuit has too many gates for proofs within the time; `needed` seconds might do."""

    def __init__(self, gates: int, needed: int) -> None:
        """Keep the number of gates and the seconds needed."""
        self.gates = gates
        self.needed = needed
        super().__init__(gates, needed)

    def __str__(self) -> str:
        """Return the reason with an option that helps."""
        return f"its circuit has {self.gates:,} gates; try ggp check --simulate --seconds {self.needed}"


def built(rulesheet: Rulesheet, seconds: float) -> GameCircuit:
    """Return the circuit of some rules, made within some seconds. Raises CompileError."""
    watch = Watch(CompileBudget(seconds=seconds))
    with watch.running():
        program = ground(rulesheet, watch.budget)
        with refusing(rulesheet.name, lambda: causes_in_program(program)):
            begin_stage(BUILDING)
            game = build(program)
    with comparing(rulesheet.source, None):
        check_circuit(game, rulesheet, watch.spent)
    return game


@final
class Proofs:
    """The circuit and invariants of one game, and the properties that follow from them."""

    def __init__(self, reasoner: Reasoner, raw: GameCircuit, played: Played, seconds: float) -> None:
        """Find the invariants of a circuit. Raises TooLarge."""
        self._reasoner = reasoner
        self._played = played
        start = monotonic()
        gates = len(raw.circuit.fanins)
        if gates > _GATES * seconds:
            raise TooLarge(gates, ceil(gates / _GATES))
        raw = rebuild(raw)
        self._invariants = find_invariants(raw, seconds=seconds / 2)
        self._game = simplified(raw, self._invariants)
        # Grounding and induction may take longer than their share; leave time for the rest all the same.
        self._until = max(start + seconds, monotonic() + seconds / 2)
        self._roles = {name_key(str(role)): number for number, role in enumerate(self._game.roles)}

    def always_moves(self, role: str) -> bool:
        """Return True if the role is proved to have a legal move in every state that is not terminal."""
        return self._roles[name_key(role)] in self._game.always_moves

    def one_goal(self, role: str) -> bool:
        """Return True if the role is proved to have exactly one goal in every terminal state."""
        return self._roles[name_key(role)] in self._game.one_goal

    def never_wins(self, role: str) -> bool:
        """Return True if it is proved that no state has a goal of 100 for the role."""
        return self._game.goals.get((self._roles[name_key(role)], Constant("100")), FALSE) == FALSE

    def ending(self) -> Ending | None:
        """Return a proof that every match ends, or None if none is found."""
        return ending(self._game, self._invariants.claims, self._invariants.groups, self._played.traces, self._until)

    def stuck(self, role: str) -> Moves | None:
        """Return moves to a state that is not terminal but leaves the role without a legal move, if any are found."""
        game = self._game
        own = [game.legal[number] for number in game.moves_of(self._roles[name_key(role)])]

        def target(state: CircuitEncoding) -> int:
            return state.both(-state.atom(game.terminal), state.broken(Claim("some", tuple(own))))

        return self._way(target, lambda state: without_moves(self._reasoner, state, role))

    def wrong_goal(self, role: str) -> Moves | None:
        """Return moves to a terminal state in which the role has no goal or several, if any are found."""
        game = self._game
        own = tuple(literal for (owner, _), literal in game.goals.items() if owner == self._roles[name_key(role)])

        def target(state: CircuitEncoding) -> int:
            some, one = state.broken(Claim("some", own)), state.broken(Claim("at most one", own))
            return state.both(state.atom(game.terminal), -state.both(-some, -one))

        return self._way(target, lambda state: without_goal(self._reasoner, state, role))

    def win(self, role: str) -> Moves | None:
        """Return moves to a terminal state in which the role's only goal is 100, if any are found."""
        game = self._game
        number = self._roles[name_key(role)]
        literal = game.goals.get((number, Constant("100")), FALSE)
        own = tuple(literal for (owner, _), literal in game.goals.items() if owner == number)

        def target(state: CircuitEncoding) -> int:
            several = state.broken(Claim("at most one", own))
            return state.both(state.atom(game.terminal), state.atom(literal), -several)

        return self._way(target, lambda state: won(self._reasoner, state, role))

    def families(self) -> Iterator[Verdict]:
        """Yield the verdicts about turns and about the cells of boards."""
        game = self._game
        init = [fact for fact, holds in zip(game.facts, game.init, strict=True) if holds]
        numbers = {fact: number for number, fact in enumerate(game.facts)}
        for family in families(game.facts, init, game.roles):
            yield self._family(family, numbers)

    def _family(self, family: Family, numbers: dict[Term, int]) -> Verdict:
        game = self._game
        claims = []
        for group in family.groups:
            literals = tuple(game.fact(numbers[fact]) for fact in group)
            claims += [Claim("at most one", literals), *([Claim("some", literals)] if family.exact else [])]
        name, sentence = "facts", family.sentence()
        if self._follow(claims):
            return Verdict(name, "information", "proved", sentence)

        def target(state: CircuitEncoding) -> int:
            return state.any(state.broken(claim) for claim in claims)

        way = self._way(target, family.broken)
        if way is None:
            return Verdict(name, "information", "unknown", f"{sentence}: neither proved nor refuted within the budget")
        state = followed(self._reasoner, way)
        message = f"not {sentence}: {family.broken(state)}, after {times(len(way))}"
        return Verdict(name, "usual", "differs", message, way, tuple(state))

    def _follow(self, claims: Sequence[Claim]) -> bool:
        """Return True if the claims follow from the invariants."""
        prover = Prover(self._game, self._invariants.claims, (), claims, step=False, effort=Effort())
        try:
            return not isinstance(prover.counterexample(claims, ()), Counterexample)
        except OutOfTime:
            return False

    def _way(self, target: Callable[[CircuitEncoding], int], judge: Judge) -> Moves | None:
        """Return moves to a target state that the Reasoner judges likewise, or None if none are found in time."""
        left = self._until - monotonic()
        if left <= 0:
            return None
        way = BoundedSearch(self._game, target).find(monotonic() + left / 3, _MAX_PLIES)
        if way is None:
            return None
        try:
            return way if judge(followed(self._reasoner, way)) else None
        except GdlError:
            return None


def followed(game: Reasoner, way: Moves) -> State:
    """Return the state that moves lead to. Raises IllegalMoveError if they are not legal."""
    state = game.initial_state()
    for joint_move in way:
        state = game.next_state(state, joint_move)
    return state


def without_moves(game: Reasoner, state: State, role: str) -> str | None:
    """Return the error if a state is not terminal but leaves a role without a legal move."""
    if game.is_terminal(state):
        return None
    try:
        game.legal_moves(state, role)
    except GdlError as error:
        return str(error)
    return None


def without_goal(game: Reasoner, state: State, role: str) -> str | None:
    """Return what is wrong with a role's goal in a terminal state, or None."""
    if not game.is_terminal(state):
        return None
    try:
        game.goal(state, role)
    except GdlError as error:
        return str(error)
    return None


def won(game: Reasoner, state: State, role: str) -> str | None:
    """Return a remark if a role wins in a terminal state, or None."""
    return f"{role} wins" if game.is_terminal(state) and game.goal(state, role) == 100 else None


def times(plies: int) -> str:
    """Return a number of plies as text."""
    return number_and_noun(plies, "ply", "plies")
