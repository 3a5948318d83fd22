"""Games that are too large to be compiled whole: the Reasoner answers, for a part or for everything."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

pytest.importorskip("clingo")
pytest.importorskip("llvmlite")

from support.agreement import budget, check_playouts
from support.commands import Ggp
from support.profiles import examples
from support.strategies import games
from support.toy_files import rule_file
from support.toy_rules import NIM

import gdl
from gdl.simulator.compiler import Compiler
from gdl.simulator.partial_game import PartialGame, separable, without
from ggp.environments.game import EnvironmentGame

#: Two roles link numbers. Whether two of them can be swapped takes a relation that explodes.
RULES = """
(role x) (role o) (n 1) (n 2) (n 3) (n 4) (init (control x)) (init (left 7))
(down 7 6) (down 6 5) (down 5 4) (down 4 3) (down 3 2) (down 2 1) (down 1 0)
(<= (legal ?r (link ?x ?y)) (true (control ?r)) (n ?x) (n ?y) (distinct ?x ?y) (not (true (Mark ?x ?y))) (not {legal}))
(<= (legal ?r noop) (role ?r) (not (true (control ?r)))) (<= (legal ?r noop) (true (control ?r)))
(<= (next (mark ?x ?y)) (true (mark ?x ?y)) (not {next})) (<= (next (mark ?x ?y)) (does ?r (link ?x ?y)))
(<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
(<= (next (left ?m)) (true (left ?n)) (down ?n ?m))
(<= terminal (true (left 0))) (<= terminal {terminal})
(<= (goal ?r 100) (true (control ?r)) {goal}) (<= (goal ?r 0) (true (control ?r)) (not {goal}))
(<= (goal ?r 50) (role ?r) (not (true (control ?r))))
(<= (sees ?r (moved ?q)) (role ?r) (does ?q (link ?x ?y)) {sees})
(<= (edge ?x ?y) (true (mark ?x ?y)))
(<= (pair ?a ?b ?c ?d) (edge ?a ?c) (edge ?b ?d))
(<= (pair ?a ?b ?c ?d) (pair ?a ?b ?e ?f) (edge ?e ?c) (edge ?f ?d) (distinct ?c ?d))
(<= swapped (pair ?a ?b ?b ?a) (distinct ?a ?b))
(<= open (true (mark 1 2)) (true (mark 2 1)))
"""

#: Too few ground rules for `pair/4`, but enough for everything else.
BUDGET = gdl.CompileBudget(rules=600)

#: Which questions the Reasoner answers if those of the key need `swapped`.
ALL = ("legal", "next", "terminal", "goal", "sees")
ANSWERED = {
    ("goal",): ("goal",),
    ("sees",): ("sees",),
    ("goal", "sees"): ("goal", "sees"),
    ("terminal",): ALL,
    ("legal",): ALL,
    ("next",): ALL,
    ("next", "goal"): ALL,
}


def rules(*exploding: str) -> str:
    """Rules of which some questions need the relation that explodes."""
    names = dict.fromkeys(ALL, "open") | dict.fromkeys(exploding, "swapped")
    return RULES.format(**names)


def compiled(text: str, cache: bool | Path = False) -> PartialGame:
    game = gdl.compile(text, cache=cache, budget=BUDGET, progress=lambda _: None)
    assert isinstance(game, PartialGame)
    return game


@pytest.mark.parametrize(("exploding", "answered"), ANSWERED.items())
def test_answers_are_those_of_the_reasoner(exploding: tuple[str, ...], answered: tuple[str, ...]) -> None:
    game = compiled(rules(*exploding))
    assert game.by_reasoner == answered
    assert "pair/4" in game.reason
    check_playouts(gdl.Reasoner(game.rulesheet), game, count=3, plies=10)  # type: ignore[arg-type]


def test_facts_that_have_no_end() -> None:
    game = compiled(NIM + "(init (count z)) (<= (next (count (s ?n))) (true (count ?n)))")
    check_playouts(gdl.Reasoner(game.rulesheet), game, count=2, plies=10)  # type: ignore[arg-type]
    assert game.refusal.relations


def test_a_question_that_is_needed_at_every_ply_is_not_left_out() -> None:
    needed = gdl.Rulesheet(rules("goal") + "(<= won (goal ?r 100)) (<= terminal won)")
    assert not separable(needed, gdl.GroundingError("", "rules", [("pair/4", 1)]))
    free = gdl.Rulesheet(rules("goal"))
    assert separable(free, gdl.GroundingError("", "rules", [("pair/4", 9), ("next/1", 2)])) == {("goal", 2)}
    assert separable(free, gdl.CompileError("", "building", "seconds", [("goal/2", 9)])) == {("goal", 2)}
    assert not separable(free, gdl.CompileError("", "building", "seconds", [("next (mark/2)", 9), ("goal/2", 2)]))
    assert not separable(free, gdl.CompileError("", "building", "memory"))
    rest = gdl.Rulesheet(without(free, frozenset({("goal", 2)})).text)
    assert {rule.head.name for rule in free.rules} - {rule.head.name for rule in rest.rules} == {"goal"}


@examples(20)
@given(games())
def test_what_is_left_out_changes_no_other_answer(text: str) -> None:
    whole = gdl.Reasoner(text)
    rest = gdl.Reasoner(without(whole.rulesheet, frozenset({("goal", 2), ("sees", 2)})).text)
    random, state, other = Random(0), whole.initial_state(), rest.initial_state()
    for _ in range(6):
        legal = [whole.legal_moves(state, role) for role in whole.roles]
        assert [rest.legal_moves(other, role) for role in rest.roles] == legal
        assert (str(other), rest.is_terminal(other)) == (str(state), whole.is_terminal(state))
        moves = [random.choice(own) for own in legal]
        state, other = whole.next_state(state, moves), rest.next_state(other, moves)


def test_playouts_are_repeatable_whatever_part_is_compiled() -> None:
    game = compiled(rules("goal"))
    result = game.playouts(300, seed=3)
    for same in (game, PartialGame(game.rulesheet, game.refusal)):
        assert replace(same.playouts(300, seed=3), seconds=0.0) == replace(result, seconds=0.0)
    assert game.playouts(300, seed=4).counts != result.counts
    assert (result.playouts, result.cut, result.stuck, set(result.counts["o"])) == (300, 0, 0, {0, 50, 100})
    assert sum(result.counts["x"].values()) == 300
    cut = game.playouts(10, game.initial_state(), max_plies=2)
    assert (cut.cut, cut.max_length, cut.transitions, cut.counts["x"]) == (10, 2, 20, {})
    with pytest.raises(ValueError, match="max_plies"):
        game.playouts(1, max_plies=0)


def test_ends_without_a_goal_or_a_move_are_counted() -> None:
    stuck = "(role a) (<= (legal a go) (true (at 0))) (init (at 0)) (<= (next (at 1)) (true (at 0))) (<= terminal {})"
    for condition, counted in (("(true (at 2))", (5, 0)), ("(true (at 1))", (0, 5))):
        game = gdl.compile(stuck.format(condition), cache=False, budget=gdl.CompileBudget(rules=1))
        result = game.playouts(5)
        assert (result.stuck, result.undefined["a"]) == counted
        assert result.transitions == 5


@pytest.mark.parametrize("exploding", ["goal", "next"])
def test_copies(exploding: str) -> None:
    game = compiled(rules(exploding))
    other: PartialGame = pickle.loads(pickle.dumps(game))
    assert (other.roles, other.by_reasoner, other.reason) == (game.roles, game.by_reasoner, game.reason)
    assert copy.deepcopy(game) is game
    state = game.next_state(game.initial_state(), "(link 1 2) noop")
    sent = pickle.loads(pickle.dumps(state))
    assert set(other.facts(sent)) == set(state) == set(other.state(state)) == set(game.state(str(state)))
    assert other.goals(state) == game.goals(sent) == {"x": 50, "o": 0}
    assert game.holds("(mark 1 2)", gdl.Reasoner(game.rulesheet).state(state))
    assert game.query("(goal ?r 50)", state) == [{"?r": gdl.Constant("x")}]
    assert game.explain("(legal o noop)", state).holds
    with pytest.raises(TypeError, match="expected a state"):
        game.is_terminal("(mark 1 2)")  # type: ignore[arg-type]


def test_what_takes_the_whole_game_says_what_is_missing() -> None:
    game = compiled(rules("legal"))
    for ask in (lambda: game.arrays, lambda: game.kernels, lambda: game.all_moves("x"), lambda: EnvironmentGame(game)):
        with pytest.raises(gdl.NotWholeError, match=r"pair/4 \([0-9,]+ so far\).* raise the budget") as caught:
            ask()
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert not hasattr(game, "nonsense")


def test_a_refusal_is_cached_for_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = compiled(rules("goal"), tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("gdl.simulator.compiler.make_circuit", None)  # nothing is made again
        again = compiled(rules("goal"), tmp_path)
        assert isinstance(gdl.compile(rules("goal"), cache=tmp_path, budget=BUDGET, separate_process=True), PartialGame)
        with pytest.raises(TypeError, match="not callable"):
            gdl.compile(rules("goal"), cache=tmp_path)  # with another budget
    assert (again.reason, again.refusal.args) == (first.reason, first.refusal.args)
    assert type(again.refusal) is type(first.refusal) is gdl.GroundingError


def test_it_is_told_once_unless_progress_is_shown(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    games = [rule_file(tmp_path, rules(one), f"{one}.kif") for one in ("goal", "goal", "legal")]
    reasons = [gdl.Simulator.load(file, cache=tmp_path, budget=BUDGET).reason for file in games]
    assert caplog.messages == [
        f"gdl: using the Reasoner, which is slower: {reason}" for reason in (reasons[0], reasons[2])
    ]
    assert "the Reasoner answers goal, the circuit the rest" in reasons[0]
    compiled(rules("sees"))
    assert len(caplog.messages) == 2


def test_a_part_that_is_too_large_as_well() -> None:
    game = gdl.compile(rules("goal"), cache=False, budget=gdl.CompileBudget(rules=60), progress=lambda _: None)
    assert game.by_reasoner == ALL


def test_what_is_wrong_with_the_compiler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Compiler) -> None:
        raise gdl.GroundingError("<string>", None, (), "no clingo")

    monkeypatch.setattr(Compiler, "_new_game", broken)
    with pytest.raises(gdl.GroundingError, match="no clingo"):
        gdl.compile(NIM, cache=False)


@pytest.mark.parametrize("player", ["mcts(simulations=20)", "auto"])
def test_a_match_is_played_and_the_reason_told_once(ggp: Ggp, tmp_path: Path, player: str) -> None:
    file = rule_file(tmp_path, rules("next"))
    with budget(rules=BUDGET.rules):
        outcome = ggp("play", file, "--player", player, "--seed", "1", "--pace", "0.1")
    assert (outcome.status, outcome.lines[-3][:14]) == (0, "finished after")
    assert outcome.err.count("which is slower: ") == 1
    assert "pair/4" in outcome.err
    assert outcome.err.partition(": ")[0] in (
        "using the Reasoner, which is slower",
        "players search without compiled code, which is slower",
    )
