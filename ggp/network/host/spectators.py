"""Matches for spectators, over HTTP: lists and records as JSON, and states as they happen. Loads aiohttp.

    GET /matches              summaries of the matches, newest first
    GET /matches/ID           the record of a match, as in its file
    GET /matches/ID/events    an event stream: one `state` for each past and future state, then one `end`

`ggp.server.web.host_pages` adds pages for people at the same addresses.

In a game with hidden information, all states after the first come when the match is over; until then the record has no
plies and no seed. Summaries have the number of plies, and `concealed`.

The data of a `state` has the fields of a record, for one ply: ply (0 is the start), state, stateTime and errors; after
a ply also moves, timesUsed and legalMoveCounts. Its identifier is the ply, so that a reader that lost the connection
continues where it was. The data of `end` has result, isCompleted, isAborted, goalValues and the like.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final, final

from aiohttp import web
from aiohttp.typedefs import Handler

from ggp.match.record import MatchRecord, ply_to_json, to_json
from ggp.network.event_stream import EventStreams, event, last_number
from ggp.network.host.feed import Feed
from ggp.network.host.hosted_matches import HostedMatches
from ggp.network.web_server import start

#: Web pages of any origin may read the answers.
OPEN_TO_ALL: Final[Mapping[str, str]] = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}

#: The fields of a match in lists, and in its `end` event.
_SHORT: Final = ("matchId", "gameName", "gameRoleNames", "playerNamesFromHost", "startTime", "startClock", "playClock")
_END: Final = ("result", "isCompleted", "isAborted", "goalValues", "disqualified", "resigned", "rulesError")

_HOSTED: Final = web.AppKey("hosted-matches", HostedMatches)

#: Seconds between two requests of a spectator that asks again and again, at most; `ggp serve` asks every second.
_BETWEEN: Final = 3.0


@final
@dataclass(slots=True)
class Audience:
    """Those who watch: `asked` is the `time.monotonic()` of the last request, None before the first one.

    `people` is true once a page was sent: people look at it for longer than programs.
    """

    streams: EventStreams = field(default_factory=EventStreams)
    asked: float | None = None
    people: bool = False

    def told(self, since: float) -> bool:
        """Return True if all who have watched know by now what has been so since some moment, and need nothing more."""
        if self.people:
            return False
        if self.asked is None:
            return True
        return not self.streams.open and time.monotonic() - max(self.asked, since) > _BETWEEN


def add_routes(application: web.Application, hosted: HostedMatches) -> Audience:
    """Serve the hosted matches as part of an application. Returns those who watch."""
    application[_HOSTED] = hosted
    audience = Audience()
    streams = audience.streams

    @web.middleware
    async def noticed(request: web.Request, handler: Handler) -> web.StreamResponse:
        audience.asked = time.monotonic()
        return await handler(request)

    application.middlewares.append(noticed)

    async def events(request: web.Request) -> web.StreamResponse:
        if streams.full:
            raise web.HTTPServiceUnavailable(text="too many spectators", headers=OPEN_TO_ALL)
        return await streams.answer(request, _messages(_feed(request), last_number(request)), OPEN_TO_ALL)

    application.add_routes(
        [
            web.get("/matches", _matches),
            web.get("/matches/", _matches),
            web.get("/matches/{id}", _match),
            web.get("/matches/{id}/", _match),
            web.get("/matches/{id}/events", events, allow_head=False),
        ]
    )
    return audience


async def serve(hosted: HostedMatches, host: str, port: int) -> tuple[web.AppRunner, Audience]:
    """Serve the hosted matches at an address until `cleanup()` of the returned runner. Raises OSError.

    `runner.addresses` has the actual address, as port 0 picks any free port.
    """
    application = web.Application()
    audience = add_routes(application, hosted)
    return await start(application, host, port), audience


async def _matches(request: web.Request) -> web.Response:
    return _json([in_short(feed) for feed in request.app[_HOSTED].feeds()])


async def _match(request: web.Request) -> web.Response:
    feed = _feed(request)
    return _json(to_json(feed.public(feed.record)))


async def _messages(feed: Feed, seen: int) -> AsyncGenerator[bytes]:
    """Yield the states of a match after the ply `seen` as they come, then its end."""
    async with aclosing(feed.records()) as records:
        async for newest in records:
            record = feed.public(newest)
            for ply in range(seen + 1, len(record.plies) + 1):
                yield event(_state(record, ply), "state", ply)
            seen = len(record.plies)
    yield event({name: value for name, value in to_json(feed.record).items() if name in _END}, "end")


def _feed(request: web.Request) -> Feed:
    feed = request.app[_HOSTED].get(request.match_info["id"])
    if feed is None:
        raise web.HTTPNotFound(text="no match has this identifier", headers=OPEN_TO_ALL)
    return feed


def in_short(feed: Feed) -> dict[str, Any]:
    """Return the summary of a match for lists; `concealed` is true while its plies are not public."""
    record = feed.record
    fields = to_json(replace(record, plies=()))
    counted = {"plies": len(record.plies)} | ({"concealed": True} if feed.public(record) is not record else {})
    return {name: fields[name] for name in (*_SHORT, *_END) if name in fields} | counted


def _state(record: MatchRecord, number: int) -> dict[str, Any]:
    """Return the data of a state's event."""
    if number:
        return ply_to_json(number, record.plies[number - 1])
    return {
        "ply": 0,
        "state": record.initial_state,
        "stateTime": record.start_time,
        "errors": record.initial_errors,
    }


def _json(value: object) -> web.Response:
    return web.json_response(value, headers=OPEN_TO_ALL)
