"""The file that keeps the matches of a tournament."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.tournaments import NIM, PLAN, SOLO, ended

from ggp.tournament.outcome import Outcome
from ggp.tournament.standings import tables
from ggp.tournament.store import Store, StoreError

MISFIT = "match 0 is damaged: its checksum does not fit"
TABLES = "damaged: other tables than those of a tournament"


class TestStore:
    def test_matches_are_there_again(self, tmp_path: Path) -> None:
        fixtures = PLAN.fixtures()
        with Store(tmp_path / "t.sqlite") as store:
            assert store.settings() is None
            store.begin(PLAN.identity())
            for number in (5, 2):
                store.add(fixtures[number], ended(number, 100, 0))
        with Store(tmp_path / "t.sqlite") as store:
            assert store.settings() == PLAN.identity()
            store.begin(PLAN.identity())
            assert store.outcomes(PLAN.fixtures) == [ended(2, 100, 0), ended(5, 100, 0)]
            store.add(fixtures[2], ended(2, 0, 100))  # a match that ran twice changes nothing
            assert store.outcomes(PLAN.fixtures) == [ended(2, 100, 0), ended(5, 100, 0)]

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"games": 6}, "--games is 4 there, but 6 now"),
            ({"players": ("a", "b")}, "--players is a,b,c there, but a,b now"),
            ({"play_clock": 1.0}, "--play-clock is not given there, but 1.0 now"),
            ({"max_plies": 9}, "--max-plies is 500 there, but 9 now"),
            ({"seed": 9}, "--seed is 1 there, but 9 now"),
            ({"contests": (SOLO,)}, r"FILE is nim \(d1\) there, but solo \(d2\) now"),
            ({"contests": (replace(NIM, digest="d3"),)}, r"FILE is nim \(d1\) there, but nim \(d3\) now"),
        ],
    )
    def test_other_settings_are_refused(self, tmp_path: Path, changes: dict[str, object], reason: str) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.begin(PLAN.identity())
            with pytest.raises(StoreError, match=reason):
                store.begin(replace(PLAN, **changes).identity())  # type: ignore[arg-type]
            assert store.settings() == PLAN.identity()

    def test_without_a_file(self) -> None:
        with Store() as store:
            store.begin(PLAN.identity())
            store.add(PLAN.fixtures()[0], ended(0, 100, 0))
            assert len(store.outcomes(PLAN.fixtures)) == 1

    def test_what_is_no_store_is_left_alone(self, tmp_path: Path) -> None:
        text = tmp_path / "notes.txt"
        text.write_text("do not lose this, it is quite long, longer than the head of a database in any case\n" * 20)
        before = text.read_bytes()
        with pytest.raises(StoreError, match="not a database"):
            Store(text)
        assert text.read_bytes() == before

        other = tmp_path / "other.sqlite"
        database = sqlite3.connect(other)
        with database:
            database.execute("CREATE TABLE things (x)")
        database.close()
        before = other.read_bytes()
        with pytest.raises(StoreError, match="not a tournament's database"):
            Store(other)
        assert other.read_bytes() == before
        with pytest.raises(StoreError, match="unable to open"):
            Store(tmp_path / "nowhere" / "t.sqlite")
        with pytest.raises(StoreError, match="unable to open"):
            Store(tmp_path)

    def test_one_process_at_a_time(self, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite"), pytest.raises(StoreError, match="in use"):
            Store(tmp_path / "t.sqlite")

    def test_another_version(self, tmp_path: Path) -> None:
        Store(tmp_path / "t.sqlite").close()
        database = sqlite3.connect(tmp_path / "t.sqlite")
        database.execute("PRAGMA user_version = 99")
        database.close()
        with pytest.raises(StoreError, match="another version"):
            Store(tmp_path / "t.sqlite")

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ("UPDATE matches SET number = 77 WHERE number = 1", "match 77 is damaged: its checksum does not fit"),
            ("UPDATE matches SET game = 'solo' WHERE number = 1", "match 1 is damaged: its checksum does not fit"),
            ('UPDATE matches SET lineup = \'["b","a"]\'', "match 0 is damaged: its checksum does not fit"),
            ("UPDATE matches SET outcome = replace(outcome, '100', '90')", MISFIT),
            ("UPDATE matches SET outcome = '{}'", MISFIT),
            ("UPDATE matches SET outcome = 7", MISFIT),
            ("UPDATE matches SET outcome = replace(hex(zeroblob(99999)), '0', '[')", MISFIT),
            ("UPDATE matches SET checksum = 'x'", MISFIT),
            ("UPDATE matches SET checksum = (SELECT checksum FROM matches WHERE number = 1)", MISFIT),
            ("UPDATE matches SET outcome = CAST(x'ff7b7d' AS TEXT)", "match 0 is damaged: not UTF-8"),
            ("UPDATE settings SET value = CAST(x'ff' AS TEXT)", "setting FILE is damaged: not UTF-8"),
            ("UPDATE settings SET value = '[['", "setting FILE is damaged: its checksum does not fit"),
            ("DROP TABLE settings", TABLES),
            ("ALTER TABLE matches ADD COLUMN more TEXT", TABLES),
            ("CREATE TRIGGER t AFTER INSERT ON matches BEGIN DELETE FROM matches; END", TABLES),
            ("PRAGMA user_version = 1", "written by another version of ggp (tables 1, not 2)"),
        ],
    )
    def test_damage_is_named(self, change: str, reason: str, tmp_path: Path) -> None:
        file = tmp_path / "t.sqlite"
        _fill(file)
        with closing(sqlite3.connect(file)) as database, database:
            database.execute(change)
        with pytest.raises(StoreError) as caught:
            _read(file)
        assert str(caught.value) == f"tournament-store: {file}: {reason}"

    @pytest.mark.parametrize(
        ("outcome", "reason"),
        [
            (ended(2, 100, 0), "match 0 has the outcome of another match"),
            (ended(0, 100), "match 0 has the outcome of another match"),
        ],
    )
    def test_outcomes_of_other_matches(self, outcome: Outcome, reason: str, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.add(PLAN.fixtures()[0], outcome)
            with pytest.raises(StoreError, match=reason):
                store.outcomes(PLAN.fixtures)

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"goals": ["a", "b"]}, 'goals: "a" is not a whole number'),
            ({"goals": [10**400, 0]}, "goals: 1000000000000000000000000000000000000... is not from 0 to 100"),
            ({"goals": [float("nan"), 0]}, "goals: NaN is not a whole number"),
            ({"result": "won"}, "result: 'won' is not one of running, finished"),
            ({"number": "0"}, 'number: "0" is not a whole number'),
            ({"conduct": [{}, {}]}, "late is missing"),
            ({"conduct": [1, 2]}, "not a JSON object"),
            ({"moves": [1]}, "moves: 1 is not a list"),
            ({"errors": [[]]}, "errors: a list is not a text"),
        ],
    )
    def test_outcomes_of_the_wrong_types(self, change: dict[str, object], reason: str, tmp_path: Path) -> None:
        text = json.dumps({**json.loads(ended(0, 100, 0).to_json()), **change})
        with Store(tmp_path / "t.sqlite") as store, patch.object(Outcome, "to_json", lambda _: text):
            store.begin(PLAN.identity())
            store.add(PLAN.fixtures()[0], ended(0, 100, 0))
            with pytest.raises(StoreError, match=re.escape(reason)):
                store.outcomes(PLAN.fixtures)

    @pytest.mark.parametrize("seed", ["a", 10**400, -1, 1.5, float("nan"), [1]])
    def test_settings_of_the_wrong_types(self, seed: object, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.begin({**PLAN.identity(), "--seed": seed, "FILE": [[1, 2], 3]})
            with pytest.raises(StoreError, match=r"--seed: .* is not "):
                store.seed("--seed")
            with pytest.raises(StoreError, match=r"FILE is \[1, 2\],3 there"):
                store.begin(PLAN.identity())

    @pytest.mark.parametrize("content", [b"x", b"\0", b"SQLite format 2\0" * 100])
    def test_short_files_are_not_replaced(self, content: bytes, tmp_path: Path) -> None:
        (tmp_path / "t.sqlite").write_bytes(content)
        with pytest.raises(StoreError, match="not a database"):
            Store(tmp_path / "t.sqlite")
        assert (tmp_path / "t.sqlite").read_bytes() == content
        (tmp_path / "t.sqlite").write_bytes(b"")
        Store(tmp_path / "t.sqlite").close()

    def test_matches_of_other_tournaments(self, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.add(PLAN.fixtures()[3], ended(3, 100, 0))
            for others in (lambda _: PLAN.fixtures()[:3], replace(PLAN, contests=(SOLO,)).fixtures):
                with pytest.raises(StoreError, match="match 3 is not a match of this tournament"):
                    store.outcomes(others)

    def test_only_files_are_opened(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        for place in (tmp_path / "pipe", Path("/dev/zero")):
            with pytest.raises(StoreError, match="not a regular file"):
                Store(place)


def _fill(file: Path) -> None:
    with Store(file) as store:
        store.begin(PLAN.identity())
        for fixture in PLAN.fixtures()[:3]:
            store.add(fixture, ended(fixture.number, 100, 0))


def _read(file: Path) -> None:
    with Store(file) as store:
        store.begin(PLAN.identity())
        tables(PLAN, store.outcomes(PLAN.fixtures))


@examples(60, thorough=600)
@given(data=st.data())
def test_damaged_bytes_end_in_a_clear_error_or_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp()
    good, file = folder / "good.sqlite", folder / "damaged.sqlite"
    if not good.exists():
        _fill(good)
    content = bytearray(good.read_bytes())
    used = [place for place, byte in enumerate(content) if byte]
    for place in data.draw(st.lists(st.sampled_from(used) | st.integers(0, len(content) - 1), min_size=1, max_size=6)):
        content[place] = data.draw(st.integers(0, 255))
    del content[data.draw(st.just(len(content)) | st.integers(0, len(content))) :]
    file.write_bytes(content)
    found, reason = [], ""
    try:
        with Store(file) as store:
            store.begin(PLAN.identity())
            found = store.outcomes(PLAN.fixtures)
    except StoreError as error:
        reason = str(error)
    assert len(reason) < 2000
    assert all(outcome == ended(outcome.number, 100, 0) for outcome in found)
