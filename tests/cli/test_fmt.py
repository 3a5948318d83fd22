"""`ggp fmt`: what it writes, shows and refuses; and files that are changed whole or not at all."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.commands import Ggp
from support.toy_files import ROOT, rule_file

from gdl.errors import FileError
from ggp.rules.rulefiles import difference, is_unchanged, read_rules, write_rules

LOOSE = "(role  a)\n(<= (p ?x) (q ?x)) ; why\n"
NEAT = "(role a)\n(<= (p ?x)\n    (q ?x))  ; why\n"


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


# Files


def test_a_file_keeps_its_mode_and_a_link_leads_to_it(tmp_path: Path) -> None:
    path = rule_file(tmp_path, LOOSE)
    path.chmod(0o640)
    link = tmp_path / "link.kif"
    link.symlink_to(path)
    write_rules(str(link), NEAT)
    assert link.is_symlink()
    assert path.read_text() == NEAT
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rule_file(tmp_path, LOOSE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(FileError, match="No space left"):
            write_rules(str(path), NEAT)
    assert path.read_text() == LOOSE
    assert list(tmp_path.iterdir()) == [path]
    loop = tmp_path / "loop.kif"
    loop.symlink_to(loop)
    with pytest.raises(FileError):
        write_rules(str(loop), NEAT)


def test_files_that_are_not_there() -> None:
    for question in (lambda: read_rules("nowhere.kif"), lambda: is_unchanged("nowhere.kif", "")):
        with pytest.raises(FileError, match=r"nowhere\.kif: No such file"):
            question()


def test_a_difference_says_where_the_last_line_has_no_end() -> None:
    assert difference("a\n", "a\n", "g") == ""
    assert difference("a", "a\n", "g").splitlines()[3:] == ["-a", "\\ No newline at end of file", "+a"]


def test_a_process_reads_what_another_writes() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "ggp", "fmt", "-"], cwd=ROOT, input=LOOSE.encode(), capture_output=True, check=True
    )
    assert run.stdout == NEAT.encode()
