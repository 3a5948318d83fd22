"""Games for Monte Carlo tree search, and what its trees hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import gdl
from gdl.engine import Engine
from gdl.terms import Term
from ggp.players.mcts.options import Options
from ggp.players.mcts.search import Search
from ggp.players.mcts.tree import (
    JOINTS,
    LINE,
    LINES_USED,
    LOCK,
    MAX_OUTCOMES,
    NODES,
    OUTCOMES,
    ROOT,
    Node,
    Tree,
)
from ggp.players.mcts.world import EngineWorld, LanesWorld
from support import toy_files

ROOT_FOLDER = toy_files.ROOT
TIC_TAC_TOE = ROOT_FOLDER / "games" / "classics" / "tic_tac_toe.kif"
CONNECT_FOUR = ROOT_FOLDER / "games" / "classics" / "connect_four.kif"


def numbers(most: int) -> str:
    return "".join(f"(succ {i} {i + 1})" for i in range(most))


#: Whoever takes the last of a heap gets 90, the other 10. Who takes two moves once more.
TWICE = f"""
(role left) (role right) (other left right) (other right left) {numbers(9)} (init (heap 7)) (init (control left))
(<= (less2 ?n ?m) (succ ?m ?k) (succ ?k ?n))
(<= (legal ?r one) (true (control ?r)) (true (heap ?n)) (succ ?m ?n))
(<= (legal ?r two) (true (control ?r)) (true (heap ?n)) (less2 ?n ?m))
(<= (legal ?r noop) (true (control ?o)) (other ?r ?o))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r one) (succ ?m ?n))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r two) (less2 ?n ?m))
(<= (next (control ?o)) (does ?r one) (other ?r ?o)) (<= (next (control ?r)) (does ?r two))
(<= (next (last ?r)) (does ?r one)) (<= (next (last ?r)) (does ?r two))
(<= terminal (true (heap 0)))
(<= (goal ?r 90) (true (last ?r))) (<= (goal ?r 10) (true (last ?o)) (other ?r ?o))
"""
#: A token goes to and fro; left wins where it comes to 0, right where it comes to 6. In the middle nobody can win, as
#: the other can always go back; beside an end the role to move wins or has to go there.
CYCLE = f"""
(role left) (role right) (other left right) (other right left) {numbers(6)} (init (at 3)) (init (control left))
(<= (legal ?r down) (true (control ?r))) (<= (legal ?r up) (true (control ?r)) (not (true (at 5))))
(<= (legal ?r noop) (true (control ?o)) (other ?r ?o))
(<= (next (at ?m)) (true (at ?n)) (does ?r down) (succ ?m ?n))
(<= (next (at ?m)) (true (at ?n)) (does ?r up) (succ ?n ?m))
(<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
(<= (next passed) (true (at 1)) (does right down))
(<= terminal (true (at 0))) (<= terminal (true passed))
(<= (goal left 100) won) (<= (goal left 0) (not won)) (<= (goal right 0) won) (<= (goal right 100) (not won))
(<= won (true (at 0)) (not (true passed)))
"""
#: A sure 60, or what chance gives: 100 twice in three times, else 25, which is 75 on average.
CHANCE = """
(role gambler) (role random) (init (at start)) (place sure) (place risk) (side 1) (side 2) (side 3)
(<= (legal gambler (go ?x)) (true (at start)) (place ?x)) (<= (legal gambler noop) (true (at risk)))
(<= (legal random noop) (true (at start))) (<= (legal random (roll ?s)) (true (at risk)) (side ?s))
(<= (next (at ?x)) (does gambler (go ?x))) (<= (next (rolled ?s)) (does random (roll ?s)))
(<= terminal (true (at sure))) (<= terminal (true (rolled ?s)))
(<= (goal gambler 60) (true (at sure))) (<= (goal gambler 25) (true (rolled 1)))
(<= (goal gambler 100) (true (rolled ?s)) (distinct ?s 1)) (<= (goal random 0) (role random))
"""
#: Two roles without turns for so many plies, where joint moves lead to the same states: the sum of steps decides.
TOGETHER = f"""
(role left) (role right) {numbers(20)} (init (at 10)) (init (ply 0)) (step 0) (step 1) (step 2)
(<= (legal ?r ?s) (role ?r) (step ?s))
(<= (next (at ?n)) (true (at ?n)) (does left ?s) (does right ?s))
(<= (next (at ?m)) (true (at ?n)) (does left 1) (does right 0) (succ ?n ?m))
(<= (next (at ?m)) (true (at ?n)) (does left 2) (does right 1) (succ ?n ?m))
(<= (next (at ?m)) (true (at ?n)) (does left 0) (does right 2) (succ ?n ?m))
(<= (next (at ?m)) (true (at ?n)) (does left 0) (does right 1) (succ ?m ?n))
(<= (next (at ?m)) (true (at ?n)) (does left 1) (does right 2) (succ ?m ?n))
(<= (next (at ?m)) (true (at ?n)) (does left 2) (does right 0) (succ ?m ?n))
(<= (next (ply ?m)) (true (ply ?n)) (succ ?n ?m)) (<= terminal (true (ply 6)))
(<= above (true (at ?n)) (more ?n 10)) (<= (more ?n ?m) (succ ?m ?n)) (<= (more ?n ?k) (succ ?m ?n) (more ?m ?k))
(<= below (true (at ?n)) (more 10 ?n))
(<= (goal left 100) above) (<= (goal left 0) below) (<= (goal left 50) (true (at 10)))
(<= (goal right 0) above) (<= (goal right 100) below) (<= (goal right 50) (true (at 10)))
"""


@cache
def compiled(rules: str | Path) -> gdl.Simulator:
    return gdl.compile(rules)


def search(game: Engine, *, lanes: bool = True, seed: int = 1, **options: float) -> Search:
    world = LanesWorld(game, seed) if lanes and isinstance(game, gdl.Simulator) else EngineWorld(game, seed)
    few = {"leaves": 1, "playouts": 1} if isinstance(world, EngineWorld) else {}
    found = Search(world, seed, Options(**{"memory": 1 << 24, **few, **options}))
    found.advance(game.initial_state())
    return found


def after(game: Any, *moves: str) -> Any:
    """The state after joint moves from the start."""
    state = game.initial_state()
    for joint in moves:
        state = game.next_state(state, joint)
    return state


def best(found: Search, role: int = 0) -> str:
    return found.best_move(role).text


# What is true of a game, by enumeration


class Truth:
    """The Reasoner's answers, each asked for once."""

    def __init__(self, game: gdl.Reasoner) -> None:
        self.game = game
        self._known: dict[gdl.State, list[tuple[tuple[Term, ...], gdl.State]]] = {}
        self._forced: dict[tuple[int, int, int, gdl.State], bool] = {}

    def following(self, state: gdl.State) -> list[tuple[tuple[Term, ...], gdl.State]]:
        """The joint moves and the states that they lead to; none in a terminal state."""
        if state not in self._known:
            joint = product(*(self.game.legal_moves(state, role) for role in self.game.roles))
            over = self.game.is_terminal(state)
            self._known[state] = [] if over else [(moves, self.game.next_state(state, moves)) for moves in joint]
        return self._known[state]

    def mover(self, state: gdl.State) -> int:
        counts = [len(self.game.legal_moves(state, role)) for role in self.game.roles]
        return max(range(len(counts)), key=lambda role: (counts[role], -role))

    def forced(self, state: gdl.State, role: int, goal: int, plies: int) -> bool:
        """Return True if a role can force an end within a number of plies with at least this goal."""
        key = role, goal, plies, state
        if key not in self._forced:
            self._forced[key] = self._forces(state, role, goal, plies)
        return self._forced[key]

    def _forces(self, state: gdl.State, role: int, goal: int, plies: int) -> bool:
        if self.game.is_terminal(state):
            return self.game.goal(state, self.game.roles[role]) >= goal
        if plies == 0:
            return False
        combine = any if self.mover(state) == role else all
        return combine(self.forced(other, role, goal, plies - 1) for _, other in self.following(state))

    def values(self, state: gdl.State) -> tuple[int, ...]:
        """The goals if every role maximises its own; only for games that end, and without ties."""
        if self.game.is_terminal(state):
            return tuple(self.game.goal(state, role) for role in self.game.roles)
        mover = self.mover(state)
        return max((self.values(other) for _, other in self.following(state)), key=lambda goals: goals[mover])


def truth(rules: str | Path) -> Truth:
    return Truth(gdl.Reasoner.load(rules) if isinstance(rules, Path) else gdl.Reasoner(rules))


@dataclass
class Claim:
    """A claim of a tree about a state: the goals, and the number of plies within which they are reached."""

    state: Any
    goals: tuple[int, ...]
    plies: int


def nodes_of(tree: Tree) -> Iterator[Node]:
    """All nodes of a tree, in the order in which they came."""
    number = 0
    for _ in range(int(tree.counts[NODES])):
        node = Node(tree, number)
        yield node
        number += node.lines


def claims(found: Search) -> Iterator[Claim]:
    """Everything that a tree claims to be proven, about nodes and the results of their moves."""
    tree, world = found.tree, found.world
    for node in nodes_of(tree):
        if node.proof >= 0:
            yield Claim(unpacked(found, node.state), *outcome(tree, node.proof))
        if node.mover < 0:
            continue
        for edge in node.edges(node.mover):
            if edge.proof >= 0:
                moves = [edge.move if role == node.mover else node.only_move(role) for role in range(len(world.roles))]
                state = unpacked(found, world.move(node.state[None], np.array([moves], np.int32))[0])
                yield Claim(state, *outcome(tree, edge.proof))


def outcome(tree: Tree, proof: int) -> tuple[tuple[int, ...], int]:
    return tuple(round(100 * float(goal)) for goal in tree.outcomes[proof % MAX_OUTCOMES]), proof // MAX_OUTCOMES


def unpacked(found: Search, row: Any) -> Any:
    world = found.world
    if isinstance(world, LanesWorld):
        return world._arrays.unpack(row[None])[0]
    assert isinstance(world, EngineWorld)
    return world._states[int(row[0])]


def check_claims(found: Search, true: Truth, most: int = 10**9) -> int:
    """In a game of two roles where one gets what the other does not: who wins can make sure of it, in as many plies.

    In a draw both can. Gives how many claims there were.
    """
    tree, checked = list(claims(found)), 0
    for claim in Random(1).sample(tree, min(most, len(tree))):
        state = true.game.state(claim.state)
        top = max(claim.goals)
        for role, goal in enumerate(claim.goals):
            # What the loser gets is no claim; a draw may take longer.
            if goal == top:
                plies = claim.plies if goal > min(claim.goals) else 20
                assert true.forced(state, role, goal, plies), (claim, str(state))
        checked += 1
    return checked


# The tree


def described(tree: Tree) -> dict[bytes, Any]:
    """All that can be reached from the root: each state with its node, moves and children."""
    found: dict[bytes, Any] = {}
    waiting = [root_of(tree)]
    while waiting:
        node = waiting.pop()
        state = node.state.tobytes()
        if state in found:
            continue
        roles = range(tree.limits.shape[1])
        edges = [node.edges(role) or [node.only_move(role)] * node.choices[role] for role in roles]
        joints, joint = {}, node.joints
        children: list[Any] = []
        while joint >= 0:
            child = int(tree.joints[joint]["child"])
            assert int(tree.joints[joint]["parent"]) == node.number
            if child >= 0:
                joints[int(tree.joints[joint]["code"])] = Node(tree, child).state.tobytes()
                waiting.append(Node(tree, child))
            joint = int(tree.joints[joint]["next"])
        for role in roles:
            for edge in node.edges(role):
                assert edge.child >= -1
                children.append(None)
                if edge.child >= 0:
                    waiting.append(Node(tree, edge.child))
                    children[-1] = waiting[-1].state.tobytes()
        plain = [[edge if isinstance(edge, int) else edge._replace(child=0) for edge in own] for own in edges]
        found[state] = (node.visits, node.proof, node.mover, node.choices), plain, children, joints
    return found


def root_of(tree: Tree) -> Node:
    return Node(tree, int(tree.counts[ROOT]))


def check_tree(tree: Tree, wasted: int = 0) -> None:
    """Counts are within bounds, and every node is found by its state, but for a few that have room in vain."""
    nodes = list(nodes_of(tree))
    assert 0 < len(nodes) <= len(tree.table) / 2
    assert sum(node.lines for node in nodes) == tree.counts[LINES_USED] <= len(tree.words) / LINE
    assert 0 <= tree.counts[JOINTS] <= len(tree.joints)
    places = dict.fromkeys(tree.table[tree.table >= 0].tolist())
    found = [node for node in nodes if node.number in places]
    assert len(found) == len(places) == np.count_nonzero(tree.table >= 0)
    states = {node.state.tobytes() for node in found}
    assert len(states) == len(found)
    # Two threads may have made nodes for the same state at once.
    assert states == {node.state.tobytes() for node in nodes}
    assert len(nodes) - len(found) <= wasted
    outcomes = tree.outcomes[: int(tree.counts[OUTCOMES])]
    assert len(np.unique(outcomes, axis=0)) == len(outcomes)
    assert not tree.counts[LOCK]
    described(tree)
