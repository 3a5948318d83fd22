"""The file that keeps the matches of a tournament."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from support.tournaments import NIM, PLAN, SOLO, ended

from ggp.tournament.store import Store, StoreError


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
            assert store.outcomes() == [ended(2, 100, 0), ended(5, 100, 0)]
            with pytest.raises(StoreError, match="UNIQUE"):
                store.add(fixtures[2], ended(2, 100, 0))

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
            assert len(store.outcomes()) == 1

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

    def test_a_match_that_cannot_be_read(self, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.add(PLAN.fixtures()[0], ended(0, 100, 0))
        database = sqlite3.connect(tmp_path / "t.sqlite")
        with database:
            database.execute("UPDATE matches SET outcome = '{}'")
        database.close()
        with Store(tmp_path / "t.sqlite") as store, pytest.raises(StoreError, match="cannot be read"):
            store.outcomes()
