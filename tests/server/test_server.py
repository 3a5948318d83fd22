"""The web application without a browser: matches, undo, restarts, and everybody who means ill."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from weakref import ref
from xml.etree import ElementTree

import pytest
from aiohttp import ClientSession, ClientTimeout

import gdl
from ggp.match.match import Match
from ggp.match.record import MatchRecord
from ggp.match.record import from_json as record_from_json
from ggp.match.settings import Settings
from ggp.network import host_client
from ggp.network.event_stream import EventStreams
from ggp.network.host import HostedMatches
from ggp.network.host.spectators import serve
from ggp.network.web_server import start
from ggp.players import make_player
from ggp.server.lineup import SetupError, checked_players, checked_settings
from ggp.server.web import watching
from ggp.server.web.app import Site, application
from ggp.server.web.files import Lineup, MatchFiles
from ggp.server.web.game_client import GameClients
from ggp.server.web.matches import Matches
from ggp.server.web.previews import Previews

LIGHT = """
(role robot) (init (light off)) (init (count 0))
(<= (legal robot press) (true (light ?x)))
(<= (legal robot (set ?x)) (value ?x)) (value on) (value off)
(<= (next (light on)) (does robot press)) (<= (next (light ?x)) (does robot (set ?x)))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= terminal (true (count 3))) (<= (goal robot 100) (true (light on))) (<= (goal robot 0) (true (light off)))
"""

#: Derives larger and larger terms as soon as it is asked what is legal.
ENDLESS = """
(role r) (init (x 0)) (<= (number ?n) (true (x ?n))) (<= (number (s ?n)) (number ?n))
(<= (legal r (count ?n)) (number ?n)) (<= terminal (true (x 1))) (goal r 0)
"""

#: Never ends within any patience, but without larger terms: all orders of many things.
EXPLODING = """
(role r) (init (x 0)) {things}
(<= (all {variables}) {conditions})
(<= (legal r go) (all {variables})) (<= (next (x 0)) (does r go)) (<= terminal (true (x 1))) (goal r 0)
"""


def exploding() -> str:
    variables = " ".join(f"?v{n}" for n in range(12))
    things = " ".join(f"(thing {n})" for n in range(12))
    conditions = " ".join(f"(thing ?v{n})" for n in range(12))
    return EXPLODING.format(things=things, variables=variables, conditions=conditions)


class Client:
    """Sends requests to a server."""

    def __init__(self, session: ClientSession, address: str, site: Site) -> None:
        self.session = session
        self.address = address
        self.site = site

    async def get(self, path: str, status: int = 200, **options: Any) -> Any:
        async with self.session.get(self.address + path, **options) as response:
            assert response.status == status, await response.text()
            return await response.json()

    async def post(self, path: str, body: object, status: int = 200, **options: Any) -> Any:
        async with self.session.post(self.address + path, json=body, **options) as response:
            assert response.status == status, await response.text()
            return await response.json()

    async def begin(self, rules: str, players: dict[str, str], **fields: Any) -> str:
        name = (await self.post("/api/games", {"name": "toy", "text": rules}))["name"]
        return str((await self.post("/api/matches", {"game": name, "players": players, **fields}))["id"])

    async def until(self, match: str, ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The state of a match as soon as it is as wanted."""
        async with asyncio.timeout(90):
            live = self.site.matches.get(match)
            state = live.state()
            while not ready(state):
                state = await live.newer(state["version"])
            return state


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Client]:
    site = Site(folder)
    runner = await start(application(site), "127.0.0.1", 0)
    try:
        async with ClientSession(timeout=ClientTimeout(total=120)) as session:
            yield Client(session, f"http://127.0.0.1:{runner.addresses[0][1]}", site)
    finally:
        await runner.cleanup()


def served(folder: Path, visit: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with serving(folder) as client:
            await visit(client)

    asyncio.run(run())


# ------------------------------------------------------------------------------------------ matches


@pytest.mark.slow
def test_a_match_is_played_taken_back_explained_and_survives_a_restart(tmp_path: Path) -> None:
    matches: list[str] = []

    async def first(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"})
        matches.append(match)
        path = f"/api/matches/{match}"
        await client.until(match, lambda state: state["waiting"] == ["robot"])
        await client.post(f"{path}/move", {"role": "robot", "ply": 1, "move": "(set off)"})
        await client.until(match, lambda state: state["plies"] == 1 and bool(state["waiting"]))
        # What is illegal, comes twice or is of nobody is refused, and changes nothing.
        await client.post(f"{path}/move", {"role": "robot", "ply": 2, "move": "(fly away)"}, 409)
        await client.post(f"{path}/move", {"role": "robot", "ply": 1, "move": "press"}, 409)
        await client.post(f"{path}/move", {"role": "nobody", "ply": 2, "move": "press"}, 409)
        await client.post(f"{path}/back", {"ply": 0})
        await client.until(match, lambda state: state["plies"] == 0 and bool(state["waiting"]))
        await client.post(f"{path}/move", {"role": "robot", "ply": 1, "move": "press"})
        await client.until(match, lambda state: state["plies"] == 1 and bool(state["waiting"]))
        position = await client.get(f"{path}/plies/1")
        assert position["facts"] == ["(count 1)", "(light on)"]
        why = await client.post(f"{path}/explain", {"ply": 1, "atom": "(legal robot press)"})
        assert why["holds"]
        assert any("(true (light on))" in line[1] for line in why["lines"])
        await client.get(f"{path}/plies/2", 404)

    async def second(client: Client) -> None:
        (match,) = matches
        path = f"/api/matches/{match}"
        state = (await client.get(path))["state"]
        assert (state["plies"], state["result"]) == (1, "running")
        for ply in (2, 3):
            await client.until(match, lambda state, ply=ply: state["plies"] == ply - 1 and bool(state["waiting"]))
            await client.post(f"{path}/move", {"role": "robot", "ply": ply, "move": "press"})
        state = await client.until(match, lambda state: state["result"] == "finished")
        assert state["goals"] == [100]
        assert (await client.get(f"{path}/moves"))["moves"] == [["press"]] * 3
        record = await client.get(f"{path}/record")
        sent = await client.post("/api/records", record)
        assert (await client.get(f"/api/matches/{sent['id']}"))["state"]["plies"] == 3

    served(tmp_path, first)
    served(tmp_path, second)


@pytest.mark.slow
def test_how_to_play_and_the_board_after_a_move(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"})
        path = f"/api/matches/{match}"
        how = await client.get(f"{path}/how")
        assert how["rules"] == LIGHT
        assert "robot plays alone." in how["sections"][0]["lines"]
        assert how == await client.get("/api/games/sent/toy/how.json")
        await client.get("/api/games/nothing/how.json", 404)
        await client.get("/api/matches/nothing/how", 404)
        after = await client.post(f"{path}/after", {"ply": 0, "role": "robot", "move": "press"})
        assert after["certain"]
        await client.post(f"{path}/after", {"ply": 0, "role": "robot", "move": "(fly away)"}, 400)
        await client.post(f"{path}/after", {"ply": 0, "role": "nobody", "move": "press"}, 400)
        await client.post(f"{path}/after", {"ply": 1, "role": "robot", "move": "press"}, 400)
        await client.post(f"{path}/after", {"role": "robot", "move": "press"}, 400)

    served(tmp_path, visit)


@pytest.mark.slow
def test_when_the_answers_of_programs_are_due(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        players = {"xplayer": "mcts", "oplayer": "mcts"}
        timed = {"game": "classics/tic_tac_toe", "players": players, "play_clock": 1.5, "max_plies": 2}
        match = (await client.post("/api/matches", timed))["id"]
        began = time.time()
        state = await client.until(match, lambda state: state["plies"] == 1 and state["until"] is not None)
        assert state["waiting"] == []
        assert began < state["until"] < time.time() + 1.6
        await client.until(match, lambda state: state["result"] != "running")
        assert client.site.matches.get(match).state()["until"] is None

    served(tmp_path, visit)


def test_pictures_are_kept_across_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    async def visit(client: Client) -> None:
        async with client.session.get(f"{client.address}/api/games/wolf_sheep/board.svg") as response:
            assert response.status == 200
            seen.append(await response.text())

    async def refused(*_: Any) -> dict[str, Any]:
        raise AssertionError("a picture is drawn again")

    served(tmp_path, visit)
    monkeypatch.setattr(Previews, "_ask", refused)
    served(tmp_path, visit)
    assert seen[0] == seen[1]
    assert seen[0].startswith("<svg")


@pytest.mark.slow
def test_a_person_resigns(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"})
        path = f"/api/matches/{match}"
        await client.until(match, lambda state: state["waiting"] == ["robot"])
        await client.post(f"{path}/resign", {"role": "nobody"}, 409)
        await client.post(f"{path}/resign", {}, 400)
        await client.post(f"{path}/resign", {"role": "robot"})
        state = await client.until(match, lambda state: state["result"] != "running")
        assert (state["result"], state["resigned"], state["goals"]) == ("resigned", ["robot"], [0])
        await client.post(f"{path}/resign", {"role": "robot"}, 409)

    served(tmp_path, visit)


@pytest.mark.slow
def test_events_tell_how_a_match_stands(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "legal"})
        await client.until(match, lambda state: state["result"] == "finished")
        async with client.session.get(f"{client.address}/api/matches/{match}/events") as response:
            line = await response.content.readline()
        assert json.loads(line.removeprefix(b"data: "))["plies"] == 3

    served(tmp_path, visit)


@pytest.mark.slow
def test_a_thousand_streams_and_no_more(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        client.site.streams = EventStreams(most=200)
        match = await client.begin(LIGHT, {"robot": "human"})
        address = f"{client.address}/api/matches/{match}/events"
        async with ClientSession(connector=None, timeout=ClientTimeout(total=120)) as crowd:
            crowd.connector._limit = 0  # type: ignore[union-attr]
            streams = [await crowd.get(address) for _ in range(200)]
            assert all(stream.status == 200 for stream in streams)
            async with crowd.get(address) as refused:
                assert refused.status == 503
            # Others are served meanwhile, and room that is left is given to the next.
            await client.get("/api/games")
            for stream in streams:
                stream.close()
            await client.post(f"/api/matches/{match}/move", {"role": "robot", "ply": 1, "move": "press"})
            await client.until(match, lambda state: state["plies"] == 1)

        async with asyncio.timeout(60):
            while client.site.streams.open:
                await asyncio.sleep(0.05)

    served(tmp_path, visit)


@pytest.mark.slow
def test_a_match_at_a_host_is_watched_while_it_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_PAUSE", 0.05)
    reading: set[str] = set()

    def from_json(*arguments: Any) -> MatchRecord:
        reading.add(threading.current_thread().name)
        return record_from_json(*arguments)

    monkeypatch.setattr(host_client, "from_json", from_json)
    game = gdl.Reasoner(LIGHT)
    match = Match(game, {"robot": make_player("legal")}, Settings(seed=1), name="nightLight")

    async def visit(client: Client) -> None:
        hosted = HostedMatches()
        host, _ = await serve(hosted, "127.0.0.1", 0)
        try:
            feed = hosted.open(match.record)
            origin = f"127.0.0.1:{host.addresses[0][1]}"
            address = f"{origin}/matches/{match.record.match_id}"
            watched = (await client.post("/api/watch", {"url": f"http://{address}"}))["id"]
            for pasted in (f"{address}/", f"http://{address}/events", f" {origin} ", f"http://{origin}/matches/"):
                again = (await client.post("/api/watch", {"url": pasted}))["id"]
                assert (await client.get(f"/api/matches/{again}"))["state"]["source"] == f"http://{address}"
            for number, _ in enumerate(match.plies(), 1):
                feed.publish(match.record)
                await client.until(watched, lambda state, number=number: state["plies"] == number)
            feed.publish(match.record)
            state = await client.until(watched, lambda state: state["result"] == "finished")
            assert state["players"] == {"robot": "legal"}
            assert state["title"] == "Night light"
            position = await client.get(f"/api/matches/{watched}/plies/3")
            assert position["terminal"]
            await client.post(f"/api/matches/{watched}/move", {"role": "robot", "ply": 1, "move": "press"}, 409)
        finally:
            await host.cleanup()
        for url in ("file:///etc/passwd", "http://127.0.0.1:1/matches/x", "http://127.0.0.1/other", "no address"):
            await client.post("/api/watch", {"url": url}, 400)

    served(tmp_path, visit)
    assert reading
    assert "MainThread" not in reading  # reading the largest records takes seconds, in which others are answered


# ------------------------------------------------------------------------------------------ who means ill


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8000"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_other_sites_are_refused(tmp_path: Path, headers: dict[str, str]) -> None:
    async def visit(client: Client) -> None:
        answer = await client.get("/api/games", 403, headers=headers)
        assert set(answer) == {"error"}
        await client.post("/api/matches", {"game": "wolf_sheep"}, 403, headers=headers)

    served(tmp_path, visit)


def test_links_of_other_sites_may_be_followed(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        async with client.session.get(client.address, headers=headers) as response:
            assert response.status == 200

    served(tmp_path, visit)


def test_forms_of_other_sites_change_nothing(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        body = json.dumps({"game": "wolf_sheep"})
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            headers = {"Content-Type": kind}
            async with client.session.post(f"{client.address}/api/matches", data=body, headers=headers) as response:
                assert response.status == 403
        assert (await client.get("/api/matches"))["matches"] == []

    served(tmp_path, visit)


def test_every_response_says_what_pages_may_do(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        for path in ("/", "/static/match.js", "/api/games", "/nothing", "/match/x", "/new/wolf_sheep"):
            async with client.session.get(client.address + path) as response:
                assert "default-src 'none'" in response.headers["Content-Security-Policy"]
                assert "unsafe" not in response.headers["Content-Security-Policy"]
                assert response.headers["X-Content-Type-Options"] == "nosniff"
                assert "Access-Control-Allow-Origin" not in response.headers

    served(tmp_path, visit)


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/../app.py",
        "/static/page.css%00",
        "/api/games/..%2f..%2fpyproject",
        "/api/games/%2fetc%2fpasswd",
        "/api/matches/..%2f..%2fx",
        "/api/matches/..%2f..%2fx/record",
        "/api/matches/no-such-match",
        "/api/matches/A/plies/1",
        "/ggp/server/web/app.py",
    ],
)
def test_nothing_is_served_that_was_not_asked_for(tmp_path: Path, path: str) -> None:
    async def visit(client: Client) -> None:
        from yarl import URL

        async with client.session.get(URL(client.address + path, encoded=True)) as response:
            assert response.status == 404
            assert b"import" not in await response.read()

    served(tmp_path, visit)


def test_names_of_sent_rules_are_no_paths(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        for name in ("../evil", "a/b", ".hidden", "", "x" * 200, "nul\0", "a b", "\u202egnp"):
            await client.post("/api/games", {"name": name, "text": LIGHT}, 400)
            assert not (tmp_path / "rules").exists() or not list((tmp_path / "rules").iterdir()), name

    served(tmp_path, visit)


def test_what_is_too_large_or_no_object_is_refused(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        large = io.BytesIO(json.dumps({"name": "big", "text": "x" * (5 << 20)}).encode())
        headers = {"Content-Type": "application/json"}
        async with client.session.post(f"{client.address}/api/games", data=large, headers=headers) as response:
            assert response.status == 413
        for body in ([], "text", 7, {}):
            await client.post("/api/games", body, 400)
        async with client.session.post(f"{client.address}/api/games", data=b"[" * 100_000, headers=headers) as response:
            assert response.status == 400

    served(tmp_path, visit)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(ENDLESS, id="larger terms"),
        pytest.param(exploding(), id="many orders", marks=pytest.mark.slow),
    ],
)
def test_rules_without_an_end_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str) -> None:
    monkeypatch.setenv("GGP_SERVE_SECONDS", "2")

    async def visit(client: Client) -> None:
        answers = await asyncio.gather(
            client.session.post(f"{client.address}/api/games", json={"name": "endless", "text": rules}),
            client.get("/api/games"),  # others are served meanwhile
        )
        status, text = answers[0].status, await answers[0].text()
        if status == 200:  # the rules themselves were read in time: what they lack is told where they are played
            name = json.loads(text)["name"]
            async with client.session.get(f"{client.address}/api/games/{name}") as preview:
                status, text = preview.status, await preview.text()
        if status == 200:
            assert "endless" in json.loads(text)["position"]["fault"]
        else:
            assert status == 422
            assert "never come to an end" in text

    served(tmp_path, visit)


def test_mistakes_in_rules_are_told_with_their_places(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        answer = await client.post("/api/games", {"name": "broken", "text": "(role a)\n(<= (legal a (m ?x)))"}, 400)
        assert "broken.kif:2:" in answer["error"]
        assert (await client.get("/api/games"))["games"][-1]["name"] != "sent/broken"

    served(tmp_path, visit)


def test_script_in_names_stays_text(tmp_path: Path) -> None:
    rules = LIGHT.replace("robot", "<img/src=x/onerror=alert(1)>".replace("(1)", "")).replace("light", "&<b>")

    async def visit(client: Client) -> None:
        name = (await client.post("/api/games", {"name": "script", "text": rules}))["name"]
        async with client.session.get(f"{client.address}/api/games/{name}/board.svg") as response:
            text = await response.text()
            assert "<img" not in text
            assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")

    served(tmp_path, visit)


@pytest.mark.parametrize(
    "player", ["/tmp/evil.py:Player", "os:system", "mcts(a=__import__)", "file:///etc", "http://x/y?z", ""]
)
def test_no_code_and_no_file_can_be_named_as_a_player(player: str) -> None:
    with pytest.raises(SetupError):
        checked_players({"white": player}, ["white", "black"])


def test_players_and_settings() -> None:
    assert checked_players({"white": "mcts(simulations=100)"}, ["white", "black"]) == {
        "white": "mcts(simulations=100)",
        "black": "auto",
    }
    assert checked_settings({}, {"a": "http://localhost:9147"}, 1)["play_clock"] == 10.0
    assert checked_settings({"play_clock": 2.5}, {"a": "human"}, 1)["play_clock"] == 2.5
    for fields in ({"play_clock": -1}, {"play_clock": True}, {"max_plies": 0}, {"seed": "1"}, {"start_clock": 1e9}):
        with pytest.raises(SetupError):
            checked_settings(fields, {"a": "human"}, 1)


def test_matches_that_nobody_uses_leave_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.server.web.matches._RECENT", 3)
    files = MatchFiles(tmp_path)
    matches = Matches(files, GameClients())
    created = [matches.create(Lineup(f"game{number}", "", "", "", {})).id for number in range(10)]
    used = matches.get(created[0])
    watched = [ref(matches.get(match)) for match in created]
    gc.collect()
    assert [known() is not None for known in watched] == [True, *[False] * 6, *[True] * 3]
    assert matches.get(created[0]) is used


def test_a_match_is_saved_as_an_animation(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        players = {"xplayer": "legal", "oplayer": "legal"}
        match = (await client.post("/api/matches", {"game": "classics/tic_tac_toe", "players": players}))["id"]
        state = await client.until(match, lambda state: state["result"] == "finished")
        async with client.session.get(f"{client.address}/api/matches/{match}/film.svg") as response:
            drawing = ElementTree.fromstring(await response.text())
        assert len([one for one in drawing.iter() if one.get("class", "").startswith("f f")]) == state["plies"] + 1

    served(tmp_path, visit)


def test_matches_are_deleted(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"})
        await client.until(match, lambda state: bool(state["waiting"]))
        await client.post(f"/api/matches/{match}/delete", {})
        await client.get(f"/api/matches/{match}", 404)
        assert (await client.get("/api/matches"))["matches"] == []
        assert not [path for path in (tmp_path / "matches").iterdir() if path.name.startswith(match)]

    served(tmp_path, visit)
