"""What a role is sure that roles hold: never more than all states have that it holds possible."""

from __future__ import annotations

from random import Random

import pytest
from support.drawn import loaded

import gdl
from gdl.language.parser import parse_term
from ggp.belief import Belief
from ggp.belief.samples import Step
from ggp.board import find_boards
from ggp.match.known_hands import KnownHands
from ggp.players.player import Told

#: A dealer gives each of two players two of four cards; they pass one on, which only the two see.
PASSING = """
(role ann) (role ben) (role random) (other ann ben) (other ben ann)
(card c1) (card c2) (card c3) (card c4) (init dealing)
(<= (legal random (deal ?a ?b)) (true dealing) (card ?a) (card ?b) (distinct ?a ?b))
(<= (legal random noop) (not (true dealing)))
(<= (legal ?r noop) (other ?r ?o) (true dealing))
(<= (legal ?r (pass ?c)) (other ?r ?o) (true (has ?r ?c)))
(<= (next (has ann ?a)) (does random (deal ?a ?b))) (<= (next (has ben ?b)) (does random (deal ?a ?b)))
(<= (next (has ?r ?c)) (true (has ?r ?c)) (not (does ?r (pass ?c))))
(<= (next (has ?o ?c)) (does ?r (pass ?c)) (other ?r ?o))
(<= (sees ann ?a) (does random (deal ?a ?b))) (<= (sees ben (got ?b)) (does random (deal ?a ?b)))
(<= (sees ?o (given ?c)) (does ?r (pass ?c)) (other ?r ?o))
(<= (next (done)) (not (true dealing)))
(<= terminal (true (done))) (<= (goal ?r 50) (role ?r))
"""


def told(move: str, *percepts: str) -> Told:
    return Told(None, parse_term(move), tuple(map(parse_term, percepts)))


def known(game: gdl.Reasoner, role: str, *plies: Told) -> list[str]:
    return [fact.text for fact in KnownHands(game, find_boards(game)).facts(role, plies)]


def test_the_own_card_is_known_until_it_is_given_away() -> None:
    game = gdl.Reasoner(PASSING)
    assert known(game, "ann") == []
    assert known(game, "ann", told("noop", "c2")) == ["(has ann c2)"]
    assert known(game, "ben", told("noop", "(got c3)")) == ["(has ben c3)"]
    # ann gave c2 to ben, who gave her c3.
    passed = told("noop", "c2"), told("(pass c2)", "(given c3)")
    assert known(game, "ann", *passed) == ["(has ann c3)", "(has ben c2)"]


def test_what_may_have_two_causes_is_not_known() -> None:
    game = gdl.Reasoner(PASSING + "(<= (sees ann ?c) (card ?c) (true (has ben ?c)))")
    assert known(game, "ann", told("noop", "c2")) == []


def test_a_rank_is_no_card() -> None:
    assert known(loaded("hidden/leduc_poker")[0], "alice", told("noop", "king")) == []


@pytest.mark.parametrize("name", ["hidden/kuhn_poker", "hidden/liars_dice_1", "hidden/leduc_poker", None])
def test_it_agrees_with_the_belief(name: str | None) -> None:
    game = loaded(name)[0] if name else gdl.Reasoner(PASSING)
    hands = KnownHands(game, find_boards(game))
    random = Random(5)
    role = game.roles[0]
    sure = 0
    for _ in range(6):
        state, plies = game.initial_state(), []
        while not game.is_terminal(state):
            moves = {one: random.choice(game.legal_moves(state, one)) for one in game.roles}
            plies.append(Told(None, moves[role], game.percepts(state, moves)[role]))
            state = game.next_state(state, moves)
        facts = hands.facts(role, plies)
        assert set(facts) <= set(state)
        belief = Belief(game, role)
        belief.follow([Step(one.own_move, frozenset(one.percepts)) for one in plies], over=True, seconds=5)
        shares = belief.shares()
        assert all(shares[fact] > 0.999 for fact in facts)
        sure += len(facts)
    assert sure or name == "hidden/leduc_poker"
