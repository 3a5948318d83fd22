"""Games on graphs: a token goes from node to node, moved by whom the node belongs to; and what they are worth, naively.

Ends have goals. Circles are allowed, and one role may move several times in a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class GraphGame:
    """`owner` and `edges` are for nodes that are no ends, `goals` for the ends; node 0 is the start."""

    roles: tuple[str, ...]
    owner: Mapping[int, int]
    edges: Mapping[int, Sequence[int]]
    goals: Mapping[int, tuple[int, ...]]

    @property
    def text(self) -> str:
        """The rules."""
        lines = [f"(role {role})" for role in self.roles]
        lines += ["(init (at 0))"]
        lines += [f"(owner {node} {self.roles[owner]})" for node, owner in self.owner.items()]
        lines += [f"(edge {node} {after})" for node, nodes in self.edges.items() for after in nodes]
        for node, goals in self.goals.items():
            lines += [f"(worth {node} {role} {goal})" for role, goal in zip(self.roles, goals, strict=True)]
        return "\n".join(
            [
                *lines,
                "(<= (legal ?r (go ?b)) (true (at ?a)) (owner ?a ?r) (edge ?a ?b))",
                "(<= (legal ?r noop) (true (at ?a)) (role ?r) (owner ?a ?s) (distinct ?r ?s))",
                "(<= (next (at ?b)) (does ?r (go ?b)))",
                "(<= terminal (true (at ?a)) (worth ?a ?r ?g))",
                "(<= (goal ?r ?g) (true (at ?a)) (worth ?a ?r ?g))",
            ]
        )

    def reachable(self) -> list[int]:
        """The nodes that can be reached."""
        found = [0]
        for node in found:
            found += [after for after in self.edges.get(node, ()) if after not in found]
        return found

    def forced(self, role: int, value: int, plies: int, sign: int = 1, about: int | None = None) -> set[int]:
        """The nodes from which a role can force within so many plies that a goal (its own) is at least a value."""
        whose = role if about is None else about
        won = {node for node, goals in self.goals.items() if sign * goals[whose] >= sign * value}
        for _ in range(plies):
            won = won | {
                node
                for node, owner in self.owner.items()
                if (any if owner == role else all)(after in won for after in self.edges[node])
            }
        return won

    def sure(self, role: int) -> dict[int, tuple[int, int] | None]:
        """The value that a role can be sure of at each node, and the plies; None where it cannot force an end."""
        size = len(self.owner) + len(self.goals)
        values = sorted({goals[role] for goals in self.goals.values()})
        best = dict.fromkeys([*self.owner, *self.goals]) | {
            node: value for value in values for node in self.forced(role, value, size)
        }
        plies: dict[int, int] = dict.fromkeys(self.goals, 0)
        for ply in range(1, size + 1):
            new = {}
            for node, owner in self.owner.items():
                same = [after for after in self.edges[node] if best[after] == best[node]]
                done = [after in plies for after in same]
                if best[node] is not None and node not in plies and (any(done) if owner == role else all(done)):
                    new[node] = ply
            plies |= new
        return {node: None if value is None else (value, plies[node]) for node, value in best.items()}


def random_game(seed: int, goals: Sequence[tuple[int, ...]], nodes: int = 14) -> GraphGame:
    """A game on a random graph, every end of which has one of the goals."""
    random = Random(seed)
    ends = range(nodes - 2 - random.randrange(3), nodes)
    owner = {node: random.randrange(len(goals[0])) for node in range(ends.start)}
    edges = {node: sorted(random.sample(range(nodes), random.randint(1, 3))) for node in owner}
    names = ("left", "right", "third")[: len(goals[0])]
    return GraphGame(names, owner, edges, {node: random.choice(goals) for node in ends})


#: Both want the same piece of the cake.
ZERO_SUM = ((100, 0), (0, 100), (50, 50))

#: The more for one the less for the other, but not always as much together.
UNEVEN = ((90, 5), (10, 60), (40, 50), (0, 70))

#: What is good for one may be good for the other.
COMMON = ((100, 100), (0, 0), (30, 80))
