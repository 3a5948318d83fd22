"""What holds in all states of a game: proved by induction over its circuit, or refuted by moves.

What is claimed of each state follows from the invariants that induction has proved; or a bounded search looks for moves
that lead to a state where it does not hold. They count only if the Reasoner, playing them, finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from time import monotonic
from typing import Final, final

from gdl.circuit.answer_sets.encoding import CircuitEncoding
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.gates import FALSE
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.invariants import find_invariants, simplified
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover
from gdl.errors import GdlError
from gdl.grounder import Budget, ground
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Constant, Term
from ggp.rules.checking.bounded import BoundedSearch, Moves
from ggp.rules.checking.playing import Played
from ggp.rules.checking.structure import Family, families
from ggp.rules.checking.termination import Ending, ending
from ggp.rules.checking.verdict import Verdict
from ggp.rules.wording import counted

#: Searches for a way go no further than this.
_MAX_PLIES: Final = 200

#: Proofs about circuits with more gates than this for each second take much longer than that.
_GATES: Final = 2_500

#: What is wrong with a state; None if nothing is.
Judge = Callable[[State], str | None]


@final
class TooLarge(Exception):
    """A circuit has too many gates for proofs within so many seconds; `needed` might do."""

    def __init__(self, gates: int, needed: int) -> None:
        self.gates = gates
        self.needed = needed
        super().__init__(gates, needed)

    def __str__(self) -> str:
        return f"its circuit has {self.gates:,} gates; try --seconds {self.needed}"


@final
class Proofs:
    """One game's circuit and invariants, and what follows from them. Raises GroundingError and TooLarge."""

    def __init__(self, reasoner: Reasoner, played: Played, seconds: float) -> None:
        self._reasoner = reasoner
        self._played = played
        start = monotonic()
        raw = build(ground(reasoner.rulesheet, Budget(seconds=seconds)))
        gates = len(raw.circuit.fanins)
        if gates > _GATES * seconds:
            raise TooLarge(gates, ceil(gates / _GATES))
        raw = rebuild(raw)
        self._invariants = find_invariants(raw, seconds=seconds / 2)
        self._game = simplified(raw, self._invariants)
        # Grounding and induction may take longer than their share: there is time for what follows all the same.
        self._until = max(start + seconds, monotonic() + seconds / 2)
        self._roles = {str(role).lower(): number for number, role in enumerate(self._game.roles)}

    def always_moves(self, role: str) -> bool:
        """Whether the role is proved to have a legal move wherever the game is not over."""
        return self._roles[role.lower()] in self._game.always_moves

    def one_goal(self, role: str) -> bool:
        """Whether the role is proved to have exactly one goal wherever the game is over."""
        return self._roles[role.lower()] in self._game.one_goal

    def never_wins(self, role: str) -> bool:
        """Whether it is proved that no state has a goal of 100 for the role."""
        return self._game.goals.get((self._roles[role.lower()], Constant("100")), FALSE) == FALSE

    def ending(self) -> Ending | None:
        """A proof that every match ends."""
        return ending(self._game, self._invariants.claims, self._invariants.groups, self._played.traces, self._until)

    def stuck(self, role: str) -> Moves | None:
        """A way to a state that is not over, where the role has no legal move."""
        game = self._game
        own = [game.legal[number] for number in game.moves_of(self._roles[role.lower()])]

        def target(state: CircuitEncoding) -> int:
            return state.both(-state.atom(game.terminal), state.broken(Claim("some", tuple(own))))

        return self._way(target, lambda state: _without_moves(self._reasoner, state, role))

    def wrong_goal(self, role: str) -> Moves | None:
        """A way to a state that is over, where the role has no goal or several."""
        game = self._game
        own = tuple(literal for (owner, _), literal in game.goals.items() if owner == self._roles[role.lower()])

        def target(state: CircuitEncoding) -> int:
            some, one = state.broken(Claim("some", own)), state.broken(Claim("at most one", own))
            return state.both(state.atom(game.terminal), -state.both(-some, -one))

        return self._way(target, lambda state: _without_goal(self._reasoner, state, role))

    def win(self, role: str) -> Moves | None:
        """A way to a state that is over, with a goal of 100 for the role and no other."""
        game = self._game
        number = self._roles[role.lower()]
        literal = game.goals.get((number, Constant("100")), FALSE)
        own = tuple(literal for (owner, _), literal in game.goals.items() if owner == number)

        def target(state: CircuitEncoding) -> int:
            several = state.broken(Claim("at most one", own))
            return state.both(state.atom(game.terminal), state.atom(literal), -several)

        return self._way(target, lambda state: _won(self._reasoner, state, role))

    def families(self) -> Iterator[Verdict]:
        """What is in control, and what is in each cell."""
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
            return Verdict(name, "proved", sentence)

        def target(state: CircuitEncoding) -> int:
            return state.any(state.broken(claim) for claim in claims)

        way = self._way(target, family.broken)
        if way is None:
            return Verdict(name, "unknown", f"{sentence}: neither proved nor refuted within the budget")
        state = followed(self._reasoner, way)
        return Verdict(name, "counterexample", f"not {sentence}: {family.broken(state)}", way, tuple(state))

    def _follow(self, claims: Sequence[Claim]) -> bool:
        """Whether claims hold in every state in which the invariants do."""
        prover = Prover(self._game, self._invariants.claims, (), claims, step=False, effort=Effort())
        try:
            return not isinstance(prover.counterexample(claims, ()), Counterexample)
        except OutOfTime:
            return False

    def _way(self, target: Callable[[CircuitEncoding], int], judge: Judge) -> Moves | None:
        """A way to a state of which the Reasoner says the same."""
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
    """The state that moves lead to. Raises IllegalMoveError where they are not legal."""
    state = game.initial_state()
    for joint_move in way:
        state = game.next_state(state, joint_move)
    return state


def _without_moves(game: Reasoner, state: State, role: str) -> str | None:
    if game.is_terminal(state):
        return None
    try:
        game.legal_moves(state, role)
    except GdlError as error:
        return str(error)
    return None


def _without_goal(game: Reasoner, state: State, role: str) -> str | None:
    if not game.is_terminal(state):
        return None
    try:
        game.goal(state, role)
    except GdlError as error:
        return str(error)
    return None


def _won(game: Reasoner, state: State, role: str) -> str | None:
    return f"{role} wins" if game.is_terminal(state) and game.goal(state, role) == 100 else None


def times(plies: int) -> str:
    """A number of plies."""
    return counted(plies, "ply", "plies")
