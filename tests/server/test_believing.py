"""Beliefs in a game process: other commands do not wait, and only the newest question counts."""

from __future__ import annotations

import threading

import pytest

import gdl
from ggp.board.wishes import parse_wishes
from ggp.players.player import Told
from ggp.rules.shipped_games import find_game
from ggp.server.game import believing
from ggp.server.game.believing import Believing, DroppedError, drawn
from ggp.server.game.table import Table

NOOP, QUEEN = gdl.parse_term("noop"), gdl.parse_term("queen")


@pytest.fixture(scope="module")
def poker() -> Table:
    return Table(find_game("kuhn_poker").read_text(encoding="utf-8"), "kuhn_poker.kif", parse_wishes("", ""))


def test_a_question_that_waits_is_dropped_for_a_newer_one(poker: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    going = threading.Event()
    game = gdl.Simulator.load(find_game("kuhn_poker"))

    def slow(self: Believing, role: str) -> gdl.Simulator:  # noqa: ARG001
        assert going.wait(60)
        return game

    monkeypatch.setattr(Believing, "_game", slow)
    told = [Told(None, NOOP, (QUEEN,))]
    beliefs = Believing(poker)
    _, second, other, third = [beliefs.ask(role, told) for role in ("alice", "alice", "bob", "alice")]
    assert not third.done(), "asking does not wait"
    going.set()
    with pytest.raises(DroppedError, match="another position is asked for"):
        second.result(60)
    assert {fact for fact, _ in third.result(60)["facts"]} == {"(hand bob jack)", "(hand bob king)"}
    assert {fact for fact, _ in other.result(60)["facts"]} == {"(hand alice jack)", "(hand alice king)"}


def test_an_error_is_an_answer(poker: Table) -> None:
    asked = Believing(poker).ask("alice", [Told(None, NOOP, (QUEEN, NOOP))])
    with pytest.raises(gdl.GdlError, match="no state agrees with what alice did and saw"):
        asked.result(60)


def test_what_is_unlikely_is_uncertain_too(poker: Table) -> None:
    shares = {gdl.parse_term("(hand alice queen)"): 1.0, gdl.parse_term("(hand bob king)"): believing._UNLIKELY / 2}
    assert drawn(poker, shares)["uncertain"]
    assert not drawn(poker, {gdl.parse_term("(hand alice queen)"): 1.0})["uncertain"]


def test_pieces_are_paler_the_less_likely_they_are() -> None:
    file = find_game("phantom_connect_four")
    table = Table(file.read_text(encoding="utf-8"), file.name, parse_wishes("", ""))
    shares = {"(cell 1 1 red)": 1.0, "(cell 2 1 yellow)": 0.9, "(cell 3 1 yellow)": 0.3, "(cell 3 1 red)": 0.2}
    found = drawn(table, {gdl.parse_term(fact): share for fact, share in shares.items()})
    seen = sorted(float(piece[1].get("opacity", 1)) for piece in found["pieces"])
    assert len(seen) == 3
    assert 0 < seen[0] < seen[1] < seen[2] == 1
    names = sorted(found["names"].values())
    assert [name.partition("(")[2] for name in names] == ["", "30% likely)", "90% likely)"]


def test_what_may_be_in_a_hand_is_pale(poker: Table) -> None:
    shares = {"(hand alice queen)": 1.0, "(hand bob king)": 0.7, "(hand bob jack)": 0.3}
    found = drawn(poker, {gdl.parse_term(fact): share for fact, share in shares.items()})
    assert found["names"] == {"0,0,0": "queen", "0,0,1": "jack (30% likely)", "0,1,1": "king (70% likely)"}
    opacities = [one[1].get("opacity") for one in found["pieces"]]
    assert opacities[0] is None
    assert 1 > float(opacities[1]) > float(opacities[2])
    assert found["facts"] == [["(hand bob king)", 0.7], ["(hand bob jack)", 0.3]]
