"""Beliefs about others that are not random: probabilities that follow from known goals."""

from __future__ import annotations

import json
from functools import cache
from math import exp, inf, nan
from pathlib import Path

import pytest
from support.commands import Ggp

import gdl
from ggp.belief import Belief, BeliefError
from ggp.players import PlayerLoadError, make_player

#: A thief takes the gold or the lead, or leaves. The guard does not see that, but may cover one of the things at the
#: same time, and hears a dog bark in one of several ways. Gold is worth 100 to the thief, lead 50, and twenty less if
#: it is covered.
THEFT = """
(role guard) (role thief) (role random) (init (step 1)) (succ 1 2) (succ 2 3)
(worth gold 100 80) (worth lead 50 30) (worth nothing 0 0)
(<= (legal guard (cover ?x)) (worth ?x ?n ?m)) (legal guard watch)
(<= (legal thief (take ?x)) (worth ?x ?n ?m) (true (step 1))) (<= (legal thief wait) (not (true (step 1))))
(<= (legal random (do ?b)) (bark ?b))
(<= (sees guard ?b) (does random (do ?b)))
(<= (next (taken ?x)) (does thief (take ?x))) (<= (next (taken ?x)) (true (taken ?x)))
(<= (next (covered ?x)) (does guard (cover ?x)) (true (step 1))) (<= (next (covered ?x)) (true (covered ?x)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3))) (goal guard 50) (goal random 0)
(<= (goal thief ?n) (true (taken ?x)) (worth ?x ?n ?m) (not (true (covered ?x))))
(<= (goal thief ?m) (true (taken ?x)) (worth ?x ?n ?m) (true (covered ?x))) (<= (goal thief 0) (true (step 1)))
"""


def theft(barks: int) -> str:
    return THEFT + " ".join(f"(bark b{number})" for number in range(barks))


@cache
def shares(rationality: float, barks: int, own: str, particles: int = 20_000) -> dict[str, float]:
    """Return the probabilities of what was taken, as the guard sees it after its own move and a bark."""
    belief = Belief(gdl.compile(theft(barks)), "guard", seed=1, particles=particles, rationality=rationality)
    belief.update(own, ["b0"])
    return {fact.text: share for fact, share in belief.shares().items() if fact.text.startswith("(taken")}


@pytest.mark.parametrize("rationality", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("barks", [1, 30])
@pytest.mark.parametrize("own", ["watch", "(cover gold)"])
def test_moves_are_expected_by_their_goals(rationality: float, barks: int, own: str) -> None:
    """With one bark, states are drawn; with many, few agree, so all are gone through.

    The thief does not know what the guard covers: each of its four moves is as likely.
    """
    weights = {"gold": exp(0.95 * rationality), "lead": exp(0.45 * rationality), "nothing": 1.0}
    found = shares(rationality, barks, own)
    for thing, weight in weights.items():
        # The goals of 32 playouts are means over what the guard covers.
        assert found.get(f"(taken {thing})", 0.0) == pytest.approx(weight / sum(weights.values()), abs=0.03)


def test_chance_stays_random() -> None:
    """The guard of this game is modelled, and has no reason to prefer anything."""
    text = theft(4) + "(<= (next (barked ?b)) (does random (do ?b)))"
    belief = Belief(gdl.compile(text), "thief", seed=1, rationality=8.0)
    belief.update("(take lead)")
    found = belief.shares()
    for fact in ("(barked b0)", "(barked b3)", "(covered gold)", "(covered lead)"):
        assert found[gdl.parse_term(fact)] == pytest.approx(0.25, abs=0.04)


def test_a_large_rationality_excludes_no_move() -> None:
    found = shares(5000.0, 30, "watch", 200)
    assert found == {"(taken gold)": 1.0}


def test_only_compiled_games_have_the_model() -> None:
    with pytest.raises(BeliefError, match="only a compiled game"):
        Belief(gdl.Reasoner(theft(1)), "guard", rationality=1.0)


@pytest.mark.parametrize("rationality", [-1.0, inf, nan])
def test_rationality_is_a_number_from_0_on(rationality: float) -> None:
    with pytest.raises(ValueError, match="rationality must be"):
        Belief(gdl.compile(theft(1)), "guard", rationality=rationality)


@pytest.mark.parametrize("name", ["ismcts", "pimc", "hyperplay2"])
def test_players_have_the_option(name: str) -> None:
    assert make_player(f"{name}(rationality=4)").name == name
    with pytest.raises(PlayerLoadError, match="rationality"):
        make_player(f"{name}(rationality=-1)")


def test_the_command_has_the_option(ggp: Ggp, tmp_path: Path) -> None:
    file = tmp_path / "theft.kif"
    file.write_text(theft(1), encoding="utf-8")
    options = (str(file), "--belief", "guard", "--history", "(watch b0)", "--json")

    def gold(rationality: str) -> float:
        found = ggp("explain", *options, "--rationality", rationality)
        return float({one["fact"]: one["share"] for one in json.loads(found.out)["beliefs"]}["(taken gold)"])

    assert gold("4") > gold("0") + 0.3
    for wrong in ("-1", "inf", "nan"):
        refused = ggp("explain", *options, f"--rationality={wrong}")
        assert refused.status == 2
        assert "0 or more" in refused.err
    assert ggp("explain", str(file), "terminal", "--rationality", "8").status == 2
