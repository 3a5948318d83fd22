"""Hosted tournaments: what is announced and what is not, and records that are in the way."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from support.schedules import schedule

from gdl.engine import Engine
from gdl.reasoner.reasoner import Reasoner
from ggp.match.match import AnyPlayer
from ggp.match.record import RecordError, Result, read_record, write_record
from ggp.network.host import Bulletin, HostedMatches
from ggp.players import make_player
from ggp.tournament.hosted import HostedTournament
from ggp.tournament.schedule import read_schedule


def on_reasoner(reasoner: Reasoner, players: Iterable[object]) -> Engine:  # noqa: ARG001
    return reasoner


def local(where: str, name: str) -> AnyPlayer:  # noqa: ARG001
    return make_player(where)


def opened(file: Path, hosted: HostedMatches | None = None) -> HostedTournament:
    read = read_schedule(file, make_player)
    return HostedTournament(read, hosted or HostedMatches(), Bulletin("cup"), local, on_reasoner)


SWISS = ('format = "swiss"', "rounds = 2", "matches = 1")
FOUR = {"ann": "legal", "bob": "random", "carl": "legal", "dora": "random"}


def test_what_is_announced(tmp_path: Path) -> None:
    hosted = HostedMatches()
    with opened(schedule(tmp_path, FOUR, *SWISS), hosted) as tournament:
        news = tournament.bulletin.news
        assert (news["total"], news["played"], news["round"], news["over"]) == (4, 0, 1, False)
        assert [set(match["players"]) for match in news["waiting"]] == [{"ann", "carl"}, {"bob", "dora"}]
        assert news["tables"] == []
        seen = []
        for _ in tournament.results():
            news = tournament.bulletin.news
            seen.append((news["played"], news["round"], len(news["waiting"])))
        # At each yield, the news are those of the beginning of the match.
        assert seen == [(0, 1, 1), (1, 1, 0), (2, 2, 1), (3, 2, 0)]
        news = tournament.bulletin.news
        assert (news["played"], news["over"], news["waiting"]) == (4, True, [])
        assert {line["player"] for line in news["tables"][0]["lines"]} == FOUR.keys()
        assert len(hosted.feeds()) == 4
        text = json.dumps(dict(news))
    again = HostedMatches()
    with opened(tmp_path / "cup.toml", again) as tournament:
        assert list(tournament.results()) == []
        shown = [(feed.record.match_id, feed.record.moves) for feed in again.feeds()]
        assert sorted(shown) == sorted((feed.record.match_id, feed.record.moves) for feed in hosted.feeds())
        assert tournament.bulletin.news == news
    assert str(tmp_path) not in text
    assert "seed" not in text
    assert ".kif" not in text


def test_interrupted_matches_come_first(tmp_path: Path) -> None:
    file = schedule(tmp_path, FOUR, "matches = 1")
    with opened(file) as tournament:
        assert [one.number for one in tournament.results()] == [0, 1, 2, 3, 4, 5]
    (tmp_path / "cup" / "tournament.sqlite").unlink()
    for number in range(5):
        path = tmp_path / "cup" / f"match-{number:04d}.json"
        if number == 4:
            broken = replace(read_record(path).before(2), result=Result.ABORTED)
            write_record(broken, path)
        else:
            path.unlink()
    (tmp_path / "cup" / "match-0005.json").unlink()
    with opened(file) as tournament:
        assert [one.number for one in tournament.results()] == [4, 0, 1, 2, 3, 5]
    again = read_record(tmp_path / "cup" / "match-0004.json")
    assert again.match_id == broken.match_id
    assert again.plies[:2] == broken.plies
    assert again.result is Result.FINISHED


@pytest.mark.parametrize("result", [Result.RUNNING, Result.ABORTED])
def test_a_match_that_was_interrupted_before_its_goals_were_recorded_is_concluded(
    result: Result, tmp_path: Path
) -> None:
    file = schedule(tmp_path, {"ann": "legal", "bob": "random"}, "matches = 1")
    with opened(file) as tournament:
        (before,) = tournament.results()
    record = tmp_path / "cup" / "match-0000.json"
    (tmp_path / "cup" / "tournament.sqlite").unlink()
    write_record(replace(read_record(record), result=result, goals=()), record)
    with opened(file) as tournament:
        (after,) = tournament.results()
    assert (after.goals, after.moves, after.result) == (before.goals, before.moves, "finished")
    assert read_record(record).completed


def test_the_record_of_another_match_is_not_touched(tmp_path: Path) -> None:
    file = schedule(tmp_path, {"ann": "legal", "bob": "random"}, "matches = 1")
    with opened(file) as tournament:
        assert len(list(tournament.results())) == 1
    record = tmp_path / "cup" / "match-0000.json"
    (tmp_path / "cup" / "tournament.sqlite").unlink()
    write_record(replace(read_record(record), seed=5), record)
    before = record.read_bytes()
    with opened(file) as tournament, pytest.raises(RecordError, match="the record of another match; move it away"):
        list(tournament.results())
    assert record.read_bytes() == before
