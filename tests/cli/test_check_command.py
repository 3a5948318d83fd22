"""`ggp check`: what it prints in which format, and the status it ends with."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import runner
from support.toy_files import FRAME

from ggp.cli.commands.check import Format
from ggp.rules.checking import FORMATS

WARNING = "(<= (legal robot jump))\n"
HINT = "(<= (legal robot go) (true (light ?x)))\n"
ERROR = "(<= (goal robot 101) (true (light on)))\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {
        "good": FRAME,
        "hinted": FRAME + HINT,
        "doubtful": FRAME + WARNING,
        "wrong": FRAME + WARNING + ERROR,
        "all": FRAME + HINT + ERROR + WARNING * 2,
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.kif").write_text(text, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    outcome = runner(capsys)("check", *arguments)
    return outcome.status, outcome.out, outcome.err


class TestText:
    def test_nothing_found(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, "good.kif") == (0, "good.kif: nothing found\n", "")

    def test_warnings_leave_the_status_alone(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "doubtful.kif")
        assert (status, out.splitlines()[-1]) == (0, "doubtful.kif: 1 warning")

    def test_errors_do_not(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "good.kif", "wrong.kif")
        assert status == 1
        assert out.splitlines()[0] == "good.kif: nothing found"
        assert out.splitlines()[-1] == "wrong.kif: 1 error, 1 warning"

    def test_warnings_fail_if_the_check_is_strict(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "--strict", "doubtful.kif")
        assert (status, out.splitlines()[-1]) == (1, "doubtful.kif: 1 warning")
        assert run(capsys, "--strict", "hinted.kif")[0] == 0
        assert run(capsys, "--strict", "--ignore", "empty-body", "doubtful.kif")[0] == 0
        assert run(capsys, "--strict", "--json", "doubtful.kif")[0] == 1
        status, _, err = run(capsys, "--strict", "--errors-only", "doubtful.kif")
        assert status == 2
        assert "--strict cannot be combined with --errors-only" in err

    def test_a_hundred_findings_are_shown_unless_all_are_wanted(
        self, capsys: pytest.CaptureFixture[str], folder: Path
    ) -> None:
        (folder / "long.kif").write_text(FRAME + "(pressed robot)\n" * 150 + ERROR, encoding="utf-8")
        out = run(capsys, "long.kif")[1]
        assert out.count("warning: ") == 99
        assert out.endswith("long.kif: 1 error, 150 warnings (100 shown; --all shows all)\n")
        out = run(capsys, "--all", "long.kif")[1]
        assert out.count("warning: ") == 150
        assert out.endswith("long.kif: 1 error, 150 warnings\n")
        assert len(json.loads(run(capsys, "--json", "long.kif")[1])["files"][0]["diagnostics"]) == 151

    def test_errors_only(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, "-e", "doubtful.kif")[1] == "doubtful.kif: nothing found\n"

    def test_hints_are_shown_to_those_who_ask(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, "hinted.kif") == (0, "hinted.kif: nothing found (1 hint; --hints shows it)\n", "")
        status, out, _ = run(capsys, "--hints", "hinted.kif")
        message = "?x occurs only once in its rule; if that is intended, start it with ?_"
        assert status == 0
        assert out.splitlines() == [
            f"hinted.kif:8:35: hint: singleton-variable: {message}",
            "    (<= (legal robot go) (true (light ?x)))",
            "                                      ^^",
            "hinted.kif: 1 hint",
        ]
        assert run(capsys, "-e", "--hints", "hinted.kif")[1] == "hinted.kif: nothing found\n"
        assert run(capsys, "--ignore", "singleton-variable", "hinted.kif")[1] == "hinted.kif: nothing found\n"

    def test_how_much_was_found(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(capsys, "all.kif")[1].endswith("all.kif: 1 error, 3 warnings (1 hint; --hints shows it)\n")
        assert run(capsys, "--hints", "all.kif")[1].endswith("all.kif: 1 error, 3 warnings, 1 hint\n")

    def test_colour_on_a_terminal(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        arguments = ("--hints", "--simulate", "--playouts", "1", "--seconds", "0", "all.kif", "good.kif")
        plain = run(capsys, *arguments)[1]
        assert "\x1b" not in plain
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "1000")  # lines are wrapped between words on a terminal
        coloured = run(capsys, *arguments)[1]
        assert "\x1b[33mwarning\x1b[0m: \x1b[2mempty-body\x1b[0m: " in coloured
        assert "\x1b[1;31merror\x1b[0m: " in coloured
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
        assert run(capsys, "--format", "github", "all.kif")[1].startswith("::error ")
        monkeypatch.setenv("NO_COLOR", "1")
        assert run(capsys, *arguments)[1] == plain

    def test_codes_can_be_left_out(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("--ignore", "goal-value", "--ignore", "empty-body, two-arities", "wrong.kif")
        assert run(capsys, *arguments) == (0, "wrong.kif: nothing found\n", "")

    def test_a_code_that_is_none(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, err = run(capsys, "--ignore", "goal-values", "good.kif")
        assert (status, out, err) == (2, "", "unknown-code: no code goal-values; did you mean goal-value?\n")

    def test_files_that_cannot_be_read_do_not_keep_others_from_being_checked(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        status, out, err = run(capsys, "nowhere.kif", "good.kif")
        assert (status, out) == (2, "good.kif: nothing found\n")
        assert err.startswith("unknown-game: no file and no game nowhere.kif")

    def test_games_by_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "wolf_sheep", "--errors-only")
        assert status == 0
        assert out.endswith("wolf_sheep.kif: nothing found\n")

    def test_standard_input(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((FRAME + ERROR).encode())))
        status, out, _ = run(capsys, "-")
        assert status == 1
        assert out.startswith("<stdin>:8:17: error: goal-value: ")

    def test_in_play(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, out, _ = run(capsys, "--simulate", "--playouts", "2", "--seconds", "0", "good.kif")
        assert status == 0
        assert "legal moves: held: robot always had a legal move: 2 playouts, 2 plies" in out
        assert out.endswith("good.kif: nothing found\n")


def test_every_format_can_be_asked_for() -> None:
    assert [form.value for form in Format] == list(FORMATS)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--json", "wrong.kif", "good.kif")
    assert status == 1
    wrong, good = json.loads(out)["files"]
    assert (wrong["file"], wrong["errors"], wrong["warnings"]) == ("wrong.kif", 1, 1)
    assert wrong["diagnostics"][1] == {
        "code": "goal-value",
        "severity": "error",
        "message": "a goal value is a whole number from 0 to 100, not 101",
        "line": 9,
        "column": 17,
        "end_column": 20,
    }
    assert wrong["diagnostics"][0]["fix"] == "write it as a fact"
    assert good == {"file": "good.kif", "errors": 0, "warnings": 0, "hints": 0, "diagnostics": [], "properties": []}


def test_programs_are_told_hints(capsys: pytest.CaptureFixture[str]) -> None:
    (file,) = json.loads(run(capsys, "--json", "hinted.kif")[1])["files"]
    assert (file["warnings"], file["hints"], file["diagnostics"][0]["severity"]) == (0, 1, "hint")
    (one_run,) = json.loads(run(capsys, "--format", "sarif", "hinted.kif")[1])["runs"]
    assert one_run["results"][0]["level"] == "note"
    assert one_run["tool"]["driver"]["rules"][0]["defaultConfiguration"] == {"level": "note"}


def test_github_is_told_hints_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--format", "github", "hinted.kif") == (0, "", "")
    assert run(capsys, "--format", "github", "--hints", "hinted.kif")[1].startswith("::notice file=hinted.kif,line=8,")


def test_json_of_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--json", "--simulate", "--playouts", "2", "--seconds", "0", "good.kif")
    properties = json.loads(out)["files"][0]["properties"]
    assert {one["property"] for one in properties} >= {"legal moves", "goals", "termination", "winnable"}
    assert {one["result"] for one in properties} <= {"held", "proved", "seen", "unknown"}
    assert {one["kind"] for one in properties} == {"required", "usual", "information"}


def test_a_game_that_lacks_a_required_property_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "hopeless.kif"
    file.write_text("(role r) (init a) (legal r go) (<= (next b) (does r go)) (<= terminal (true b)) (goal r 50)")
    status, out, _ = run(capsys, "--simulate", str(file))
    assert status == 1
    assert "  winnable: refuted: no state that can be reached is worth 100 to r\n" in out
    assert out.endswith("hopeless.kif: 1 required property does not hold\n")


def test_github(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "a,b.kif").write_text(FRAME + "(init (light on%))\n(init (light on%))\n", encoding="utf-8")
    _, out, _ = run(capsys, "--format", "github", "wrong.kif", "a,b.kif")
    assert out.splitlines()[1] == (
        "::error file=wrong.kif,line=9,endLine=9,col=17,endColumn=20,title=goal-value"
        "::a goal value is a whole number from 0 to 100, not 101"
    )
    assert out.splitlines()[2] == (
        "::warning file=a%2Cb.kif,line=9,endLine=9,col=1,endColumn=19,title=duplicate-rule"
        "::this fact is already in the file, on line 8%0Athe first one is here: line 8"
    )


def test_sarif(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--format", "sarif", "wrong.kif")
    log = json.loads(out)
    assert log["version"] == "2.1.0"
    (one_run,) = log["runs"]
    rules = one_run["tool"]["driver"]["rules"]
    for result in one_run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning")
    body, goal = one_run["results"]
    assert goal["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "wrong.kif"},
                "region": {"startLine": 9, "startColumn": 17, "endColumn": 20},
            }
        }
    ]
    replacements = body["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacements[0] == {
        "deletedRegion": {"startLine": 8, "startColumn": 1, "endLine": 8, "endColumn": 5},
        "insertedContent": {"text": ""},
    }


def test_the_static_checks_load_no_engine() -> None:
    code = (
        "import sys; from gdl.language.parser import source_of; from ggp.rules.checking import Options, check_source\n"
        "check_source(source_of('(role r)', 'g.kif'), Options()); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"clingo", "numpy", "numba", "llvmlite", "rich", "typer", "gdl.reasoner.reasoner"} & loaded
