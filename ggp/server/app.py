"""The web application of `ggp serve`: pages, JSON, and event streams."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Final

from aiohttp import web

from gdl.errors import GdlError
from gdl.simulator import seeds
from ggp.match.record import from_json, to_json
from ggp.network.event_stream import EventStreams, event
from ggp.server.files import FilesError, Lineup, MatchFiles
from ggp.server.game_client import EndlessError, GameClients
from ggp.server.guard import DRAWING_POLICY, LARGEST, PROTECTION, guard
from ggp.server.library import Library, LibraryError
from ggp.server.lineup import OFFERED, SetupError, checked_players, checked_settings
from ggp.server.matches import BusyError, LiveMatch, Matches
from ggp.server.pages import Handler, page, static_routes
from ggp.server.previews import Previews
from ggp.server.watching import Watching

#: The largest number of characters of a move, or of an atom to be explained.
_LONGEST: Final = 10_000


class Site:
    """The state that the requests to one server share."""

    def __init__(self, folder: Path, games: Path | None = None) -> None:
        """Keep matches, previews and uploaded rules in `folder`; `games` is a further folder of rule files."""
        self.library = Library(folder / "rules", games)
        self.game_clients = GameClients()
        self.matches = Matches(MatchFiles(folder / "matches"), self.game_clients)
        self.previews = Previews(folder / "previews", self.game_clients)
        self.watching = Watching(self.matches)
        self.streams = EventStreams()

    async def close(self) -> None:
        """Stop following matches, and end all game processes."""
        await self.watching.close()
        await self.game_clients.close()


_SITE: Final = web.AppKey("site", Site)


def application(site: Site, names: tuple[str, ...] = ("localhost",)) -> web.Application:
    """Return the application. `names` are the host names that requests may use for this server."""
    app = web.Application(middlewares=[guard(names)], client_max_size=LARGEST)
    app[_SITE] = site

    async def cleanup(app: web.Application) -> None:
        await app[_SITE].close()

    app.on_cleanup.append(cleanup)
    app.add_routes(
        [
            *static_routes(),
            web.get("/", page("index.html")),
            web.get("/new/{game:.+}", page("new.html")),
            web.get("/match/{id}", page("match.html")),
            web.get("/api/games", _json_errors(_games)),
            web.post("/api/games", _json_errors(_send_game)),
            web.get("/api/games/{game:.+}", _json_errors(_game)),
            web.get("/api/matches", _json_errors(_list)),
            web.post("/api/matches", _json_errors(_create)),
            web.post("/api/records", _json_errors(_send_record)),
            web.post("/api/watch", _json_errors(_watch)),
            web.get("/api/matches/{id}", _json_errors(_match)),
            web.get("/api/matches/{id}/plies/{ply}", _json_errors(_position)),
            web.get("/api/matches/{id}/moves", _json_errors(_moves)),
            web.get("/api/matches/{id}/thoughts", _json_errors(_thoughts)),
            web.get("/api/matches/{id}/record", _json_errors(_record)),
            web.get("/api/matches/{id}/events", _json_errors(_events), allow_head=False),
            web.post("/api/matches/{id}/move", _json_errors(_move)),
            web.post("/api/matches/{id}/resign", _json_errors(_resign)),
            web.post("/api/matches/{id}/back", _json_errors(_back)),
            web.post("/api/matches/{id}/end", _json_errors(_end)),
            web.post("/api/matches/{id}/explain", _json_errors(_explain)),
        ]
    )
    return app


# ------------------------------------------------------------------------------------------ answers


def _json_errors(handler: Handler) -> Handler:
    """Wrap a handler so that its errors become JSON answers."""

    @wraps(handler)
    async def run(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except (FilesError, LibraryError) as error:
            return _error(404 if request.method == "GET" else 400, error)
        except BusyError as error:
            return _error(503, error)
        except EndlessError as error:
            return _error(422, error)
        except GdlError as error:
            return _error(400, error)

    return run


def _error(status: int, error: object) -> web.Response:
    return web.json_response({"error": str(error)}, status=status)


async def _json_object(request: web.Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request. Raises SetupError."""
    try:
        # JSON is always UTF-8 (RFC 8259), whatever the header says.
        body = json.loads((await request.read()).decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise SetupError("the request is not JSON") from None
    if not isinstance(body, dict):
        raise SetupError("the request is not a JSON object")
    return body


async def _body(request: web.Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request, if it contains only Unicode text. Raises SetupError."""
    body = await _json_object(request)
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise SetupError("the request contains text that is not Unicode") from None
    return body


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _text(body: Mapping[str, Any], name: str, longest: int = _LONGEST) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value or len(value) > longest:
        raise SetupError(f"{name} must be a string of 1 to {longest:,} characters")
    return value


def _number(value: object, name: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 8:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**7:
        raise SetupError(f"{name} must be a whole number from 0")
    return value


# ------------------------------------------------------------------------------------------ games


async def _games(request: web.Request) -> web.Response:
    return web.json_response({"games": request.app[_SITE].library.listed(), "players": OFFERED})


async def _game(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    name = request.match_info["game"]
    if name.endswith("/board.svg"):
        return _drawing(await site.previews.drawing(site.library.rules(name.removesuffix("/board.svg"))))
    rules = site.library.rules(name)
    preview = await site.previews.preview(rules)
    return web.json_response({"name": name, "title": rules.title, "rules": rules.text, **preview})


def _drawing(text: str) -> web.Response:
    return web.Response(text=text, content_type="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


async def _send_game(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    body = await _body(request)
    name, text = _text(body, "name", 200), _text(body, "text", LARGEST)
    await site.previews.check(name, text)  # invalid rules are not kept
    return web.json_response({"name": site.library.keep(name, text)})


# ------------------------------------------------------------------------------------------ matches


async def _list(request: web.Request) -> web.Response:
    return web.json_response({"matches": request.app[_SITE].matches.listed()})


async def _create(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    body = await _body(request)
    rules = site.library.rules(_text(body, "game", 300))
    preview = await site.previews.preview(rules)
    players = checked_players(body.get("players", {}), preview["game"]["roles"])
    settings = checked_settings(body, players, seeds.draw())
    lineup = Lineup(rules.name, rules.title, rules.text, rules.wishes, players, settings, time.time())
    match = site.matches.create(lineup)
    site.matches.make_room(match)
    await match.open()
    return web.json_response({"id": match.id})


async def _send_record(request: web.Request) -> web.Response:
    """Store an uploaded record as a match to look at."""
    site = request.app[_SITE]
    record = from_json(await _json_object(request))  # rule files, and so records, may contain other text
    if not record.rules:
        raise SetupError("the record contains no rules (gameRulesheet)")
    match = site.watching.kept(record, "")
    site.matches.make_room(match)
    await match.open()
    return web.json_response({"id": match.id})


async def _watch(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    body = await _body(request)
    return web.json_response({"id": (await site.watching.follow(_text(body, "url", 500))).id})


def _found(request: web.Request) -> LiveMatch:
    site = request.app[_SITE]
    match = site.matches.get(request.match_info["id"])
    site.matches.make_room(match)
    return match


async def _match(request: web.Request) -> web.Response:
    match = _found(request)
    game = await match.open()
    return web.json_response({"state": match.state(), "game": game})


async def _position(request: web.Request) -> web.Response:
    match = _found(request)
    ply = _number(request.match_info["ply"], "ply")
    if ply > match.state()["plies"]:
        raise FilesError(f"the match has no ply {ply}")
    return web.json_response(await match.position(ply))


async def _moves(request: web.Request) -> web.Response:
    record = await asyncio.to_thread(request.app[_SITE].matches.files.record, request.match_info["id"])
    return web.json_response({"moves": [list(ply.moves) for ply in record.plies] if record else []})


async def _thoughts(request: web.Request) -> web.Response:
    return web.json_response({"thoughts": request.app[_SITE].matches.get(request.match_info["id"]).thought_list()})


async def _record(request: web.Request) -> web.Response:
    record = request.app[_SITE].matches.files.record(request.match_info["id"])
    if record is None:
        raise FilesError("the match has not begun")
    name = request.match_info["id"]
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return web.json_response(to_json(record), headers=headers)


async def _move(request: web.Request) -> web.Response:
    match, body = _found(request), await _body(request)
    taken = await match.move(_text(body, "role", 300), _number(body.get("ply"), "ply"), _text(body, "move"))
    if not taken:
        return _error(409, "this move cannot be made now")
    return web.json_response({})


async def _resign(request: web.Request) -> web.Response:
    match, body = _found(request), await _body(request)
    if not await match.resign(_text(body, "role", 300)):
        return _error(409, "only a person who is to move can resign")
    return web.json_response({})


async def _back(request: web.Request) -> web.Response:
    match, body = _found(request), await _body(request)
    await match.back(_number(body.get("ply"), "ply"))
    return web.json_response({})


async def _end(request: web.Request) -> web.Response:
    await _body(request)
    await _found(request).end()
    return web.json_response({})


async def _explain(request: web.Request) -> web.Response:
    match, body = _found(request), await _body(request)
    return web.json_response(await match.explain(_number(body.get("ply"), "ply"), _text(body, "atom")))


async def _events(request: web.Request) -> web.StreamResponse:
    """Stream the state of a match whenever it changes. The page requests everything else."""
    site = request.app[_SITE]
    match = site.matches.get(request.match_info["id"])
    if site.streams.full:
        return _error(503, "there are too many spectators at the moment")
    return await site.streams.answer(request, _states(match), PROTECTION)


async def _states(match: LiveMatch) -> AsyncGenerator[bytes]:
    version = -1
    while True:
        state = await match.newer(version)
        version = state["version"]
        yield event(state)
