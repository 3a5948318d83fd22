"""The obvious evaluator of ground programs: strata of atoms, each by a fixpoint. The measure of the compiled engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from gdl.grounder import ALWAYS, GroundProgram, GroundRule
from gdl.language.strata import strongly_connected
from gdl.terms import Term


class Evaluator:
    """The answers of a ground program about a state and a joint move."""

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        needs: dict[int, dict[int, bool]] = {}
        for head, body in program.rules:
            assert head > 0
            assert body
            own = needs.setdefault(head, {})
            for literal in body:
                assert 0 < abs(literal) < program.size
                own[abs(literal)] = own.get(abs(literal), False) or literal < 0
                needs.setdefault(abs(literal), {})
        place = {}
        self.cyclic = set()
        for i, component in enumerate(map(set, strongly_connected(needs))):
            for atom in component:
                place[atom] = i
                if any(need in component for need in needs[atom]):
                    self.cyclic.add(i)
                    assert not any(needs[atom].get(other) for other in component), "a negative cycle"
        rules = sorted(program.rules, key=lambda rule: place[rule[0]])
        self.strata = [(i, list(group)) for i, group in groupby(rules, key=lambda rule: place[rule[0]])]

    def atoms(self, state: Iterable[Term], moves: Mapping[Term, Term] | None = None) -> set[int]:
        """The atoms that hold in a state, and after a joint move if one is given."""
        program = self.program
        holds = {ALWAYS, *(program.true[fact] for fact in state)}
        holds.update(program.does[role, move] for role, move in (moves or {}).items())
        for i, rules in self.strata:
            while _apply(rules, holds) and i in self.cyclic:
                pass
        return holds


def _apply(rules: Iterable[GroundRule], holds: set[int]) -> bool:
    """Adds the heads of rules whose body holds; whether any was new."""
    before = len(holds)
    for head, body in rules:
        if head not in holds and all(
            (literal in holds) if literal > 0 else (-literal not in holds) for literal in body
        ):
            holds.add(head)
    return len(holds) > before
