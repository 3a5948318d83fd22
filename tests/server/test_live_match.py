"""Matches and their processes: none is left behind, and none is taken for another."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from support.processes import descendants, soon
from test_server import LIGHT

from ggp.server.files import Lineup, MatchFiles
from ggp.server.game_client import GameClientError, GameClients
from ggp.server.live_match import LiveMatch
from ggp.server.matches import Matches


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
    return sum("ggp.server.game_process" in command for command in descendants(os.getpid()).values())


def test_a_game_that_cannot_be_opened_leaves_no_process(tmp_path: Path) -> None:
    async def visitor(match: LiveMatch) -> None:
        for _ in range(2):
            with pytest.raises(GameClientError, match="unbalanced-parenthesis"):
                await match.open()
            assert not match.has_worker
        assert soon(lambda: game_processes() <= 1)  # the one that is started in advance

    visit(tmp_path, "(role", visitor)


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
