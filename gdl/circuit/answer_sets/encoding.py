"""Encode the gates of a circuit as rules of a logic program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, final

from gdl.circuit.gates import FALSE, Circuit, Loop
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.sampling import Schedule, Stage

if TYPE_CHECKING:
    from clingo.backend import Backend


@final
class CircuitEncoding:
    """A circuit as rules: each gate has a rule by which it holds if its inputs hold; atoms of the inputs are given.

    Atoms are those of clingo's backend, negative for negations. Gates get atoms on demand, and their rules by `define`;
    or both at once by `fold`, which suits circuits with mostly known inputs.
    """

    def __init__(self, backend: Backend, circuit: Circuit, atoms: dict[int, int]) -> None:
        """Prepare to encode a circuit, given the `atoms` of node 0 and of the known inputs; more are added to it."""
        self.backend = backend
        self._circuit = circuit
        #: The atoms of nodes, negative if a node is the negation of an atom; that of node 0 never holds.
        self._atoms = atoms
        #: Literals of gates that have atoms but no rules yet.
        self._needed: list[int] = []

    @cached_property
    def _schedule(self) -> Schedule:
        return Schedule(self._circuit)

    def resume(self, backend: Backend) -> None:
        """Continue with another backend of the same program."""
        self.backend = backend

    def give(self, atoms: Mapping[int, int]) -> None:
        """Set the atoms of further nodes."""
        self._atoms.update(atoms)

    @property
    def false(self) -> int:
        """The atom of node 0, which never holds."""
        return self._atoms[0]

    def atom(self, literal: int) -> int:
        """Return the atom of a literal, negative if negated."""
        node = literal >> 1
        atom = self._atoms.get(node)
        if atom is None:
            atom = self._atoms[node] = self.backend.add_atom()
            self._needed.append(literal)
        return -atom if literal & 1 else atom

    def broken(self, claim: Claim) -> int:
        """Return an atom that holds if a claim does not."""
        if claim.kind == "some":
            return self._all(self.atom(literal ^ 1) for literal in claim.literals)
        if claim.kind == "first alone":
            first, *others = claim.literals
            return self._all([self.atom(first), self.at_least(1, others)])
        return self.at_least(1 if claim.kind == "none" else 2, claim.literals)

    def forbid(self, *atoms: int) -> None:
        """Exclude answer sets in which all of some atoms hold."""
        self.backend.add_rule([], atoms)

    def unless(self, atom: int) -> int:
        """Return a switch, an atom of free choice, that excludes another atom."""
        switch = self.backend.add_atom()
        self.backend.add_rule([switch], choice=True)
        self.forbid(switch, atom)
        return switch

    def one_of(self, atoms: Iterable[int]) -> tuple[list[int], int]:
        """Return switches for some atoms, and an atom that holds if some atom and its switch hold."""
        found = self.backend.add_atom()
        switches = []
        for atom in atoms:
            switch = self.backend.add_atom()
            self.backend.add_rule([switch], choice=True)
            self.backend.add_rule([found], [switch, atom])
            switches.append(switch)
        return switches, found

    def both(self, *atoms: int) -> int:
        """Return an atom that holds if all of some atoms hold."""
        return self._all(atoms)

    def any(self, atoms: Iterable[int]) -> int:
        """Return an atom that holds if any of some atoms holds."""
        found = self.backend.add_atom()
        for atom in atoms:
            self.backend.add_rule([found], [atom])
        return found

    def _all(self, body: Iterable[int]) -> int:
        atom = self.backend.add_atom()
        self.backend.add_rule([atom], list(body))
        return atom

    def at_least(self, number: int, literals: Iterable[int]) -> int:
        """Return an atom that holds if at least a number of some literals of the circuit hold."""
        atom = self.backend.add_atom()
        self.backend.add_weight_rule([atom], number, [(self.atom(x), 1) for x in literals if x != FALSE])
        return atom

    def fold(self, order: Iterable[int]) -> None:
        """Set the atoms and rules of nodes, in an order in which each comes after its inputs; constants need no rules.

        Inputs without atoms are false, and so are variables of loops.
        """
        atoms, false = self._atoms, self._atoms[0]
        for node in order:
            if node in atoms:
                continue
            fanin = self._circuit.fanins[node]
            body = {atoms[literal >> 1] * (-1 if literal & 1 else 1) for literal in fanin}
            body.discard(-false)
            if false in body or not fanin:
                atoms[node] = false
            elif len(body) < 2:
                atoms[node] = body.pop() if body else -false
            else:
                atoms[node] = self.backend.add_atom()
                self.backend.add_rule([atoms[node]], sorted(body))

    def define(self) -> None:
        """Add the rules of all gates that have been used but have none yet."""
        needed, self._needed = self._needed, []
        for stage in self._schedule.stages(needed):
            if stage.loop:
                self._least(stage.loop, stage)
            else:
                for node, fanin in stage.gates:
                    self.backend.add_rule([self.atom(2 * node)], [self.atom(literal) for literal in fanin])

    def _least(self, loop: Loop, stage: Stage) -> None:
        """Add recursive rules for the variables of a loop; their answer set is the least fixpoint.

        As negation would hide the recursion, each gate gets an atom for each polarity that is needed.
        """
        rules = self._positive(loop, dict(stage.gates))
        if rules is None:
            # Free variables allow too much, which may prevent a proof but never makes a wrong one.
            self.backend.add_rule([self.atom(2 * node) for node in loop.variables], choice=True)
            return
        for head, body in rules:
            self.backend.add_rule([head], body)

    def _positive(self, loop: Loop, gates: Mapping[int, tuple[int, ...]]) -> list[tuple[int, list[int]]] | None:
        """Return rules without negated gates or variables of the loop; None if there are no such rules."""
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
                inner[literal] = self.backend.add_atom()
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
