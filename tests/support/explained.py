"""Checks explanations by the rules and the Reasoner's answers alone, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field

import gdl
from gdl.explanation import Absence, Attempt, Derivation, Difference, Explanation, Refutation, Source
from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, substitute, unify
from gdl.reasoner.joint_moves import Moves
from gdl.terms import Constant, Function, Term, Variable

Binding = dict[Variable, Term]


@dataclass
class Checker:
    """A game in a state, with the joint move under way."""

    game: gdl.Reasoner
    state: gdl.State
    moves: Moves | None = None
    seen: set[int] = field(default_factory=set)
    #: How many rule instances, and how many failing conditions, were checked.
    steps: int = 0
    failures: int = 0

    def holds(self, atom: Atom) -> bool:
        """Return True if some instance of an atom holds."""
        pattern = Function(atom.name, atom.args) if atom.args else Constant(atom.name)
        return bool(self.game.query(pattern, self.state, self.moves))

    def explanation(self, found: Explanation) -> None:
        """Check that all an explanation says is so."""
        assert found.holds == self.holds(found.atom)
        assert found.holds == (found.refutation is None)
        if found.refutation is not None:
            assert not found.derivations
            assert not found.instances
            assert found.refutation.atom == found.atom
            self.refutation(found.refutation)
        for instance in found.instances:
            assert not list(instance.variables())
            assert self.holds(instance)
            assert extended({}, found.atom, instance) is not None
        lengths = [height(derivation) for derivation in found.derivations]
        assert lengths == sorted(lengths)
        assert len(lengths) <= found.ways or not found.derivations
        for derivation in found.derivations:
            assert derivation.atom == found.atom
            self.derivation(derivation, found.complete)

    def derivation(self, root: Derivation, complete: bool) -> None:
        """Check that each step of a derivation is an instance of a rule, and its leaves are given."""
        pending = [(root, frozenset[Atom]())]
        while pending:
            derivation, above = pending.pop()
            assert derivation.atom not in above, "a derivation needs itself"
            if id(derivation) in self.seen:
                continue
            self.seen.add(id(derivation))
            self._leaf_or_step(derivation, complete)
            pending += [(p, above | {derivation.atom}) for p in derivation.premises if isinstance(p, Derivation)]

    def _leaf_or_step(self, derivation: Derivation, complete: bool) -> None:
        atom, rule = derivation.atom, derivation.rule
        assert not list(atom.variables())
        if derivation.source is Source.STATE:
            assert atom.signature == ("true", 1)
            assert atom.args[0] in self.state
        elif derivation.source is Source.MOVES:
            assert atom.signature == ("does", 2)
            assert self.holds(atom)
        elif derivation.source is Source.LIMIT:
            assert not complete
            assert self.holds(atom)
        elif derivation.source is Source.FACT:
            assert rule in self.game.rulesheet.rules
            assert rule is not None
            assert not rule.body
            assert rule.head == atom
        else:
            assert rule in self.game.rulesheet.rules
            assert rule is not None
            self._step(atom, rule, derivation)

    def _step(self, atom: Atom, rule: Rule, derivation: Derivation) -> None:
        """Check that one substitution makes the head the atom and each condition its premise; and that these hold."""
        self.steps += 1
        assert rule.body
        binding = extended({}, rule.head, atom)
        for condition, premise in zip(rule.body, derivation.premises, strict=True):
            if isinstance(condition, Distinct):
                assert isinstance(premise, Difference)
                assert premise.left != premise.right
                one, other = (Atom("d", (c.left, c.right)) for c in (condition, premise))
                binding = extended(binding, one, other)
                continue
            assert isinstance(premise, Absence if condition.negated else Derivation)
            binding = extended(binding, condition.atom, premise.atom)
            assert self.holds(premise.atom) != condition.negated
        assert binding is not None

    def refutation(self, refutation: Refutation) -> None:
        """Check that no instance of the atom holds, and that each rule fails where it is said to."""
        assert not self.holds(refutation.atom)
        for atom in refutation.near:
            assert self.holds(atom)
            assert atom.signature == refutation.atom.signature
        rules = [r for r in self.game.rulesheet.rules if r.body and r.head.signature == refutation.atom.signature]
        fitting = [rule for rule in rules if fits(rule.head, refutation.atom)]
        if refutation.source is Source.RULE:
            assert len(fitting) == len(refutation.attempts) + refutation.others
            assert [attempt.rule for attempt in refutation.attempts] == fitting[: len(refutation.attempts)]
        else:
            assert not fitting
        for attempt in refutation.attempts:
            self._attempt(attempt)

    def _attempt(self, attempt: Attempt) -> None:
        self.failures += 1
        # What holds and what fails are instances of the rule's conditions, under one substitution.
        conditions = [*attempt.held, attempt.failed]
        places = {id(condition.syntax): condition for condition in attempt.rule.body}
        for condition in attempt.held:
            assert self._condition_holds(condition), str(condition)
        assert not self._condition_holds(attempt.failed), str(attempt.failed)
        assert len(conditions) <= len(attempt.rule.body)
        binding = dict(attempt.binding)
        for condition in conditions:
            assert instance(places[id(condition.syntax)], binding) == str(condition)
        because = attempt.because
        if isinstance(because, Refutation):
            assert isinstance(attempt.failed, Literal)
            assert because.atom == attempt.failed.atom
            self.refutation(because)
        elif because is not None:
            assert isinstance(attempt.failed, Literal)
            assert attempt.failed.negated
            assert because.atom == attempt.failed.atom
            self.derivation(because, complete=False)

    def _condition_holds(self, condition: Literal | Distinct) -> bool:
        if isinstance(condition, Distinct):
            assert not list(condition.variables())
            return condition.left != condition.right
        assert not condition.negated or not list(condition.variables())
        return self.holds(condition.atom) != condition.negated


def height(derivation: Derivation) -> int:
    """The largest number of rules one below the other in a derivation."""
    heights: dict[int, int] = {}
    pending = [derivation]
    while pending:
        one = pending[-1]
        below = [premise for premise in one.premises if isinstance(premise, Derivation)]
        missing = [premise for premise in below if id(premise) not in heights]
        pending += missing
        if not missing:
            pending.pop()
            rule = one.source is Source.RULE
            heights[id(one)] = 1 + max((heights[id(premise)] for premise in below), default=0) if rule else 0
    return heights[id(derivation)]


def extended(binding: Binding | None, pattern: Atom, atom: Atom) -> Binding | None:
    """The substitution that extends one and makes a pattern a ground atom; None where there is none."""
    if binding is None or pattern.signature != atom.signature:
        return None
    found = dict(binding)
    pairs = list(zip(pattern.args, atom.args, strict=True))
    while pairs:
        left, right = pairs.pop()
        if isinstance(left, Variable):
            if found.setdefault(left, right) != right:
                return None
        elif isinstance(left, Function):
            if not isinstance(right, Function) or left.name.lower() != right.name.lower():
                return None
            if len(left.args) != len(right.args):
                return None
            pairs += zip(left.args, right.args, strict=True)
        elif left != right:
            return None
    return found


def fits(head: Atom, atom: Atom) -> bool:
    """Return True if head and atom have a common instance; their variables are unrelated."""
    names: Binding = {variable: Variable(f"{variable.name} of the atom") for variable in atom.variables()}
    binding: Binding = {}
    pairs = zip(head.args, atom.args, strict=True)
    return all(unify(one, substitute(other, names), binding) for one, other in pairs)


def instance(condition: Condition, binding: Binding) -> str:
    """A condition under a substitution, as text."""
    if isinstance(condition, Distinct):
        return f"(distinct {substitute(condition.left, binding)} {substitute(condition.right, binding)})"
    args = tuple(substitute(arg, binding) for arg in condition.atom.args)
    return str(Literal(Atom(condition.atom.name, args), condition.negated))
