"""Records in files: writing them whole, plies that follow too quickly for that, and files that broke off."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples, first_few
from support.records import RECORD, records
from support.toy_files import rule_file, start
from support.toy_rules import ENDLESS

from ggp.match.playing import play
from ggp.match.record import (
    MatchRecord,
    RecordError,
    RecordFile,
    Result,
    open_record,
    ply_from_json,
    ply_to_json,
    read_record,
    write_record,
)

#: The same match under way.
RUNNING = replace(RECORD, result=Result.RUNNING, goals=())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"matchId": "x"', b"[" * 100_000])
def test_files_that_hold_no_record(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(content)
    with pytest.raises(RecordError, match=r"not JSON|not a JSON object"):
        read_record(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="No such file"):
        read_record(tmp_path / "none.json")


class TestWriting:
    def test_nothing_is_left_beside_the_record(self, tmp_path: Path) -> None:
        write_record(RECORD, tmp_path / "match.json")
        write_record(RECORD, tmp_path / "match.json")
        assert [path.name for path in tmp_path.iterdir()] == ["match.json"]

    def test_an_interruption_leaves_the_old_record_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file = tmp_path / "match.json"
        write_record(RECORD, file)

        def interrupted(_: int) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", interrupted)
            with pytest.raises(KeyboardInterrupt):
                write_record(replace(RECORD, plies=()), file)
        assert read_record(file) == RECORD
        assert [path.name for path in tmp_path.iterdir()] == ["match.json"]

    def test_a_link_keeps_leading_to_the_record(self, tmp_path: Path) -> None:
        link = tmp_path / "link.json"
        link.symlink_to(tmp_path / "match.json")
        write_record(RECORD, link)
        assert link.is_symlink()
        assert read_record(tmp_path / "match.json") == RECORD

    def test_the_file_has_the_usual_permissions(self, tmp_path: Path) -> None:
        (tmp_path / "other").write_text("")
        write_record(RECORD, tmp_path / "match.json")
        assert (tmp_path / "match.json").stat().st_mode == (tmp_path / "other").stat().st_mode

    @pytest.mark.parametrize("name", ["", "missing/match.json", "x" * 300, "with\0zero"])
    def test_places_that_cannot_be_written(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(RecordError):
            write_record(RECORD, tmp_path / name)

    def test_a_link_to_itself(self, tmp_path: Path) -> None:
        (tmp_path / "match.json").symlink_to("match.json")
        with pytest.raises(RecordError):
            write_record(RECORD, tmp_path / "match.json")

    def test_devices_are_left_alone(self) -> None:
        with pytest.raises(RecordError, match="not a regular file"):
            write_record(RECORD, os.devnull)

    def test_texts_that_are_not_unicode_survive(self, tmp_path: Path) -> None:
        record = replace(RECORD, rules="; caf\udce9 \N{WOLF FACE}")
        write_record(record, tmp_path / "match.json")
        assert read_record(tmp_path / "match.json") == record


class TestRecordFile:
    def test_every_ply_is_in_the_file_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(RecordFile, "SHARE", 1e-9)  # so that there is time to write the whole record but once
        path = tmp_path / "match.json"
        file = RecordFile(path)
        for count in range(3):
            file.update(replace(RUNNING, plies=RUNNING.plies[:count]))
            assert open_record(path).record == replace(RUNNING, plies=RUNNING.plies[:count])
            assert open_record(path).lost == ""
            assert path.read_text().count("\n") == 1 + count
        file.finish(RECORD)
        assert read_record(path) == RECORD
        json.loads(path.read_text())

    def test_with_time_the_file_is_one_object_for_other_programs(self, tmp_path: Path) -> None:
        path = tmp_path / "match.json"
        file = RecordFile(path)
        for count in range(3):
            file._not_before = 0.0
            file.update(replace(RUNNING, plies=RUNNING.plies[:count]))
            assert len(json.loads(path.read_text())["moves"]) == count

    @pytest.mark.parametrize(
        "after",
        [replace(RUNNING, last_errors=("TO", "", "")), replace(RUNNING, plies=RUNNING.plies[1:]), RECORD],
        ids=["another field", "other plies", "the end"],
    )
    def test_what_is_not_only_new_plies_is_written_whole(
        self, after: MatchRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(RecordFile, "SHARE", 1e-9)
        path = tmp_path / "match.json"
        file = RecordFile(path)
        file.update(replace(RUNNING, plies=RUNNING.plies[:1]))
        file.update(after)
        assert read_record(path) == after

    def test_a_file_that_was_taken_away_is_an_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(RecordFile, "SHARE", 1e-9)
        file = RecordFile(tmp_path / "match.json")
        file.update(replace(RUNNING, plies=()))
        (tmp_path / "match.json").unlink()
        with pytest.raises(RecordError, match="No such file"):
            file.update(RUNNING)


class TestSyncing:
    """Syncing to the disk, which tests can only observe as calls: files in their order, and folders."""

    @pytest.fixture
    def synced(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The names of all files and folders that are synced from now on."""
        names: list[str] = []
        monkeypatch.setattr(os, "fsync", lambda handle: names.append(Path(f"/dev/fd/{handle}").resolve().name))
        return names

    def test_at_the_end_the_file_and_its_folder_are_synced(self, tmp_path: Path, synced: list[str]) -> None:
        file = RecordFile(tmp_path / "match.json")
        file.update(replace(RUNNING, plies=()))
        file.update(RUNNING)
        assert synced == []
        file.finish(RECORD)
        draft, folder = synced
        assert draft.endswith(".tmp")
        assert folder == tmp_path.name

    def test_on_request_every_ply_is_synced(
        self, tmp_path: Path, synced: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(RecordFile, "SHARE", 1e-9)
        file = RecordFile(tmp_path / "match.json", fsync=True)
        file.update(replace(RUNNING, plies=()))
        assert len(synced) == 2
        file.update(replace(RUNNING, plies=RUNNING.plies[:1]))
        assert synced[1:] == [tmp_path.name, "match.json"]

    def test_the_setting_of_a_match_decides(self, tmp_path: Path, synced: list[str]) -> None:
        plies = len(play("tic_tac_toe", "random", seed=1, record=tmp_path / "a.json").plies)
        assert len(synced) == 2
        synced.clear()
        play("tic_tac_toe", "random", seed=1, record=tmp_path / "b.json", fsync=True)
        assert len(synced) >= plies + 2


@given(records())
def test_a_ply_by_itself_reads_back_equal(record: MatchRecord) -> None:
    for number, ply in enumerate(record.plies, 1):
        line = json.loads(json.dumps(ply_to_json(number, ply)))
        assert ply_from_json(line, number, len(record.roles)) == ply


class TestCutFiles:
    """Complete plies are read, or the error is clear; never is a match silently shorter."""

    @given(record=records(), appended=st.integers(0, 3), data=st.data())
    @examples(200)
    def test_a_file_cut_at_any_byte(
        self, record: MatchRecord, appended: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        path = tmp_path_factory.mktemp("cut") / "match.json"
        running = record.result is Result.RUNNING
        whole = len(record.plies) - (appended if running else 0)
        file = RecordFile(path)
        file.finish(replace(record, plies=record.plies[: max(0, whole)]))
        file._not_before = float("inf")
        if running:
            file.update(record)
        content = path.read_bytes()
        at = data.draw(st.integers(0, len(content) - 1))
        path.write_bytes(content[:at])
        try:
            read = open_record(path)
        except RecordError:
            assert at < content.index(b"\n")  # in the middle of the first object
        else:
            assert replace(read.record, plies=()) == replace(record, plies=())
            assert read.record.plies == record.plies[: len(read.record.plies)]
            if running:
                # The plies whose lines are whole are there; and if anything else was, that is said.
                assert read.lost or content[at - 1 : at] == b"\n"
            else:
                assert read.record == record

    def test_every_byte_of_a_match_under_way(self, tmp_path: Path) -> None:
        path = tmp_path / "match.json"
        file = RecordFile(path)
        file.finish(replace(RUNNING, plies=()))
        file._not_before = float("inf")
        file.update(RUNNING)
        content = path.read_bytes()
        ends = [at for at, byte in enumerate(content) if byte == ord("\n")]
        assert len(ends) == 3
        for at in range(len(content) + 1):
            path.write_bytes(content[:at])
            if at < ends[0]:
                with pytest.raises(RecordError, match=r"the file is (empty|cut off)|Unterminated"):
                    open_record(path)
                continue
            read = open_record(path)
            assert len(read.record.plies) == max(0, sum(end < at for end in ends) - 1)
            assert bool(read.lost) == (content[at - 1 : at] != b"\n")

    def test_a_damaged_line_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "match.json"
        file = RecordFile(path)
        file.finish(replace(RUNNING, plies=()))
        file._not_before = float("inf")
        file.update(RUNNING)
        first, second, third = path.read_text().splitlines()
        for lines, reason in (
            ([first, third], "the line after ply 0: ply 2 where ply 1 is expected"),
            ([first, second[:40], third], "the line after ply 0: not JSON"),
            ([first, second, "[]"], "the line after ply 1: not a JSON object"),
            ([first, second.replace('"noop", ', "")], "the line after ply 0: moves: 2 entries for 3 roles"),
        ):
            path.write_text("\n".join(lines) + "\n")
            with pytest.raises(RecordError, match=reason):
                open_record(path)

    def test_nothing_may_follow_a_match_that_is_over(self, tmp_path: Path) -> None:
        path = tmp_path / "match.json"
        write_record(RECORD, path)
        path.write_text(path.read_text() + json.dumps(ply_to_json(3, RECORD.plies[0])) + "\n")
        with pytest.raises(RecordError, match="more than one object, though the match is over"):
            open_record(path)


@pytest.mark.skipif(os.name == "nt", reason="needs a signal that kills at once")
@pytest.mark.parametrize("plies", first_few([1, 300, 0], 1))
def test_a_killed_process_loses_at_most_the_ply_under_way(plies: int, tmp_path: Path) -> None:
    file = rule_file(tmp_path, ENDLESS)
    record = tmp_path / "match.json"
    process = start(
        "play", file, "--player", "random", "--max-plies", "1000000", "--record", record, PYTHONUNBUFFERED="1"
    )
    assert process.stdout is not None
    seen = 0
    while seen < plies:
        line = process.stdout.readline()
        if line[:8].strip().isdigit() or line.split()[:1] == [str(seen + 1)]:
            seen += 1
    while not plies and not record.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    shown = process.stdout.read().splitlines()
    process.wait(timeout=60)
    assert process.stderr is not None
    process.stderr.close()
    process.stdout.close()
    last = max([seen, *(int(line.split()[0]) for line in shown if line[:1] == " " and line.split()[0].isdigit())])
    read = open_record(record).record
    assert read.result is Result.RUNNING
    # A ply is shown only after it was written; the one after it may have been written already.
    assert last <= len(read.plies) <= last + 1
    assert all(earlier.time <= later.time for earlier, later in pairwise(read.plies))
