"""Match records: their JSON, what the community's programs expect of it, and writing it whole."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import RECORD, records, texts

from ggp.match.record import MatchRecord, RecordError, Result, from_json, read_record, to_json, write_record


def test_fields_that_other_programs_read() -> None:
    fields = json.loads(json.dumps(to_json(RECORD)))
    assert fields["matchId"] == "nim.1700000000000.abcdef"
    assert fields["randomToken"] == "A" * 32
    assert fields["startTime"] == 1_700_000_000_000
    assert fields["isCompleted"] is True
    assert fields["isAborted"] is False
    assert fields["states"] == [
        "((heap 2) (control left))",
        "((heap 1) (control right))",
        "((heap 0) (control left))",
    ]
    assert fields["moves"] == [["(take 1)", "noop", "(roll 6)"], ["noop", "(take 1)", "noop"]]
    assert fields["stateTimes"] == [1_700_000_000_000, 1_700_000_000_250, 1_700_000_002_000]
    assert fields["errors"] == [["", "TO", ""], ["IL (take 9)", "", ""], ["", "CE ValueError: x", ""]]
    assert fields["goalValues"] == [0, 100, None]
    assert fields["startClock"] == 30
    assert type(fields["startClock"]) is int
    assert fields["playClock"] == 0.5
    assert fields["playerNamesFromHost"] == ["greedy", "legal", "random"]
    assert fields["gameRoleNames"] == ["left", "right", "random"]
    assert fields["seed"] == 7
    assert fields["timesUsed"] == [[0.25, 0.001234, 0.0], [0.0, 1.5, 0.0]]
    assert fields["legalMoveCounts"] == [[2, 1, 6], [1, 1, 1]]


def test_a_match_without_clocks_has_0() -> None:
    fields = json.loads(json.dumps(to_json(replace(RECORD, start_clock=None, play_clock=None))))
    assert (fields["startClock"], fields["playClock"]) == (0, 0)
    assert from_json(fields).play_clock is None


@pytest.mark.parametrize(
    ("result", "completed", "aborted"),
    [
        (Result.RUNNING, False, False),
        (Result.FINISHED, True, False),
        (Result.UNFINISHED, False, False),
        (Result.DISQUALIFIED, True, False),
        (Result.STUCK, False, True),
        (Result.ABORTED, False, True),
    ],
)
def test_every_result_is_kept(result: Result, completed: bool, aborted: bool, tmp_path: Path) -> None:
    record = replace(RECORD, result=result, goals=RECORD.goals if completed else ())
    fields = to_json(record)
    assert (fields["isCompleted"], fields["isAborted"]) == (completed, aborted)
    assert ("goalValues" in fields) == completed
    write_record(record, tmp_path / "match.json")
    assert read_record(tmp_path / "match.json") == record


@given(records())
def test_what_is_written_reads_back_equal(record: MatchRecord) -> None:
    assert from_json(json.loads(json.dumps(to_json(record)))) == record


@given(records(), st.data())
def test_a_damaged_record_is_read_or_refused(record: MatchRecord, data: st.DataObject) -> None:
    fields = to_json(record)
    name = data.draw(st.sampled_from(sorted(fields)))
    junk = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | texts, st.lists, max_leaves=4)
    fields[name] = data.draw(junk)
    with suppress(RecordError):  # anything else would fail the test
        assert isinstance(from_json(json.loads(json.dumps(fields))), MatchRecord)


def test_a_record_of_another_program() -> None:
    record = from_json(
        {
            "matchId": "tiltyard.nim.1",
            "startTime": 1,
            "states": ["( ( heap 1 ) )", "( ( heap 0 ) )"],
            "moves": [["( take 1 )", "noop"]],
            "stateTimes": [2, 3],
            "isCompleted": True,
            "goalValues": [100, 0],
            "startClock": 60,
            "playClock": 15,
            "scrambled": False,
        }
    )
    assert record.result is Result.FINISHED
    assert record.roles == ()
    assert record.plies[0].moves == ("( take 1 )", "noop")
    assert record.plies[0].errors == ("", "")
    assert record.goals == (100, 0)
    assert record.play_clock == 15
    assert record.seed is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"matchId": ...}, "matchId is missing"),
        ({"matchId": 3}, "matchId: 3 is not a text"),
        ({"states": "x"}, 'states: "x" is not a list'),
        ({"states": []}, "2 plies do not fit 0 states and 3 stateTimes"),
        ({"moves": [["a"], ["b"]]}, "moves: not every list has 3 entries, one per role"),
        ({"moves": [[1, 2, 3], ["a", "b", "c"]]}, "moves: 1 is not a text"),
        ({"errors": [["", "", ""]]}, "errors, timesUsed or legalMoveCounts do not have one list per ply"),
        ({"goalValues": [1]}, "playerNamesFromHost or goalValues do not have 3 entries"),
        ({"goalValues": [0, True, 0]}, "goalValues: true is not a whole number"),
        ({"startClock": float("nan")}, "startClock: NaN is not a number"),
        ({"startClock": 10**400}, "startClock: 1000000000000000000000000000000000000... is not a number"),
        ({"result": "won"}, "result: won is not one of running, finished"),
        ({"states": ["x" * 100, 3, "y"]}, "states: 3 is not a text"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], reason: str) -> None:
    fields = {**to_json(RECORD), **change}
    fields = {name: value for name, value in fields.items() if value is not ...}
    with pytest.raises(RecordError) as caught:
        from_json(json.loads(json.dumps(fields)), "m.json")
    assert str(caught.value).startswith(f"match-record: m.json: {reason}")
