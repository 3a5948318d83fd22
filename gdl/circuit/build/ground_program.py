"""Build a circuit from a ground program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl.circuit.build.counting import Counting
from gdl.circuit.build.factoring import sum_of_products
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit, Group, Laws, Loop
from gdl.grounder.program import ALWAYS, GroundProgram
from gdl.language.strata import strongly_connected

#: Recursion is unfolded round by round up to this number of products; beyond it, it becomes a loop.
_UNFOLDED = 4_000


def build(program: GroundProgram, *, factoring: bool = True, complements: bool = True) -> GameCircuit:
    """Build the circuit of a ground program.

    With `factoring`, common factors are taken out of sums, and facts are counted in binary. With `complements`, the
    circuit is simplified under the assumption that each role does exactly one of its legal moves: doing one of most
    moves means doing none of the others, and whatever makes a move legal holds when it is done.
    """
    return _Builder(program, factoring, complements).game()


class _Builder:
    def __init__(self, program: GroundProgram, factoring: bool, complements: bool) -> None:
        self.program = program
        self.factoring = factoring
        self.complements = complements
        self.roles = {role: number for number, role in enumerate(program.roles)}
        self.facts = tuple(sorted(program.true, key=str))
        by_role = sorted(program.does, key=lambda done: (self.roles[done[0]], done[1].text))
        self.moves = tuple((self.roles[role], move) for role, move in by_role)
        first = 1 + len(self.facts)
        owned: dict[int, list[int]] = {}
        for number, (role, _) in enumerate(self.moves):
            owned.setdefault(role, []).append(first + number)
        groups = tuple(Group(tuple(nodes), exact=True) for nodes in owned.values() if complements)
        self.circuit = Circuit(len(self.facts) + len(self.moves), Laws(groups))
        self.literals: dict[int, int] = {ALWAYS: TRUE}
        for number, fact in enumerate(self.facts):
            self.literals[program.true[fact]] = 2 * (1 + number)
        for number, done in enumerate(by_role):
            # If a role ever has only one move, it always does that move.
            alone = len(owned[self.roles[done[0]]]) == 1
            self.literals[program.does[done]] = TRUE if alone else 2 * (first + number)
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            self.bodies.setdefault(head, []).append(body)
        self.counting = Counting(program, self.circuit, self.literals) if factoring else None

    def game(self) -> GameCircuit:
        program = self.program
        legal = {(self.roles[role], move): number for (role, move), number in program.legal.items()}
        goals = {(self.roles[role], value): number for (role, value), number in program.goal.items()}
        sees = {(self.roles[role], percept): number for (role, percept), number in program.sees.items()}
        terminal = [] if program.terminal is None else [program.terminal]
        # Outputs that do not depend on moves come first, so that moves are known to imply their legality afterwards.
        self._derive([*legal.values(), *terminal, *goals.values()])
        never = FALSE
        legality = tuple(self.literals[legal[move]] if move in legal else never for move in self.moves)
        if self.complements:
            self.circuit.laws.implied.update(implied_by_moves(self.circuit, len(self.facts), legality))
        self._derive([*program.next.values(), *sees.values()])
        return GameCircuit(
            circuit=self.circuit,
            roles=program.roles,
            facts=self.facts,
            moves=self.moves,
            init=tuple(fact in program.init for fact in self.facts),
            legal=legality,
            next=tuple(self.literals[program.next[fact]] if fact in program.next else never for fact in self.facts),
            terminal=self.literals[terminal[0]] if terminal else never,
            goals={key: self.literals[goals[key]] for key in sorted(goals, key=str)},
            sees={key: self.literals[sees[key]] for key in sorted(sees, key=str)},
        )

    def _derive(self, wanted: Iterable[int]) -> None:
        """Define the literals of atoms and of everything they depend on."""
        edges: dict[int, list[int]] = {}
        stack = [atom for atom in wanted if atom not in self.literals]
        while stack:
            atom = stack.pop()
            if atom in edges:
                continue
            if self.counting is not None and self.counting.pays(atom, self.bodies, self.literals):
                edges[atom] = []
                self.literals[atom] = self.counting.literal(atom)
                continue
            needs = {abs(literal) for body in self.bodies.get(atom, ()) for literal in body}
            edges[atom] = sorted(need for need in needs if need not in self.literals)
            stack += edges[atom]
        for component in strongly_connected(edges):
            if component[0] in self.literals:
                continue  # it was counted
            if len(component) == 1:
                self._define(component[0])
            else:
                self._define_together(component)

    def _define(self, atom: int) -> None:
        # A rule whose body contains its own head derives nothing.
        bodies = [body for body in self.bodies.get(atom, ()) if atom not in body]
        self.literals[atom] = self._sum(bodies, self.literals)

    def _sum(self, bodies: Iterable[tuple[int, ...]], literals: dict[int, int]) -> int:
        products = [[literals[x] if x >= 0 else literals[-x] ^ 1 for x in body] for body in bodies]
        if not self.factoring:
            return self.circuit.or_([self.circuit.and_(product) for product in products])
        return sum_of_products(self.circuit, products)

    def _define_together(self, atoms: tuple[int, ...]) -> None:
        """Define mutually recursive atoms by their least fixpoint: one round per atom, or a loop."""
        bodies = sum(len(self.bodies[atom]) for atom in atoms)
        if bodies * len(atoms) <= _UNFOLDED:
            values = dict.fromkeys(atoms, FALSE)
            needs = {atom: {abs(literal) for body in self.bodies[atom] for literal in body} for atom in atoms}
            changed = set(atoms)
            for _ in atoms:
                self.literals.update(values)
                found = {
                    atom: self._sum(self.bodies[atom], self.literals)
                    for atom in atoms
                    if not changed.isdisjoint(needs[atom])
                }
                changed = {atom for atom, literal in found.items() if literal != values[atom]}
                values |= found
                if not changed:
                    break
            self.literals.update(values)
            return
        for atom in atoms:
            self.literals[atom] = self.circuit.variable()
        loop = Loop(tuple(self.literals[atom] >> 1 for atom in atoms))
        loop.updates = tuple(self._sum(self.bodies[atom], self.literals) for atom in atoms)
        self.circuit.loops.append(loop)


def implied_by_moves(circuit: Circuit, facts: int, legal: Sequence[int]) -> dict[int, frozenset[int]]:
    """Return the literals that hold when a move is done, by the literal of the move: the conjuncts of its legality."""
    implied = {}
    for number, literal in enumerate(legal):
        if literal > TRUE:
            conjuncts = () if literal & 1 else circuit.fanins[literal >> 1]
            implied[2 * (1 + facts + number)] = frozenset((literal, *conjuncts))
    return implied
