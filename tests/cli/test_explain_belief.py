"""`ggp explain --belief`: how sure a role can be of each fact."""

from __future__ import annotations

import json

import pytest
from support.commands import Ggp

KUHN = ("explain", "kuhn_poker", "--belief")


def test_after_own_moves_and_percepts(ggp: Ggp) -> None:
    outcome = ggp(*KUHN, "alice", "--history", "(noop king) (check) (noop (did bob bet))")
    assert (outcome.status, outcome.err) == (0, "")
    lines = [" ".join(line.split()) for line in outcome.lines]
    assert lines[0] == "kuhn_poker alice after 3 plies"
    assert lines[1] == "1 noop, seeing king"
    assert "100.0% (hand alice king)" in lines
    assert any(line.endswith("% (hand bob jack)") and 45 < float(line.partition("%")[0]) < 55 for line in lines)
    assert not any("(hand bob king)" in line for line in lines)


def test_after_the_moves_of_all(ggp: Ggp) -> None:
    found = json.loads(ggp(*KUHN, "bob", "--moves", "(deal king jack) check", "--json").out)
    assert found["role"] == "bob"
    assert found["history"] == [
        {"move": "noop", "percepts": ["jack"]},
        {"move": "noop", "percepts": ["(did alice check)"]},
    ]
    shares = {one["fact"]: one["share"] for one in found["beliefs"]}
    assert shares["(hand bob jack)"] == 1
    assert shares["(hand alice king)"] + shares["(hand alice queen)"] == pytest.approx(1)
    assert found["states"] >= 4096


def test_lines(ggp: Ggp) -> None:
    assert ggp(*KUHN, "bob", "--lines", "1").lines[-1].startswith("... and ") is False
    out = ggp(*KUHN, "bob", "--history", "(noop king)", "--lines", "1").lines[-1]
    assert out == "... and 3 more facts; --lines shows more, --json all"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*KUHN, "bob", "--history", "(noop king queen)"), "no state agrees with what bob did and saw: ply 1: noop"),
        ((*KUHN, "bob", "--history", "noop"), "expected a list of a move and percepts, not noop"),
        ((*KUHN, "bob", "--history", "(noop"), "unbalanced-parenthesis"),
        ((*KUHN, "bob", "--history", "(noop)", "--moves", "check"), "give --moves or --history, not both"),
        ((*KUHN, "nobody"), "nobody"),
        (("explain", "kuhn_poker", "terminal", "--belief", "bob"), "neither an atom nor --position or --value"),
        (("explain", "kuhn_poker", "terminal", "--history", "(noop)"), "this is for --belief"),
        (("explain", "kuhn_poker"), "give either an ATOM"),
        (("explain", "tic_tac_toe", "--belief", "xplayer"), "nothing is hidden in this game"),
        (("explain", "tic_tac_toe", "--belief", "xplayer", "--moves", "(mark 1 1)"), "nothing is hidden in this game"),
    ],
)
def test_mistakes(ggp: Ggp, arguments: tuple[str, ...], message: str) -> None:
    outcome = ggp(*arguments)
    assert outcome.status == 2
    assert message in " ".join(outcome.err.split())
