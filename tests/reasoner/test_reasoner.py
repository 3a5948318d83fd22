"""The Reasoner: every question that can be asked of a game, and everything that can go wrong in play."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from support.engines import derivations, limits

import gdl
import gdl.reasoner.components
import gdl.reasoner.matching
import gdl.reasoner.reasoner
from gdl import Constant, Function, Reasoner, State, parse_term

#: Two take turns; each steps one or two squares from 0 to 3; a step too far is not possible.
RACE = """
(role White) (role black)
(init (at white 0)) (init (at black 0)) (init (control white))
(succ 0 1) (succ 1 2) (succ 2 3)
(other white black) (other black white)

(<= (ahead ?x 1 ?y) (succ ?x ?y))
(<= (ahead ?x 2 ?z) (succ ?x ?y) (succ ?y ?z))

(<= (legal ?r (step ?n)) (true (control ?r)) (true (at ?r ?x)) (ahead ?x ?n ?y))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))

(<= (next (at ?r ?y)) (does ?r (step ?n)) (true (at ?r ?x)) (ahead ?x ?n ?y))
(<= (next (at ?r ?x)) (does ?r noop) (true (at ?r ?x)))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))

(<= (home ?r) (true (at ?r 3)))
(<= terminal (home ?r))
(<= (goal ?r 100) (home ?r))
(<= (goal ?r 0) (role ?r) (not (home ?r)))
"""
#: In a state that is not terminal either, a role may be stuck, and goals may be missing, double or no numbers.
SOLO = """
(role solo)
(init (start))
(<= (legal solo ?m) (true (can ?m)))
(legal solo wait)
(<= (next ?f) (true ?f))
(<= terminal (true over))
(<= (goal solo ?v) (true (worth ?v)))
"""


@pytest.fixture
def race() -> Reasoner:
    return Reasoner(RACE)


def one(rules: str) -> Reasoner:
    """A game of one role, who can always `go`."""
    return Reasoner(f"(role r) (legal r go) (<= terminal (true over)) {rules}")


def facts(state: State) -> list[str]:
    return [fact.text for fact in state]


def texts(terms: tuple[gdl.Term, ...]) -> list[str]:
    return [term.text for term in terms]


def values(game: Reasoner, pattern: str, state: State | None = None, moves: gdl.Moves | None = None) -> list[str]:
    """What a query for one variable gives."""
    return [str(*found.values()) for found in game.query(pattern, state or game.initial_state(), moves)]


# Games and roles


def test_roles_come_in_the_order_of_the_file_as_it_spells_them(race: Reasoner) -> None:
    assert race.roles == ("White", "black")
    assert Reasoner("(role b) (role (player 1)) (role a) (role B) terminal").roles == ("b", "(player 1)", "a")


def test_roles_that_rules_derive_come_last() -> None:
    text = "(<= (role ?x) (side ?x)) (side z) (side y) (role x) (role z) terminal"
    assert Reasoner(text).roles == ("x", "z", "y")


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


# States


def test_a_state_iterates_over_its_facts_in_the_order_of_their_text(race: Reasoner) -> None:
    state = race.initial_state()
    assert facts(state) == ["(at White 0)", "(at black 0)", "(control White)"]
    assert len(state) == 3
    assert str(state) == "(at White 0) (at black 0) (control White)"
    assert repr(state) == f"<State of 3 facts: {state}>"


def test_a_state_holds_facts_as_terms_and_as_text(race: Reasoner) -> None:
    state = race.initial_state()
    assert "(at white 0)" in state
    assert "(AT WHITE 0)" in state
    assert parse_term("(control white)") in state
    assert "(at white 1)" not in state
    assert "(at white)" not in state
    assert "control" not in state
    assert Constant("nonsense") not in state
    assert 3 not in state
    with pytest.raises(gdl.TermError, match="has variables"):
        assert "(at ?r 0)" in state
    with pytest.raises(gdl.TermError, match="never closed"):
        assert "(at" in state


def test_equal_states_are_equal_and_hash_alike(race: Reasoner) -> None:
    state = race.initial_state()
    built = race.state(["(control white)", parse_term("(at black 0)"), "(AT White 0)", "(at white 0)"])
    assert built == state
    assert hash(built) == hash(state)
    assert {state: 1}[built] == 1
    assert race.state(["(control white)"]) != state
    assert race.state(state) == state
    assert race.state([]) == race.state([])
    assert state != "(at White 0)"
    assert not list(race.state([]))


def test_states_that_different_ways_lead_to_are_equal(race: Reasoner) -> None:
    def played(*joint_moves: str) -> State:
        state = race.initial_state()
        for moves in joint_moves:
            state = race.next_state(state, moves)
        return state

    one = played("(step 1) noop", "noop (step 1)", "(step 1) noop", "noop (step 2)")
    other = played("(step 1) noop", "noop (step 2)", "(step 1) noop", "noop (step 1)")
    assert one == other
    assert hash(one) == hash(other)
    assert facts(one) == ["(at White 2)", "(at black 3)", "(control White)"]


def test_facts_that_the_rules_do_not_mention_can_be_part_of_a_state(race: Reasoner) -> None:
    state = race.state(["(at white 1)", "raining", "(colour (f a) b)", "at", "(at 1 2 3)"])
    assert facts(state) == ["(at 1 2 3)", "(at White 1)", "(colour (f a) b)", "at", "raining"]
    assert "raining" in state
    assert "(colour (f a) b)" in state
    assert "(at 1 2 3)" in state
    assert state != race.state(["(at white 1)", "raining"])


def test_symbols_that_the_rules_do_not_have_are_the_same_whatever_their_case(race: Reasoner) -> None:
    assert "(colour RED)" in race.state(["(colour red)"])
    assert race.state(["(colour RED)"]) == race.state(["(colour red)"])


@pytest.mark.parametrize(
    ("fact", "message"),
    [("(at ?r 0)", "has variables"), ("?x", "has variables"), ("(at", "never closed"), ("", "one term")],
)
def test_a_state_is_made_of_ground_terms(race: Reasoner, fact: str, message: str) -> None:
    with pytest.raises(gdl.TermError, match=message):
        race.state([fact])


def test_states_of_the_same_rules_compare(race: Reasoner) -> None:
    twin = Reasoner(RACE).initial_state()
    assert twin == race.initial_state()
    assert hash(twin) == hash(race.initial_state())


def test_states_of_different_rules_are_different(race: Reasoner) -> None:
    other = Reasoner(RACE + "(unused 1)").initial_state()
    assert facts(other) == facts(race.initial_state())
    assert other != race.initial_state()


def test_a_state_of_another_game_is_taken_for_its_facts(race: Reasoner) -> None:
    other = Reasoner(SOLO + "(at WHITE control) (step TWO)").state(["(at WHITE 2)", "(control white)"])
    assert texts(race.legal_moves(other, "white")) == ["(step 1)"]
    assert facts(race.next_state(other, "(step 1) noop")) == ["(at White 3)", "(control black)"]
    assert race.goal(race.next_state(other, "(step 1) noop"), "white") == 100
    twin = pickle.loads(pickle.dumps(race.initial_state()))
    assert race.next_state(twin, "(step 1) noop") == race.next_state(race.initial_state(), "(step 1) noop")


def test_a_query_for_the_facts_of_a_state_of_another_game(race: Reasoner) -> None:
    other = Reasoner(SOLO).state(["(control white)", "(at WHITE 2)", "(worth 3)"])
    assert values(race, "(true ?f)", other) == ["(at White 2)", "(control White)", "(worth 3)"]


def test_states_never_change(race: Reasoner) -> None:
    state = race.initial_state()
    before = facts(state)
    race.next_state(state, "(step 1) noop")
    race.legal_moves(state, "white")
    assert facts(state) == before
    assert copy.copy(state) == state
    with pytest.raises(AttributeError):
        state.extra = 1  # type: ignore[attr-defined]


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


# Joint moves


@pytest.mark.parametrize(
    "moves",
    [
        {"White": "(step 2)", "black": "noop"},
        {"BLACK": Constant("NOOP"), "white": Function("STEP", (Constant("2"),))},
        ["(step 2)", "noop"],
        (parse_term("(step 2)"), Constant("noop")),
        ["( step 2 ) ; comment", "(noop)"],
        "(step 2) noop",
        "(STEP 2)\n  (Noop)",
    ],
)
def test_moves_may_be_given_in_many_ways(race: Reasoner, moves: gdl.Moves) -> None:
    state = race.next_state(race.initial_state(), moves)
    assert facts(state) == ["(at White 2)", "(at black 0)", "(control black)"]


def test_next_state_knows_both_moves() -> None:
    game = Reasoner(
        "(role a) (role b) (<= (legal ?r ?m) (role ?r) (move ?m))"
        "(move 1) (move 2) (<= terminal (true over)) (<= (next (said ?r ?m)) (does ?r ?m))"
        "(<= (next same) (does a ?m) (does b ?m))"
    )
    assert facts(game.next_state(game.initial_state(), ["1", "2"])) == ["(said a 1)", "(said b 2)"]
    assert facts(game.next_state(game.initial_state(), ["2", "2"])) == ["(said a 2)", "(said b 2)", "same"]


def test_an_illegal_move_names_those_that_are_legal(race: Reasoner) -> None:
    with pytest.raises(gdl.IllegalMoveError) as caught:
        race.next_state(race.initial_state(), ["(step 3)", "noop"])
    assert str(caught.value) == "illegal-move: (step 3) is not legal for White; legal: (step 1), (step 2)"
    assert (caught.value.role, caught.value.move, caught.value.legal) == ("White", "(step 3)", ("(step 1)", "(step 2)"))


def test_an_illegal_move_names_the_nearest_of_many() -> None:
    game = one("(<= (legal r (mark ?x ?y)) (d ?x) (d ?y))" + "".join(f"(d {x})" for x in range(1, 9)))
    with pytest.raises(gdl.IllegalMoveError) as caught:
        game.next_state(game.initial_state(), ["(mark 3 9)"])
    text = str(caught.value)
    assert text.startswith("illegal-move: (mark 3 9) is not legal for r; nearest of 65 legal moves: (mark 3 ")
    assert text.count("(mark") == 6
    assert len(caught.value.legal) == 65


def test_a_move_where_there_is_none() -> None:
    game = Reasoner("(role r) terminal")
    with pytest.raises(gdl.IllegalMoveError, match="go is not legal for r; it has no legal move"):
        game.next_state(game.initial_state(), ["go"])


def test_a_move_that_is_no_term(race: Reasoner) -> None:
    with pytest.raises(gdl.TermError, match="never closed"):
        race.next_state(race.initial_state(), ["(step", "noop"])
    with pytest.raises(gdl.TermError, match="expected one term, found 2"):
        race.next_state(race.initial_state(), ["(step 1) noop", "noop"])
    with pytest.raises(gdl.IllegalMoveError, match=r"\?x is not legal"):
        race.next_state(race.initial_state(), ["?x", "noop"])


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ({"White": "(step 1)"}, "no move for black"),
        ({}, "no move for White, black"),
        (["(step 1)"], r"1 moves for 2 roles \(White, black\)"),
        (["(step 1)", "noop", "noop"], r"3 moves for 2 roles \(White, black\)"),
        ([], "0 moves for 2 roles"),
        ("(step 1)", "1 moves for 2 roles"),
    ],
)
def test_a_joint_move_has_a_move_for_each_role(race: Reasoner, moves: gdl.Moves, message: str) -> None:
    for question in (race.next_state, race.percepts):
        with pytest.raises(gdl.JointMoveError, match=f"joint-move: {message}"):
            question(race.initial_state(), moves)


def test_a_joint_move_has_only_one_move_for_each_role(race: Reasoner) -> None:
    with pytest.raises(gdl.JointMoveError):
        race.next_state(race.initial_state(), {"white": "(step 1)", "White": "(step 2)", "black": "noop"})


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
        (["high"], "the goal value of solo is not a whole number: high"),
        (["1.5"], "the goal value of solo is not a whole number: 1.5"),
        (["1_0"], "the goal value of solo is not a whole number: 1_0"),
        (["٣"], "the goal value of solo is not a whole number: ٣"),
        (["(f 1)"], r"the goal value of solo is not a whole number: \(f 1\)"),
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


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("100", 100), ("007", 7), ("1000", 1000), ("-5", -5)])
def test_goals_are_whole_numbers(text: str, value: int) -> None:
    game = Reasoner(SOLO)
    assert game.goal(game.state([f"(worth {text})"]), "solo") == value


def test_a_goal_that_is_too_long_for_a_number() -> None:
    game = Reasoner(SOLO)
    with pytest.raises(gdl.GoalError):
        game.goal(game.state([f"(worth {'9' * 5_000})"]), "solo")


@pytest.mark.parametrize("error", [gdl.GoalError("r", ["1", "2"]), gdl.NoLegalMoveError("r"), gdl.JointMoveError("no")])
def test_errors_of_play_are_of_one_tree_and_can_be_pickled(error: gdl.PlayError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, gdl.PlayError)
    assert isinstance(again, gdl.GdlError)
    assert (type(again), str(again)) == (type(error), str(error))


# Queries


def test_a_query_without_variables_holds_or_does_not(race: Reasoner) -> None:
    state = race.initial_state()
    assert race.query("(succ 0 1)", state) == [{}]
    assert race.query("(succ 0 2)", state) == []
    assert race.query("terminal", state) == []
    assert race.query("(terminal)", race.state(["(at white 3)"])) == [{}]
    assert race.query("(true (at white 0))", state) == [{}]
    assert race.query("(true (at white 9))", state) == []


def test_a_query_gives_substitutions_in_order(race: Reasoner) -> None:
    state = race.initial_state()
    assert race.query("(succ ?from ?To)", state) == [
        {"?from": Constant(str(i)), "?To": Constant(str(i + 1))} for i in range(3)
    ]
    assert race.query(parse_term("(legal white (step ?n))"), state) == [{"?n": Constant("1")}, {"?n": Constant("2")}]
    assert values(race, "(LEGAL ?r noop)") == ["black"]
    assert values(race, "(ahead ?x 2 3)") == ["1"]
    assert values(race, "(role ?r)") == ["White", "black"]
    assert values(race, "(init ?f)") == ["(at White 0)", "(at black 0)", "(control White)"]
    assert values(race, "(goal black ?v)") == ["0"]
    assert race.query("(base ?f)", state) == []


def test_a_query_for_facts(race: Reasoner) -> None:
    state = race.state(["(at white 1)", "(at black 1)", "raining", "(wind (from north))"])
    assert values(race, "(true ?f)", state) == ["(at White 1)", "(at black 1)", "(wind (from north))", "raining"]
    assert values(race, "(true (at ?who 1))", state) == ["White", "black"]
    assert values(race, "(true (wind ?w))", state) == ["(from north)"]
    assert race.query("(true (at ?x ?x))", race.state(["(at a a)", "(at a b)"])) == [{"?x": Constant("a")}]


def test_a_query_for_what_is_next(race: Reasoner) -> None:
    state = race.initial_state()
    moves = {"white": "(step 2)", "black": "noop"}
    assert values(race, "(next ?f)", state, moves) == ["(at White 2)", "(at black 0)", "(control black)"]
    assert values(race, "(next (at white ?x))", state, moves) == ["2"]
    assert values(race, "(does white ?m)", state, moves) == ["(step 2)"]
    assert values(race, "(does ?r noop)", state, "(step 1) noop") == ["black"]
    assert race.query("(does white (step ?n))", state, "(step 1) noop") == [{"?n": Constant("1")}]


@pytest.mark.parametrize("pattern", ["(next ?f)", "(does ?r ?m)", "(does white noop)"])
def test_a_query_that_depends_on_the_moves_needs_them(race: Reasoner, pattern: str) -> None:
    with pytest.raises(gdl.JointMoveError, match="depends on the moves: give the joint move, too"):
        race.query(pattern, race.initial_state())
    with pytest.raises(gdl.IllegalMoveError):
        race.query(pattern, race.initial_state(), "noop noop")


def test_a_query_for_a_relation_that_depends_on_the_moves() -> None:
    game = one("(<= (done ?m) (does r ?m)) (<= (next (did ?m)) (done ?m)) (<= p (done go))")
    assert values(game, "(done ?x)", moves="go") == ["go"]
    assert game.query("p", game.initial_state(), ["go"]) == [{}]
    with pytest.raises(gdl.JointMoveError, match="done/1 depends"):
        game.query("(done ?x)", game.initial_state())


def test_a_query_for_an_unknown_relation(race: Reasoner) -> None:
    state = race.initial_state()
    with pytest.raises(gdl.UnknownRelationError) as caught:
        race.query("(suc ?x ?y)", state)
    assert str(caught.value) == ("unknown-relation: the rules have no relation suc/2; did you mean succ/2?")
    for pattern in ("(succ ?x)", "(at white ?x)", "noop", "(true)", "(legal ?x)", "(true part 1)"):
        with pytest.raises(gdl.UnknownRelationError):
            race.query(pattern, state)
    for pattern in ("(distinct a b)", "(not (true (control white)))", "(or terminal terminal)"):
        with pytest.raises(gdl.TermError, match="a query is one atom"):
            race.query(pattern, state)
    with pytest.raises(TypeError, match="expected a term or a KIF string as the move of White, not 5"):
        race.next_state(state, {"white": 5, "black": "noop"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="expected a state of this game"):
        race.legal_moves("x", "white")  # type: ignore[arg-type]
    assert race.state("(control white) (at white 1)") == race.state(["(at white 1)", "(control white)"])


def test_a_relation_that_is_only_asked_for_in_rules_is_known_and_empty() -> None:
    game = one("(<= (p ?x) (q ?x) (undefined ?x)) (q a)")
    assert values(game, "(undefined ?x)") == []
    assert values(game, "(p ?x)") == []


@pytest.mark.parametrize("pattern", ["?x", "", "a b", "(", "(?p a)"])
def test_a_query_that_is_no_atom(race: Reasoner, pattern: str) -> None:
    with pytest.raises(gdl.TermError):
        race.query(pattern, race.initial_state())


def test_query_patterns_may_repeat_variables_and_look_into_functions() -> None:
    game = one("(p a a) (p a b) (p (f a) a) (p (f b) a) (p (f b c) a) (p (g c) a)")
    assert values(game, "(p ?x ?x)") == ["a"]
    assert values(game, "(p (f ?x) ?x)") == ["a"]
    assert values(game, "(p (f ?x) a)") == ["a", "b"]
    assert values(game, "(p (F ?x) A)") == ["a", "b"]
    assert game.query("(p (f ?x ?y) ?z)", game.initial_state()) == [
        {"?x": Constant("b"), "?y": Constant("c"), "?z": Constant("a")}
    ]


def test_variables_of_a_query_are_the_same_whatever_their_case() -> None:
    game = one("(p a a) (p a b)")
    assert len(game.query("(p ?x ?X)", game.initial_state())) == 1


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


def test_states_with_deep_terms_compare() -> None:
    game = one("(init (count z)) (<= (next (count (s ?n))) (true (count ?n)))")

    def played() -> State:
        state = game.initial_state()
        for _ in range(600):
            state = game.next_state(state, "go")
        return state

    assert played() == played()


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


def test_terms_that_grow_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gdl.reasoner.components, "MAX_ROUNDS", 100)
    with pytest.raises(gdl.DivergenceError, match=r"^endless-derivation: .*number/1") as caught:
        one("(number z) (<= (number (s ?x)) (number ?x)) (<= (init (n ?x)) (number ?x))")
    assert caught.value.relations == ("number/1",)
    assert pickle.loads(pickle.dumps(caught.value)).relations == ("number/1",)


def test_terms_that_grow_without_end_do_no_harm_where_they_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gdl.reasoner.components, "MAX_ROUNDS", 100)
    game = one("(init (n z)) (<= (number ?x) (true (n ?x))) (<= (number (s ?x)) (number ?x)) (goal r 1)")
    state = game.initial_state()
    assert texts(game.legal_moves(state, "r")) == ["go"]
    assert game.goals(state) == {"r": 1}
    assert len(game.next_state(state, "go")) == 0
    with pytest.raises(gdl.DivergenceError):
        game.query("(number ?x)", state)
    assert not game.is_terminal(state)
