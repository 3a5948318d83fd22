"""Matches for spectators, over HTTP: lists and records as JSON, and states as they happen. Loads aiohttp.

    GET /matches              the matches, the newest first, in short
    GET /matches/ID           the record of a match, as its file has it
    GET /matches/ID/events    an event stream: one `state` for each state there is and comes, then one `end`

The data of a `state` has the fields of a record, one entry each: ply (0 is the start), state, stateTime, and errors;
after a ply moves, timesUsed and legalMoveCounts, too. Its identifier is the ply, so that a reader who lost the
connection goes on where it was. The data of `end` has result, isCompleted, isAborted, goalValues and the like.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from aiohttp import web

from ggp.match.record import MatchRecord, Result, ply_to_json, to_json
from ggp.network.host.feed import Feed
from ggp.network.host.hall import Hall

#: Web pages of anybody may look.
_HEADERS: Final[Mapping[str, str]] = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}

#: Seconds after which a quiet stream says that it is still there.
_HEARTBEAT: Final = 15.0

#: Seconds that a spectator may leave us waiting before it is given up.
_PATIENCE: Final = 30.0

#: Streams at the same time.
_STREAMS: Final = 1000

#: Seconds that streams have to end when the server is closed.
_CLOSING: Final = 1.0

#: What lists and ends of matches say of them.
_SHORT: Final = ("matchId", "gameName", "gameRoleNames", "playerNamesFromHost", "startTime", "startClock", "playClock")
_END: Final = ("result", "isCompleted", "isAborted", "goalValues", "disqualified", "rulesError")

_HALL: Final = web.AppKey("hall", Hall)


def add_routes(application: web.Application, hall: Hall) -> None:
    """Serve a hall as part of an application."""
    application[_HALL] = hall
    open_streams = asyncio.BoundedSemaphore(_STREAMS)

    async def events(request: web.Request) -> web.StreamResponse:
        if open_streams.locked():
            raise web.HTTPServiceUnavailable(text="too many spectators", headers=_HEADERS)
        async with open_streams:
            return await _events(request)

    application.add_routes(
        [
            web.get("/matches", _matches),
            web.get("/matches/{id}", _match),
            web.get("/matches/{id}/events", events),
        ]
    )


async def serve(hall: Hall, host: str, port: int) -> web.AppRunner:
    """Serve a hall at an address; `runner.addresses` has it, and `runner.cleanup()` ends it. Raises OSError."""
    application = web.Application()
    add_routes(application, hall)
    runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=_CLOSING)
    await runner.setup()
    await web.TCPSite(runner, host, port).start()
    return runner


async def _matches(request: web.Request) -> web.Response:
    return _json([_in_short(feed.record) for feed in request.app[_HALL].feeds()])


async def _match(request: web.Request) -> web.Response:
    return _json(to_json(_feed(request).record))


async def _events(request: web.Request) -> web.StreamResponse:
    feed = _feed(request)
    seen = _last_seen(request)
    response = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
    await response.prepare(request)
    record: MatchRecord | None = None
    try:
        while record is None or record.result is Result.RUNNING:
            try:
                record = await asyncio.wait_for(feed.newer(record), _HEARTBEAT)
            except TimeoutError:
                await _write(response, b":\n\n")
                continue
            for ply in range(seen + 1, len(record.plies) + 1):
                await _write(response, _event("state", _state(record, ply), ply))
            seen = len(record.plies)
        await _write(response, _event("end", {name: value for name, value in to_json(record).items() if name in _END}))
    except (ConnectionError, TimeoutError):
        pass  # the spectator has gone, or does not read
    return response


def _feed(request: web.Request) -> Feed:
    feed = request.app[_HALL].get(request.match_info["id"])
    if feed is None:
        raise web.HTTPNotFound(text="no match has this identifier", headers=_HEADERS)
    return feed


def _last_seen(request: web.Request) -> int:
    """The last ply that a reader had before it lost the connection; -1 if it had none."""
    text = request.headers.get("Last-Event-ID", "")
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def _in_short(record: MatchRecord) -> dict[str, Any]:
    fields = to_json(replace(record, plies=()))
    return {name: fields[name] for name in (*_SHORT, *_END) if name in fields} | {"plies": len(record.plies)}


def _state(record: MatchRecord, number: int) -> dict[str, Any]:
    """A state as its event has it."""
    if number:
        return ply_to_json(number, record.plies[number - 1])
    return {
        "ply": 0,
        "state": record.initial_state,
        "stateTime": record.start_time,
        "errors": record.initial_errors,
    }


def _event(name: str, data: Mapping[str, Any], number: int | None = None) -> bytes:
    identifier = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{identifier}data: {json.dumps(data)}\n\n".encode()


def _json(value: object) -> web.Response:
    return web.json_response(value, headers=_HEADERS)


async def _write(response: web.StreamResponse, data: bytes) -> None:
    async with asyncio.timeout(_PATIENCE):
        await response.write(data)
