"""The values of small games by plain iteration over all states, straight from the definition of what roles can force.

It shares nothing with `ggp.solver`. States are sets of facts, found by the Reasoner.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import gdl

State = frozenset[str]


class Unsolvable(Exception):
    """Raised for games in which several roles have a choice at once, or one has no move."""


@dataclass(frozen=True)
class Node:
    """A state: the role that has a choice, the states after it, and the goals if it is terminal."""

    mover: int
    after: tuple[State, ...]
    goals: tuple[int, ...] | None


@dataclass(frozen=True)
class Value:
    """The goals at the end, the role that forces it and the plies; all None if nobody can force an end that suits."""

    goals: tuple[int, ...] | None
    driver: int | None
    plies: int | None


@dataclass(frozen=True)
class BruteForce:
    """All reachable states of a game, the first one first."""

    roles: tuple[str, ...]
    nodes: dict[State, Node]

    @classmethod
    def of(cls, game: gdl.Reasoner) -> BruteForce:
        """Explore the states of a game. Raises Unsolvable."""
        begin = game.initial_state()
        known = {_facts(begin): begin}
        nodes = {}
        waiting = [_facts(begin)]
        for name in waiting:
            state = known[name]
            if game.is_terminal(state):
                nodes[name] = Node(0, (), tuple(game.goal(state, role) for role in game.roles))
                continue
            try:
                legal = [game.legal_moves(state, role) for role in game.roles]
            except gdl.NoLegalMoveError:
                raise Unsolvable from None
            choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
            if len(choosing) > 1:
                raise Unsolvable
            after = []
            for moves in product(*legal):
                following = game.next_state(state, moves)
                after.append(_facts(following))
                if after[-1] not in known:
                    known[after[-1]] = following
                    waiting.append(after[-1])
            nodes[name] = Node(choosing[0] if choosing else 0, tuple(after), None)
        return cls(tuple(game.roles), nodes)

    def forced(self, role: int) -> dict[State, tuple[int, int] | None]:
        """The best goal that a role can force in each state, whatever the others do, and the plies; None for no end.

        The others never give more away, but delay.
        """
        best: dict[State, int | None] = dict.fromkeys(self.nodes)
        for value in sorted({node.goals[role] for node in self.nodes.values() if node.goals is not None}):
            won = {name for name, node in self.nodes.items() if node.goals is not None and node.goals[role] >= value}
            while more := {name for name in self.nodes.keys() - won if self._leads(name, role, won)}:
                won |= more
            best |= dict.fromkeys(won, value)
        plies = {name: 0 for name, node in self.nodes.items() if node.goals is not None}
        for ply in range(1, len(self.nodes) + 1):
            new = []
            for name, node in self.nodes.items():
                if name in plies or best[name] is None:
                    continue
                quick = [after in plies for after in node.after if best[after] == best[name]]
                if any(quick) if node.mover == role else all(quick):
                    new.append(name)
            plies |= dict.fromkeys(new, ply)
        return {name: None if value is None else (value, plies[name]) for name, value in best.items()}

    def _leads(self, name: State, role: int, won: set[State]) -> bool:
        node = self.nodes[name]
        inside = [after in won for after in node.after]
        return node.goals is None and (any(inside) if node.mover == role else all(inside))

    def value(self, name: State, forced: list[dict[State, tuple[int, int] | None]], top: tuple[int, ...]) -> Value:
        """The value of a state as docs/guides/solve.md defines it; `top` has the highest goal of each role."""
        outcomes = {node.goals for node in self.nodes.values() if node.goals is not None}
        nothing = Value(None, None, None)
        if len(self.roles) != 2:
            return nothing
        if any((a[0] < b[0]) != (a[1] > b[1]) or (a[0] == b[0]) for a in outcomes for b in outcomes if a != b):
            return nothing
        own = [sure[name] for sure in forced]
        for role, sure in enumerate(own):
            if sure is not None and sure[0] == top[role]:
                return Value(next(goals for goals in outcomes if goals[role] == top[role]), role, sure[1])
        if own[0] is None or own[1] is None or (own[0][0], own[1][0]) not in outcomes:
            return nothing
        driver = 0 if own[0][1] <= own[1][1] else 1
        return Value((own[0][0], own[1][0]), driver, own[driver][1])  # type: ignore[index]


def _facts(state: object) -> State:
    return frozenset(fact.text for fact in state)  # type: ignore[attr-defined]
