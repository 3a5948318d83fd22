"""`ggp replay`: records shown, checked and played on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import Ggp
from support.disagreements import DISAGREEMENTS, RECORD

from gdl.system.files import alone
from ggp.match.record import Result, read_record, write_record


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        write_record(RECORD, tmp_path / "match.json")
        return tmp_path / "match.json"

    def test_it_shows_the_match(self, ggp: Ggp, file: Path) -> None:
        run = ggp("replay", file)
        assert run.status == 0, run.err
        assert run.out.startswith("nim   seed 1\n  left   legal\n  right  legal\n")
        assert "\n  4  right  (take one)\n" in run.out
        assert run.out.endswith("  right  legal  100\nthe record agrees with the rules: 4 plies\n")

    def test_a_disagreement_ends_it(self, ggp: Ggp, file: Path) -> None:
        write_record(DISAGREEMENTS["another state"][0](RECORD), file)
        run = ggp("replay", file)
        assert run.status == 1
        assert "\n  3  left   (take one)\n" in run.out
        assert "\n  4  " not in run.out
        assert run.err == (
            f"{file}: replay: ply 4: the state after it is not the recorded one: the record lacks (control left)\n"
        )

    def test_a_match_that_was_broken_off_is_played_on(self, ggp: Ggp, file: Path) -> None:
        write_record(replace(RECORD, plies=RECORD.plies[:2], result=Result.RUNNING, goals=()), file)
        with alone(file):
            run = ggp("replay", file, "--resume", "--player", "legal")
        assert (run.status, run.err) == (2, f"{file}: file-in-use: another process writes it\n")
        run = ggp("replay", file, "--resume", "--player", "legal")
        assert run.status == 0, run.err
        assert "\nresumed after 2 plies\n" in run.out
        record = read_record(file)
        assert [ply.moves for ply in record.plies] == [ply.moves for ply in RECORD.plies]
        assert record.goals == RECORD.goals
        assert ggp("replay", file, "--resume").status == 1

    def test_a_file_that_is_cut_off(self, ggp: Ggp, file: Path) -> None:
        write_record(replace(RECORD, plies=RECORD.plies[:2], result=Result.RUNNING, goals=()), file)
        file.write_text(file.read_text() + '{"ply": 3, "mov')
        run = ggp("replay", file, "-q")
        assert run.status == 0
        assert run.err == f"{file}: the file is cut off: what followed ply 2 is lost\n"
        assert "not over after 2 plies" in run.out

    def test_a_file_cut_anywhere_is_shown_or_refused(self, ggp: Ggp, file: Path) -> None:
        content = file.read_bytes().rstrip()  # without the last line break it is whole
        for at in range(0, len(content), len(content) // 20):
            file.write_bytes(content[:at])
            run = ggp("replay", file, "-q")
            assert (run.status, run.out) == (2, "")
            assert run.err.startswith(f"match-record: {file}: not JSON: ")
            assert len(run.err.splitlines()) == 1

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--rules", "wolf_sheep"], "replay: the start: the roles are wolf, sheep, but the record has left, right"),
            (["--rules", "nowhere.kif"], "nowhere.kif"),
            (["--player", "legal"], "--player, --max-plies and --fsync require --resume"),
            (["--resume", "--player", "legal"], "replay: ply 4: the match is over, and cannot be resumed"),
        ],
    )
    def test_what_it_refuses(self, ggp: Ggp, arguments: list[str], reason: str, file: Path) -> None:
        run = ggp("replay", file, "-q", *arguments)
        assert run.status in (1, 2)
        assert reason in run.err
        assert "Traceback" not in run.err

    def test_a_record_without_rules(self, ggp: Ggp, file: Path) -> None:
        write_record(replace(RECORD, rules=""), file)
        run = ggp("replay", file)
        assert run.status == 2
        assert run.err == f"match-record: {file}: the record contains no rules; name them with --rules FILE\n"
