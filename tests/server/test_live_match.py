"""Matches and their processes: none is left behind, and none is taken for another."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.processes import descendants, soon
from support.records import RECORD
from support.toy_rules import NIM
from test_server import LIGHT, Client, served

from ggp.match.record import MatchRecord, Result, to_json
from ggp.server.web import files, guard, matches, watching
from ggp.server.web.files import Lineup, MatchFiles
from ggp.server.web.game_client import GameClientError, GameClients
from ggp.server.web.live_match import LiveMatch
from ggp.server.web.matches import Matches
from ggp.server.web.watching import Watching


def visit(folder: Path, rules: str, visitor: Callable[[LiveMatch], Awaitable[None]]) -> None:
    """Let a visitor use a match of a server without pages."""

    async def inside() -> None:
        clients = GameClients()
        matches = Matches(MatchFiles(folder), clients)
        try:
            # A match with a source is only watched.
            await visitor(matches.create(Lineup("toy", "Toy", rules, "", {"robot": "random"}, {}, 1.0, "a record")))
        finally:
            await clients.close()

    asyncio.run(inside())


def game_processes() -> int:
    return sum("ggp.server.game.process" in command for command in descendants(os.getpid()).values())


def test_a_game_that_cannot_be_opened_leaves_no_process(tmp_path: Path) -> None:
    async def visitor(match: LiveMatch) -> None:
        for _ in range(2):
            with pytest.raises(GameClientError, match="unbalanced-parenthesis"):
                await match.open()
            assert not match.has_worker
        assert soon(lambda: game_processes() <= 1)  # the one that is started in advance

    visit(tmp_path, "(role", visitor)


def test_a_watched_match_whose_record_cannot_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = replace(RECORD, plies=(), result=Result.RUNNING)

    async def fetch(*_: object) -> MatchRecord:
        return record

    monkeypatch.setattr(watching, "fetch_record", fetch)
    monkeypatch.setattr(watching, "_PAUSE", 0.01)

    async def inside() -> None:
        matches = Matches(MatchFiles(tmp_path), GameClients())
        follower = Watching(matches)
        match = await follower.follow("http://host:1/matches/nim")
        file = matches.files.record_file(match.id)
        file.unlink()
        file.mkdir()  # as if the disk were full
        async with asyncio.timeout(30):
            state = await match.newer(match.version)
        await follower.close()
        assert state["error"].startswith("the record cannot be stored: ")
        assert "not a regular file" in state["error"]

    asyncio.run(inside())


def test_the_end_of_a_process_is_not_that_of_its_successor(tmp_path: Path) -> None:
    async def visitor(match: LiveMatch) -> None:
        await match.open()
        earlier = match._client
        assert earlier is not None
        match.close()
        await match.open()
        await earlier.gone()
        assert match.has_worker
        assert await match.position(0)

    visit(tmp_path, LIGHT, visitor)


def test_a_match_for_which_there_is_no_room_is_not_kept(tmp_path: Path) -> None:
    async def visitor(client: Client) -> None:
        client.site.matches._workers = 0
        await client.post("/api/matches", {"game": "classics/tic_tac_toe", "players": {}}, 503)
        await client.post("/api/records", to_json(RECORD), 503)
        assert (await client.get("/api/matches"))["matches"] == []

    served(tmp_path, visitor)


def kept(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "matches").iterdir())


@pytest.mark.slow
def test_what_a_visitor_makes_the_server_keep_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = to_json(replace(RECORD, rules=NIM + ";" * 40_000))
    size = len(json.dumps(record))
    monkeypatch.setattr(guard, "_PER_VISITOR", 3 * size)

    async def visit(client: Client) -> None:
        for _ in range(2):
            await client.post("/api/records", record)
        assert kept(tmp_path) < 2.2 * size, "the rules are kept once"
        match = (await client.get("/api/matches"))["matches"][0]
        assert (await client.get(f"/api/matches/{match['id']}"))["state"]["plies"] == len(RECORD.plies)
        assert len((await client.get(f"/api/matches/{match['id']}/record"))["gameRulesheet"]) > 40_000
        await client.post("/api/records", record)
        assert "MiB a day" in (await client.post("/api/records", record, 429))["error"]
        game = {"name": "x", "text": record["gameRulesheet"]}
        assert "MiB a day" in (await client.post("/api/games", game, 429))["error"]
        assert len((await client.get("/api/matches"))["matches"]) == 3

    served(tmp_path, visit)


def test_what_all_make_the_server_keep_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ROOM", 1000)
    record = to_json(replace(RECORD, rules=NIM))

    async def visit(client: Client) -> None:
        await client.post("/api/records", record)
        assert "delete some in" in (await client.post("/api/records", record, 429))["error"]
        game = {"game": "classics/tic_tac_toe", "players": {}}
        assert "delete some in" in (await client.post("/api/matches", game, 429))["error"]
        assert len((await client.get("/api/matches"))["matches"]) == 1

    served(tmp_path, visit)


@pytest.mark.slow
def test_one_visitor_does_not_take_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "_PER_VISITOR", 1)

    async def visit(client: Client) -> None:
        players = {"white": "mcts(simulations=1000000000)", "black": "random"}
        endless = {"game": "classics/breakthrough", "players": players}
        first = (await client.post("/api/matches", endless))["id"]
        await client.post("/api/matches", {**endless, "players": {"white": "human", "black": "human"}}, 503)
        await client.post(f"/api/matches/{first}/end", {})
        await client.post("/api/matches", {**endless, "players": {"white": "human", "black": "human"}})

    served(tmp_path, visit)
