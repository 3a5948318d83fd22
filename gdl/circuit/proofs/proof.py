"""Prove that claims hold in every state, or after every step: clingo searches for a counterexample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, Loop
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.sampling import Schedule, Stage

if TYPE_CHECKING:
    from clingo import Model
    from clingo.backend import Backend

#: The longest time in seconds before an interrupt is noticed.
_PATIENCE: Final = 0.1

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
        self._control = Control(["--warn=none", "--seed=0", "--heuristic=Domain", f"--solve-limit={_CONFLICTS}"])
        with self._control.backend() as backend:
            now = StateEncoding.open(backend, game)
            asked = now
            if step:
                now.move()
                asked = now.after()
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
        with self._control.solve(assumptions, yield_=True, async_=True) as handle:
            handle.resume()
            try:
                while not handle.wait(_PATIENCE):
                    pass
            except BaseException:
                handle.cancel()
                raise
            model = handle.model()
            found = None if model is None else self._read(model, wanted)
            unknown = model is None and handle.get().unknown
            core = handle.core() if model is None and not unknown else []
        self._count()
        if unknown:
            raise OutOfTime
        return frozenset(by_atom[atom] for atom in core if atom in by_atom) if found is None else found

    def _count(self) -> None:
        solver = self._control.statistics["solving"]["solvers"]
        self._effort.search(self._size, solver["choices"], solver["conflicts"])

    def _read(self, model: Model, wanted: Iterable[Claim]) -> Counterexample:
        holds = model.is_true
        facts = frozenset(number for number, atom in enumerate(self._facts) if holds(atom))
        return Counterexample(facts, tuple(claim for claim in wanted if holds(self._broken[claim])))


@final
class StateEncoding:
    """A circuit as rules: each gate has a rule by which it holds if its inputs do; the facts and moves are given."""

    def __init__(self, backend: Backend, game: GameCircuit, atoms: dict[int, int]) -> None:
        """Start with the atoms of some nodes."""
        self._backend = backend
        self._game = game
        #: The atoms of nodes, negative if the node is the negation of an atom.
        self._atoms = atoms
        #: Literals of gates that have atoms, but no rules yet.
        self._needed: list[int] = []
        self._schedule = Schedule(game.circuit)

    @classmethod
    def initial(cls, backend: Backend, game: GameCircuit) -> StateEncoding:
        """Return the encoding of the initial state."""
        always = backend.add_atom()
        backend.add_rule([always])
        facts = {1 + number: always if holds else -always for number, holds in enumerate(game.init)}
        return cls(backend, game, {0: -always, **facts})

    @classmethod
    def open(cls, backend: Backend, game: GameCircuit) -> StateEncoding:
        """Return the encoding of an arbitrary state and joint move."""
        always = backend.add_atom()
        backend.add_rule([always])
        inputs = {node: backend.add_atom() for node in range(1, 1 + game.circuit.inputs)}
        backend.add_rule(list(inputs.values()), choice=True)
        return cls(backend, game, {0: -always, **inputs})

    def move(self) -> None:
        """Require that the state is not terminal, and that each role does exactly one of its legal moves."""
        game = self._game
        self.forbid(self.atom(game.terminal))
        for role in range(len(game.roles)):
            own = game.moves_of(role)
            if own:
                done = [game.move(number) for number in own]
                self.forbid(self._at_least(2, done))
                self.forbid(-self._at_least(1, done))
            for number in own:
                self._legal(number)

    def _legal(self, number: int) -> None:
        """Require that a move is done only if it is legal."""
        from clingo.backend import HeuristicType

        move = self.atom(self._game.move(number))
        self.forbid(move, -self.atom(self._game.legal[number]))
        # Moves imply the most, and proofs are many times faster if they are decided first.
        self._backend.add_heuristic(move, HeuristicType.Level, 1, 1, [])
        self._backend.add_heuristic(move, HeuristicType.Sign, 1, 1, [])

    def after(self) -> StateEncoding:
        """Return the encoding of the state that the move leads to."""
        facts = {1 + number: self.atom(literal) for number, literal in enumerate(self._game.next)}
        return StateEncoding(self._backend, self._game, {0: self._atoms[0], **facts})

    def any_move(self) -> None:
        """Let any moves be done."""
        first = 1 + len(self._game.facts)
        moves = {first + number: self._backend.add_atom() for number in range(len(self._game.moves))}
        self._backend.add_rule(list(moves.values()), choice=True)
        self._atoms.update(moves)

    def resume(self, backend: Backend) -> None:
        """Continue with another backend of the same program."""
        self._backend = backend

    def atom(self, literal: int) -> int:
        """Return the atom of a literal, negative if the literal is negated."""
        node = literal >> 1
        atom = self._atoms.get(node)
        if atom is None:
            atom = self._atoms[node] = self._backend.add_atom()
            self._needed.append(literal)
        return -atom if literal & 1 else atom

    def broken(self, claim: Claim) -> int:
        """Return an atom that holds if a claim does not."""
        if claim.kind == "some":
            return self._all(self.atom(literal ^ 1) for literal in claim.literals)
        if claim.kind == "first alone":
            first, *others = claim.literals
            return self._all([self.atom(first), self._at_least(1, others)])
        return self._at_least(1 if claim.kind == "none" else 2, claim.literals)

    def forbid(self, *atoms: int) -> None:
        """Exclude models in which all of some atoms hold."""
        self._backend.add_rule([], atoms)

    def unless(self, atom: int) -> int:
        """Return an atom that can be switched on only if another one does not hold."""
        switch = self._backend.add_atom()
        self._backend.add_rule([switch], choice=True)
        self.forbid(switch, atom)
        return switch

    def one_of(self, atoms: Iterable[int]) -> tuple[list[int], int]:
        """Return switches for some atoms, and an atom that holds if some atom that is switched on holds."""
        found = self._backend.add_atom()
        switches = []
        for atom in atoms:
            switch = self._backend.add_atom()
            self._backend.add_rule([switch], choice=True)
            self._backend.add_rule([found], [switch, atom])
            switches.append(switch)
        return switches, found

    def both(self, *atoms: int) -> int:
        """Return an atom that holds if all of some atoms do."""
        return self._all(atoms)

    def any(self, atoms: Iterable[int]) -> int:
        """Return an atom that holds if one of some atoms does."""
        found = self._backend.add_atom()
        for atom in atoms:
            self._backend.add_rule([found], [atom])
        return found

    def _all(self, body: Iterable[int]) -> int:
        atom = self._backend.add_atom()
        self._backend.add_rule([atom], list(body))
        return atom

    def _at_least(self, number: int, literals: Iterable[int]) -> int:
        atom = self._backend.add_atom()
        self._backend.add_weight_rule([atom], number, [(self.atom(x), 1) for x in literals if x != FALSE])
        return atom

    def define(self) -> None:
        """Add the rules of all gates that were asked for and have none yet."""
        needed, self._needed = self._needed, []
        for stage in self._schedule.stages(needed):
            if stage.loop:
                self._least(stage.loop, stage)
            else:
                for node, fanin in stage.gates:
                    self._backend.add_rule([self.atom(2 * node)], [self.atom(literal) for literal in fanin])

    def _least(self, loop: Loop, stage: Stage) -> None:
        """Add recursive rules for the variables of a loop, so that the answer set is the least fixpoint.

        As negation would hide the recursion, each gate has an atom for either polarity that is needed.
        """
        rules = self._positive(loop, dict(stage.gates))
        if rules is None:
            # Unconstrained variables allow too much, which may hide a proof but never makes a wrong one.
            self._backend.add_rule([self.atom(2 * node) for node in loop.variables], choice=True)
            return
        for head, body in rules:
            self._backend.add_rule([head], body)

    def _positive(self, loop: Loop, gates: Mapping[int, tuple[int, ...]]) -> list[tuple[int, list[int]]] | None:
        """Return rules without negated gates or variables of the loop; None if negation is needed."""
        rules: list[tuple[int, list[int]]] = []
        inner: dict[int, int] = {}
        stack: list[int] = []
        odd = {2 * node + 1 for node in loop.variables}
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
