"""Proofs that something holds in every state, or after every step: clingo looks for one in which it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, final

from gdl.circuit.claims import Claim
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, Loop
from gdl.circuit.sampling import Schedule, Stage

if TYPE_CHECKING:
    from clingo import Model
    from clingo.backend import Backend

#: So many seconds pass at most before an interrupt or the end of the time is noticed.
_PATIENCE = 0.1


@final
@dataclass(frozen=True, slots=True)
class Counterexample:
    """The numbers of the facts of a state, and the claims that are broken there or after a step from it."""

    facts: frozenset[int]
    broken: tuple[Claim, ...]


class OutOfTime(Exception):
    """The time is up."""


@final
class Prover:
    """Looks for states where some claims hold and others are broken; with `moves`, one that has a next state."""

    def __init__(self, game: GameCircuit, assumed: Iterable[Claim], wanted: Iterable[Claim], *, moves: bool) -> None:
        from clingo import Control

        self._game = game
        self._control = Control(["--warn=none", "--seed=0"])
        with self._control.backend() as backend:
            encoding = _Encoding(backend, game)
            if moves:
                encoding.joint_move()
            self._assumed = {claim: encoding.assumption(claim) for claim in dict.fromkeys(assumed)}
            self._broken = {claim: encoding.broken(claim) for claim in dict.fromkeys(wanted)}
            self._switches, self._any = encoding.one_of(self._broken.values())
            self._terminal = encoding.atom(game.terminal)
            encoding.gates()
        self._facts = [encoding.atom(game.fact(number)) for number in range(len(game.facts))]

    def counterexample(
        self,
        wanted: Sequence[Claim],
        assumed: Iterable[Claim],
        deadline: float,
        *,
        terminal: bool | None = None,
    ) -> Counterexample | frozenset[Claim]:
        """A state in which all assumed claims hold and some of the wanted do not.

        If there is none: those of the assumed claims which that is due to. Raises OutOfTime.
        """
        by_atom = {self._assumed[claim]: claim for claim in assumed}
        assumptions = list(by_atom)
        if terminal is not None:
            assumptions.append(self._terminal if terminal else -self._terminal)
        if len(wanted) == 1:
            assumptions += [self._broken[claim] for claim in wanted]
        else:
            asked = set(wanted)
            switches = zip(self._broken, self._switches, strict=True)
            assumptions += [self._any, *(atom if claim in asked else -atom for claim, atom in switches)]
        with self._control.solve(assumptions, yield_=True, async_=True) as handle:
            handle.resume()
            try:
                while not handle.wait(max(0.0, min(_PATIENCE, deadline - monotonic()))):
                    if monotonic() >= deadline:
                        raise OutOfTime
            except BaseException:
                handle.cancel()
                raise
            model = handle.model()
            if model is not None:
                return self._read(model, wanted)
            return frozenset(by_atom[atom] for atom in handle.core() if atom in by_atom)

    def _read(self, model: Model, wanted: Iterable[Claim]) -> Counterexample:
        holds = model.is_true
        facts = frozenset(number for number, atom in enumerate(self._facts) if holds(atom))
        return Counterexample(facts, tuple(claim for claim in wanted if holds(self._broken[claim])))


@final
class _Encoding:
    """A circuit as rules: facts and moves are open, each gate has the rule that its inputs make it hold."""

    def __init__(self, backend: Backend, game: GameCircuit) -> None:
        self._backend = backend
        self._game = game
        self._schedule = Schedule(game.circuit)
        self._always = backend.add_atom()
        backend.add_rule([self._always])
        self._atoms = {0: -self._always}
        inputs = range(1, 1 + game.circuit.inputs)
        self._atoms.update({node: backend.add_atom() for node in inputs})
        self._open([self._atoms[node] for node in inputs])
        self._needed: list[int] = []

    def _open(self, atoms: Sequence[int]) -> None:
        self._backend.add_rule(atoms, choice=True)

    def atom(self, literal: int) -> int:
        """The atom, negative if negated, of a literal."""
        node = literal >> 1
        atom = self._atoms.get(node)
        if atom is None:
            atom = self._atoms[node] = self._backend.add_atom()
            self._needed.append(literal)
        return -atom if literal & 1 else atom

    def _new(self, body: Iterable[int]) -> int:
        """An atom that holds where all of some do."""
        atom = self._backend.add_atom()
        self._backend.add_rule([atom], list(body))
        return atom

    def _at_least(self, number: int, literals: Iterable[int]) -> int:
        """An atom that holds where so many of some literals do."""
        atom = self._backend.add_atom()
        self._backend.add_weight_rule([atom], number, [(self.atom(x), 1) for x in literals if x != FALSE])
        return atom

    def joint_move(self) -> None:
        """Each role does exactly one of its legal moves."""
        game = self._game
        for role in range(len(game.roles)):
            own = game.moves_of(role)
            if own:
                done = [game.move(number) for number in own]
                self._backend.add_rule([], [self._at_least(2, done)])
                self._backend.add_rule([], [-self._at_least(1, done)])
            for number in own:
                self._backend.add_rule([], [self.atom(game.move(number)), -self.atom(game.legal[number])])

    def assumption(self, claim: Claim) -> int:
        """An atom that can be switched on, and where it is, the claim holds."""
        atom = self._backend.add_atom()
        self._open([atom])
        self._backend.add_rule([], [atom, self.broken(claim)])
        return atom

    def broken(self, claim: Claim) -> int:
        """An atom that holds where a claim does not."""
        if claim.kind == "some":
            return self._new(self.atom(literal ^ 1) for literal in claim.literals)
        return self._at_least(1 if claim.kind == "none" else 2, claim.literals)

    def one_of(self, atoms: Iterable[int]) -> tuple[list[int], int]:
        """Switches for some atoms, and an atom that holds where one does that is switched on."""
        found = self._backend.add_atom()
        switches = []
        for atom in atoms:
            switch = self._backend.add_atom()
            self._open([switch])
            self._backend.add_rule([found], [switch, atom])
            switches.append(switch)
        return switches, found

    def gates(self) -> None:
        """Rules for all gates that were asked for."""
        for stage in self._schedule.stages(self._needed):
            if stage.loop:
                self._least(stage.loop, stage)
            else:
                for node, fanin in stage.gates:
                    self._backend.add_rule([self.atom(2 * node)], [self.atom(literal) for literal in fanin])

    def _least(self, loop: Loop, stage: Stage) -> None:
        """Rules for the variables of a loop: recursive ones, of which the answer set is the least fixpoint.

        As negation would hide the recursion, each gate has an atom for either polarity that is needed.
        """
        rules = self._positive(loop, dict(stage.gates))
        if rules is None:
            # Open variables allow too much, which may hide a proof but never makes one.
            self._open([self.atom(2 * node) for node in loop.variables])
            return
        for head, body in rules:
            self._backend.add_rule([head], body)

    def _positive(self, loop: Loop, gates: Mapping[int, tuple[int, ...]]) -> list[tuple[int, list[int]]] | None:
        """Rules without negated gates or variables of the loop; None if it cannot do without."""
        rules: list[tuple[int, list[int]]] = []
        inner: dict[int, int] = {}
        stack: list[int] = []
        negated = False

        def positive(literal: int) -> int:
            nonlocal negated
            if literal >> 1 not in gates:
                negated = negated or literal in odd
                return self.atom(literal)
            if literal not in inner:
                inner[literal] = self._backend.add_atom()
                stack.append(literal)
            return inner[literal]

        odd = {2 * node + 1 for node in loop.variables}
        for node, update in zip(loop.variables, loop.updates, strict=True):
            rules.append((self.atom(2 * node), [positive(update)]))
        while stack:
            literal = stack.pop()
            fanin = gates[literal >> 1]
            if literal & 1:
                rules += [(inner[literal], [positive(other ^ 1)]) for other in fanin]
            else:
                rules.append((inner[literal], [positive(other) for other in fanin]))
        return None if negated else rules
