"""`ggp test`: what it prints, and the status it ends with."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.conformance import HEAP
from support.toy_rules import STUCK

from ggp.cli.commands.test import report_on
from ggp.rules.conformance import Settings
from ggp.rules.conformance.report import FAILED, PASSED, REFUSED


class TestCommand:
    """`ggp test` prints a report on each file; its status is that of the worst."""

    @pytest.fixture
    def files(self, tmp_path: Path) -> dict[str, Path]:
        rules = {"sound": HEAP, "stuck": STUCK, "broken": "(role a)\n(legal a", "unexpected": HEAP}
        for name, text in rules.items():
            (tmp_path / f"{name}.kif").write_text(text, encoding="utf-8")
        (tmp_path / "unexpected.expect.toml").write_text("perf = [1]", encoding="utf-8")
        return {name: tmp_path / f"{name}.kif" for name in (*rules, "absent")}

    @pytest.mark.parametrize(
        ("names", "status"),
        [
            ("sound", PASSED),
            ("sound sound", PASSED),
            ("stuck sound", FAILED),
            ("broken", REFUSED),
            ("absent sound", REFUSED),
            ("unexpected stuck", REFUSED),
            ("", PASSED),
        ],
    )
    def test_status(self, files: dict[str, Path], names: str, status: int) -> None:
        paths = [files[name] for name in names.split()]
        assert report_on(paths, Settings(2, 0), quiet=False) == status

    def test_a_refused_file_does_not_hide_the_others(
        self, files: dict[str, Path], capsys: pytest.CaptureFixture[str]
    ) -> None:
        report_on([files["broken"], files["stuck"]], Settings(2, 0), quiet=False)
        lines = capsys.readouterr().out.split("\n")
        assert lines[0] == f"{files['broken']}: refused"
        assert lines[1].startswith(f"  {files['broken']}:2:1: unbalanced-parenthesis: ")
        assert any(line.startswith(f"{files['stuck']}: 1 of 2 checks failed (") for line in lines)
        assert "  playout 1, after 1 ply" in lines

    def test_quiet_shows_failures_only(self, files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
        report_on([files["sound"]], Settings(2, 0), quiet=True)
        assert capsys.readouterr() == ("", "")
        report_on([files["sound"], files["stuck"]], Settings(2, 0), quiet=True)
        output = capsys.readouterr().out
        assert output.startswith(f"{files['stuck']}: 1 of 2 checks failed (")
        assert "sound" not in output

    def test_the_seed_decides_the_playouts(self, files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
        def summary(seed: int) -> str:
            report_on([files["sound"]], Settings(20, seed), quiet=False)
            return capsys.readouterr().out.rpartition(",")[0]

        assert summary(3) == summary(3)
        assert len({summary(seed) for seed in range(8)}) > 1

    def test_a_terminal_shows_what_is_being_done(
        self, files: dict[str, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        report_on([files["sound"]], Settings(2, 0), quiet=True)
        output = capsys.readouterr()
        assert output.out == ""
        assert "sound.kif" in output.err

    def test_codes_for_terminals_are_not_passed_on(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "game.kif"
        file.write_text(HEAP)
        (tmp_path / "game.expect.toml").write_text('[[position]]\nname = "\\u001b[31m red"\nterminal = true\n')
        assert report_on([file], Settings(0, 0), quiet=False) == FAILED
        assert 'position "\N{REPLACEMENT CHARACTER}[31m red"' in capsys.readouterr().out

    def test_without_playouts(self, files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
        assert report_on([files["stuck"]], Settings(0, 0), quiet=False) == PASSED
        assert ": 1 check passed (" in capsys.readouterr().out
