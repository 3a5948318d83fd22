"""`ggp explain`: the tree, its JSON form, mistakes in the question, and how sure a role can be of each fact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file
from support.walk import WALK

# The command


def test_the_command_shows_the_tree(ggp: Ggp) -> None:
    outcome = ggp("explain", "wolf_sheep", "(legal wolf (move c4 c8 c4 c7))")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.lines[0].startswith("(legal wolf (move c4 c8 c4 c7)) holds  ")
    assert outcome.lines[0].endswith("wolf_sheep.kif:77")
    assert outcome.lines[1] == "├─ (true (control wolf))               state"


def test_moves_lead_to_the_state(ggp: Ggp) -> None:
    out = ggp("explain", "wolf_sheep", "(true (cell c4 ?y w))", "--moves", "(move c4 c8 c4 c7)").out
    assert "(true (cell c4 c7 w))" in out
    # What depends on moves is asked before the last of them.
    out = ggp("explain", "wolf_sheep", "(next (cell c4 c7 w))", "--moves", "((move c4 c8 c4 c7) noop)").out
    assert out.startswith("(next (cell c4 c7 w)) holds")
    outcome = ggp("explain", "wolf_sheep", "(next (cell c4 c7 w))")
    assert outcome.status == 2
    assert "this atom depends on the moves: give at least one ply" in outcome.err


def test_json(ggp: Ggp, tmp_path: Path) -> None:
    file = rule_file(tmp_path, WALK)
    found = json.loads(ggp("explain", file, "(legal walker (go b))", "--json").out)
    assert found["file"] == str(file)
    assert found["holds"]
    assert found["derivations"][0]["line"] == 7
    assert [premise["by"] for premise in found["derivations"][0]["premises"]] == [
        "state",
        "rule",
        "difference",
        "absence",
    ]
    found = json.loads(ggp("explain", file, "(legal walker (go e))", "--json").out)
    (rule,) = found["refutation"]["rules"]
    assert (rule["failed"], rule["failed_line"]) == ("(not (closed e))", 7)
    assert rule["because"]["by"] == "fact"
    assert rule["binding"] == {"?x": "a", "?y": "e"}


def test_what_is_cut_is_told(ggp: Ggp, tmp_path: Path) -> None:
    file = rule_file(tmp_path, WALK)
    out = ggp("explain", file, "(path a e)", "--lines", "3").lines
    assert len(out) == 5
    assert out[3] == "... and more than 3 lines; --lines shows more, --json all"
    assert out[4] == "2 more ways to derive it; --most 3 shows all"
    assert "; raise --limit" in ggp("explain", file, "(path a e)", "--limit", "2").out


def test_mistakes_in_the_question(ggp: Ggp, tmp_path: Path) -> None:
    file = rule_file(tmp_path, WALK)
    assert ggp("explain", file, "(path a").err.startswith("ATOM:1:1: unbalanced-parenthesis")
    assert ggp("explain", file, "(paths a b)").err.startswith("unknown-relation: the rules have no relation paths/2")
    outcome = ggp("explain", file, "terminal", "--moves", "(go z)")
    assert outcome.status == 2
    assert outcome.err.startswith("moves-to-position: ply 1: (go z) is not a legal move of walker")


KUHN = ("explain", "belief", "kuhn_poker")


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
        (("explain", "kuhn_poker", "terminal", "--history", "(noop)"), "No such option: --history"),
        (("explain", "kuhn_poker"), "Missing argument 'ATOM'"),
        (("explain", "belief", "tic_tac_toe", "xplayer"), "nothing is hidden in this game"),
        (("explain", "belief", "tic_tac_toe", "xplayer", "--moves", "(mark 1 1)"), "nothing is hidden in this game"),
    ],
)
def test_mistakes(ggp: Ggp, arguments: tuple[str, ...], message: str) -> None:
    outcome = ggp(*arguments)
    assert outcome.status == 2
    assert message in " ".join(outcome.err.split())
