"""Matches and their processes: none is left behind, and none is taken for another."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.processes import descendants, soon
from support.records import RECORD
from test_server import LIGHT, Client, served

from ggp.match.record import MatchRecord, Result, to_json
from ggp.server.web import watching
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
