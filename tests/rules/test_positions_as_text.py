"""Positions as text: games that begin there, and texts that are no positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.errors import TermError
from gdl.language.parser import source_of
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from ggp.rules.position import at_position, load_at, position_text
from ggp.rules.shipped_games import find_game

RULES = """(role robot)  ; the only one
(<= (init (cell ?x ?y b)) ; all cells
    (index ?x) (index ?y))
(index 1) (index 2) (init (step 0)) (init ready) (legal robot go)
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))
(<= (next (step 1)) (true (step 0)))
(<= terminal (true (step 1))) (goal robot 50)"""


def begun(position: str, rules: str = RULES) -> Reasoner:
    return Reasoner(at_position(Rulesheet(rules, "toy.kif"), source_of(position, "--position")))


def test_a_game_begins_at_its_facts_and_nothing_else() -> None:
    game = begun("(true (Cell 1 2 x))\n(TRUE (step 0)) (true ready)")
    assert [fact.text for fact in game.initial_state()] == ["(cell 1 2 x)", "(step 0)", "ready"]
    after = game.next_state(game.initial_state(), ("go",))
    assert [fact.text for fact in after] == ["(cell 1 2 x)", "(step 1)"]


def test_the_other_statements_keep_their_places() -> None:
    rulesheet = at_position(Rulesheet(RULES, "toy.kif"), source_of("(true (step 1))", "--position"))
    assert rulesheet.name == "toy.kif"
    assert len(rulesheet.source.text.split("\n")) == len(RULES.split("\n")) + 2
    places = {str(rule.head): str(rule.location) for rule in rulesheet.rules}
    before = {str(rule.head): str(rule.location) for rule in Rulesheet(RULES, "toy.kif").rules}
    assert places["terminal"] == before["terminal"] == "toy.kif:7:1"
    assert places["(index 2)"] == before["(index 2)"]
    assert not [head for head in places if head.startswith("(init") and head != "(init (step 1))"]


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "wolf_sheep", "battle"])
def test_any_position_of_a_shipped_game_can_be_written_and_read(name: str) -> None:
    game = Reasoner.load(find_game(name))
    state = game.initial_state()
    for _ in range(3):
        state = game.next_state(state, [game.legal_moves(state, role)[-1] for role in game.roles])
        again = load_at(find_game(name), position_text(state))
        assert tuple(again.initial_state()) == tuple(state)
        assert again.legal_moves(again.initial_state(), game.roles[0]) == game.legal_moves(state, game.roles[0])


def test_a_position_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "position.txt"
    file.write_text("; the middle is taken\n(true (cell 2 2 x))\n(true (control oplayer))\n")
    state = load_at(find_game("tic_tac_toe"), str(file)).initial_state()
    assert [fact.text for fact in state] == ["(cell 2 2 x)", "(control oplayer)"]


@pytest.mark.parametrize(
    ("position", "place", "message"),
    [
        ("", "1:1", "expected the facts of a position"),
        ("(cell 1 1 b)", "1:1", "expected a fact of the position, (true FACT), not (cell 1 1 b)"),
        ("(true ready)\n  (true)", "2:3", "true has one argument"),
        ("(true (cell 1 ?x b))", "1:15", "no variables: ?x"),
        ("(true (sell 1 1 b))", "1:7", "no fact of this game is called sell; did you mean cell?"),
        ("(true (cell 1 1))", "1:7", "cell has 3 arguments in this game, not 2"),
        ("(true step)", "1:7", "step has 1 argument in this game, not 0"),
        ("(true ((a) b))", "1:7", "is not a term"),
        ("(true (cell 1 1 b)", "1:1", "parenthes"),
    ],
)
def test_what_is_not_a_position_is_shown_with_its_place(position: str, place: str, message: str) -> None:
    with pytest.raises(TermError) as error:
        begun(position)
    text = str(error.value)
    assert text.startswith(f"--position:{place}: "), text
    assert message in text
    assert "^" in text or not position
