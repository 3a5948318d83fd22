"""Spectators: lists and records as JSON, states as they happen, and nobody who delays a match."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from support.remote_players import DUEL
from support.toy_players import Scripted
from support.toy_rules import ENDLESS

import gdl
from ggp.match.match import Match
from ggp.match.record import Result, to_json
from ggp.match.recorded_play import play_recorded
from ggp.match.settings import Settings
from ggp.network.host import Feed, HostedMatches, Monitor, Network
from ggp.network.host.spectators import serve

SETTINGS = Settings(seed=1, max_plies=500)

#: Seconds that a test waits for what ought to come at once.
PATIENCE = 30.0


class Theatre:
    """A served match that advances by one ply whenever a test says so."""

    def __init__(self, hosted: HostedMatches, port: int, rules: str) -> None:
        self.hosted = hosted
        self.port = port
        game = gdl.Reasoner(rules)
        self.match = Match(game, {role: Scripted() for role in game.roles}, SETTINGS, name="duel")
        self.feed = hosted.open(self.match.record)
        self._plies = play_recorded(self.match, tell=self.feed.publish)
        self._open = ExitStack()

    def play(self, plies: int = 1) -> None:
        for _ in range(plies):
            next(self._plies, None)

    def finish(self) -> None:
        for _ in self._plies:
            pass

    def break_off(self) -> None:
        self._plies.close()

    def close(self) -> None:
        self.break_off()
        self._open.close()

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self._open.callback(connection.close)
        connection.request("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        return self._open.enter_context(connection.getresponse())

    def json(self, path: str) -> Any:
        response = self.get(path)
        assert response.status == 200
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        return json.loads(response.read())

    def events(self, **headers: str) -> Iterator[tuple[str, str, Any]]:
        """Name, identifier and data of each event, as it comes."""
        response = self.get(f"/matches/{self.match.record.match_id}/events", **headers)
        assert response.headers["Content-Type"] == "text/event-stream"
        fields: dict[str, str] = {}
        for line in response:
            name, colon, value = line.decode().rstrip("\n").partition(": ")
            if colon:
                fields[name] = value
            elif fields:
                yield fields["event"], fields.get("id", ""), json.loads(fields["data"])
                fields = {}


@pytest.fixture(scope="module")
def hosted() -> HostedMatches:
    return HostedMatches()


@pytest.fixture(scope="module")
def port(hosted: HostedMatches) -> Iterator[int]:
    with Network("spectators") as network:
        runner, _ = network.start(serve(hosted, "127.0.0.1", 0)).result(PATIENCE)
        yield runner.addresses[0][1]
        network.start(runner.cleanup()).result(PATIENCE)


@pytest.fixture
def theatre(hosted: HostedMatches, port: int) -> Iterator[Theatre]:
    running = Theatre(hosted, port, DUEL)
    yield running
    running.close()


def test_a_list_of_matches(theatre: Theatre) -> None:
    theatre.play(2)
    first = theatre.json("/matches")[0]
    record = theatre.match.record
    assert first == {
        "matchId": record.match_id,
        "gameName": "duel",
        "gameRoleNames": ["left", "right"],
        "playerNamesFromHost": ["scripted", "scripted"],
        "startTime": record.start_time,
        "startClock": 0,
        "playClock": 0,
        "result": "running",
        "isCompleted": False,
        "isAborted": False,
        "plies": 2,
    }
    theatre.finish()
    assert theatre.json("/matches")[0]["goalValues"] == [50, 50]


def test_the_record_of_a_match(theatre: Theatre) -> None:
    for _ in range(6):
        theatre.play()
        shown = theatre.json(f"/matches/{theatre.match.record.match_id}")
        assert shown == json.loads(json.dumps(to_json(theatre.match.record)))


def test_what_is_not_there(theatre: Theatre) -> None:
    for path in ("/matches/nobody", "/matches/nobody/events", "/", "/matches/../secret"):
        assert theatre.get(path).status == 404


def test_states_as_they_happen(theatre: Theatre) -> None:
    events = theatre.events()
    theatre.play()
    name, number, data = next(events)
    assert (name, number) == ("state", "0")
    assert data["state"] == theatre.match.record.initial_state
    for ply in range(1, 5):
        name, number, data = next(events)
        assert (name, number, data["ply"]) == ("state", str(ply), ply)
        assert data["moves"] == ["a", "a"]
        assert data["state"] == theatre.match.record.plies[ply - 1].state
        theatre.play()
    name, number, data = next(events)
    assert (name, number) == ("end", "")
    assert data == {"result": "finished", "isCompleted": True, "isAborted": False, "goalValues": [50, 50]}
    assert next(events, None) is None


def test_a_reader_who_was_cut_off_goes_on_where_it_was(theatre: Theatre) -> None:
    theatre.finish()
    assert [number for _, number, _ in theatre.events(Last_Event_ID="2")] == ["3", "4", ""]
    assert [number for _, number, _ in theatre.events(Last_Event_ID="nonsense")] == ["0", "1", "2", "3", "4", ""]


def test_who_comes_late_sees_everything(theatre: Theatre) -> None:
    theatre.finish()
    assert [name for name, _, _ in theatre.events()] == ["state"] * 5 + ["end"]


def test_a_match_that_is_broken_off_ends_the_stream(theatre: Theatre) -> None:
    theatre.play(2)
    events = theatre.events()
    theatre.break_off()
    *_, (name, _, data) = events
    assert (name, data["result"], data["isAborted"]) == ("end", "aborted", True)


def test_spectators_who_do_not_read_delay_nothing(hosted: HostedMatches, port: int) -> None:
    # States of 20 kB, so that what is not read fills every buffer.
    rules = ENDLESS.replace("(light on)", f"(light {'on' * 10_000})")
    theatre = Theatre(hosted, port, rules)
    request = f"GET /matches/{theatre.match.record.match_id}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    stuck = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    try:
        for connection in stuck:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request)
        began = time.monotonic()
        theatre.finish()
        seconds = time.monotonic() - began
        assert theatre.match.record.result is Result.UNFINISHED
        assert len(theatre.match.record.plies) == 500
        assert seconds < PATIENCE
        # Who reads is served all the same.
        assert [name for name, _, _ in theatre.events()] == ["state"] * 501 + ["end"]
    finally:
        for connection in stuck:
            connection.close()
        theatre.close()


def test_spectators_of_matches_side_by_side(hosted: HostedMatches, port: int) -> None:
    game = gdl.Reasoner(DUEL)
    with Monitor(hosted) as monitor:
        gate = threading.Event()

        def move(turn: Any) -> object:
            gate.wait(PATIENCE)
            return turn.legal[0]

        matches = [
            Match(game, {"left": Scripted(move), "right": Scripted()}, SETTINGS, deriving=monitor.deriving)
            for _ in range(5)
        ]
        futures = [monitor.play(match) for match in matches]
        seen: dict[str, list[str]] = {}

        def follow(match: Match) -> None:
            theatre = Theatre(HostedMatches(), port, DUEL)
            theatre.match = match
            seen[match.record.match_id] = [name for name, _, _ in theatre.events()]
            theatre.close()

        while any(hosted.get(match.record.match_id) is None for match in matches):
            time.sleep(0.01)
        threads = [threading.Thread(target=follow, args=[match]) for match in matches for _ in range(2)]
        for thread in threads:
            thread.start()
        gate.set()
        for future in futures:
            future.result(PATIENCE)
        for thread in threads:
            thread.join(PATIENCE)
    assert list(seen.values()) == [["state"] * 5 + ["end"]] * 5


def test_a_feed_that_is_left_has_no_listeners(theatre: Theatre) -> None:
    theatre.finish()
    list(theatre.events())
    deadline = time.monotonic() + PATIENCE
    while theatre.feed._listeners and time.monotonic() < deadline:
        time.sleep(0.01)
    assert isinstance(theatre.feed, Feed)
    assert not theatre.feed._listeners
