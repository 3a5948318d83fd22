"""The pages of `ggp host`, for people who watch: the matches with standings and live boards, and each match.

    GET /                     the page of all matches; for programs, the announcement and summaries as JSON
    GET /events               an event stream: what `GET /` answers as JSON, then what changes of it, until all is over
    GET /matches              the same page; for programs, the summaries
    GET /matches/ID           the page of a match; for programs, its record
    GET /api/matches/ID...    what the page of a match requests, as from `ggp serve`

A request whose `Accept` header prefers HTML comes from a browser; all others get JSON. Addresses are the same for both,
so that every address can be opened and pasted anywhere.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Iterable
from functools import wraps
from typing import Final, final

from aiohttp import web
from aiohttp.typedefs import Handler as Next

from gdl.errors import GdlError
from ggp.match.record import MatchRecord, to_json
from ggp.network.event_stream import event
from ggp.network.host import Bulletin, Feed, HostedMatches
from ggp.network.host.spectators import OPEN_TO_ALL, Audience, add_routes, in_short
from ggp.network.web_server import start
from ggp.rules.titles import title_of
from ggp.server.messages import Json, State, joint_moves, standing
from ggp.server.web.guard import PROTECTION
from ggp.server.web.host_boards import HostBoards
from ggp.server.web.pages import Handler, file_response, static_routes

#: Seconds between looks at whether something has changed, for all spectators together.
_GLANCE: Final = 0.25

#: The reason for refusing what only some roles of a match under way may know.
_CONCEALED: Final = "roles do not see everything in this game: its moves and its record are shown when it is over"

#: Where matches come from, as their pages see it: they are played elsewhere, so nobody can move or take back.
_SOURCE: Final = "this host"


@final
class HostSite:
    """The state that the requests to one host share."""

    def __init__(self, hosted: HostedMatches, bulletin: Bulletin) -> None:
        """Show the hosted matches, and the announcements about them."""
        self.hosted = hosted
        self.boards = HostBoards()
        self._bulletin = bulletin
        self._looked = -1.0
        self._text = ""
        self._overview: Json = {}
        self._version = 0

    def overview(self) -> tuple[int, Json]:
        """Return what is announced, with summaries of the matches, and a number that increases when it changes."""
        if time.monotonic() - self._looked > _GLANCE:
            self._looked = time.monotonic()
            news = dict(self._bulletin.news)
            matches = [in_short(feed) for feed in self.hosted.feeds()]
            found = {**news, "titles": _titles(news, matches), "matches": matches}
            text = json.dumps(found)
            if text != self._text:
                self._text, self._overview = text, found
                self._version += 1
        return self._version, self._overview

    async def changes(self) -> AsyncGenerator[bytes]:
        """Yield the overview as an event now, and what has changed of it whenever it does, until all is over.

        `order` has the identifiers of all matches, while `matches` has only those that have changed.
        """
        seen = 0
        before: Json = {"matches": []}
        while True:
            version, found = self.overview()
            if version != seen:
                fields = {name: value for name, value in found.items() if name not in before or before[name] != value}
                fields["matches"] = [match for match in found["matches"] if match not in before["matches"]]
                yield event({**fields, "order": [match["matchId"] for match in found["matches"]]})
                seen, before = version, found
                if found["over"] and all(match["result"] != "running" for match in found["matches"]):
                    return
            await asyncio.sleep(_GLANCE)


def _titles(news: Json, matches: Iterable[Json]) -> dict[str, str]:
    """Return a title for the name of each game that the page shows."""
    names = {*news.get("games", ()), *(match["game"] for match in news.get("waiting", ()))}
    names |= {match["gameName"] for match in matches}
    return {name: title_of(name) for name in sorted(names)}


_SITE: Final = web.AppKey("host-site", HostSite)
_AUDIENCE: Final = web.AppKey("audience", Audience)


def application(hosted: HostedMatches, bulletin: Bulletin) -> tuple[web.Application, Audience]:
    """Return the application, and those who watch."""
    app = web.Application(middlewares=[_protected, _pages])
    app[_SITE] = HostSite(hosted, bulletin)
    audience = add_routes(app, hosted)
    app[_AUDIENCE] = audience
    streams = audience.streams

    async def close(app: web.Application) -> None:
        await app[_SITE].boards.close()

    async def changes(request: web.Request) -> web.StreamResponse:
        if streams.full:
            raise web.HTTPServiceUnavailable(text="too many spectators", headers=OPEN_TO_ALL)
        return await streams.answer(request, request.app[_SITE].changes(), OPEN_TO_ALL)

    async def states(request: web.Request) -> web.StreamResponse:
        feed = _feed(request)
        if streams.full:
            return _error(503, "there are too many spectators at the moment")
        return await streams.answer(request, _states(feed), PROTECTION)

    app.on_cleanup.append(close)
    app.add_routes(
        [
            *static_routes(),
            web.get("/", _overview),
            web.get("/events", changes, allow_head=False),
            web.get("/api/matches/{id}", _json_errors(_match)),
            web.get("/api/matches/{id}/plies/{ply}", _json_errors(_position)),
            web.get("/api/matches/{id}/moves", _json_errors(_moves)),
            web.get("/api/matches/{id}/how", _json_errors(_how)),
            web.get("/api/matches/{id}/thoughts", _json_errors(_thoughts)),
            web.get("/api/matches/{id}/record", _json_errors(_record)),
            web.get("/api/matches/{id}/events", _json_errors(states), allow_head=False),
        ]
    )
    return app, audience


async def serve(hosted: HostedMatches, bulletin: Bulletin, host: str, port: int) -> tuple[web.AppRunner, Audience]:
    """Serve the pages at an address until `cleanup()` of the returned runner. Raises OSError.

    `runner.addresses` has the actual address, as port 0 picks any free port.
    """
    app, audience = application(hosted, bulletin)
    return await start(app, host, port), audience


# ------------------------------------------------------------------------------------------ pages and programs


@web.middleware
async def _protected(request: web.Request, handler: Next) -> web.StreamResponse:
    """Restrict pages to this server's own files, like those of `ggp serve`. Data may be read by any site."""
    response = await handler(request)
    if not response.prepared and "Access-Control-Allow-Origin" not in response.headers:
        for name, value in PROTECTION.items():
            response.headers.setdefault(name, value)
    return response


@web.middleware
async def _pages(request: web.Request, handler: Next) -> web.StreamResponse:
    """Answer browsers with pages at the addresses at which programs get JSON, with or without a slash at the end."""
    resource = request.path.rstrip("/")
    name = resource.removeprefix("/matches/")
    if request.method not in ("GET", "HEAD") or not _wants_page(request):
        response = await handler(request)
    elif resource in ("", "/matches"):
        response = file_response("host.html")
    elif name != resource and "/" not in name:
        response = file_response("match.html")
        if request.app[_SITE].hosted.get(name) is None:
            response.set_status(404)
    else:
        return await handler(request)
    if not response.prepared:
        response.headers["Vary"] = "Accept"
    if response.content_type == "text/html":
        request.app[_AUDIENCE].people = True
    return response


def _wants_page(request: web.Request) -> bool:
    """Return True if a request prefers HTML to JSON, as those of browsers do."""
    weights = {"text/html": 0.0, "application/json": 0.0}
    for part in request.headers.get("Accept", "").split(","):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        if kind in weights:
            weights[kind] = next((_weight(one[2:]) for one in parameters if one.startswith("q=")), 1.0)
    return weights["text/html"] > weights["application/json"]


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


async def _overview(request: web.Request) -> web.Response:
    return web.json_response(request.app[_SITE].overview()[1], headers=OPEN_TO_ALL)


# ------------------------------------------------------------------------------------------ the page of a match


def _json_errors(handler: Handler) -> Handler:
    @wraps(handler)
    async def run(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except GdlError as error:
            return _error(422, error)

    return run


def _error(status: int, error: object) -> web.Response:
    return web.json_response({"error": str(error)}, status=status)


def _feed(request: web.Request) -> Feed:
    feed = request.app[_SITE].hosted.get(request.match_info["id"])
    if feed is None:
        reason = json.dumps({"error": "this host has no match with this identifier, or no longer has it"})
        raise web.HTTPNotFound(text=reason, content_type="application/json")
    return feed


def _state(feed: Feed, newest: MatchRecord) -> State:
    """Return the state of a match for its page, with what is public of a record."""
    record = feed.public(newest)
    return {
        "id": record.match_id,
        "version": len(newest.plies) + newest.over,
        "game": record.game_name,
        "title": title_of(record.game_name) or "A match",
        "players": dict(zip(record.roles, record.player_names, strict=True)),
        "settings": {"start_clock": record.start_clock, "play_clock": record.play_clock, "seed": record.seed},
        "source": _SOURCE,
        "reserved": [],
        "taken": [],
        "offer": None,
        "rematch": "",
        "names": {},
        "chat": None,
        "clocks": {},
        "error": "",
        "running": not record.over,
        "doing": "",
        "slow": "",
        "contested": not record.over,
        "thoughts": 0,
        **standing(record),
        "waiting": [],
        "until": None,
        "plies": len(newest.plies),
        "view": "whole" if record is newest else "public",
        "role": "",
    }


async def _match(request: web.Request) -> web.Response:
    feed = _feed(request)
    record = feed.record
    game = await request.app[_SITE].boards.about(record)
    # Explanations would take the processor's time from the players.
    return web.json_response({"state": _state(feed, record), "game": {**game, "explains": False}})


async def _position(request: web.Request) -> web.Response:
    feed = _feed(request)
    newest = feed.record
    record, text = feed.public(newest), request.match_info["ply"]
    if record is not newest and text != "0":
        return _error(403, _CONCEALED)
    if not (text.isascii() and text.isdecimal() and len(text) < 8 and int(text) <= len(record.plies)):
        return _error(404, f"the match has no ply {text[:20]}")
    return web.json_response(await request.app[_SITE].boards.position(record, int(text)))


async def _moves(request: web.Request) -> web.Response:
    feed = _feed(request)
    return web.json_response(joint_moves(feed.public(feed.record)))


async def _how(request: web.Request) -> web.Response:
    return web.json_response(await request.app[_SITE].boards.how_to_play(_feed(request).record))


async def _thoughts(request: web.Request) -> web.Response:
    _feed(request)
    return web.json_response({"thoughts": []})


async def _record(request: web.Request) -> web.Response:
    feed = _feed(request)
    record = feed.record
    if feed.public(record) is not record:
        return _error(403, _CONCEALED)
    headers = {"Content-Disposition": f'attachment; filename="{record.match_id}.json"'}
    return web.json_response(to_json(record), headers=headers)


async def _states(feed: Feed) -> AsyncGenerator[bytes]:
    """Yield the state of a match now and whenever it changes, until it is over."""
    async for record in feed.records():
        yield event(_state(feed, record))
