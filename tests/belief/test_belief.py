"""Beliefs: sampled states agree with the exact posterior, and there is always one."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from support.hidden_games import COIN
from support.posterior import Lived, chi_squared, chi_squared_tail, is_likely, posterior, random_lives

import gdl
import ggp.belief.belief as module
from gdl.engine import player_roles
from gdl.terms import Term
from ggp.belief import Belief, BeliefError, ImpossiblePerceptsError, SearchLimitError
from ggp.belief.samples import Step
from ggp.rules.shipped_games import find_game

HIDDEN = ("kuhn_poker", "leduc_poker", "monty_hall")

#: The games in which all lines of play that agree with what a role knows can be gone through.
SMALL = (*HIDDEN, "liars_dice_1", "mastermind")

#: How rarely a test of many samples may fail if all of them are from the right distributions.
RARELY = 0.001

#: A number of doors that depends on the weather. The watcher hears which one was opened, but sees no weather.
WEATHER = """
(role watcher) (role random) (role host) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(weather sun) (weather rain) (open sun a) (open rain a) (open rain b) (open rain c) (open rain d)
(<= (legal random ?w) (weather ?w) (true (step 1))) (<= (legal random wait) (not (true (step 1))))
(<= (legal host wait) (not (true (step 2)))) (<= (legal host ?d) (true (step 2)) (true (is ?w)) (open ?w ?d))
(legal watcher wait)
(<= (sees watcher (hears ?d)) (does host ?d) (true (step 2)))
(<= (next (is ?w)) (does random ?w) (true (step 1))) (<= (next (is ?w)) (true (is ?w)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4))) (goal watcher 50) (goal host 50) (goal random 0)
"""


@cache
def compiled(name: str) -> gdl.Simulator:
    return gdl.Simulator.load(find_game(name))


@cache
def reasoned(name: str) -> gdl.Reasoner:
    return gdl.Reasoner.load(find_game(name))


def hidden_games() -> list[str]:
    """The games that hide something, by their names."""
    found = sorted(path.stem for path in find_game("kuhn_poker").parent.glob("*.kif"))
    return [name for name in found if any(reasoned(name).rulesheet.defining(("sees", 2)))]


def steps(lived: list[Lived]) -> list[Step]:
    return [Step(move, frozenset(percepts)) for move, percepts in lived]


def counted(belief: Belief) -> Counter[frozenset[Term]]:
    return Counter(frozenset(belief.worlds.state(belief.samples, i)) for i in range(len(belief.samples)))


@pytest.mark.parametrize("way", ["as usual", "by replays alone"])
@pytest.mark.parametrize("name", HIDDEN)
def test_samples_follow_the_posterior(name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "by replays alone":
        monkeypatch.setattr(module, "_ENUMERATED", 0)
        monkeypatch.setattr(module, "_REPLAYS", 200)
    game = compiled(name)
    for number, role in enumerate(player_roles(game)):
        belief = Belief(game, role, seed=number, particles=1000)
        for lived in random_lives(reasoned(name), role, seed=3 + number):
            belief.follow(steps(lived[-1:]), over=False)
            assert is_likely(counted(belief), posterior(reasoned(name), role, lived)), lived


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_samples_follow_the_posterior_in_many_histories(name: str) -> None:
    check_samples(name, histories=100, particles=1000)


@pytest.mark.parametrize("name", ["kuhn_poker", "monty_hall"])
def test_a_reasoner_gives_the_same(name: str) -> None:
    role = player_roles(reasoned(name))[0]
    belief = Belief(reasoned(name), role, seed=1, particles=200)
    for lived in random_lives(reasoned(name), role, seed=1):
        belief.follow(steps(lived[-1:]), over=False)
        assert is_likely(counted(belief), posterior(reasoned(name), role, lived))
    assert belief.legal() == reasoned(name).legal_moves(belief.states(1)[0], role)


@pytest.mark.parametrize("name", HIDDEN)
def test_there_is_a_state(name: str) -> None:
    check_states(name, 8)


#: Games in which a history has many plies, and few lines of play agree with it: each takes seconds. By their names, the
#: numbers of histories.
LARGE = {"blind_breakthrough_6x6": 1, "phantom_connect_four": 25}


@pytest.mark.slow
@pytest.mark.parametrize("name", hidden_games())
def test_there_is_always_a_state(name: str) -> None:
    check_states(name, LARGE.get(name, 100))


def check_states(name: str, histories: int) -> None:
    """Follow random histories: there is always a state, in which the role has its legal moves."""
    game = compiled(name)
    for seed in range(histories):
        role = player_roles(game)[seed % len(player_roles(game))]
        belief = Belief(game, role, seed=seed, particles=64)
        lives = random_lives(game, role, seed)
        for lived in lives:
            belief.follow(steps(lived[-1:]), over=False)
        assert len(belief.samples) >= 1
        if lives:
            assert belief.legal() == game.legal_moves(belief.states(1)[0], role)


def check_samples(name: str, histories: int, particles: int) -> None:
    """Compare the sample with the exact posterior at every ply of random histories."""
    game, rules = compiled(name), reasoned(name)
    roles = player_roles(game)
    tails, total, freedoms = [], 0.0, 0
    for seed in range(histories):
        role = roles[seed % len(roles)]
        belief = Belief(game, role, seed=seed, particles=particles)
        statistic, freedom = 0.0, 0
        for lived in random_lives(rules, role, seed):
            belief.follow(steps(lived[-1:]), over=False)
            counts, expected = counted(belief), posterior(rules, role, lived)
            assert counts.keys() <= expected.keys(), lived
            statistic, freedom = chi_squared(counts, expected)
            tails.append(chi_squared_tail(statistic, freedom))
        total, freedoms = total + statistic, freedoms + freedom
    # Samples of one history depend on each other, which Bonferroni's bound allows. Those of the last plies do not,
    # so that their statistics add up, and small deviations in all of them show.
    assert min(tails) > RARELY / len(tails)
    assert chi_squared_tail(total, freedoms) > RARELY


@pytest.mark.parametrize("engine", [compiled, reasoned])
def test_a_search_in_depth_finds_what_replays_do_not(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ENUMERATED", 0)
    monkeypatch.setattr(module, "_REPLAYS", 0)
    game = engine("leduc_poker")
    for seed in range(10):
        (*_, lived) = random_lives(reasoned("leduc_poker"), "bob", seed)
        belief = Belief(game, "bob", seed=seed, particles=2)
        belief.follow(steps(lived), over=False)
        assert counted(belief).keys() <= posterior(reasoned("leduc_poker"), "bob", lived).keys()
        assert len(belief.samples) >= 1


@pytest.mark.parametrize("enumerated", [4, 0])
def test_moves_weigh_less_where_there_are_more(enumerated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ENUMERATED", enumerated)
    belief = Belief(gdl.compile(WEATHER), "watcher", seed=5, particles=20_000)
    belief.update("wait")
    assert belief.shares()[gdl.parse_term("(is sun)")] == pytest.approx(1 / 2, abs=0.02)
    belief.update("wait", ["(hears a)"])
    # In the sun, the host opens a in any case; in the rain, in one of four.
    assert belief.shares()[gdl.parse_term("(is sun)")] == pytest.approx(4 / 5, abs=0.02)


def test_the_same_seed_gives_the_same_states() -> None:
    def sampled(seed: int) -> list[Any]:
        belief = Belief(compiled("leduc_poker"), "alice", seed=seed)
        belief.update("noop", ["king"])
        return belief.states(20)

    assert sampled(1) == sampled(1) != sampled(2)


@pytest.mark.parametrize("engine", [compiled, reasoned])
def test_impossible_percepts(engine: Any) -> None:
    belief = Belief(engine("kuhn_poker"), "alice", particles=50)
    belief.update("noop", ["king"])
    before = belief.shares()
    for move, percepts in (("check", ["king"]), ("check", ["(did bob fold)"]), ("fold", []), ("check", ["never"])):
        with pytest.raises(ImpossiblePerceptsError, match="ply 1: noop, seeing king; ply 2: "):
            belief.update(move, percepts)
    assert (belief.shares(), len(belief.history)) == (before, 1)


def test_a_search_may_lack_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REPLAYS", 0)
    belief = Belief(compiled("kuhn_poker"), "alice", particles=1)
    with pytest.raises(SearchLimitError, match="no state was found in time"):
        belief.update("noop", ["(did bob bet)"], seconds=-1)


def test_the_end_may_be_known() -> None:
    belief = Belief(compiled("kuhn_poker"), "alice", seed=1)
    belief.update("noop", ["king"])
    belief.update("check")
    belief.update("noop", ["(did bob check)"], over=True)
    assert belief.shares()[gdl.parse_term("(phase showdown)")] == 1
    with pytest.raises(ImpossiblePerceptsError):
        belief.update("noop")


def test_nothing_is_hidden() -> None:
    with pytest.raises(BeliefError, match="nothing is hidden in this game"):
        Belief(gdl.Reasoner.load(find_game("tic_tac_toe")), "xplayer")
    with pytest.raises(gdl.UnknownRoleError):
        Belief(gdl.Reasoner(COIN), "nobody")
