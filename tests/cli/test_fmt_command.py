"""`ggp fmt`: what it writes, shows and refuses."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.commands import Ggp
from support.loose_rules import LOOSE, NEAT
from support.toy_files import ROOT, rule_file


def test_files_are_laid_out_and_named(ggp: Ggp, tmp_path: Path) -> None:
    loose, neat = rule_file(tmp_path, LOOSE, "loose.kif"), rule_file(tmp_path, NEAT, "neat.kif")
    written = neat.stat().st_mtime_ns
    outcome = ggp("fmt", loose, neat)
    assert (outcome.status, outcome.out, outcome.err) == (0, f"{loose} changed\n", "")
    assert loose.read_text() == neat.read_text() == NEAT
    assert neat.stat().st_mtime_ns == written
    assert ggp("fmt", loose).out == ""


def test_check_changes_nothing(ggp: Ggp, tmp_path: Path) -> None:
    loose, neat = rule_file(tmp_path, LOOSE, "loose.kif"), rule_file(tmp_path, NEAT, "neat.kif")
    outcome = ggp("fmt", "--check", loose, neat)
    assert (outcome.status, outcome.out, outcome.err) == (1, f"{loose} would change\n", "")
    assert loose.read_text() == LOOSE
    assert ggp("fmt", "--check", neat).status == 0


def test_diff_shows_a_patch(ggp: Ggp, tmp_path: Path) -> None:
    loose = rule_file(tmp_path, LOOSE, "loose.kif")
    outcome = ggp("fmt", "--diff", loose)
    assert outcome.status == 0
    assert outcome.lines[:3] == [f"--- {loose} (before)", f"+++ {loose} (after)", "@@ -1,2 +1,3 @@"]
    assert "-(<= (p ?x) (q ?x)) ; why" in outcome.lines
    assert loose.read_text() == LOOSE
    assert ggp("fmt", "--diff", "--check", loose).status == 1


def test_a_diff_on_a_terminal_is_coloured(ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loose = rule_file(tmp_path, LOOSE)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[31m-(role  a)\x1b[0m" in ggp("fmt", "--diff", loose).lines


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf(role a)\n", b"(role a)\r\n"])
def test_line_ends_and_byte_order_marks_change_too(ggp: Ggp, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "g.kif"
    path.write_bytes(data)
    assert ggp("fmt", "--diff", path).out == f"{path}: only line ends or a byte order mark change\n"
    assert ggp("fmt", "--check", path).status == 1
    assert ggp("fmt", path).status == 0
    assert path.read_bytes() == b"(role a)\n"


def test_bytes_that_are_no_text_stay(ggp: Ggp, tmp_path: Path) -> None:
    path = tmp_path / "g.kif"
    path.write_bytes(b" (a) ; caf\xe9\n")
    assert ggp("fmt", path).status == 0
    assert path.read_bytes() == b"(a)  ; caf\xe9\n"


def test_standard_input_goes_to_standard_output(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    def given(text: str) -> None:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))

    given(LOOSE)
    assert ggp("fmt", "-").out == NEAT
    given(NEAT)
    assert ggp("fmt", "-").out == NEAT
    given(LOOSE)
    assert (outcome := ggp("fmt", "--check", "-")).status == 1
    assert outcome.out == "<stdin> would change\n"
    given("(a")
    assert (outcome := ggp("fmt", "-")).status == 2
    assert outcome.err.startswith("<stdin>:1:1: unbalanced-parenthesis: ")
    assert outcome.out == ""
    monkeypatch.setattr("sys.stdin", None)
    assert ggp("fmt", "-").err == "<stdin>: closed\n"


def test_a_broken_file_is_left_alone_and_the_others_are_done(ggp: Ggp, tmp_path: Path) -> None:
    broken, loose = rule_file(tmp_path, "(a) (b", "broken.kif"), rule_file(tmp_path, LOOSE, "loose.kif")
    outcome = ggp("fmt", broken, tmp_path / "none.kif", tmp_path, loose)
    assert outcome.status == 2
    assert f"{broken}:1:5: unbalanced-parenthesis: this parenthesis is never closed" in outcome.err
    assert f"{tmp_path / 'none.kif'}: No such file or directory" in outcome.err
    assert f"{tmp_path}: Is a directory" in outcome.err
    assert broken.read_text() == "(a) (b"
    assert loose.read_text() == NEAT
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.kif", "loose.kif"]


def test_what_is_wrong_with_the_rules_is_no_matter(ggp: Ggp, tmp_path: Path) -> None:
    path = rule_file(tmp_path, "(<= (p ?y) (not (q ?x)))")
    assert ggp("fmt", path).status == 0
    assert path.read_text() == "(<= (p ?y)\n    (not (q ?x)))\n"


def test_a_process_reads_what_another_writes() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "ggp", "fmt", "-"], cwd=ROOT, input=LOOSE.encode(), capture_output=True, check=True
    )
    assert run.stdout == NEAT.encode()
