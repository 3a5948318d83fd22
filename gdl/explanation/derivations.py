"""The search for shortest derivations: breadth-first, from an atom that holds back to facts.

Rules are followed downwards from the atom, level by level: first the rule instances that derive it, then those that
derive their conditions, and so on. Whatever is found to be derivable may make its users derivable (Dowling, Gallier:
Linear-time algorithms for testing the satisfiability of propositional Horn formulae, 1984). A derivation with n levels
needs no atoms below level n, so the search can stop at the first derivation that is no higher than the search has gone.
No derivation is circular, as each atom is higher than those it needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import final

from gdl.explanation.answers import Answers, Ground, ground_of
from gdl.explanation.tree import Absence, Derivation, Difference, Premise, Source
from gdl.language.rules import Condition, Distinct, Rule
from gdl.reasoner.lookup import Binding

#: The length of a derivation: its height, then the total number of rule applications. Compared as a tuple.
_Length = tuple[int, int]

_FACT: _Length = (0, 0)


@dataclass(eq=False, slots=True)
class _Application:
    """A rule instance that derives `head` once all `needs` are derived; `missing` counts those that are not yet."""

    head: Ground
    rule: Rule
    binding: Binding
    needs: tuple[Ground, ...]
    missing: int
    length: _Length | None = None


@dataclass(slots=True)
class _Atom:
    """The search's knowledge of an atom: how it can be derived, what needs it, and its shortest derivation so far."""

    source: Source
    applications: list[_Application] = field(default_factory=list)
    users: list[_Application] = field(default_factory=list)
    length: _Length | None = None
    best: _Application | None = None


@final
@dataclass(slots=True)
class ExplanationBudget:
    """The number of rule instances that may still be looked at."""

    left: int

    @property
    def is_spent(self) -> bool:
        """True if none are left."""
        return self.left <= 0


def derivations(
    answers: Answers, root: Ground, most: int, budget: ExplanationBudget
) -> tuple[tuple[Derivation, ...], int]:
    """Return the shortest derivations of an atom that holds, and the number of rule instances that derive it.

    At most `most` derivations are returned, shortest first. Circular ones are not counted. If the budget runs out, the
    first derivation may not be the shortest, and there may be more.
    """
    return _Search(answers, budget).derive(root, most)


class _Search:
    """The search for the derivations of one atom."""

    def __init__(self, answers: Answers, budget: ExplanationBudget) -> None:
        self._answers = answers
        self._budget = budget
        self._atoms: dict[Ground, _Atom] = {}
        self._built: dict[Ground, Derivation] = {}

    def derive(self, root: Ground, most: int) -> tuple[tuple[Derivation, ...], int]:
        level = self._reached([root])
        atom = self._atoms[root]
        if atom.source is not Source.RULE:
            return (self._leaf(root),), 1
        depth = 0
        while level and not self._budget.is_spent and not self._done(atom, most, depth):
            level = self._expanded(level)
            depth += 1
        # Circular derivations are not counted. The sort is stable: equally long ones stay in the order of the text.
        proper = [application for application in atom.applications if not self._leads_to(application, root)]
        ranked = sorted(proper, key=lambda a: (a.length is None, a.length or _FACT, a.missing))
        found = [self._built_of(application) for application in ranked[:most] if application.length is not None]
        if not found:
            # The budget ran out first: show a rule that derives the atom, but not everything that the rule needs.
            found = [self._built_of(application) for application in ranked[:1]]
        return tuple(found) or (self._leaf(root),), len(ranked)

    def _done(self, atom: _Atom, most: int, depth: int) -> bool:
        """Return True if going deeper cannot find anything shorter, and enough derivations have been found."""
        if atom.length is None or atom.length[0] > depth + 1:
            return False
        return sum(a.length is not None for a in atom.applications) >= min(most, len(atom.applications))

    def _leads_to(self, application: _Application, root: Ground) -> bool:
        """Return True if the shortest known derivation by an application contains the root."""
        pending = list(application.needs)
        seen = set(pending)
        for need in pending:
            best = self._atoms[need].best
            new = [below for below in best.needs if below not in seen] if best is not None else []
            seen.update(new)
            pending += new
        return root in seen

    def _reached(self, grounds: Iterable[Ground]) -> list[Ground]:
        """Register atoms, and return those that are new and have rules to follow."""
        found = []
        for ground in grounds:
            if ground not in self._atoms:
                source = self._source(ground)
                self._atoms[ground] = _Atom(source, length=None if source is Source.RULE else _FACT)
                if source is Source.RULE:
                    found.append(ground)
        return found

    def _source(self, ground: Ground) -> Source:
        name, values = ground
        if (name, len(values)) == ("true", 1):
            return Source.STATE
        if (name, len(values)) == ("does", 2):
            return Source.MOVES
        return Source.FACT if self._answers.fact(ground) is not None else Source.RULE

    def _expanded(self, level: Sequence[Ground]) -> list[Ground]:
        """Find the applications that derive some atoms, and return the atoms of the next level."""
        following: list[Ground] = []
        for ground in level:
            for rule in self._answers.rules((ground[0], len(ground[1]))):
                found = list(islice(self._answers.applications(rule, ground), self._budget.left + 1))
                # Sorted, so that the result is deterministic.
                for binding in sorted(found, key=lambda binding: list(map(str, binding.values()))):
                    if self._budget.is_spent:
                        return following
                    self._budget.left -= 1
                    needs = tuple(
                        dict.fromkeys(
                            ground_of(literal.atom, binding) for literal in rule.literals() if not literal.negated
                        )
                    )
                    following += self._reached(needs)
                    self._add(_Application(ground, rule, binding, needs, 0))
        return following

    def _add(self, application: _Application) -> None:
        self._atoms[application.head].applications.append(application)
        for need in application.needs:
            atom = self._atoms[need]
            atom.users.append(application)
            application.missing += atom.length is None
        self._improve(application)

    def _improve(self, first: _Application) -> None:
        """Propagate the consequences of a new application, or of one whose needs have become shorter."""
        queue = deque([first])
        while queue:
            application = queue.popleft()
            if application.missing:
                continue
            lengths = [self._atoms[need].length or _FACT for need in application.needs]
            length = (1 + max((height for height, _ in lengths), default=0), 1 + sum(size for _, size in lengths))
            if application.length is not None and application.length <= length:
                continue
            application.length = length
            atom = self._atoms[application.head]
            if atom.length is not None and atom.length <= length:
                continue
            new = atom.length is None
            atom.length, atom.best = length, application
            for user in atom.users:
                user.missing -= new
                queue.append(user)

    def _built_of(self, application: _Application) -> Derivation:
        """Build the derivation by an application, needs first. Iterative, as chains can be long."""
        pending = list(application.needs)
        while pending:
            ground = pending[-1]
            best = self._atoms[ground].best if ground in self._atoms else None
            missing = [need for need in best.needs if need not in self._built] if best is not None else []
            if ground in self._built or not missing:
                pending.pop()
                self._built[ground] = self._built.get(ground) or (self._node(best) if best else self._leaf(ground))
            else:
                pending.extend(missing)
        return self._node(application)

    def _leaf(self, ground: Ground) -> Derivation:
        """Build a derivation without premises: a fact, or an atom that was not followed further."""
        source = self._atoms[ground].source if ground in self._atoms else Source.RULE
        source = Source.LIMIT if source is Source.RULE else source
        return Derivation(self._answers.atom(ground), source, self._answers.fact(ground))

    def _node(self, application: _Application) -> Derivation:
        premises = tuple(self._premise(condition, application.binding) for condition in application.rule.body)
        return Derivation(self._answers.atom(application.head), Source.RULE, application.rule, premises)

    def _premise(self, condition: Condition, binding: Binding) -> Premise:
        if isinstance(condition, Distinct):
            instance = self._answers.instance(condition, binding)
            assert isinstance(instance, Distinct)
            return Difference(instance.left, instance.right)
        ground = ground_of(condition.atom, binding)
        return Absence(self._answers.atom(ground)) if condition.negated else self._built[ground]
