"""Explanations: what they say of small games, and that each is so, on many files and states."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from support.explained import Checker, height
from support.profiles import examples
from support.strategies import games
from support.toy_files import ROOT, SPREAD
from support.walk import WALK

import gdl
from gdl.explanation import Attempt, Derivation, Explanation, Refutation, Source
from gdl.explanation.outline import outline, to_json
from gdl.language.parser import parse_term

PUBLIC = ROOT.parent / "shared" / "rulesheets"


#: Quick ones of many kinds, for every run.
SAMPLE = ("biddingTicTacToe", "blocksWorldParallel", "buttons", "eightPuzzle", "nim4", "urmAdd")


@pytest.fixture
def walk() -> gdl.Reasoner:
    return gdl.Reasoner(WALK, "walk.kif")


def explained(game: gdl.Reasoner, atom: str, moves: Any = None, **options: Any) -> Explanation:
    """An explanation in the initial state, checked."""
    state = game.initial_state()
    explanation = game.explain(atom, state, moves, **options)
    Checker(game, state, moves).explanation(explanation)
    return explanation


def only(explanation: Explanation) -> Derivation:
    (derivation,) = explanation.derivations
    return derivation


def attempts(explanation: Explanation) -> tuple[Attempt, ...]:
    assert explanation.refutation is not None
    return explanation.refutation.attempts


def lines(explanation: Explanation) -> list[str]:
    return [str(line) for line in outline(explanation)]


# What holds


def test_a_derivation_is_a_tree_of_rules_and_facts(walk: gdl.Reasoner) -> None:
    derivation = only(explained(walk, "(legal walker (go b))"))
    assert derivation.source is Source.RULE
    assert derivation.location is not None
    assert derivation.location.line == 7
    assert [str(getattr(premise, "atom", premise)) for premise in derivation.premises] == [
        "(true (at a))",
        "(path a b)",
        "(distinct a b)",
        "(closed b)",
    ]
    state, path, *_ = derivation.premises
    assert isinstance(state, Derivation)
    assert state.source is Source.STATE
    assert isinstance(path, Derivation)
    assert path.rule is not None
    assert path.rule.location is not None
    assert path.rule.location.line == 5


def test_the_outline_has_a_line_for_each_step(walk: gdl.Reasoner) -> None:
    assert lines(explained(walk, "(legal walker (go b))")) == [
        "(legal walker (go b)) holds  walk.kif:7",
        "├─ (true (at a))  state",
        "├─ (path a b)  walk.kif:5",
        "│  └─ (edge a b)  walk.kif:4",
        "├─ (distinct a b)",
        "└─ (not (closed b))",
    ]


def test_a_derivation_is_the_shortest(walk: gdl.Reasoner) -> None:
    # From a to e: four edges, in two halves; not one edge and three, and not once around the circle first.
    assert height(only(explained(walk, "(path a e)"))) == 3
    assert height(only(explained(walk, "(path a a)"))) == 3
    assert height(only(explained(walk, "(path a b)"))) == 1


def test_derivations_are_given_shortest_first(walk: gdl.Reasoner) -> None:
    # By way of c, b and d; a way that comes back to a, and goes from a to e then, is none.
    found = explained(walk, "(path a e)", most=20)
    assert [height(derivation) for derivation in found.derivations] == [3, 4, 4]
    assert found.ways == 3
    assert only(explained(walk, "(path a e)")) == found.derivations[0]


def test_long_chains_need_no_recursion() -> None:
    steps = " ".join(f"(succ {n} {n + 1})" for n in range(300))
    rules = "(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))"
    game = gdl.Reasoner(f"(role r) (legal r a) terminal {steps} {rules}")
    found = explained(game, "(less 0 300)", limit=100_000)
    assert found.complete
    assert height(only(found)) == 300
    assert len(lines(found)) == 1 + 2 * 299 + 1
    assert json.dumps(to_json(found)).count('"limit"') == 1


def test_what_is_derived_twice_is_shown_once() -> None:
    rules = "(<= (p 0) (q a)) " + " ".join(f"(<= (p {n + 1}) (p {n}) (r {n}) (s {n}))" for n in range(12))
    more = " ".join(f"(<= (r {n}) (p {n})) (<= (s {n}) (r {n}))" for n in range(12))
    game = gdl.Reasoner(f"(role r) (legal r a) terminal (q a) {rules} {more}")
    found = explained(game, "(p 12)")
    assert sum("as above" in line for line in lines(found)) == 24
    assert len(lines(found)) < 100
    # As a tree it has hundreds of thousands of parts.
    assert len(json.dumps(to_json(found))) < 2_000_000


def test_facts_states_and_moves_need_no_rule(walk: gdl.Reasoner) -> None:
    assert only(explained(walk, "(true (at a))")).source is Source.STATE
    assert only(explained(walk, "(does walker stay)", ["stay"])).source is Source.MOVES
    fact = only(explained(walk, "(edge a b)"))
    assert fact.source is Source.FACT
    assert lines(explained(walk, "(edge a b)")) == ["(edge a b) holds  walk.kif:4"]


def test_what_is_next_and_what_variables_of_facts_stand_for(walk: gdl.Reasoner) -> None:
    assert lines(explained(walk, "(next (at b))", ["(go b)"])) == [
        "(next (at b)) holds  walk.kif:10",
        "└─ (does walker (go b))  move",
    ]
    assert lines(explained(walk, "(next calm)", ["(go b)"])) == [
        "(next calm) holds  walk.kif:12",
        "├─ (true calm)  state",
        "└─ (keeps calm)  walk.kif:13",
    ]


def test_rules_with_or_are_told_by_the_alternative_that_applies(walk: gdl.Reasoner) -> None:
    derivation = only(explained(walk, "(legal walker stay)"))
    assert [str(premise.atom) for premise in derivation.premises if isinstance(premise, Derivation)] == [
        "(true calm)",
        "(true (at a))",
    ]


def test_what_is_true_of_its_negation_elsewhere(walk: gdl.Reasoner) -> None:
    # `goal` is negated in a rule for goal: the engine splits it; explanations show the rules as they are written.
    assert lines(explained(walk, "(goal walker 0)")) == [
        "(goal walker 0) holds  walk.kif:16",
        "└─ (not (goal walker 100))",
    ]


def test_an_atom_with_variables_has_instances(walk: gdl.Reasoner) -> None:
    found = explained(walk, "(legal walker ?move)")
    assert lines(found) == [
        "(legal walker ?move) has 4 instances",
        "  (legal walker (go b))",
        "  (legal walker (go c))",
        "  (legal walker (go d))",
        "  (legal walker stay)",
    ]
    assert [str(atom) for atom in explained(walk, "(true (at ?x))").instances] == ["(true (at a))"]
    assert [str(atom) for atom in explained(walk, "(path ?x ?x)").instances] == [f"(path {x} {x})" for x in "abc"]


def test_case_makes_no_difference(walk: gdl.Reasoner) -> None:
    assert lines(explained(walk, "(LEGAL Walker (GO b))")) == lines(explained(walk, "(legal walker (go b))"))


# What does not hold


def test_each_rule_fails_at_its_first_condition_that_cannot_be_met(walk: gdl.Reasoner) -> None:
    found = explained(walk, "(legal walker (go e))")
    (attempt,) = attempts(found)
    assert [str(condition) for condition in attempt.held] == ["(true (at a))", "(path a e)", "(distinct a e)"]
    assert str(attempt.failed) == "(not (closed e))"
    assert attempt.place is not None
    assert attempt.place.line == 7
    assert isinstance(attempt.because, Derivation)
    assert str(attempt.because.atom) == "(closed e)"
    assert {variable.text: str(term) for variable, term in attempt.binding} == {"?x": "a", "?y": "e"}
    assert lines(found) == [
        "(legal walker (go e)) does not hold",
        "└─ rule for (legal walker (go ?y))  walk.kif:7",
        "   ├─ ✓ (true (at a))",
        "   ├─ ✓ (path a e)",
        "   ├─ ✓ (distinct a e)",
        "   └─ ✗ (not (closed e))  walk.kif:7",
        "      └─ (closed e)  walk.kif:9",
    ]


def test_inequalities_fail_without_more_ado(walk: gdl.Reasoner) -> None:
    assert lines(explained(walk, "(legal walker (go a))"))[-1] == "   └─ ✗ (distinct a a)  walk.kif:7  they are equal"


def test_the_nearest_binding_is_the_one_that_meets_most_conditions() -> None:
    game = gdl.Reasoner(
        "(role r) (legal r a) terminal (p 1) (p 2) (p 3) (q 2) (q 3) (s 3) (t 4)\n(<= win (p ?x) (q ?x) (s ?x) (t ?x))"
    )
    (attempt,) = attempts(explained(game, "win"))
    assert [str(condition) for condition in attempt.held] == ["(p 3)", "(q 3)", "(s 3)"]
    assert str(attempt.failed) == "(t 3)"
    assert isinstance(attempt.because, Refutation)
    assert [str(atom) for atom in attempt.because.near] == ["(t 4)"]


def test_conditions_wait_for_their_variables() -> None:
    game = gdl.Reasoner("(role r) (legal r a) terminal (p 1) (q 1)\n(<= win (not (q ?x)) (distinct ?x 1) (p ?x))")
    (attempt,) = attempts(explained(game, "win"))
    assert [str(condition) for condition in attempt.held] == ["(p 1)"]
    assert str(attempt.failed) == "(not (q 1))"


def test_what_the_state_has_instead(walk: gdl.Reasoner) -> None:
    assert lines(explained(walk, "(true (at b))")) == ["(true (at b)) does not hold  the state has (at a)"]
    assert lines(explained(walk, "terminal"))[-1] == "   └─ ✗ (true (at d))  walk.kif:14  the state has (at a)"
    assert lines(explained(walk, "(true windy)")) == ["(true windy) does not hold  the state has nothing like it"]
    assert lines(explained(walk, "(edge b d)")) == ["(edge b d) does not hold  no such fact; there is (edge b c)"]


def test_what_nobody_does(walk: gdl.Reasoner) -> None:
    found = lines(explained(walk, "(next (at a))", ["(go b)"]))
    assert "│  └─ ✗ (does walker (go a))  walk.kif:10  the moves are walker: (go b)" in found
    assert "   └─ ✗ (keeps (at a))  walk.kif:12  no such fact; there is (keeps calm)" in found


def test_a_head_that_does_not_fit(walk: gdl.Reasoner) -> None:
    found = explained(walk, "(goal walker 50)")
    assert attempts(found) == ()
    assert lines(found) == ["(goal walker 50) does not hold  no rule has a matching head; there is (goal walker 0)"]


def test_variables_of_the_question_are_not_those_of_the_rules(walk: gdl.Reasoner) -> None:
    (attempt,) = attempts(explained(walk, "(legal ?y (go (f ?x ?y)))"))
    assert str(attempt.failed) == "(path a (f ?x' walker))"
    assert attempts(explained(walk, "(path e ?x)"))


def test_recursion_in_what_fails_ends(walk: gdl.Reasoner) -> None:
    one, other = attempts(explained(walk, "(path e a)"))
    assert str(one.failed) == "(edge e a)"
    assert str(other.failed) == "(path e ?y)"
    assert isinstance(other.because, Refutation)
    _, again = other.because.attempts
    assert again.because is None
    assert any("not followed further" in line for line in lines(explained(walk, "(path e a)")))


# Limits and refusals


def test_a_limit_is_told(walk: gdl.Reasoner) -> None:
    found = explained(walk, "(path a e)", limit=2)
    assert not found.complete
    assert any(line.endswith("holds; not followed further") for line in lines(found))
    crowd = " ".join(f"(p {n})" for n in range(60))
    game = gdl.Reasoner(f"(role r) (legal r a) terminal {crowd}\n(<= win (p ?x) (p ?y) (p ?z) (q ?x ?y ?z))")
    (attempt,) = attempts(explained(game, "win", limit=500))
    assert not attempt.complete
    assert len(attempt.held) == 3
    assert not explained(game, "win", limit=500).complete


def test_many_rules_are_cut_short() -> None:
    rules = "\n".join(f"(<= win (p {n}))" for n in range(50))
    found = explained(gdl.Reasoner(f"(role r) (legal r a) terminal (p x)\n{rules}"), "win")
    assert found.refutation is not None
    assert len(found.refutation.attempts) == 30
    assert lines(found)[-1] == "└─ and 20 more rules"


def test_questions_that_cannot_be_answered(walk: gdl.Reasoner) -> None:
    state = walk.initial_state()
    with pytest.raises(gdl.JointMoveError, match="depends on the moves"):
        walk.explain("(next (at b))", state)
    with pytest.raises(gdl.UnknownRelationError, match="paths/2"):
        walk.explain("(paths a b)", state)
    with pytest.raises(gdl.TermError):
        walk.explain("(not (path a b))", state)
    with pytest.raises(gdl.IllegalMoveError):
        walk.explain("(next (at b))", state, ["(go z)"])
    assert walk.depends_on_moves("(next (at b))")
    assert not walk.depends_on_moves("(legal walker ?x)")


# Many files and states


def questions(game: gdl.Reasoner, state: gdl.State, moves: Any, random: Random) -> Iterator[gdl.Term]:
    """For each relation some atoms that hold, some with arguments from everywhere, and some with variables."""
    for name, arity in game.rulesheet.graph.edges:
        pattern = parse_term(f"({name} {' '.join(f'?v{column}' for column in range(arity))})")
        if moves is None and game.depends_on_moves(pattern):
            continue
        rows = [list(row.values()) for row in game.query(pattern, state, moves)]
        if not rows or not arity:
            yield pattern
            continue
        for row in random.sample(rows, min(2, len(rows))):
            yield gdl.Function(name, tuple(row))
        columns = [[row[column] for row in random.sample(rows, min(9, len(rows)))] for column in range(arity)]
        yield gdl.Function(name, tuple(random.choice(column) for column in columns))
        variables = [gdl.Variable("x"), gdl.Variable("y")]
        yield gdl.Function(name, tuple(random.choice([*column[:2], *variables]) for column in columns))


def check_playout(game: gdl.Reasoner, plies: int) -> Checker:
    """All explanations of some questions in states of a random playout, checked."""
    random = Random(1)
    state = game.initial_state()
    total = Checker(game, state)
    for _ in range(plies):
        legal = [] if game.is_terminal(state) else [game.legal_moves(state, role) for role in game.roles]
        moves = [random.choice(options) for options in legal] if legal else None
        for atom in questions(game, state, moves, random):
            checker = Checker(game, state, moves)
            checker.explanation(game.explain(atom, state, moves, most=2))
            total.steps += checker.steps
            total.failures += checker.failures
        if moves is None:
            break
        state = game.next_state(state, moves)
    return total


#: Public files with explanations that take half a minute.
LARGE = {"amazonsTorus", "gt_two_thirds_6p"}


def parameters() -> list[Any]:
    """Rule files: a few for every run, some of ours and of the public ones for the long tests, and all the others."""
    found = [(path, [] if path.stem == "wolf_sheep" else [pytest.mark.slow]) for path in SPREAD]
    for number, path in enumerate(sorted(PUBLIC.glob("*.kif"))):
        rare = pytest.mark.slow if number % 12 == 0 and path.stem not in LARGE else pytest.mark.exhaustive
        found.append((path, [] if path.stem in SAMPLE else [rare]))
    return [pytest.param(path, id=path.stem, marks=marks) for path, marks in found]


@pytest.mark.parametrize("path", parameters())
def test_every_explanation_is_so(path: Path) -> None:
    found = check_playout(gdl.Reasoner.load(path), plies=2)
    assert found.steps
    assert found.failures


@examples(15, thorough=100)
@given(text=games())
def test_explanations_in_random_games(text: str) -> None:
    check_playout(gdl.Reasoner(text), plies=3)


def test_short_representations(walk: gdl.Reasoner) -> None:
    found = {
        "(legal walker stay)": "<Explanation: (legal walker stay) holds in 1 way>",
        "(path a ?x)": "<Explanation: (path a ?x) holds for 5 instances>",
        "(legal walker fly)": "<Explanation: (legal walker fly) does not hold>",
    }
    assert {atom: repr(explained(walk, atom)) for atom in found} == found
    assert repr(only(explained(walk, "(legal walker stay)"))).startswith("<Derivation of (legal walker stay) by rule: ")
    refutation = explained(walk, "(goal walker 100)").refutation
    assert repr(refutation) == "<Refutation of (goal walker 100): 1 rule>"
    assert refutation is not None
    assert repr(refutation.attempts) == "(<Attempt of a rule for (goal walker 100): (true (at d)) fails>,)"


def test_an_explanation_prints_as_its_outline(walk: gdl.Reasoner) -> None:
    explanation = explained(walk, "(legal walker (go b))")
    text = str(explanation)
    assert [" ".join(line.split()) for line in text.splitlines()] == [" ".join(x.split()) for x in lines(explanation)]
    # The notes begin in one column.
    notes = [line.index("  walk.kif") for line in text.splitlines() if "  walk.kif" in line]
    assert len(notes) > 2
    assert len(set(notes)) == 1


def test_a_notebook_shows_the_outline() -> None:
    game = gdl.Reasoner("(role r) (init (p <&>)) (<= (legal r stay) (true (p <&>))) (goal r 0) terminal")
    page = explained(game, "(legal r stay)")._repr_html_()
    assert page.startswith("<pre>(legal r stay) holds")
    assert "(true (p &lt;&amp;&gt;))" in page
    assert page.endswith("</pre>")
