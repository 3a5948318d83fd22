"""The tree of Monte Carlo tree search: it holds together, is kept between moves, and stays within its memory."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from support.mcts import (
    CHANCE,
    CONNECT_FOUR,
    CYCLE,
    TOGETHER,
    after,
    best,
    check_tree,
    compiled,
    described,
    nodes_of,
    root_of,
    search,
)

from ggp.players.mcts.tree import (
    DROPPED,
    JOINTS,
    LINE,
    ROOT,
    Node,
    Tree,
    edge_at,
)


def room(tree: Tree) -> tuple[int, ...]:
    return len(tree.words), len(tree.table), len(tree.joints)


GAMES = {"connect four": CONNECT_FOUR, "together": TOGETHER, "chance": CHANCE, "cycle": CYCLE}


@pytest.mark.parametrize("name", GAMES)
def test_a_subtree_is_moved_as_it_is(name: str) -> None:
    found = search(compiled(GAMES[name]))
    found.run(simulations=5_000)
    tree = found.tree
    children = [node.number for node in nodes_of(tree) if node.visits > 20][:4]
    for node in children:
        tree = found.tree
        state = Node(tree, node).state.copy()
        before = int(tree.counts[ROOT])
        tree.counts[ROOT] = node
        expected = described(tree)
        found._keep(node, 10**6)
        assert described(found.tree) == expected
        assert found.nodes == len(expected)
        assert (Node(found.tree, 0).state == state).all()
        check_tree(found.tree)
        # Back to the tree with all nodes.
        found._trees.reverse()
        found.tree.counts[ROOT] = before
    # Of what is kept in part, nothing points to what is not.
    found._keep(int(found.tree.counts[ROOT]), 5)
    assert found.nodes <= 5
    check_tree(found.tree)
    found.run(simulations=500)
    check_tree(found.tree)


def test_the_tree_is_kept_between_moves() -> None:
    game = compiled(CONNECT_FOUR)
    found = search(game)
    found.run(simulations=20_000)
    state = after(game, "(drop 4) noop", "noop (drop 4)")
    row = found.world.state(state)
    (node,) = (node for node in nodes_of(found.tree) if (node.state == row[0]).all())
    visits = node.visits
    assert visits > 100
    found.advance(state)
    assert sum(move.visits for move in found.statistics(0)) == visits
    assert root_of(found.tree).number == node.number
    # The same state again changes nothing.
    found.advance(state)
    assert found.nodes > 1000
    # A state that is not in the tree begins a new one.
    far = after(
        game,
        *(
            f"(drop {i}) noop" if n % 2 == 0 else f"noop (drop {i})"
            for n, i in enumerate([1, 1, 1, 1, 1, 1, 7, 7, 7, 7, 7, 7])
        ),
    )
    found.advance(far)
    # Each of its moves was tried once.
    assert [move.visits for move in found.statistics(0)] == [1] * 5
    assert found.nodes == 1
    found.run(simulations=1_000)
    check_tree(found.tree)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("memory", [1, pytest.param(100_000, marks=pytest.mark.slow)])
def test_memory_is_bounded(name: str, memory: int) -> None:
    game = compiled(GAMES[name])
    found = search(game, memory=memory)
    before = [room(tree) for tree in found._trees]
    random, state = Random(1), game.initial_state()
    for _ in range(6):
        found.run(simulations=3_000)
        check_tree(found.tree)
        if game.is_terminal(state):
            break
        joint = []
        for number, role in enumerate(game.roles):
            legal = game.legal_moves(state, role)
            assert {move.move for move in found.statistics(number)} == set(legal)
            joint.append(random.choice(legal))
        state = game.next_state(state, joint)
        found.advance(state)
    assert [room(tree) for tree in found._trees] == before


def test_a_full_tree_still_plays_well() -> None:
    game = compiled(CONNECT_FOUR)
    found = search(game, memory=1)
    found.run(simulations=20_000)
    assert found.tree.counts[DROPPED] > 0
    assert found.nodes <= len(found.tree.table) / 2 == 64
    assert best(found) in {"(drop 3)", "(drop 4)", "(drop 5)"}


def test_memory_is_what_was_asked_for() -> None:
    for rules in (CONNECT_FOUR, TOGETHER):
        found = search(compiled(rules), memory=1 << 23)
        parts = (part for tree in found._trees for part in tree)
        size = sum(part.nbytes for part in parts if part.base is None)
        assert 0.5 * (1 << 23) < size < 1.35 * (1 << 23)


def test_very_many_visits() -> None:
    """The value of a move does not drift, however often it is visited."""
    found = search(compiled(CHANCE))
    found.run(simulations=2_000)
    tree, many = found.tree, 1 << 25
    first = LINE * (root_of(tree).number + int(tree.shape[0]))
    risk = first + int(np.argmax([edge.visits for edge in root_of(tree).edges(0)]))
    tree.numbers[edge_at(risk)], tree.values[risk] = many, 0.75 * many
    found.run(simulations=2_000)
    assert tree.numbers[edge_at(risk)] >= many + 2_000
    assert tree.values[risk] - 0.75 * many > 1_200


def test_joint_moves_of_many_moves_are_told_apart() -> None:
    """Each joint move leads to a state of its own, from which the game goes on for a ply."""
    rules = """(role a) (role b) (init (at 0)) (step 0 1) (step 1 2)
        (<= (legal ?r (say ?i)) (role ?r) (n ?i) (true (at 0))) (<= (legal ?r noop) (role ?r) (true (at 1)))
        (<= (next (said ?r ?i)) (does ?r (say ?i))) (<= (next (at ?m)) (true (at ?n)) (step ?n ?m))
        (<= terminal (true (at 2))) (<= (goal ?r 50) (role ?r))"""
    found = search(compiled(rules + "".join(f"(n {number})" for number in range(12))))
    found.run(simulations=10_000)
    assert found.tree.counts[JOINTS] == 12 * 12
    assert len({node.state.tobytes() for node in nodes_of(found.tree)}) == 1 + 12 * 12
