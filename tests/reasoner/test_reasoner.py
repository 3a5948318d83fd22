"""The Reasoner: games, roles, legal moves, goals, percepts, and what is derived when."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from support.engines import derivations, limits
from support.race import RACE, SOLO, facts, one, texts, values

import gdl
import gdl.reasoner.components
import gdl.reasoner.matching
import gdl.reasoner.reasoner
from gdl import Constant, Reasoner, parse_term

# Games and roles


def test_roles_come_in_the_order_of_the_file_as_it_spells_them(race: Reasoner) -> None:
    assert race.roles == ("White", "black")
    assert Reasoner("(role b) (role (player 1)) (role a) (role B) terminal").roles == ("b", "(player 1)", "a")


def test_roles_that_rules_derive_come_last() -> None:
    text = "(<= (role ?x) (side ?x)) (side z) (side y) (role x) (role z) terminal"
    assert Reasoner(text).roles == ("x", "z", "y")


def test_roles_that_rules_derive_are_sorted_by_their_text() -> None:
    rules = "(<= (role ?x) (one ?x)) (one (f a a)) (one (f (g a) (g a))) (<= terminal (true over))"
    sorted_roles = ("(f (g a) (g a))", "(f a a)")
    assert Reasoner(rules).roles == gdl.compile(rules, cache=False).roles == sorted_roles


def test_a_game_needs_a_role_that_can_be_derived() -> None:
    with pytest.raises(gdl.RulesheetError, match="no role is derived") as caught:
        Reasoner("(<= (role ?x) (side ?x)) terminal", "game.kif")
    assert (caught.value.code, caught.value.file) == ("no-role", "game.kif")


def test_a_game_comes_from_a_text_a_file_or_a_rulesheet(tmp_path: Path, race: Reasoner) -> None:
    path = tmp_path / "race.kif"
    path.write_text(RACE)
    for game in (Reasoner.load(path), Reasoner.load(str(path)), Reasoner(gdl.Rulesheet(RACE))):
        assert game.roles == race.roles
        assert game.initial_state() == race.initial_state()
    assert repr(Reasoner.load(path)) == f"<Reasoner {path}>"


def test_load_refuses_what_is_no_game(tmp_path: Path) -> None:
    with pytest.raises(gdl.FileError):
        Reasoner.load(tmp_path / "none.kif")
    path = tmp_path / "bad.kif"
    path.write_text("(role r")
    with pytest.raises(gdl.RulesheetError, match=r"bad\.kif:1:1: unbalanced|never closed"):
        Reasoner.load(path)


def test_games_and_states_can_be_pickled(race: Reasoner) -> None:
    state = race.next_state(race.initial_state(), "(step 1) noop")
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert hash(again) == hash(state)
    game = pickle.loads(pickle.dumps(race))
    assert game.legal_moves(game.initial_state(), "white") == race.legal_moves(race.initial_state(), "white")


# Legal moves


def test_legal_moves_are_terms_in_the_order_of_their_text(race: Reasoner) -> None:
    state = race.initial_state()
    assert race.legal_moves(state, "white") == (parse_term("(step 1)"), parse_term("(step 2)"))
    assert race.legal_moves(state, "black") == (Constant("noop"),)
    assert texts(race.legal_moves(race.state(["(control black)", "(at black 2)"]), "black")) == ["(step 1)"]


def test_legal_moves_are_sorted_and_without_duplicates() -> None:
    game = one("(legal r b) (<= (legal r ?m) (p ?m)) (p b) (p (a 2)) (p (a 10)) (p B) (p 7)")
    assert texts(game.legal_moves(game.initial_state(), "r")) == ["(a 10)", "(a 2)", "7", "b", "go"]


def test_roles_may_be_spelled_otherwise(race: Reasoner) -> None:
    state = race.initial_state()
    for role in ("white", "White", "WHITE"):
        assert len(race.legal_moves(state, role)) == 2
        assert race.goal(state, role) == 0


def test_a_role_without_a_legal_move() -> None:
    game = Reasoner("(role r) (<= terminal (true over)) (<= (legal r go) (true on))")
    with pytest.raises(gdl.NoLegalMoveError, match="no-legal-move: r has no legal move, and the state is not terminal"):
        game.legal_moves(game.initial_state(), "R")
    assert game.legal_moves(game.state(["over"]), "r") == ()
    assert texts(game.legal_moves(game.state(["over", "on"]), "r")) == ["go"]


def test_moves_of_those_who_are_no_roles_do_not_count() -> None:
    game = one("(legal nobody fly) (goal nobody 7)")
    assert texts(game.legal_moves(game.initial_state(), "r")) == ["go"]
    with pytest.raises(gdl.UnknownRoleError):
        game.legal_moves(game.initial_state(), "nobody")


def test_an_unknown_role(race: Reasoner) -> None:
    state = race.initial_state()
    message = "unknown-role: no role wite; the roles are White, black; did you mean White?"
    questions = [
        lambda: race.legal_moves(state, "wite"),
        lambda: race.goal(state, "wite"),
        lambda: race.next_state(state, {"wite": "noop", "black": "noop"}),
        lambda: race.query("(next ?f)", state, {"wite": "noop"}),
        lambda: race.percepts(state, {"wite": "noop"}),
    ]
    for question in questions:
        with pytest.raises(gdl.UnknownRoleError) as caught:
            question()
        assert str(caught.value) == message
        assert caught.value.roles == ("White", "black")
    with pytest.raises(gdl.UnknownRoleError, match=r"no role red; the roles are White, black$"):
        race.goal(state, "red")


# The end, and goals


def test_a_game_to_its_end(race: Reasoner) -> None:
    state = race.initial_state()
    seen = []
    while not race.is_terminal(state):
        moves = {role: race.legal_moves(state, role)[-1] for role in race.roles}
        seen.append(" ".join(move.text for move in moves.values()))
        state = race.next_state(state, moves)
    assert seen == ["(step 2) noop", "noop (step 2)", "(step 1) noop"]
    assert race.goals(state) == {"White": 100, "black": 0}
    assert (race.goal(state, "WHITE"), race.goal(state, "black")) == (100, 0)
    assert "(at white 3)" in state


def test_goals_need_no_end(race: Reasoner) -> None:
    assert race.goals(race.initial_state()) == {"White": 0, "black": 0}


@pytest.mark.parametrize(
    ("worth", "message"),
    [
        ([], "solo has no goal value in this state"),
        (["50", "100"], "solo has several goal values in this state: 100, 50"),
        (["high"], "the goal value of solo is not a whole number from 0 to 100: high"),
        (["1.5"], "the goal value of solo is not a whole number from 0 to 100: 1.5"),
        (["1_0"], "the goal value of solo is not a whole number from 0 to 100: 1_0"),
        (["٣"], "the goal value of solo is not a whole number from 0 to 100: ٣"),
        (["(f 1)"], r"the goal value of solo is not a whole number from 0 to 100: \(f 1\)"),
        (["101"], "the goal value of solo is not a whole number from 0 to 100: 101"),
        (["-1"], "the goal value of solo is not a whole number from 0 to 100: -1"),
        (["high", "50"], "solo has several goal values in this state: 50, high"),
    ],
)
def test_goals_that_are_none(worth: list[str], message: str) -> None:
    game = Reasoner(SOLO)
    state = game.state(f"(worth {value})" for value in worth)
    with pytest.raises(gdl.GoalError, match=f"^goal-value: {message}$") as caught:
        game.goal(state, "solo")
    assert caught.value.values == tuple(sorted(worth))
    with pytest.raises(gdl.GoalError):
        game.goals(state)


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("100", 100), ("007", 7), ("0100", 100), ("0" * 5_000 + "42", 42)]
)
def test_goals_are_whole_numbers(text: str, value: int) -> None:
    game = Reasoner(SOLO)
    assert game.goal(game.state([f"(worth {text})"]), "solo") == value


def test_a_goal_that_is_too_long_for_a_number() -> None:
    game = Reasoner(SOLO)
    with pytest.raises(gdl.GoalError):
        game.goal(game.state([f"(worth {'9' * 5_000})"]), "solo")


# Percepts


def test_percepts_are_what_each_role_sees() -> None:
    game = Reasoner(
        """
        (role random) (role guesser) (role blind)
        (side heads) (side tails)
        (<= (legal random (toss ?s)) (side ?s))
        (legal guesser noop) (legal blind noop)
        (<= (sees guesser (came ?s)) (does random (toss ?s)))
        (<= (sees guesser (nothing yet)) (not (true (coin heads))))
        (sees nobody anything)
        (<= (next (coin ?s)) (does random (toss ?s)))
        (<= terminal (true (coin ?s)))
        """
    )
    state = game.initial_state()
    assert texts(game.legal_moves(state, "random")) == ["(toss heads)", "(toss tails)"]
    seen = game.percepts(state, {"random": "(toss tails)", "guesser": "noop", "blind": "noop"})
    assert {role: texts(terms) for role, terms in seen.items()} == {
        "random": [],
        "guesser": ["(came tails)", "(nothing yet)"],
        "blind": [],
    }
    assert facts(game.next_state(state, "(toss heads) noop noop")) == ["(coin heads)"]


def test_percepts_of_a_game_without_sees_are_empty(race: Reasoner) -> None:
    assert race.percepts(race.initial_state(), "(step 1) noop") == {"White": (), "black": ()}


def test_percepts_are_for_legal_moves_only(race: Reasoner) -> None:
    with pytest.raises(gdl.IllegalMoveError):
        race.percepts(race.initial_state(), "noop noop")


# Terms of every kind in states


def test_facts_without_arguments() -> None:
    game = one(
        "(init light) (init (dark)) (<= (next light) (not (true light))) (<= (next dark) (true (light)) (true dark))"
    )
    state = game.initial_state()
    assert facts(state) == ["dark", "light"]
    assert "light" in state
    assert "(light)" in state
    state = game.next_state(state, "go")
    assert facts(state) == ["dark"]
    assert facts(game.next_state(state, "go")) == ["light"]


def test_facts_and_moves_may_be_function_terms_of_any_depth() -> None:
    game = one(
        "(init (pile (disk 1 (disk 2 empty)))) (<= (legal r (take ?d (rest ?p))) (true (pile (disk ?d ?p))))"
        "(<= (next (pile ?p)) (does r (take ?d (rest ?p)))) (<= (next (pile ?p)) (does r go) (true (pile ?p)))"
    )
    state = game.initial_state()
    assert texts(game.legal_moves(state, "r")) == ["(take 1 (rest (disk 2 empty)))", "go"]
    state = game.next_state(state, "(take 1 (rest (disk 2 empty)))")
    assert facts(state) == ["(pile (disk 2 empty))"]
    assert facts(game.next_state(state, ["(take 2 (rest empty))"])) == ["(pile empty)"]


def test_successor_arithmetic_counts_as_far_as_a_game_goes() -> None:
    game = one(
        "(init (count z)) (<= (next (count (s ?n))) (true (count ?n))) (<= (goal r 100) (true (count (s (s (s ?n))))))"
    )
    state = game.initial_state()
    for _ in range(3):
        with pytest.raises(gdl.GoalError):
            game.goal(state, "r")
        state = game.next_state(state, "go")
    assert facts(state) == ["(count (s (s (s z))))"]
    assert game.goal(state, "r") == 100


def test_terms_may_grow_deep() -> None:
    game = one("(init (count z)) (<= (next (count (s ?n))) (true (count ?n)))")
    state = game.initial_state()
    for _ in range(1_500):
        state = game.next_state(state, "go")
    assert str(state).count("s") == 1_500


def test_recursion_over_unknown_terms() -> None:
    game = one(
        "(init (number (s (s (s z))))) (<= (below ?n ?n) (true (number ?n))) (<= (below ?m ?n) (below (s ?m) ?n))"
        "(<= (even z)) (<= (even (s (s ?n))) (even ?n) (below (s (s ?n)) ?m))"
    )
    assert values(game, "(below ?n (s (s (s z))))") == ["(s (s (s z)))", "(s (s z))", "(s z)", "z"]
    assert values(game, "(even ?n)") == ["(s (s z))", "z"]


def test_games_with_more_terms_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gdl.reasoner.matching, "_REMEMBERED", 3)
    game = one("(init (a (f 1) (f 2))) (init (b (g (f 1) (f 2) (f 3)))) (<= (legal r ?x) (true (b ?x)))")
    state = game.initial_state()
    assert facts(state) == ["(a (f 1) (f 2))", "(b (g (f 1) (f 2) (f 3)))"]
    assert texts(game.legal_moves(state, "r")) == ["(g (f 1) (f 2) (f 3))", "go"]


def test_a_variable_may_stand_for_a_whole_fact() -> None:
    game = one(
        "(init (a 1)) (init b) (init (c d e)) (frozen b) (frozen (c d e)) (<= (next ?f) (true ?f) (frozen ?f))"
        "(<= (next (seen ?f)) (true ?f)) (<= (known ?f) (true ?f)) (<= (one ?x) (true ?f) (is ?f ?x)) (is (a 1) yes)"
    )
    state = game.initial_state()
    assert values(game, "(known ?f)") == ["(a 1)", "(c d e)", "b"]
    assert values(game, "(one ?x)") == ["yes"]
    state = game.next_state(state, "go")
    assert facts(state) == ["(c d e)", "(seen (a 1))", "(seen (c d e))", "(seen b)", "b"]
    assert values(game, "(next ?f)", state, "go") == facts(game.next_state(state, "go"))


def test_a_variable_head_may_derive_facts_of_every_shape() -> None:
    game = one(
        "(<= (next ?f) (coming ?f)) (coming (a 1)) (coming b) (coming (odd (f x) y)) (<= (next (a 2)) (true b))"
        "(<= p (true b)) (<= (q ?x) (true (a ?x)))"
    )
    state = game.next_state(game.initial_state(), "go")
    assert facts(state) == ["(a 1)", "(odd (f x) y)", "b"]
    assert game.query("p", state) == [{}]
    assert values(game, "(q ?x)", state) == ["1"]
    assert facts(game.next_state(state, "go")) == ["(a 1)", "(a 2)", "(odd (f x) y)", "b"]
    assert game.next_state(state, "go") == game.state(["(a 1)", "(a 2)", "(odd (f x) y)", "b"])


def test_symbols_are_the_same_whatever_their_case_and_print_as_the_file_first_has_them() -> None:
    game = Reasoner(
        "(ROLE Xavier) (init (Cell A)) (<= (LEGAL xavier (Go ?x)) (true (cell ?X)) (distinct ?x b))"
        "(<= terminal (true end)) (<= (next (CELL B)) (does XAVIER (go a)) (True (Cell a)))"
    )
    state = game.initial_state()
    assert facts(state) == ["(Cell A)"]
    assert texts(game.legal_moves(state, "xavier")) == ["(Go A)"]
    state = game.next_state(state, {"XAVIER": "(GO A)"})
    assert facts(state) == ["(Cell b)"]
    assert "(cell B)" in state


# Nothing unasked, nothing twice


def test_a_question_derives_only_what_it_needs(race: Reasoner) -> None:
    state = race.initial_state()
    for question, derived_for_it in [
        (lambda: race.is_terminal(state), {"terminal/0", "home/1"}),
        (lambda: race.legal_moves(state, "white"), {"legal/2"}),
        (lambda: race.goals(state), {"goal/2"}),
    ]:
        with derivations() as derived:
            question()
        relations = {text for text in derived if "/" in text and " " not in text}
        assert derived_for_it <= relations
        assert relations - derived_for_it <= {"role/1", "ahead/3", "succ/2", "other/2"}


def test_the_same_question_of_the_same_state_derives_nothing(race: Reasoner) -> None:
    state = race.initial_state()
    first = (race.is_terminal(state), race.goals(state), race.legal_moves(state, "white"))
    with derivations() as derived:
        assert (race.is_terminal(state), race.goals(state), race.legal_moves(state, "white")) == first
        assert race.legal_moves(state, "black") == (Constant("noop"),)
        assert race.goal(state, "black") == 0
    assert derived == []


def test_what_does_not_depend_on_the_state_is_derived_once(race: Reasoner) -> None:
    state = race.initial_state()
    race.legal_moves(state, "white")
    race.next_state(state, "(step 1) noop")
    following = race.next_state(state, "(step 2) noop")
    with derivations() as derived:
        race.legal_moves(following, "black")
        race.next_state(following, "noop (step 1)")
    # What is static may be looked up again, but none of it is indexed or joined anew.
    assert not [text for text in derived if text.startswith(("succ/2 by", "ahead/3 by", "other/2 by", "init"))]


def test_old_states_are_answered_anew_and_alike(race: Reasoner) -> None:
    state = race.initial_state()
    legal = race.legal_moves(state, "white")
    for i in range(gdl.reasoner.reasoner._CONTEXTS):
        assert race.goal(race.state([f"(at white {i})"]), "white") == (100 if i == 3 else 0)
    with derivations() as derived:
        assert race.legal_moves(state, "white") == legal
    assert "legal/2" in derived


def test_what_was_derived_from_old_states_is_forgotten(race: Reasoner) -> None:
    first = race.initial_state()
    race.legal_moves(first, "white")
    assert first._context is not None
    for i in range(gdl.reasoner.reasoner._CONTEXTS):
        race.is_terminal(race.state([f"(at white {i})"]))
    assert first._context is None


def test_join_orders_chosen_anew_change_no_answer(race: Reasoner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gdl.reasoner.reasoner, "_LEARN_AFTER", 8)
    states = [race.state([f"(at white {i % 4})", f"(at black {i % 3})", "(control white)"]) for i in range(40)]
    plain = Reasoner(RACE)
    for state in states:
        twin = plain.state(state)
        assert race.goals(state) == plain.goals(twin)
        if not race.is_terminal(state):
            assert race.legal_moves(state, "white") == plain.legal_moves(twin, "white")
            assert race.next_state(state, "(step 1) noop") == plain.next_state(twin, "(step 1) noop")


# Large relations


def test_a_game_with_large_relations_goes_the_same_way() -> None:
    def playout(game: Reasoner) -> list[object]:
        state = game.initial_state()
        seen: list[object] = []
        while not game.is_terminal(state):
            legal = [game.legal_moves(state, role) for role in game.roles]
            seen.append((facts(state), legal, game.goals(state), values(game, "(home ?r)", state)))
            state = game.next_state(state, [moves[0] for moves in legal])
        return [*seen, facts(state), game.goals(state), values(game, "(true ?f)", state)]

    expected = playout(Reasoner(RACE))
    assert len(expected) == 8
    for limit in (1, 2, 3):
        with limits(limit):
            assert playout(Reasoner(RACE)) == expected


# Derivations without end


def test_terms_that_grow_without_end_are_refused() -> None:
    with pytest.raises(gdl.DerivationLimitError) as caught:
        one("(number z) (<= (number (s ?x)) (number ?x)) (<= (init (n ?x)) (number ?x))")
    assert caught.value.relation == "number/1"
    assert caught.value.limit == "depth"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_terms_that_grow_without_end_do_no_harm_where_they_are_not_asked_for() -> None:
    game = one("(init (n z)) (<= (number ?x) (true (n ?x))) (<= (number (s ?x)) (number ?x)) (goal r 1)")
    state = game.initial_state()
    assert texts(game.legal_moves(state, "r")) == ["go"]
    assert game.goals(state) == {"r": 1}
    assert len(game.next_state(state, "go")) == 0
    with pytest.raises(gdl.DerivationLimitError):
        game.query("(number ?x)", state)
    assert not game.is_terminal(state)
