"""The dependency graph of relations: strongly connected components and negative cycles.

A component is a set of relations that depend on each other. The components in dependency order are the finest possible
strata. A program is stratified if no component negates a relation of its own (Apt, Blair, Walker: Towards a theory of
declarative knowledge, 1988).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from gdl.language.rules import Literal, Rule, Signature

#: The number of relations visited in search of a shortest negative cycle in one component.
_SEARCHED: Final = 100_000


@dataclass(frozen=True, slots=True)
class Dependency:
    """An edge of the graph: the relation in the head of a rule depends on that of a literal in its body."""

    rule: Rule
    literal: Literal


class DependencyGraph:
    """The dependencies between the relations of a list of rules."""

    def __init__(self, rules: Iterable[Rule], mentioned: Iterable[Signature] = ()) -> None:
        """Build the graph, and find its strongly connected components.

        Relations that are `mentioned` are nodes even if they occur in no rule.
        """
        self.edges: dict[Signature, dict[Signature, list[Dependency]]] = defaultdict(lambda: defaultdict(list))
        for relation in mentioned:
            self.edges[relation]
        for rule in rules:
            needs = self.edges[rule.head.signature]
            for literal in rule.literals():
                needs[literal.atom.signature].append(Dependency(rule, literal))
                self.edges[literal.atom.signature]  # adds a node, even if nothing defines the relation
        self.components: tuple[tuple[Signature, ...], ...] = tuple(strongly_connected(self.edges))

    def reaches(self, targets: Iterable[Signature]) -> set[Signature]:
        """Return the relations that depend, directly or indirectly, on a target, including the targets."""
        users: dict[Signature, list[Signature]] = defaultdict(list)
        for head, needs in self.edges.items():
            for need in needs:
                users[need].append(head)
        found = set(targets)
        stack = list(found)
        while stack:
            for user in users[stack.pop()]:
                if user not in found:
                    found.add(user)
                    stack.append(user)
        return found

    def path(self, start: Signature, goal: Signature, within: set[Signature] | None = None) -> list[Dependency]:
        """Return a shortest chain of dependencies from `start` to `goal`, or [] if there is none.

        If `within` is given, the chain passes through these relations only.
        """
        came: dict[Signature, Dependency] = {}
        queue = [start]
        for node in queue:
            for need, dependencies in self.edges[node].items():
                if need not in came and (within is None or need in within):
                    came[need] = dependencies[0]
                    queue.append(need)
        chain: list[Dependency] = []
        node = goal
        while node in came:
            chain.append(came[node])
            node = came[node].rule.head.signature
            if node == start:
                return chain[::-1]
        return []

    def negative_cycles(self) -> list[list[Dependency]]:
        """Return a negative cycle for each component that negates one of its own relations.

        Each starts with the negation. It is a shortest one, unless the component is too large to try all negations.
        """
        cycles = []
        for component in self.components:
            members = set(component)
            tried = islice(self._negations(component, members), max(1, _SEARCHED // len(component)))
            found = []
            for head, need, negation in tried:
                back = self.path(need, head, members) if need != head else []
                found.append([negation, *back])
            if found:
                cycles.append(min(found, key=len))
        return cycles

    def _negations(
        self, component: Iterable[Signature], members: set[Signature]
    ) -> Iterator[tuple[Signature, Signature, Dependency]]:
        """Yield each relation of a component with one that it negates, and the first negation of it."""
        for head in component:
            for need, dependencies in self.edges[head].items():
                negation = next((d for d in dependencies if d.literal.negated), None)
                if need in members and negation is not None:
                    yield head, need, negation


Node = TypeVar("Node", Signature, int)


def strongly_connected(edges: Mapping[Node, Iterable[Node]]) -> Iterator[tuple[Node, ...]]:
    """Yield the strongly connected components, each after all components that it depends on.

    Tarjan's algorithm, without recursion.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    path: list[Node] = []
    place: dict[Node, int] = {}  # the index of each node in `path`
    for root in list(edges):
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        place[root] = len(path)
        path.append(root)
        while work:
            node, needs = work[-1]
            for need in needs:
                if need not in index:
                    index[need] = low[need] = len(index)
                    place[need] = len(path)
                    path.append(need)
                    work.append((need, iter(edges[need])))
                    break
                if need in place:
                    low[node] = min(low[node], index[need])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = path[place[node] :]
                    del path[place[node] :]
                    for member in component:
                        del place[member]
                    yield tuple(sorted(component))
