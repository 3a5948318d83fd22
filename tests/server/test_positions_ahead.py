"""The board after a move that is considered: what is certain, and when nothing is shown."""

from __future__ import annotations

import pytest
from support.hidden_games import KUHN

import gdl
from ggp.board.wishes import parse_wishes
from ggp.rules.shipped_games import find_game
from ggp.server.game.ahead import AheadError, facts_after
from ggp.server.game.table import Table


def game(name: str) -> gdl.Reasoner:
    return gdl.Reasoner.load(find_game(name))


def test_after_a_move_in_turn_all_is_certain() -> None:
    rules = game("tic_tac_toe")
    state = rules.initial_state()
    facts, certain = facts_after(rules, state, "xplayer", "(mark 2 2)")
    assert certain
    assert set(facts) == set(rules.next_state(state, ["(mark 2 2)", "noop"]))


def test_of_moves_at_the_same_time_what_they_have_in_common_is_certain() -> None:
    rules = game("knights_and_pawns")
    move = "(place whiteknight whitepawn whitepawn)"
    facts, certain = facts_after(rules, rules.initial_state(), "white", move)
    assert not certain
    texts = [fact.text for fact in facts]
    assert "(cell 1 1 whiteknight)" in texts
    assert "(cell 1 2 whitepawn)" in texts
    assert not [text for text in texts if "black" in text]
    assert "(step 2)" in texts


MANY = """(role a) (role b) (init s) (legal a go) (<= (legal b (pick ?n ?m)) (n ?n) (n ?m)) (<= (next s) (true s))
(n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (n 8) (n 9) (<= terminal (not (true s))) (goal a 1) (goal b 1)"""


@pytest.mark.parametrize(
    ("rules", "role", "move", "reason"),
    [
        (KUHN, "alice", "wait", "hidden information"),
        (MANY, "a", "go", "the others can answer in 81 ways"),
        (MANY, "a", "fly", "fly is not legal for a"),
        (MANY, "c", "go", "c is not a role"),
        ("(role a) (legal a go) terminal (goal a 1)", "a", "go", "the match is over"),
    ],
)
def test_when_nothing_is_shown(rules: str, role: str, move: str, reason: str) -> None:
    found = gdl.Reasoner(rules)
    with pytest.raises(AheadError, match=reason):
        facts_after(found, found.initial_state(), role, move)


def test_the_board_of_an_empty_start_after_a_move() -> None:
    text = find_game("knights_and_pawns").read_text(encoding="utf-8")
    table = Table(text, "game.kif", parse_wishes("", "wishes"))
    assert table.position(None, 0)["names"] == {}
    after = table.after(None, 0, "black", "(place blackknight blackpawn blackknight)")
    assert not after["certain"]
    assert len(after["names"]) == 16
    assert set(after["names"].values()) == {"blackknight", "blackpawn"}
    assert after["pieces"]
