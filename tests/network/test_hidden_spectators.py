"""Spectators of a game with hidden information see its moves when the match is over; remote players, never."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from support.remote_players import in_play, server

import gdl
from ggp.match.match import Match
from ggp.match.record import from_json
from ggp.match.recorded_play import play_recorded
from ggp.match.settings import Settings
from ggp.network.host import Address, Bulletin, HostedMatches, Monitor, Network, RemotePlayer
from ggp.players import make_player
from ggp.rules.shipped_games import find_game
from ggp.server.web.host_pages import serve

#: With these seeds, alice gets a jack, and bob a queen or a king.
SEEDS = {"queen": 1, "king": 7}

ROLES = ("alice", "bob")


def kuhn() -> gdl.Reasoner:
    return gdl.Reasoner.load(find_game("kuhn_poker"))


class Host:
    """A host of one match, of which all bytes are collected."""

    def __init__(self, session: aiohttp.ClientSession, origin: str, hosted: HostedMatches, seed: int) -> None:
        self.session = session
        self.origin = origin
        game = kuhn()
        players = {role: make_player("legal") for role in ROLES}
        self.match = Match(game, players, Settings(seed=seed), name="kuhn_poker")
        self.feed = hosted.open(self.match.record, hidden=True)
        self.plies = play_recorded(self.match, tell=self.feed.publish)
        self.id = self.match.record.match_id

    async def get(self, path: str) -> tuple[int, str]:
        async with self.session.get(self.origin + path) as response:
            return response.status, self.anonymous(await response.text())

    async def stream(self, path: str) -> str:
        """What an event stream sends at once."""
        found = b""
        async with self.session.get(self.origin + path) as response:
            while True:
                try:
                    found += await asyncio.wait_for(response.content.readany(), 0.6)
                except TimeoutError:
                    return self.anonymous(found.decode())
                if response.content.at_eof():
                    return self.anonymous(found.decode())

    def anonymous(self, text: str) -> str:
        """Remove what differs between any two matches."""
        record = self.match.record
        text = text.replace(self.id, "MATCH").replace(record.random_token, "TOKEN")
        return re.sub(r'("(?:startTime|stateTime)": |"stateTimes": \[)\d+', r"\g<1>0", text)

    async def everything(self) -> list[tuple[int, str]]:
        api = f"/api/matches/{self.id}"
        paths = ["/", "/matches", f"/matches/{self.id}", api]
        paths += [f"{api}/{part}" for part in ("plies/0", "plies/1", "plies/3", "moves", "thoughts", "record")]
        found = [await self.get(path) for path in paths]
        streams = ["/events", f"/matches/{self.id}/events", f"{api}/events"]
        return found + [(200, await self.stream(path)) for path in streams]


def visit(seed: int, check: Callable[[Host], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        hosted = HostedMatches()
        async with asyncio.timeout(120), aiohttp.ClientSession() as session:
            runner, _ = await serve(hosted, Bulletin("poker", 1), "127.0.0.1", 0)
            host = Host(session, f"http://127.0.0.1:{runner.addresses[0][1]}", hosted, seed)
            try:
                return await check(host)
            finally:
                host.plies.close()
                await runner.cleanup()

    return asyncio.run(run())


@pytest.mark.slow
def test_two_matches_with_other_hidden_cards_look_the_same() -> None:
    async def check(host: Host) -> list[tuple[int, str]]:
        for _ in range(2):
            next(host.plies)
        found = await host.everything()
        statuses = [status for status, _ in found]
        assert statuses == [200] * 5 + [403, 403, 200, 200, 403] + [200] * 3
        assert "shown when it is over" in found[5][1]
        summary = json.loads((await host.get("/matches"))[1])[0]
        assert (summary["plies"], summary["concealed"], summary["result"]) == (2, True, "running")
        state = json.loads((await host.get(f"/api/matches/{host.id}"))[1])["state"]
        assert (state["view"], state["plies"], state["last"], state["settings"]["seed"]) == ("public", 2, [], None)
        record = from_json(json.loads((await host.get(f"/matches/{host.id}"))[1]))
        assert (record.plies, record.seed, record.over) == ((), None, False)
        return found

    found = {card: visit(seed, check) for card, seed in SEEDS.items()}
    assert found["queen"] == found["king"]
    for number, (_, text) in enumerate(found["queen"]):
        if number != 2:  # the record has the rules, which name all cards
            assert not re.search("jack|queen|king", text)


def test_everything_is_shown_when_the_match_is_over() -> None:
    async def check(host: Host) -> None:
        next(host.plies)
        reading = asyncio.create_task(host.stream(f"/matches/{host.id}/events"))
        for _ in host.plies:
            pass
        text = await reading
        assert [int(ply) for ply in re.findall(r"^id: (\d+)$", text, re.MULTILINE)] == [0, 1, 2, 3]
        assert "(deal jack queen)" in text
        assert "event: end" in text
        record = from_json(json.loads((await host.get(f"/matches/{host.id}"))[1]))
        assert (len(record.plies), record.seed) == (3, 1)
        summary = json.loads((await host.get("/matches"))[1])[0]
        assert "concealed" not in summary
        for path in ("record", "plies/3", "moves"):
            status, text = await host.get(f"/api/matches/{host.id}/{path}")
            assert (status, "deal" in text or "hand" in text) == (200, True)
        assert '"view": "whole"' in (await host.get(f"/api/matches/{host.id}"))[1]

    visit(SEEDS["queen"], check)


@pytest.mark.parametrize("name", ["kuhn_poker", "tic_tac_toe"])
def test_the_monitor_knows_which_matches_to_conceal(name: str) -> None:
    game = gdl.Reasoner.load(find_game(name))
    players = {role: make_player("random") for role in game.roles if role != "random"}
    hosted = HostedMatches()
    with Monitor(hosted) as monitor:
        record = monitor.play(Match(game, players, Settings(seed=1))).result(60)
    feed = hosted.get(record.match_id)
    assert feed is not None
    assert feed.public(record) is record
    running = record.before(1)
    assert len(feed.public(running).plies) == (0 if name == "kuhn_poker" else 1)


def test_messages_to_a_player_are_the_same_whatever_it_does_not_see() -> None:
    heard = {}
    with Network() as network:
        for card, seed in SEEDS.items():
            with server(in_play(lambda talk: talk.say("bet" if talk.message.endswith("(jack))") else "noop"))) as alice:
                players = {
                    "alice": RemotePlayer(Address("127.0.0.1", alice.port), network),
                    "bob": make_player("legal"),
                }
                match = Match(kuhn(), players, Settings(seed=seed, start_clock=10, play_clock=10))
                with match:
                    for _ in match.plies():
                        pass
                assert match.record.plies[0].moves[2] == f"(deal jack {card})"
                heard[card] = [text.replace(match.record.match_id, "MATCH") for text in alice.heard]
    assert heard["queen"] == heard["king"]
    assert heard["queen"][1:] == [
        "(PLAY MATCH NIL)",
        "(PLAY MATCH (jack))",
        "(PLAY MATCH ())",
        "(STOP MATCH ((did bob call)))",
    ]
