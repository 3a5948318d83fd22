"""Prove that claims hold in every state, or after every step: clingo searches for a counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, final

from gdl.circuit.answer_sets.search import search
from gdl.circuit.answer_sets.states import next_state, open_state, require_move
from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.compile_budget import check_budget

if TYPE_CHECKING:
    from clingo import Model

#: The number of conflicts after which a search ends without an answer; unlike seconds, independent of the machine.
_CONFLICTS: Final = 5_000


@final
@dataclass(frozen=True, slots=True)
class Counterexample:
    """The numbers of the facts of a state, and the claims that are broken there or after a step from it."""

    facts: frozenset[int]
    broken: tuple[Claim, ...]


class OutOfTime(Exception):
    """The search takes too long."""


@final
class Prover:
    """Searches for states in which claims are broken.

    Without `step`, all states in which the known claims hold are searched; with `step`, the states that a legal joint
    move leads to from such a state, if it is not terminal. `ending` must be set if searches are to tell terminal states
    from others.
    """

    def __init__(
        self,
        game: GameCircuit,
        known: Iterable[Claim],
        assumed: Iterable[Claim],
        wanted: Iterable[Claim],
        *,
        step: bool,
        ending: bool = False,
        effort: Effort,
    ) -> None:
        """Encode the game and the claims; searches may assume the `assumed` ones and ask for the `wanted` ones."""
        from clingo import Control

        self._effort = effort
        self._size = len(game.circuit.fanins)
        effort.encode(game.circuit.size)
        check_budget()
        options = ["--warn=none", "--seed=0", "--stats=2", "--heuristic=Domain", f"--solve-limit={_CONFLICTS}"]
        self._control = Control(options)
        with self._control.backend() as backend:
            now = open_state(backend, game)
            asked = now
            if step:
                require_move(now, game)
                asked = next_state(now, game)
            for claim in known:
                now.forbid(now.broken(claim))
            self._assumed = {claim: now.unless(now.broken(claim)) for claim in assumed}
            self._broken = {claim: asked.broken(claim) for claim in wanted}
            self._switches, self._any = asked.one_of(self._broken.values())
            self._terminal = asked.atom(game.terminal) if ending else None
            self._facts = [now.atom(game.fact(number)) for number in range(len(game.facts))]
            for state in dict.fromkeys((asked, now)):
                state.define()

    def counterexample(
        self, wanted: Sequence[Claim], assumed: Iterable[Claim], *, terminal: bool | None = None
    ) -> Counterexample | frozenset[Claim]:
        """Return a state in which all assumed claims hold and, there or after a step, some wanted claim does not.

        If there is none, return the assumed claims that are to blame. Raises OutOfTime.
        """
        by_atom = {self._assumed[claim]: claim for claim in assumed}
        # Wanted claims come first: if they cannot be broken anyway, no assumption gets the blame.
        if len(wanted) == 1:
            assumptions = [self._broken[wanted[0]]]
        else:
            asked = set(wanted)
            switches = zip(self._broken, self._switches, strict=True)
            assumptions = [self._any, *(atom if claim in asked else -atom for claim, atom in switches)]
        if terminal is not None:
            assert self._terminal is not None
            assumptions.append(self._terminal if terminal else -self._terminal)
        assumptions += by_atom
        check_budget()
        outcome = search(self._control, assumptions, lambda model: self._read(model, wanted))
        self._count()
        if not outcome.known:
            raise OutOfTime
        if outcome.found is not None:
            return outcome.found
        return frozenset(by_atom[atom] for atom in outcome.core if atom in by_atom)

    def _count(self) -> None:
        """Add the effort of the last search.

        `Control.statistics` would convert hundreds of numbers, which takes longer than most searches; clingo's C
        functions read the few that count.
        """
        clingo: Any = import_module("clingo._internal")
        call, lib = clingo._c_call, clingo._lib
        statistics = call("clingo_statistics_t*", lib.clingo_control_statistics, self._control._rep)

        def at(key: int, *path: str) -> int:
            for name in path:
                key = call("uint64_t", lib.clingo_statistics_map_at, statistics, key, name.encode())
            return key

        root = call("uint64_t", lib.clingo_statistics_root, statistics)
        variables, solver = at(root, "problem", "generator", "vars"), at(root, "solving", "solvers")
        keys = (variables, at(solver, "choices"), at(solver, "conflicts"), at(solver, "extra", "lits_learnt"))
        numbers = [call("double", lib.clingo_statistics_value_get, statistics, key) for key in keys]
        self._effort.search(self._size, *numbers)

    def _read(self, model: Model, wanted: Iterable[Claim]) -> Counterexample:
        holds = model.is_true
        facts = frozenset(number for number, atom in enumerate(self._facts) if holds(atom))
        return Counterexample(facts, tuple(claim for claim in wanted if holds(self._broken[claim])))
