"""Monte Carlo tree search: what it proves, with moves in turn, at the same time, and by chance."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from support.mcts import (
    CHANCE,
    CONNECT_FOUR,
    CYCLE,
    TIC_TAC_TOE,
    TOGETHER,
    TWICE,
    after,
    best,
    check_claims,
    claims,
    compiled,
    numbers,
    root_of,
    search,
    truth,
)
from support.toy_games import OneRound
from support.toy_rules import ENDLESS, NIM, STUCK

import gdl
from ggp.players.mcts.tree import (
    JOINTS,
    SEVERAL,
)

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
#: The game is over before it begins.
OVER = "(role a) (legal a x) (legal a y) (init (s 1)) (<= terminal (true (s 1))) (goal a 70)"


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
