"""Monte Carlo tree search: what it proves, what it plays, and that its tree holds together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from support import toy_files
from support.toy_games import Endless, Nim, OneRound
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
from gdl.engine import Engine
from gdl.terms import Term
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.options import Options, options_of
from ggp.players.mcts.search import Search
from ggp.players.mcts.tree import (
    DROPPED,
    JOINTS,
    LINE,
    LINES_USED,
    MAX_OUTCOMES,
    NODES,
    ROOT,
    SEVERAL,
    Node,
    Tree,
    edge_at,
)
from ggp.players.mcts.world import EngineWorld, LanesWorld, OutOfTimeError

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
#: Three roles; whoever takes the last of a heap gets 100, the next one 60, the other 20.
THREE = f"""
(role a) (role b) (role c) (after a b) (after b c) (after c a) {numbers(9)} (init (heap 8)) (init (control a))
(<= (less ?n ?m 1) (succ ?m ?n)) (<= (less ?n ?m 2) (succ ?m ?k) (succ ?k ?n))
(<= (legal ?r (take ?i)) (true (control ?r)) (true (heap ?n)) (less ?n ?m ?i))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (heap ?m)) (true (heap ?n)) (does ?r (take ?i)) (less ?n ?m ?i))
(<= (next (control ?o)) (true (control ?r)) (after ?r ?o))
(<= terminal (true (heap 0)))
(<= (goal ?o 60) (true (control ?r)) (after ?r ?q) (after ?q ?o) (distinct ?o ?o))
(<= (goal ?r 60) (true (control ?r))) (<= (goal ?r 100) (true (control ?o)) (after ?r ?o))
(<= (goal ?r 20) (true (control ?o)) (after ?o ?r))
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
#: The middle role has the same goal whatever it does, and decides what the first one gets.
INDIFFERENT = """
(role chooser) (role other) (init (at start))
(<= (legal chooser (go ?x)) (true (at start)) (place ?x)) (place sure) (place asks)
(<= (legal chooser noop) (true (at asks)))
(<= (legal other noop) (true (at start)))
(<= (legal other (give ?x)) (true (at asks)) (gift ?x)) (gift all) (gift nothing)
(<= (next (at ?x)) (does chooser (go ?x))) (<= (next (got ?x)) (does other (give ?x)))
(<= terminal (true (at sure))) (<= terminal (true (got ?x)))
(<= (goal chooser 60) (true (at sure))) (<= (goal other 40) (true (at sure)))
(<= (goal chooser 100) (true (got all))) (<= (goal chooser 0) (true (got nothing)))
(<= (goal other 40) (true (got ?x)))
"""
#: Both choose at once: left wants the same, right wants to differ.
PENNIES = """
(role left) (role right) (init start) (side heads) (side tails)
(<= (legal ?r ?s) (role ?r) (side ?s)) (<= (next (chose ?r ?s)) (does ?r ?s))
(<= same (true (chose left ?s)) (true (chose right ?s))) (<= terminal (not (true start)))
(<= (goal left 100) same) (<= (goal left 0) (not same)) (<= (goal right 0) same) (<= (goal right 100) (not same))
"""
#: Whatever the other does, to defect is better.
DILEMMA = """
(role left) (role right) (other left right) (other right left) (init start) (move silent) (move defect)
(<= (legal ?r ?m) (role ?r) (move ?m)) (<= (next (did ?r ?m)) (does ?r ?m)) (<= terminal (not (true start)))
(<= (goal ?r 70) (true (did ?r silent)) (other ?r ?o) (true (did ?o silent)))
(<= (goal ?r 0) (true (did ?r silent)) (other ?r ?o) (true (did ?o defect)))
(<= (goal ?r 100) (true (did ?r defect)) (other ?r ?o) (true (did ?o silent)))
(<= (goal ?r 20) (true (did ?r defect)) (other ?r ?o) (true (did ?o defect)))
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
#: One role counts up by one or two, to seven exactly.
ALONE = f"""
(role solo) {numbers(12)} (init (at 0)) (init (ply 0))
(legal solo one) (legal solo two)
(<= (next (at ?m)) (true (at ?n)) (does solo one) (succ ?n ?m))
(<= (next (at ?m)) (true (at ?n)) (does solo two) (succ ?n ?k) (succ ?k ?m))
(<= (next (ply ?m)) (true (ply ?n)) (succ ?n ?m))
(<= terminal (true (ply 4))) (<= (goal solo 100) (true (at 7))) (<= (goal solo 30) (true (at 5)))
(<= (goal solo 0) (not (true (at 7))) (not (true (at 5))))
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
#: The game is over before it begins.
OVER = "(role a) (legal a x) (legal a y) (init (s 1)) (<= terminal (true (s 1))) (goal a 70)"


@cache
def compiled(rules: str | Path) -> gdl.Simulator:
    return gdl.compile(rules)


def search(game: Engine, *, lanes: bool = True, seed: int = 1, **options: float) -> Search:
    world = LanesWorld(game, seed) if lanes and isinstance(game, gdl.Simulator) else EngineWorld(game, seed)
    few = {"leaves": 1, "playouts": 1} if isinstance(world, EngineWorld) else {}
    found = Search(world, seed, options_of({"memory": 1 << 24, **few, **options}))
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
        """Whether a role can make sure that the game ends, within so many plies, with such a goal for it or better."""
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
        """What roles get that all want the most for themselves; only for games that end, where they never tie."""
        if self.game.is_terminal(state):
            return tuple(self.game.goal(state, role) for role in self.game.roles)
        mover = self.mover(state)
        return max((self.values(other) for _, other in self.following(state)), key=lambda goals: goals[mover])


def truth(rules: str | Path) -> Truth:
    return Truth(gdl.Reasoner.load(rules) if isinstance(rules, Path) else gdl.Reasoner(rules))


@dataclass
class Claim:
    """What a tree claims of a state: the goals, and within how many plies they are reached."""

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
    """All that a tree claims to be proven, of nodes and of what their moves lead to."""
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


# Proofs


def random_positions(game: gdl.Reasoner, count: int, plies: Sequence[int], seed: int = 1) -> list[gdl.State]:
    random, found = Random(seed), dict[gdl.State, None]()
    while len(found) < count:
        state = game.initial_state()
        for _ in range(random.choice(plies)):
            if game.is_terminal(state):
                break
            state = game.next_state(state, [random.choice(game.legal_moves(state, role)) for role in game.roles])
        if not game.is_terminal(state):
            found[state] = None
    return list(found)


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_tic_tac_toe_is_proven_as_it_is(lanes: bool) -> None:
    game, true = compiled(TIC_TAC_TOE), truth(TIC_TAC_TOE)
    for state in random_positions(true.game, 6 if lanes else 3, (3, 4, 5, 6)):
        found = search(game, lanes=lanes)
        found.advance(game.state(state))
        found.run(simulations=20_000)
        assert found.proven
        assert check_claims(found, true, 60) >= 1
        # The move that is played keeps what is proven.
        mover = true.mover(state)
        (goals,) = {claim.goals for claim in claims(found) if claim.state == game.state(state)}
        move = found.best_move(mover)
        (reached,) = (other for moves, other in true.following(state) if moves[mover] == move)
        assert true.forced(reached, mover, goals[mover], 9)


def test_tic_tac_toe_is_a_draw() -> None:
    found = search(compiled(TIC_TAC_TOE))
    found.run(simulations=200_000)
    assert found.proven
    assert {move.goal for move in found.statistics(0)} <= {0.0, 50.0}
    assert check_claims(found, truth(TIC_TAC_TOE), 40) == 40


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
@pytest.mark.parametrize("lookahead", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", [NIM, TWICE, CYCLE], ids=["nim", "a role moves twice", "positions recur"])
def test_toy_games_are_proven_as_they_are(rules: str, lookahead: bool, lanes: bool) -> None:
    found = search(compiled(rules), lanes=lanes, lookahead=lookahead)
    found.run(simulations=1_500 if lanes else 400)
    assert check_claims(found, truth(rules)) >= 2
    assert found.proven == (rules != CYCLE)


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_three_roles(lanes: bool) -> None:
    found, true = search(compiled(THREE), lanes=lanes), truth(THREE)
    found.run(simulations=2_000)
    assert found.proven
    for claim in claims(found):
        assert claim.goals == true.values(true.game.state(claim.state))


def test_positions_that_recur_prove_nothing() -> None:
    game, true = compiled(CYCLE), truth(CYCLE)
    found = search(game)
    found.run(simulations=5_000)
    # Nobody can force an end from the middle.
    assert not found.proven
    assert not any(true.forced(true.game.initial_state(), role, 100, 20) for role in (0, 1))


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_a_role_that_does_not_care_proves_nothing_for_others(lanes: bool) -> None:
    """To ask is worth 50 where the other may as well give nothing; that it gives all is no proof."""
    found = search(compiled(INDIFFERENT), lanes=lanes)
    found.run(simulations=500)
    asks = next(move for move in found.statistics(0) if move.move.text == "(go asks)")
    assert not (asks.proven and asks.goal > 60)
    assert best(found) == "(go sure)"


def test_a_win_in_one_and_a_loss_in_two() -> None:
    game = compiled(CONNECT_FOUR)
    drops = ["(drop 1) noop", "noop (drop 7)"] * 3
    found = search(game)
    found.advance(after(game, *drops))
    found.run(simulations=300)
    assert (best(found), found.proven) == ("(drop 1)", True)
    won = found.statistics(0)[0]
    assert next(move for move in found.statistics(0) if move.move.text == "(drop 1)").length == 0
    assert won.proven
    # Yellow has three in a column; red has to stop that.
    found = search(game)
    found.advance(
        after(
            game, "(drop 1) noop", "noop (drop 7)", "(drop 2) noop", "noop (drop 7)", "(drop 4) noop", "noop (drop 7)"
        )
    )
    found.run(simulations=3_000)
    # Red itself has 1, 2 and 4: it wins at 3.
    assert best(found) == "(drop 3)"
    found = search(game)
    found.advance(
        after(
            game, "(drop 1) noop", "noop (drop 7)", "(drop 2) noop", "noop (drop 7)", "(drop 5) noop", "noop (drop 7)"
        )
    )
    found.run(simulations=3_000)
    assert best(found) == "(drop 7)"
    others = [move for move in found.statistics(0) if move.move.text != "(drop 7)"]
    assert all(move.proven and move.goal == 0 and move.length == 1 for move in others)
    # Each was tried once when the root became a node, and then refuted.
    assert all(move.visits == 2 for move in others)


def test_one_role() -> None:
    found = search(compiled(ALONE))
    found.run(simulations=2_000)
    assert found.proven
    assert best(found) == "two" or found.statistics(0)[0].goal == 100
    true = truth(ALONE)
    for claim in claims(found):
        assert true.forced(true.game.state(claim.state), 0, claim.goals[0], claim.plies)


@pytest.mark.slow
def test_lanes_and_engines_prove_the_same() -> None:
    game = compiled(TIC_TAC_TOE)
    for state in random_positions(gdl.Reasoner.load(TIC_TAC_TOE), 3, (5, 6), seed=2):
        goals = []
        for engine, lanes in ((game, True), (game, False), (gdl.Reasoner.load(TIC_TAC_TOE), False)):
            found = search(engine, lanes=lanes)
            found.advance(engine.state(state))
            found.run(simulations=4_000)
            (own,) = {c.goals for c in claims(found) if set(c.state) == set(state)}
            goals.append(own)
        assert len(set(goals)) == 1


# Moves at the same time, chance


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_matching_pennies(lanes: bool) -> None:
    found = search(compiled(PENNIES), lanes=lanes)
    found.run(simulations=4_000)
    assert not found.proven
    for role in (0, 1):
        visits = [move.visits for move in found.statistics(role)]
        assert min(visits) > 0.25 * sum(visits)


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_a_dominant_move(lanes: bool) -> None:
    found = search(compiled(DILEMMA), lanes=lanes)
    found.run(simulations=4_000)
    assert root_of(found.tree).mover == SEVERAL
    assert [best(found, role) for role in (0, 1)] == ["defect", "defect"]


def test_joint_moves_that_meet_again() -> None:
    """Joint moves with the same effect lead to one node."""
    found = search(compiled(TOGETHER))
    found.run(simulations=20_000)
    # At most so many states: 13 places at 7 plies.
    assert found.nodes <= 13 * 7
    assert found.tree.counts[JOINTS] > found.nodes
    for role in (0, 1):
        assert all(abs(move.goal - 50) < 15 for move in found.statistics(role))


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_chance(lanes: bool) -> None:
    found = search(compiled(CHANCE), lanes=lanes)
    found.run(simulations=4_000)
    worth = {move.move.text: move for move in found.statistics(0)}
    assert best(found) == "(go risk)"
    assert abs(worth["(go risk)"].goal - 75) < 4
    assert not worth["(go risk)"].proven
    # All that chance may do is equally likely.
    found.advance(after(compiled(CHANCE), "(go risk) noop"))
    found.run(simulations=3_000)
    visits = [move.visits for move in found.statistics(1)]
    assert max(visits) - min(visits) < 0.1 * sum(visits)


def test_a_game_of_one_round_by_hand() -> None:
    game = OneRound(
        ("a", "b"), {("x", "x"): (100, 0), ("x", "y"): (60, None), ("y", "x"): (0, 100), ("y", "y"): (0, 0)}
    )
    found = search(game)
    found.run(simulations=500)
    assert best(found) == "x"


# States that are odd


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
@pytest.mark.parametrize("rules", [STUCK, ENDLESS, OVER], ids=["stuck", "endless", "over"])
def test_odd_games(rules: str, lanes: bool) -> None:
    found = search(compiled(rules), lanes=lanes)
    found.warm_up()
    found.run(simulations=200 if lanes else 20)
    assert found.proven == (rules != ENDLESS)
    if rules == STUCK:
        assert found.statistics(0)[0].goal == 50  # not known


@pytest.mark.parametrize("lanes", [True, False], ids=["lanes", "engine"])
def test_a_role_that_gets_stuck_on_some_paths(lanes: bool) -> None:
    rules = """
    (role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal a go) (legal a stay)
    (<= (legal b noop) (not (true (at 2)))) (<= (legal b off) (true (at 1)))
    (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m) (does a go)) (<= (next (at ?n)) (true (at ?n)) (does a stay))
    (<= terminal (true (at 3))) (<= (goal ?r 20) (role ?r))"""
    found = search(compiled(rules), lanes=lanes)
    found.run(simulations=300 if lanes else 60)
    assert best(found) == "go"
    found.advance(after(compiled(rules), "go noop", "go off"))
    assert found.proven


# The same again


def table(found: Search) -> list[Any]:
    return [found.statistics(role) for role in range(len(found.world.roles))]


@pytest.mark.parametrize("rules", [CONNECT_FOUR, TOGETHER, CHANCE], ids=["connect four", "together", "chance"])
def test_the_seed_decides(rules: str | Path) -> None:
    both = [search(compiled(rules), seed=7) for _ in range(2)]
    for found in both:
        found.run(simulations=5_000)
    assert table(both[0]) == table(both[1])
    assert both[0].simulations == both[1].simulations >= 5_000
    other = search(compiled(rules), seed=8)
    other.run(simulations=5_000)
    assert table(other) != table(both[0])


# The tree


def described(tree: Tree) -> dict[bytes, Any]:
    """What can be reached from the root: each state with its node, moves and children."""
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


def check_tree(tree: Tree) -> None:
    """Counts are within bounds, and every node is found by its state."""
    nodes = list(nodes_of(tree))
    assert 0 < len(nodes) <= len(tree.table) / 2
    assert sum(node.lines for node in nodes) == tree.counts[LINES_USED] <= len(tree.words) / LINE
    assert 0 <= tree.counts[JOINTS] <= len(tree.joints)
    assert sorted(tree.table[tree.table >= 0].tolist()) == [node.number for node in nodes]
    assert len({node.state.tobytes() for node in nodes}) == len(nodes)
    described(tree)


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
    """What a move is worth stays what it is, however often it is visited."""
    found = search(compiled(CHANCE))
    found.run(simulations=2_000)
    tree, many = found.tree, 1 << 25
    first = LINE * (root_of(tree).number + int(tree.shape[0]))
    risk = first + int(np.argmax([edge.visits for edge in root_of(tree).edges(0)]))
    tree.numbers[edge_at(risk)], tree.values[risk] = many, 0.75 * many
    found.run(simulations=2_000)
    assert tree.numbers[edge_at(risk)] >= many + 2_000
    assert tree.values[risk] - 0.75 * many > 1_200


# What goes wrong


def no_request_waits(found: Search) -> bool:
    tree = found.tree
    roles = range(tree.limits.shape[1])
    children = [edge.child for node in nodes_of(tree) for role in roles for edge in node.edges(role)]
    return min(children) >= -1 and bool((tree.joints["child"][: tree.counts[JOINTS]] >= -1).all())


@pytest.mark.parametrize("rules", [TIC_TAC_TOE, TOGETHER], ids=["turns", "together"])
@pytest.mark.parametrize("leaves", [1, 64])
def test_a_search_that_runs_out_of_time_goes_on_later(
    rules: str | Path, leaves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = compiled(rules)
    found = search(game, lanes=False, leaves=leaves, leaves_share=0.5)
    world, calls = found.world, 0
    step = EngineWorld._next

    def late(self: EngineWorld, state: Any, moves: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 17 == 0:
            raise OutOfTimeError
        return step(self, state, moves)

    monkeypatch.setattr(EngineWorld, "_next", late)
    for _ in range(60):
        found.run(simulations=50)
        assert no_request_waits(found)
    monkeypatch.undo()
    assert world is found.world
    found.run(simulations=300)
    check_tree(found.tree)
    if rules == TIC_TAC_TOE:
        check_claims(found, truth(TIC_TAC_TOE), 5)


def test_an_engine_that_fails_leaves_the_tree_usable() -> None:
    game = Endless(("counter",), "endless derivation", 6)
    found = search(game, lookahead=False)
    for _ in range(5):
        with pytest.raises(gdl.DivergenceError):
            found.run(simulations=500)
        assert no_request_waits(found)


def test_options() -> None:
    assert options_of({"leaves": 12.0, "exploration": 1}) == Options(leaves=12, exploration=1.0)
    assert options_of({"lookahead": 0}).lookahead is False
    with pytest.raises(TypeError, match=r"no option dephts, size; the options are exploration, "):
        options_of({"size": 1, "dephts": 2})
    wrong = {"leaves": 0, "playouts": 0, "memory": -1, "exploration": float("nan"), "unvisited": 1e999}
    for name, value in wrong.items():
        with pytest.raises(TypeError, match=f"option {name} is"):
            options_of({name: value})
    with pytest.raises(TypeError, match="no option depth"):
        MctsPlayer(depth=3)


# The player


def test_before_any_simulation_a_lost_move_is_not_preferred() -> None:
    """What is not known may be better than what is lost for sure."""
    rules = """
    (role a) (role b) (init (at 0)) (legal a lose) (legal a wait) (legal b noop)
    (<= (next lost) (does a lose)) (<= (next (at 1)) (does a wait) (true (at 0))) (<= (next (at 2)) (true (at 1)))
    (<= terminal (true lost)) (<= terminal (true (at 2)))
    (<= (goal a 0) (true lost)) (<= (goal a 100) (not (true lost))) (<= (goal b 50) (role b))"""
    found = search(compiled(rules), expand=False)
    assert [move.visits for move in found.statistics(0)] == [0, 0]
    assert best(found) == "wait"


@pytest.mark.parametrize("engine", ["reasoner", "simulator"])
def test_matches(engine: str) -> None:
    game = gdl.Reasoner.load(TIC_TAC_TOE) if engine == "reasoner" else compiled(TIC_TAC_TOE)
    players = {"xplayer": MctsPlayer(simulations=2_000), "oplayer": MctsPlayer(simulations=2_000)}
    record = play_match(game, players, Settings(seed=1))
    assert record.goals == (50, 50)
    assert not any(error for ply in record.plies for error in ply.errors)


def test_without_a_clock_the_seed_decides() -> None:
    game = compiled(CONNECT_FOUR)

    def moves(seed: int) -> list[Any]:
        players = {"red": MctsPlayer(simulations=300), "yellow": MctsPlayer(simulations=300)}
        return [ply.moves for ply in play_match(game, players, Settings(seed=seed, max_plies=12)).plies]

    first = moves(1)
    assert moves(1) == first
    assert any(moves(seed) != first for seed in (2, 3))


def test_with_a_clock() -> None:
    players = {"xplayer": MctsPlayer(), "oplayer": make_player("random")}
    settings = Settings(seed=1, start_clock=5.0, play_clock=1.0)
    record = play_match(compiled(TIC_TAC_TOE), players, settings)
    assert not any(error for ply in record.plies for error in ply.errors)
    assert record.goals is not None
    assert record.goals[0] in (50, 100)


def test_hidden_states() -> None:
    players = {"guesser": MctsPlayer(), "other": MctsPlayer()}
    record = play_match(gdl.Reasoner(COIN), players, Settings(seed=1))
    assert not any(error for ply in record.plies for error in ply.errors)
    assert len(record.plies) == 2


def test_a_game_that_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise gdl.CircuitSizeError("the game", 3)

    monkeypatch.setattr(gdl, "compile", refused)
    seen: list[str] = []

    class Watched(MctsPlayer):
        def move(self, turn: Any) -> Term:
            move = super().move(turn)
            seen.append(self.reason)
            assert self.search is not None
            return move

    def moves() -> list[Any]:
        # Rules of its own, as what was compiled is remembered by its text.
        game = gdl.Reasoner(TWICE + "; not compiled")
        players = {"left": Watched(simulations=150), "right": Watched(simulations=150)}
        record = play_match(game, players, Settings(seed=3))
        assert not any(error for ply in record.plies for error in ply.errors)
        return [ply.moves for ply in record.plies]

    first = moves()
    assert moves() == first
    assert all("circuit-too-large" in reason for reason in seen)


def test_a_game_without_rules() -> None:
    players = {"left": MctsPlayer(simulations=300), "right": MctsPlayer(simulations=300)}
    record = play_match(Nim(10), players, Settings(seed=1))
    # The role that moves first wins from a heap of ten.
    assert record.goals == (100, 0)
    assert not any(error for ply in record.plies for error in ply.errors)


def test_a_player_is_asked_before_its_start() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        MctsPlayer().move(None)  # type: ignore[arg-type]
    assert MctsPlayer().search is None
