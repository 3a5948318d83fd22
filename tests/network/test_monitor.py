"""The monitor: matches side by side."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from support.hosted import SETTINGS
from support.profiles import first_few
from support.remote_players import DUEL
from support.toy_players import Scripted
from support.toy_rules import ENDLESS, NIM

import gdl
from ggp.match.match import Match
from ggp.match.record import RecordError, Result, read_record
from ggp.match.settings import Settings
from ggp.network.host import HostedMatches, Monitor
from ggp.players import make_player


class TestMonitor:
    def match(self, monitor: Monitor, rules: str = DUEL, **players: object) -> Match:
        game = gdl.Reasoner(rules)
        lineup = {role: players.get(role, make_player("random")) for role in game.roles}
        return Match(game, lineup, SETTINGS, name="duel", deriving=monitor.deriving)  # type: ignore[arg-type]

    def test_matches_side_by_side(self, tmp_path: Path) -> None:
        hosted = HostedMatches()
        with Monitor(hosted) as monitor:
            matches = [self.match(monitor) for _ in range(20)]
            futures = [monitor.play(match, tmp_path / f"{match.record.match_id}.json") for match in matches]
            records = [future.result(timeout=60) for future in futures]
        assert all(record.result is Result.FINISHED for record in records)
        assert {feed.record.match_id for feed in hosted.feeds()} == {record.match_id for record in records}
        for record in records:
            kept = read_record(tmp_path / f"{record.match_id}.json")
            assert kept.plies == record.plies or len(kept.plies) == 4
            assert hosted.get(record.match_id).record == record  # type: ignore[union-attr]

    def test_a_hundred_at_the_same_time_with_clocks(self) -> None:
        with Monitor(HostedMatches()) as monitor:
            game = gdl.Reasoner(NIM)
            settings = Settings(seed=1, start_clock=60.0, play_clock=60.0)
            futures = []
            for _ in range(100):
                players = {role: make_player("random") for role in game.roles}
                futures.append(monitor.play(Match(game, players, settings, deriving=monitor.deriving)))
            records = [future.result(timeout=120) for future in futures]
        assert all(record.result is Result.FINISHED for record in records)
        assert not any(any(ply.errors) for record in records for ply in record.plies)
        assert len({tuple(ply.moves for ply in record.plies) for record in records}) == 1  # of one seed: all alike

    def test_what_goes_wrong_in_one_leaves_the_others_alone(self, tmp_path: Path) -> None:
        with Monitor(HostedMatches()) as monitor:
            bad = monitor.play(self.match(monitor), tmp_path / "nowhere" / "match.json")
            good = monitor.play(self.match(monitor))
            assert good.result(timeout=60).result is Result.FINISHED
            with pytest.raises(RecordError):
                bad.result(timeout=60)

    def test_closing_aborts_what_is_under_way(self, tmp_path: Path) -> None:
        asked = threading.Event()

        def move(_: object) -> str:
            asked.set()
            time.sleep(0.01)
            return "wait"

        with Monitor(HostedMatches()) as monitor:
            match = self.match(monitor, ENDLESS, solo=Scripted(move))
            match.settings = replace(match.settings, max_plies=10**9)
            future = monitor.play(match, tmp_path / "match.json")
            assert asked.wait(30)
        assert future.result(timeout=0).result is Result.ABORTED
        assert read_record(tmp_path / "match.json").result is Result.ABORTED
        with pytest.raises(RuntimeError, match="closed"):
            monitor.play(match)

    @pytest.mark.parametrize("clock", first_few([60.0, None], 1), ids=["interrupted", "left alone"])
    def test_closing_does_not_wait_for_players_that_think(self, clock: float | None, tmp_path: Path) -> None:
        asked, enough = threading.Event(), threading.Event()

        def move(_: object) -> str:
            asked.set()
            enough.wait()
            return "wait"

        began = time.monotonic()
        with Monitor(HostedMatches()) as monitor:
            players, settings = {"solo": Scripted(move)}, Settings(seed=1, start_clock=clock, play_clock=clock)
            match = Match(gdl.Reasoner(ENDLESS), players, settings, deriving=monitor.deriving)
            future = monitor.play(match, tmp_path / "match.json")
            assert asked.wait(30)
        assert time.monotonic() - began < 30
        assert future.done() == (clock is not None)
        enough.set()
        assert future.result(timeout=30).result is Result.ABORTED
        assert read_record(tmp_path / "match.json").result is Result.ABORTED
