"""Beliefs about others that are not random: probabilities that follow from known goals."""

from __future__ import annotations

from math import exp, inf, nan

import pytest
from support.commands import Ggp

import gdl
from ggp.belief import Belief, BeliefError
from ggp.players import PlayerLoadError, make_player

#: A thief takes the gold or the lead, or leaves; a dog may be awake. The guard sees neither, but hears a bark of one
#: of many kinds. Gold is worth 100 to the thief, lead 50.
THEFT = """
(role guard) (role thief) (role random) (init (step 1)) (succ 1 2) (succ 2 3)
(worth gold 100) (worth lead 50) (worth nothing 0)
(bark b1) (bark b2) (bark b3) (bark b4) (bark b5) (bark b6) (bark b7) (bark b8) (bark b9) (bark b10)
(bark b11) (bark b12) (bark b13) (bark b14) (bark b15) (bark b16) (bark b17) (bark b18) (bark b19) (bark b20)
(legal guard watch)
(<= (legal thief (take ?x)) (worth ?x ?n) (true (step 1))) (<= (legal thief wait) (not (true (step 1))))
(<= (legal random (do ?b)) (bark ?b))
(<= (sees guard ?b) (does random (do ?b)))
(<= (next (taken ?x)) (does thief (take ?x))) (<= (next (taken ?x)) (true (taken ?x)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3))) (goal guard 50) (goal random 0)
(<= (goal thief ?n) (true (taken ?x)) (worth ?x ?n)) (<= (goal thief 0) (true (step 1)))
"""


def shares(rationality: float, particles: int) -> dict[str, float]:
    belief = Belief(gdl.compile(THEFT), "guard", seed=1, particles=particles, rationality=rationality)
    belief.update("watch", ["b7"])
    return {fact.text: share for fact, share in belief.shares().items() if fact.text.startswith("(taken")}


@pytest.mark.parametrize("rationality", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("particles", [200, 20_000])
def test_moves_are_expected_by_their_goals(rationality: float, particles: int) -> None:
    """Few states are found by drawing, many by going through all: most barks are not what the guard heard."""
    weights = {"gold": exp(rationality), "lead": exp(rationality / 2), "nothing": 1.0}
    found = shares(rationality, particles)
    for thing, weight in weights.items():
        share = weight / sum(weights.values())
        deviation = (share * (1 - share) / particles) ** 0.5
        assert abs(found.get(f"(taken {thing})", 0.0) - share) < 5 * deviation


def test_chance_and_the_own_role_stay_random() -> None:
    belief = Belief(gdl.compile(THEFT), "thief", seed=1, rationality=4.0)
    belief.update("(take lead)")
    assert belief.shares().keys() == {gdl.parse_term("(taken lead)"), gdl.parse_term("(step 2)")}


def test_only_compiled_games_have_the_model() -> None:
    with pytest.raises(BeliefError, match="only a compiled game"):
        Belief(gdl.Reasoner(THEFT), "guard", rationality=1.0)


@pytest.mark.parametrize("rationality", [-1.0, inf, nan])
def test_rationality_is_a_number_from_0_on(rationality: float) -> None:
    with pytest.raises(ValueError, match="rationality must be"):
        Belief(gdl.compile(THEFT), "guard", rationality=rationality)


@pytest.mark.parametrize("name", ["ismcts", "pimc", "hyperplay2"])
def test_players_have_the_option(name: str) -> None:
    assert make_player(f"{name}(rationality=4)").name == name
    with pytest.raises(PlayerLoadError, match="rationality"):
        make_player(f"{name}(rationality=-1)")


def test_the_command_has_the_option(ggp: Ggp) -> None:
    history = ("--history", "(noop king) (check) (noop (did bob bet))")
    found = ggp("explain", "kuhn_poker", "--belief", "alice", *history, "--rationality", "8")
    assert found.status == 0
    assert "(hand bob" in found.out
    assert ggp("explain", "kuhn_poker", "terminal", "--rationality", "8").status == 2
