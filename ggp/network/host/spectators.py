"""Matches for spectators, over HTTP: lists and records as JSON, and states as they happen. Loads aiohttp.

    GET /matches              summaries of the matches, newest first
    GET /matches/ID           the record of a match, as in its file
    GET /matches/ID/events    an event stream: one `state` for each past and future state, then one `end`

The data of a `state` has the fields of a record, for one ply: ply (0 is the start), state, stateTime and errors; after
a ply also moves, timesUsed and legalMoveCounts. Its identifier is the ply, so that a reader that lost the connection
continues where it was. The data of `end` has result, isCompleted, isAborted, goalValues and the like.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from aiohttp import web

from ggp.match.record import MatchRecord, ply_to_json, to_json
from ggp.network.event_stream import EventStreams, event, last_number
from ggp.network.host.feed import Feed
from ggp.network.host.hosted_matches import HostedMatches
from ggp.network.web_server import start

#: Web pages of any origin may read the answers.
_HEADERS: Final[Mapping[str, str]] = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}

#: The fields of a match in lists, and in its `end` event.
_SHORT: Final = ("matchId", "gameName", "gameRoleNames", "playerNamesFromHost", "startTime", "startClock", "playClock")
_END: Final = ("result", "isCompleted", "isAborted", "goalValues", "disqualified", "resigned", "rulesError")

_HOSTED: Final = web.AppKey("hosted-matches", HostedMatches)


def add_routes(application: web.Application, hosted: HostedMatches) -> None:
    """Serve the hosted matches as part of an application."""
    application[_HOSTED] = hosted
    streams = EventStreams()

    async def events(request: web.Request) -> web.StreamResponse:
        if streams.full:
            raise web.HTTPServiceUnavailable(text="too many spectators", headers=_HEADERS)
        return await streams.answer(request, _messages(_feed(request), last_number(request)), _HEADERS)

    application.add_routes(
        [
            web.get("/matches", _matches),
            web.get("/matches/{id}", _match),
            web.get("/matches/{id}/events", events, allow_head=False),
        ]
    )


async def serve(hosted: HostedMatches, host: str, port: int) -> web.AppRunner:
    """Serve the hosted matches at an address until `cleanup()` of the returned runner. Raises OSError.

    `runner.addresses` has the actual address, as port 0 picks any free port.
    """
    application = web.Application()
    add_routes(application, hosted)
    return await start(application, host, port)


async def _matches(request: web.Request) -> web.Response:
    return _json([_in_short(feed.record) for feed in request.app[_HOSTED].feeds()])


async def _match(request: web.Request) -> web.Response:
    return _json(to_json(_feed(request).record))


async def _messages(feed: Feed, seen: int) -> AsyncGenerator[bytes]:
    """Yield the states of a match after the ply `seen` as they come, then its end."""
    async with aclosing(feed.records()) as records:
        async for record in records:
            for ply in range(seen + 1, len(record.plies) + 1):
                yield event(_state(record, ply), "state", ply)
            seen = len(record.plies)
    yield event({name: value for name, value in to_json(feed.record).items() if name in _END}, "end")


def _feed(request: web.Request) -> Feed:
    feed = request.app[_HOSTED].get(request.match_info["id"])
    if feed is None:
        raise web.HTTPNotFound(text="no match has this identifier", headers=_HEADERS)
    return feed


def _in_short(record: MatchRecord) -> dict[str, Any]:
    fields = to_json(replace(record, plies=()))
    return {name: fields[name] for name in (*_SHORT, *_END) if name in fields} | {"plies": len(record.plies)}


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
    return web.json_response(value, headers=_HEADERS)
