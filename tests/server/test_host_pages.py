"""The pages of a host: HTML for browsers and JSON for programs at the same addresses, boards, and news."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from support.remote_players import DUEL

import gdl
from ggp.match.match import Match
from ggp.match.record import Result
from ggp.match.settings import Settings
from ggp.network.host import Bulletin, HostedMatches
from ggp.network.host.spectators import Audience
from ggp.players import make_player
from ggp.rules.shipped_games import find_game
from ggp.server.web.host_pages import serve

#: What browsers send.
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Host:
    """A host with a match of tic-tac-toe, and requests to it."""

    def __init__(self, session: aiohttp.ClientSession, origin: str, audience: Audience) -> None:
        self.session = session
        self.origin = origin
        self.audience = audience
        self.hosted = HostedMatches()
        self.bulletin = Bulletin("spring", 2)
        self.match = self.open(find_game("tic_tac_toe").read_text(encoding="utf-8"), "tic_tac_toe")
        self.id = self.match.record.match_id

    def open(self, rules: str, name: str) -> Match:
        game = gdl.Reasoner(rules)
        match = Match(game, {role: make_player("legal") for role in game.roles}, Settings(seed=1), name=name)
        self.hosted.open(match.record)
        return match

    def play(self, plies: int = 100) -> None:
        feed = self.hosted.get(self.id)
        assert feed is not None
        for _, _ in zip(range(plies), self.match.plies(), strict=False):
            feed.publish(self.match.record)
        feed.publish(self.match.record)

    async def get(self, path: str, accept: str | None = None, status: int = 200) -> tuple[str, Any]:
        """The content type of an answer and its text, or the value of its JSON."""
        headers = {} if accept is None else {"Accept": accept}
        async with self.session.get(self.origin + path, headers=headers) as response:
            assert response.status == status, await response.text()
            kind = response.content_type
            return kind, await (response.json() if kind == "application/json" else response.text())


@asynccontextmanager
async def host() -> AsyncIterator[Host]:
    async with aiohttp.ClientSession() as session:
        made = Host(session, "", Audience())
        runner, made.audience = await serve(made.hosted, made.bulletin, "127.0.0.1", 0)
        made.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield made
        finally:
            await runner.cleanup()


def visit(check: Callable[[Host], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(120), host() as made:
            await check(made)

    asyncio.run(run())


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html;q=0.5", "", "q=x;;,"])
def test_programs_get_json(accept: str | None) -> None:
    async def check(host: Host) -> None:
        kind, overview = await host.get("/", accept)
        assert (kind, overview["title"], overview["total"], overview["over"]) == (
            "application/json",
            "spring",
            2,
            False,
        )
        for path in ("/matches", "/matches/"):
            assert (await host.get(path, accept))[1] == overview["matches"]
        for path in (f"/matches/{host.id}", f"/matches/{host.id}/"):
            assert (await host.get(path, accept))[1]["matchId"] == host.id
        assert not host.audience.people

    visit(check)


@pytest.mark.parametrize("accept", [BROWSER, "text/html", "text/html;q=0.9,application/json;q=0.8"])
def test_browsers_get_pages(accept: str) -> None:
    async def check(host: Host) -> None:
        for path in ("/", "/matches", "/matches/"):
            kind, text = await host.get(path, accept)
            assert (kind, "/static/host.js" in text) == ("text/html", True)
        for path in (f"/matches/{host.id}", f"/matches/{host.id}/"):
            kind, text = await host.get(path, accept)
            assert (kind, "/static/match.js" in text) == ("text/html", True)
        assert (await host.get("/matches/nobody", accept, 404))[0] == "text/html"
        assert host.audience.people
        assert not host.audience.told(0)  # people look on

    visit(check)


def test_pages_load_nothing_from_elsewhere() -> None:
    async def check(host: Host) -> None:
        for path in ("/", f"/matches/{host.id}", "/static/host.js", f"/api/matches/{host.id}"):
            async with host.session.get(host.origin + path, headers={"Accept": BROWSER}) as response:
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
                assert "script-src 'self'" in response.headers["Content-Security-Policy"]
        async with host.session.get(f"{host.origin}/matches") as response:
            assert response.headers["Access-Control-Allow-Origin"] == "*"
            assert response.headers["Vary"] == "Accept"

    visit(check)


def test_the_data_of_the_page_of_a_match() -> None:
    async def check(host: Host) -> None:
        host.play(2)
        base = f"/api/matches/{host.id}"
        found = (await host.get(base))[1]
        assert found["game"]["roles"] == ["xplayer", "oplayer"]
        assert found["state"]["title"] == "Tic tac toe"
        assert found["state"]["players"] == {"xplayer": "legal", "oplayer": "legal"}
        assert (found["state"]["plies"], found["state"]["result"]) == (2, "running")
        positions = [(await host.get(f"{base}/plies/{ply}"))[1] for ply in (2, 0, 1, 2)]
        assert [one["ply"] for one in positions] == [2, 0, 1, 2]
        assert [len(one["names"]) for one in positions] == [2, 0, 1, 2]
        assert positions[0]["moves"] == list(host.match.record.plies[1].moves)
        assert positions[0]["facts"]
        assert (await host.get(f"{base}/moves"))[1]["moves"] == [list(ply.moves) for ply in host.match.record.plies]
        assert (await host.get(f"{base}/record"))[1]["matchId"] == host.id
        assert (await host.get(f"{base}/thoughts"))[1] == {"thoughts": []}
        how = (await host.get(f"{base}/how"))[1]
        assert how["first"].startswith("Two roles mark the cells")
        assert how["rules"] == host.match.record.rules
        for ply in ("3", "-1", "x", "99999999"):
            assert "no ply" in (await host.get(f"{base}/plies/{ply}", status=404))[1]["error"]
        assert "no match" in (await host.get("/api/matches/nobody", status=404))[1]["error"]

    visit(check)


@pytest.mark.slow
def test_rules_that_cannot_be_drawn_are_an_error_of_that_match_only() -> None:
    async def check(host: Host) -> None:
        host.hosted.open(replace(host.match.record, match_id="broken.1.x", rules="(role", game_name="broken"))
        for _ in range(2):
            assert "unbalanced" in (await host.get("/api/matches/broken.1.x", status=422))[1]["error"]
        assert (await host.get(f"/api/matches/{host.id}/plies/0"))[1]["ply"] == 0

    visit(check)


async def events(host: Host, path: str) -> AsyncIterator[Any]:
    async with host.session.get(host.origin + path) as response:
        async for line in response.content:
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))


def test_news_come_until_all_is_over() -> None:
    async def check(host: Host) -> None:
        seen = []
        async for news in events(host, "/events"):
            assert news["order"][-1] == host.id
            seen.append([(match["matchId"], match["plies"], match["result"]) for match in news["matches"]])
            if len(seen) == 1:
                assert (news["title"], news["over"]) == ("spring", False)
                host.play(1)
            elif len(seen) == 2:
                assert news.keys() == {"matches", "order"}
                other = host.open(DUEL, "duel").record.match_id
            elif len(seen) == 3:
                assert news["order"] == [other, host.id]
                host.play()
            elif len(seen) == 4:
                feed = host.hosted.get(other)
                assert feed is not None
                feed.publish(replace(feed.record, result=Result.ABORTED))
                host.bulletin.publish(over=True)
            else:
                assert news["over"] is True
        plies = len(host.match.record.plies)
        assert seen == [
            [(host.id, 0, "running")],
            [(host.id, 1, "running")],
            [(other, 0, "running")],
            [(host.id, plies, "finished")],
            [(other, 0, "aborted")],
        ]
        states = [state async for state in events(host, f"/api/matches/{host.id}/events")]
        assert [state["result"] for state in states] == ["finished"]

    visit(check)


def test_titles_of_all_games_that_the_page_shows() -> None:
    async def check(host: Host) -> None:
        host.open(DUEL, "spaceDuel")
        host.bulletin.publish(games=["dots_and_boxes"], waiting=[{"game": "connectFour", "players": []}])
        assert (await host.get("/"))[1]["titles"] == {
            "connectFour": "Connect four",
            "dots_and_boxes": "Dots and boxes",
            "spaceDuel": "Space duel",
            "tic_tac_toe": "Tic tac toe",
        }

    visit(check)


@pytest.mark.slow
def test_another_game_has_other_boards() -> None:
    async def check(host: Host) -> None:
        duel = host.open(DUEL, "duel").record.match_id
        assert (await host.get(f"/api/matches/{duel}"))[1]["game"]["roles"] == ["left", "right"]
        assert (await host.get(f"/api/matches/{host.id}"))[1]["game"]["roles"] == ["xplayer", "oplayer"]

    visit(check)
