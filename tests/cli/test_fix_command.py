"""`ggp fix`: what it prints and writes, and the status it ends with."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.toy_files import FRAME

from ggp.cli import build


class TestCommand:
    def run(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            build()(["fix", *arguments])
        out = capsys.readouterr()
        return int(end.value.code or 0), out.out, out.err

    @pytest.fixture
    def old(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        path = tmp_path / "old.kif"
        path.write_bytes((FRAME + "(<= (legal robot jump))\n").replace("\n", "\r\n").encode())
        return path

    def test_it_shows_the_changes_and_makes_none(self, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
        before = old.read_bytes()
        status, out, err = self.run(capsys, "old.kif")
        assert (status, err) == (0, "")
        assert "-(<= (legal robot jump))\n+(legal robot jump)\n" in out
        assert out.endswith("old.kif: 1 finding can be fixed (empty-body 1); use --write to change the file\n")
        assert old.read_bytes() == before

    def test_it_writes(self, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
        old.chmod(0o640)
        status, out, _ = self.run(capsys, "--write", "old.kif")
        assert (status, out) == (0, "old.kif: 1 finding fixed (empty-body 1)\n")
        assert old.read_bytes() == (FRAME + "(legal robot jump)\n").replace("\n", "\r\n").encode()
        assert old.stat().st_mode & 0o777 == 0o640
        assert list(old.parent.iterdir()) == [old]
        assert self.run(capsys, "--write", "old.kif")[1] == "old.kif: nothing to fix\n"

    def test_codes_can_be_left_alone(self, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.run(capsys, "--ignore", "empty-body", "old.kif")[1] == f"{old.name}: nothing to fix\n"

    def test_an_unknown_code(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, _, err = self.run(capsys, "--ignore", "empty-bodies", "old.kif")
        assert (status, err) == (2, "unknown-code: no code empty-bodies; did you mean empty-body?\n")

    def test_a_file_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        status, _, err = self.run(capsys, "nowhere.kif")
        assert status == 2
        assert "nowhere.kif" in err
