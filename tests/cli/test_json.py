"""The output of commands with `--json`: its form, and the keys that docs/reference/json.md describes."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.commands import Ggp
from support.hidden_games import DIE
from support.loose_rules import LOOSE, NEAT
from support.toy_files import ROOT, rule_file

DOCUMENT = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")

#: Walks to the end of a path, alone.
WALK = """
    (role walker) (init (at 0)) (succ 0 1) (succ 1 2)
    (<= (legal walker on) (true (at ?n)) (succ ?n ?m))
    (<= (next (at ?m)) (does walker on) (true (at ?n)) (succ ?n ?m))
    (<= terminal (true (at 2)))
    (<= (goal walker 100) (true (at 2))) (<= (goal walker 0) (not (true (at 2))))
"""


def objects(ggp: Ggp, *arguments: str | Path, status: int = 0) -> list[dict[str, Any]]:
    """The objects that a command prints, whose form is checked."""
    outcome = ggp(*arguments, "--json")
    assert outcome.status == status, outcome.err
    found = [json.loads(line) for line in outcome.lines]
    for one in found:
        assert list(one)[:2] == ["command", "version"]
        assert (one["command"], one["version"]) == (arguments[0], 1)
        assert set(one) - {"command", "version"} <= documented(str(arguments[0]))
        assert [key for key in keys(one) if not re.fullmatch("[a-z][a-z0-9_]*", key)] == []
    return found


def only(ggp: Ggp, *arguments: str | Path, status: int = 0) -> dict[str, Any]:
    """The one object that a command prints."""
    (found,) = objects(ggp, *arguments, status=status)
    return found


def documented(command: str) -> set[str]:
    """The keys in the tables of a command's section; those of a match in the sections of `host` and `replay` too."""
    section = DOCUMENT.partition(f"\n## {command}\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    found = {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}
    return found | documented("play") if command in ("host", "replay") else found


def keys(value: object) -> Iterator[str]:
    """All keys within a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_play(ggp: Ggp, nim: Path) -> None:
    found = only(ggp, "play", nim, "--player", "legal", "--seed", "3")
    assert (found["game"], found["result"], found["roles"], found["seed"]) == ("nim", "finished", ["left", "right"], 3)
    assert found["plies"] == len(found["moves"])
    assert [(one["role"], one["player"]) for one in found["players"]] == [("left", "legal"), ("right", "legal")]
    assert sorted(one["goal"] for one in found["players"]) == [0, 100]


def test_a_person_is_asked_on_standard_error(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 9))
    outcome = ggp("play", nim, "--player", "human", "--json")
    assert outcome.status == 0
    assert json.loads(outcome.out)["result"] == "finished"
    assert "left to move" in outcome.err


def test_replay(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    played = only(ggp, "play", nim, "--player", "legal", "--seed", "3", "--record", record)
    again = only(ggp, "replay", record)
    assert (again["agrees"], again["disagreement"], again["lost"]) == (True, None, "")
    assert again["moves"] == played["moves"]
    text = record.read_text(encoding="utf-8")
    first = played["moves"][0][0]
    record.write_text(text.replace(first, "(take none)"), encoding="utf-8")
    found = only(ggp, "replay", record, status=1)
    assert found["agrees"] is False
    assert found["disagreement"]["ply"] == 1
    assert "(take none)" in found["disagreement"]["reason"]


def test_a_match_that_is_resumed(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    assert only(ggp, "play", nim, "--player", "legal", "--max-plies", "1", "--record", record)["result"] == "unfinished"
    found = only(ggp, "replay", record, "--resume", "--max-plies", "50", "--player", "legal")
    assert (found["result"], found["agrees"]) == ("finished", True)


def test_host(ggp: Ggp, nim: Path) -> None:
    one = only(ggp, "host", nim, "--player", "legal")
    assert one["result"] == "finished"
    several = objects(ggp, "host", nim, "--player", "legal", "--matches", "3")
    assert len({found["match_id"] for found in several}) == 3


def test_tournament(ggp: Ggp, nim: Path) -> None:
    found = only(ggp, "tournament", nim, "--players", "legal,random", "--games", "2", "--seed", "1", "--jobs", "1")
    assert (found["matches"], found["played"], found["lost"], found["errors"]) == (2, 2, [], [])
    (table,) = found["tables"]
    assert table["table"] == "nim"
    assert {line["player"] for line in table["lines"]} == {"legal", "random"}
    assert all(line["matches"] == 2 and "elo" in line["rating"] for line in table["lines"])
    (pair,) = table["pairs"]
    assert (pair["player"], pair["against"], pair["matches"]) == ("legal", "random", 2)


def test_solve(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    proof = tmp_path / "nim.npz"
    found = only(ggp, "solve", nim, "--store", proof)
    assert (found["kind"], found["solved"], found["proof"]) == ("solution", True, str(proof))
    assert (found["goals"], found["plies"], found["positions"]) == ({"left": 100, "right": 0}, 3, 8)
    assert [group["positions"] for group in found["groups"]] == [5, 3]
    assert [moves["left"] for moves in found["line"]] == ["(take one)", "noop", "(take two)"]
    right = only(ggp, "solve", nim, "--verify", proof)
    assert (right["kind"], right["right"], right["goals"]) == ("proof", True, {"left": 100, "right": 0})


def test_an_equilibrium(ggp: Ggp) -> None:
    found = only(ggp, "solve", "matching_pennies")
    assert (found["kind"], found["solved"], found["exploitability"]) == ("equilibrium", True, 0)
    assert found["goals"] == found["best_responses"] == {"matcher": 50, "mismatcher": 50}
    odds = [{"move": "heads", "probability": 0.5}, {"move": "tails", "probability": 0.5}]
    assert found["strategy"] == [{"role": role, "knows": [], "moves": odds} for role in ("matcher", "mismatcher")]


def test_an_expectation(ggp: Ggp, tmp_path: Path) -> None:
    found = only(ggp, "solve", rule_file(tmp_path, DIE, "die.kif"))
    assert (found["kind"], found["goals"], found["mover"]) == ("expectation", {"gambler": 34.375}, "gambler")
    assert found["moves"] == [{"move": f"(name {side})", "goal": 34.375} for side in range(1, 5)]


def test_what_is_proved_when_the_time_is_over(ggp: Ggp) -> None:
    found = only(ggp, "solve", "connect_four", "--time", "0.5")
    assert (found["solved"], found["goals"], found["stopped"]) == (False, None, "time")
    assert [(one["role"], one["wants"], one["goal_of"]) for one in found["bounds"]] == [
        ("red", "high", "red"),
        ("yellow", "low", "red"),
    ]


def test_a_plan(ggp: Ggp, tmp_path: Path) -> None:
    found = only(ggp, "solve", rule_file(tmp_path, WALK, "walk.kif"))
    assert (found["kind"], found["goals"], found["plies"]) == ("plan", {"walker": 100}, 2)
    assert found["line"] == [{"walker": "on"}, {"walker": "on"}]


def test_show_and_games(ggp: Ggp, nim: Path) -> None:
    found = only(ggp, "show", nim)
    assert (found["game"], found["file"], found["roles"]) == ("nim", str(nim), ["left", "right"])
    assert found["legal_moves"]["left"] > 1
    (terminal,) = (one for one in found["relations"] if one["relation"] == "terminal/0")
    assert (terminal["depends_on"], terminal["undefined"]) == ("state", False)
    listed = only(ggp, "games")["games"]
    assert {"battle", "classics/othello"} <= {one["game"] for one in listed}
    assert all(one["roles"] and one["description"] for one in listed)


def test_spaces(ggp: Ggp) -> None:
    found = only(ggp, "show", "tic_tac_toe", "--spaces")
    assert (found["roles"], found["actions"][:2]) == (["xplayer", "oplayer"], ["(mark 1 1)", "(mark 1 2)"])
    assert {name: one["shape"] for name, one in found["observations"].items()} == {"facts": [29], "planes": [5, 3, 3]}
    assert found["observations"]["planes"]["legend"][1] == "cell o"


def test_check(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    wrong = rule_file(tmp_path, "(role a) (legal a x) (<= (goal a 101) terminal) (<= terminal (true p))", "wrong.kif")
    found = only(ggp, "check", nim, wrong, status=1)
    assert [one["file"] for one in found["files"]] == [str(nim), str(wrong)]
    assert found["files"][1]["errors"] > 0
    assert ggp("check", nim, "--json", "--format", "sarif").status == 2


#: Two rounds of repairs, the first of which removes a line in front of the second.
OLD = """(role robot)
(role robot)
(<= (legal robot (jump)))
(<= (next (done)) (not (not (and (true (done)) (true (done))))))
"""


def test_fix(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    old = rule_file(tmp_path, OLD, "old.kif")
    found, fine = objects(ggp, "fix", old, nim)
    assert (found["file"], found["changed"], found["written"], found["text"]) == (str(old), True, False, None)
    assert found["diff"].startswith(f"--- {old} (before)\n+++ {old} (after)\n@@ ")
    assert (fine["file"], fine["changed"], fine["repairs"], fine["diff"]) == (str(nim), False, [], "")
    assert old.read_text() == OLD
    written = only(ggp, "fix", old, "--write")
    assert (written["changed"], written["written"], written["diff"]) == (True, True, None)
    assert written["repairs"] == found["repairs"]
    assert written["left"] == found["left"] == only(ggp, "check", old, status=1)["files"][0]["diagnostics"] != []
    again = only(ggp, "fix", old, "--write")
    assert (again["changed"], again["written"], again["repairs"]) == (False, False, [])


def test_lines_of_repairs_are_those_of_the_file(ggp: Ggp, tmp_path: Path) -> None:
    found = only(ggp, "fix", rule_file(tmp_path, OLD))
    assert all(one.keys() == {"code", "line", "title"} and one["title"] for one in found["repairs"])
    lines = [(one["code"], one["line"]) for one in found["repairs"]]
    assert lines[0] == ("duplicate-rule", 2)
    # Made in later rounds, when both rules were a line further up.
    assert {("empty-body", 3), ("nested-connective", 4)} <= set(lines)


def test_ignored_findings_are_left(ggp: Ggp, tmp_path: Path) -> None:
    found = only(ggp, "fix", rule_file(tmp_path, OLD), "--ignore", "empty-body")
    assert "empty-body" not in {one["code"] for one in found["repairs"]}
    assert "empty-body" in {one["code"] for one in found["left"]}


def test_fmt(ggp: Ggp, tmp_path: Path) -> None:
    loose, neat = rule_file(tmp_path, LOOSE, "loose.kif"), rule_file(tmp_path, NEAT, "neat.kif")
    for option, status in (("--check", 1), ("--diff", 0)):
        first, second = objects(ggp, "fmt", option, loose, neat, status=status)
        assert [(one["file"], one["changed"], one["written"]) for one in (first, second)] == [
            (str(loose), True, False),
            (str(neat), False, False),
        ]
        assert (first["diff"] or "").startswith(f"--- {loose} (before)\n") == (option == "--diff")
        assert second["diff"] == ("" if option == "--diff" else None)
    assert loose.read_text() == LOOSE
    first, second = objects(ggp, "fmt", loose, neat)
    assert (first["changed"], first["written"], second["changed"], second["written"]) == (True, True, False, False)
    assert loose.read_text() == NEAT


def test_standard_input_is_rewritten_in_the_object(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    def given(text: bytes) -> None:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text)))

    given(LOOSE.encode())
    found = only(ggp, "fmt", "-")
    assert (found["file"], found["changed"], found["written"], found["text"]) == ("<stdin>", True, False, NEAT)
    given(LOOSE.encode())
    assert only(ggp, "fmt", "-", "--check", status=1)["text"] is None
    given(b"(<= (p a)) ; caf\xe9\n")
    found = only(ggp, "fix", "-", "--write")
    assert (found["changed"], found["written"], found["diff"]) == (True, False, None)
    assert found["text"] == "(p a) ; caf\udce9\n"


@pytest.mark.parametrize("command", ["fix", "fmt"])
def test_files_that_cannot_be_read_have_no_object(ggp: Ggp, command: str, nim: Path, tmp_path: Path) -> None:
    outcome = ggp(command, tmp_path / "none.kif", nim, "--json")
    assert (outcome.status, outcome.err) == (2, f"{tmp_path / 'none.kif'}: No such file or directory\n")
    assert [json.loads(line)["file"] for line in outcome.lines] == [str(nim)]


def test_explain(ggp: Ggp, nim: Path) -> None:
    assert only(ggp, "explain", nim, "(role left)")["holds"] is True
    assert only(ggp, "explain", nim, "terminal")["refutation"]["atom"] == "terminal"


def test_inspect(ggp: Ggp, nim: Path) -> None:
    found = only(ggp, "inspect", nim)
    assert (found["game"], found["rate"]) == ("nim", None)
    assert found["stages"][0].keys() == {"name", "gates", "inputs", "depth", "seconds"}


def test_test(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    broken = rule_file(tmp_path, "(role", "broken.kif")
    good, bad = objects(ggp, "test", nim, broken, "--playouts", "2", status=2)
    assert (good["file"], good["result"], good["playouts"], good["failures"]) == (str(nim), "passed", 2, [])
    assert (bad["result"], bad["checks"]) == ("refused", 0)
    assert len(bad["failures"]) == 1


def test_bench(ggp: Ggp, nim: Path) -> None:
    found = only(ggp, "bench", nim, "--engine", "reasoner", "--seconds", "0.05", "--repeat", "1", "--seed", "2")
    assert (found["game"], found["engine"], found["seed"]) == ("nim", "reasoner", 2)
    assert found["playouts_per_second"] > 0


def test_bench_of_environments(ggp: Ggp) -> None:
    pytest.importorskip("gymnasium")
    options = ("--states", "64", "--seconds", "0.02", "--repeat", "2", "--seed", "2")
    found = only(ggp, "bench", "environments", "tic_tac_toe", *options)
    assert (found["game"], found["environment"], found["states"], found["seed"]) == ("tic_tac_toe", "ggp", 64, 2)
    assert found["steps_per_second"] > 0
    assert (len(found["runs"]), found["times"]) == (2, None)


@pytest.mark.parametrize("command", ["play", "show", "solve", "explain", "inspect", "test", "bench"])
def test_errors_are_text_on_standard_error(ggp: Ggp, command: str) -> None:
    outcome = ggp(command, "no_such_game", *["terminal"][: command == "explain"], "--json")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("unknown-game: ")
