"""The web application of `ggp serve`: pages, JSON, and event streams."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from aiohttp import web

from gdl.simulator import seeds
from ggp.match.record import from_json, to_json
from ggp.network.event_stream import EventStreams, event
from ggp.server.lineup import OFFERED, SetupError, checked_players, checked_settings
from ggp.server.messages import (
    AskText,
    Because,
    Consider,
    Explain,
    Film,
    Json,
    Say,
    State,
    Value,
    What,
    distinct_moves,
    joint_moves,
)
from ggp.server.web.analyses import Analyses
from ggp.server.web.analysis_requests import analysis_routes
from ggp.server.web.answers import failure, json_body, json_errors, json_object, text_of, whole_number
from ggp.server.web.desks import Desks
from ggp.server.web.editing import edit_routes
from ggp.server.web.files import FilesError, Lineup, MatchFiles
from ggp.server.web.game_client import GameClientError, GameClients
from ggp.server.web.guard import DRAWING_POLICY, LARGEST, PROTECTION, Allowance, guard
from ggp.server.web.library import Library, Rules
from ggp.server.web.live_match import LiveMatch
from ggp.server.web.matches import Matches
from ggp.server.web.pages import page, static_routes
from ggp.server.web.people import LONGEST_REMARK
from ggp.server.web.previews import Previews
from ggp.server.web.seats import SeatError, browser_of, check_seat, new_seats, qr_code, seat_of
from ggp.server.web.viewing import Viewer, check_no_help, check_whole
from ggp.server.web.watching import Watching

#: The bytes that a followed match counts for, as nobody knows how long it will be.
_WATCHED: Final = 1 << 20

#: The addresses of this machine.
_HERE: Final = ("127.0.0.1", "::1")


class Site:
    """The state that the requests to one server share."""

    def __init__(self, folder: Path, games: Path | None = None, players: Iterable[str] = (), threads: int = 1) -> None:
        """Keep matches, previews and uploaded rules in `folder`.

        `games` is a further folder of rule files, and `players` are the names of further players that visitors may
        choose. Each search may use `threads` threads.
        """
        self.offered = {**OFFERED, **dict.fromkeys(players, "offered by this server")}
        self.library = Library(folder / "rules", games)
        self.game_clients = GameClients(threads)
        self.matches = Matches(MatchFiles(folder / "matches"), self.game_clients, learned=self.library.learned)
        self.previews = Previews(folder / "previews", self.game_clients)
        self.watching = Watching(self.matches)
        self.streams = EventStreams()
        self.allowance = Allowance()
        self.desks = Desks(self.game_clients)
        self.analyses = Analyses(self.matches, self.game_clients, self.library)

    async def close(self) -> None:
        """Stop following matches, and end all game processes."""
        self.desks.close()
        await self.watching.close()
        await self.game_clients.close()


_SITE: Final = web.AppKey("site", Site)


def application(site: Site, names: tuple[str, ...] = ("localhost",)) -> web.Application:
    """Return the application. `names` are the host names that requests may use for this server."""
    app = web.Application(middlewares=[guard(names)], client_max_size=LARGEST)
    app[_SITE] = site

    async def prepare(app: web.Application) -> None:
        app[_SITE].game_clients.prepare()

    async def cleanup(app: web.Application) -> None:
        await app[_SITE].close()

    app.on_startup.append(prepare)
    app.on_cleanup.append(cleanup)
    app.add_routes(
        [
            *static_routes(),
            web.get("/", page("index.html")),
            web.get("/new/{game:.+}", page("new.html")),
            web.get("/match/{id}", page("match.html")),
            web.get("/qr.svg", qr_code),
            web.get("/api/games", json_errors(_games)),
            web.post("/api/games", json_errors(_send_game)),
            web.get("/api/games/{game:.+}", json_errors(_game)),
            web.get("/api/matches", json_errors(_list)),
            web.post("/api/matches", json_errors(_create)),
            web.post("/api/records", json_errors(_send_record)),
            web.post("/api/watch", json_errors(_watch)),
            web.get("/api/matches/{id}", json_errors(_match)),
            web.get("/api/matches/{id}/plies/{ply}", json_errors(_position)),
            web.get("/api/matches/{id}/beliefs/{ply}", json_errors(_belief)),
            web.get("/api/matches/{id}/values/{ply}", json_errors(_value)),
            web.get("/api/matches/{id}/moves", json_errors(_moves)),
            web.get("/api/matches/{id}/reason", json_errors(_reason)),
            web.get("/api/matches/{id}/how", json_errors(_match_how)),
            web.get("/api/matches/{id}/thoughts", json_errors(_thoughts)),
            web.get("/api/matches/{id}/record", json_errors(_record)),
            web.get("/api/matches/{id}/film.svg", json_errors(_film)),
            web.get("/api/matches/{id}/events", json_errors(_events), allow_head=False),
            web.post("/api/matches/{id}/move", json_errors(_move)),
            web.post("/api/matches/{id}/resign", json_errors(_resign)),
            web.post("/api/matches/{id}/back", json_errors(_back)),
            web.post("/api/matches/{id}/end", json_errors(_end)),
            web.post("/api/matches/{id}/say", json_errors(_say)),
            web.post("/api/matches/{id}/call", json_errors(_call)),
            web.post("/api/matches/{id}/delete", json_errors(_delete)),
            web.post("/api/matches/{id}/draw", json_errors(_draw)),
            web.post("/api/matches/{id}/decline", json_errors(_decline)),
            web.post("/api/matches/{id}/rematch", json_errors(_rematch)),
            web.post("/api/matches/{id}/after", json_errors(_after)),
            web.post("/api/matches/{id}/explain", json_errors(_explain)),
            *edit_routes(site.desks),
            *analysis_routes(site.analyses, site.streams),
        ]
    )
    return app


# ------------------------------------------------------------------------------------------ games


async def _games(request: web.Request) -> web.Response:
    return web.json_response({"games": request.app[_SITE].library.listed(), "players": request.app[_SITE].offered})


async def _game(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    name = request.match_info["game"]
    if name.endswith("/board.svg"):
        return _drawing(await site.previews.drawing(site.library.rules(name.removesuffix("/board.svg"))))
    if name.endswith("/how.json"):
        return web.json_response(await site.previews.how_to_play(site.library.rules(name.removesuffix("/how.json"))))
    rules = site.library.rules(name)
    preview = await site.previews.preview(rules)
    return web.json_response({"name": name, "title": rules.title, "rules": rules.text, **preview})


def _drawing(text: str) -> web.Response:
    return web.Response(text=text, content_type="image/svg+xml", headers={"Content-Security-Policy": DRAWING_POLICY})


async def _send_game(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    body = await json_body(request)
    name, text = text_of(body, "name", 200), text_of(body, "text", LARGEST)
    await site.previews.check(name, text)  # invalid rules are not kept
    site.allowance.spend(request.remote or "", len(text))
    found = await site.desks.ask("uploads", AskText("findings", text, {}))
    return web.json_response({"name": site.library.keep(name, text), "findings": found["findings"]})


# ------------------------------------------------------------------------------------------ matches


async def _list(request: web.Request) -> web.Response:
    return web.json_response({"matches": request.app[_SITE].matches.listed()})


async def _create(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    body = await json_body(request)
    rules = site.library.rules(text_of(body, "game", 300))
    preview = await site.previews.preview(rules)
    players = checked_players(body.get("players", {}), preview["game"]["roles"], site.offered)
    settings = checked_settings(body, players, seeds.draw())
    hidden = preview["game"]["hidden"]
    seats = new_seats(body, players, hidden=hidden)
    named = (rules.name, rules.title, rules.text, rules.wishes)
    lineup = Lineup(*named, players, settings, time.time(), seats=seats, hidden=hidden)
    match = _new(site, lineup, request)
    if not preview["game"]["hidden"]:
        match.begins_at(preview["position"])
    await _begun(site, match)
    return web.json_response({"id": match.id, "seats": seats})


def _new(site: Site, lineup: Lineup, request: web.Request) -> LiveMatch:
    visitor = request.remote or ""
    site.matches.make_room(visitor=visitor)  # first, so that no match is created if there is none
    site.allowance.spend(visitor, 2 * len(lineup.rules))  # the record has them, too
    match = site.matches.create(lineup)
    match.visitor = visitor
    return match


async def _begun(site: Site, match: LiveMatch) -> None:
    """Begin a match; if a player refuses the game, the match is not kept. Raises GameClientError."""
    try:
        await match.open()
    except GameClientError:
        site.matches.discard(match)
        raise


async def _send_record(request: web.Request) -> web.Response:
    """Store an uploaded record as a match to look at."""
    site = request.app[_SITE]
    record = from_json(await json_object(request))  # rule files, and so records, may contain other text
    if not record.rules:
        raise SetupError("the record contains no rules (gameRulesheet)")
    site.matches.make_room()
    site.allowance.spend(request.remote or "", len(await request.read()))
    match = site.watching.kept(record, "")
    await _begun(site, match)
    return web.json_response({"id": match.id})


async def _watch(request: web.Request) -> web.Response:
    site = request.app[_SITE]
    body = await json_body(request)
    site.allowance.spend(request.remote or "", _WATCHED)
    return web.json_response({"id": (await site.watching.follow(text_of(body, "url", 500))).id})


def _found(request: web.Request) -> LiveMatch:
    site = request.app[_SITE]
    match = site.matches.get(request.match_info["id"])
    site.matches.make_room(match)
    return match


async def _match(request: web.Request) -> web.Response:
    match = _found(request)
    game = await match.about()
    return web.json_response({"state": Viewer.of(match, request).state(match), "game": game})


async def _position(request: web.Request) -> web.Response:
    match = _found(request)
    return web.json_response(await Viewer.of(match, request).position(match, _ply(match, request)))


async def _belief(request: web.Request) -> web.Response:
    match = _found(request)
    return web.json_response(await Viewer.of(match, request).belief(match, _ply(match, request)))


async def _value(request: web.Request) -> web.Response:
    match = _found(request)
    check_no_help(match)
    return web.json_response(await match.ask(Value(match.file, _ply(match, request)), patient=True))


def _ply(match: LiveMatch, request: web.Request) -> int:
    """Return the ply that the address of a request names. Raises SetupError and FilesError."""
    ply = whole_number(request.match_info["ply"], "ply")
    if ply > match.state()["plies"]:
        raise FilesError(f"the match has no ply {ply}")
    return ply


async def _moves(request: web.Request) -> web.Response:
    match = _found(request)
    check_whole(match, "moves are shown")
    record = await asyncio.to_thread(request.app[_SITE].matches.files.record, request.match_info["id"])
    words = await match.ask(Say(distinct_moves(record)))
    return web.json_response({**joint_moves(record), "words": words})


async def _match_how(request: web.Request) -> web.Response:
    """Tell how to play the game of a match, by a process of its own: it must not hold up the match."""
    site = request.app[_SITE]
    lineup = site.matches.get(request.match_info["id"]).lineup
    rules = Rules(lineup.game, lineup.title, lineup.rules, lineup.wishes)
    return web.json_response(await site.previews.how_to_play(rules))


async def _thoughts(request: web.Request) -> web.Response:
    return web.json_response({"thoughts": request.app[_SITE].matches.get(request.match_info["id"]).thought_list()})


async def _record(request: web.Request) -> web.Response:
    matches = request.app[_SITE].matches
    check_whole(matches.get(request.match_info["id"]), "the record can be downloaded")
    record = matches.files.record(request.match_info["id"])
    if record is None:
        raise FilesError("the match has not begun")
    name = request.match_info["id"]
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return web.json_response(to_json(record), headers=headers)


async def _film(request: web.Request) -> web.Response:
    match = _found(request)
    check_whole(match, "the match can be saved as an animation")
    drawn = _drawing(await match.ask(Film(match.file)))
    drawn.headers["Content-Disposition"] = f'attachment; filename="{match.id}.svg"'
    return drawn


async def _move(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    check_seat(match.lineup.seats, body, text_of(body, "role", 300))
    taken = await match.move(text_of(body, "role", 300), whole_number(body.get("ply"), "ply"), text_of(body, "move"))
    if not taken:
        return failure(409, "this move cannot be made now")
    browser = browser_of(match.lineup.seats, body)
    if match.people.sit(browser, body["role"]) | match.people.call(browser, body.get("name")):
        match.changed()
    return web.json_response({})


async def _resign(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    check_seat(match.lineup.seats, body, text_of(body, "role", 300))
    if not await match.resign(text_of(body, "role", 300)):
        return failure(409, "only people can resign, and only before the end")
    return web.json_response({})


def _agreed(match: LiveMatch, body: Json, what: What, ply: int | None = None) -> bool:
    """Note what somebody wants. Return True if all people who play want it. Raises SeatError."""
    check_seat(match.lineup.seats, body)
    browser = browser_of(match.lineup.seats, body)
    if match.people.roles and not match.people.of(browser):
        raise SeatError("only those who play in this match can do that")
    agreed = match.people.want(browser, what, ply)
    match.changed()
    return agreed


async def _back(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    ply = whole_number(body.get("ply"), "ply")
    check_seat(match.lineup.seats, body)
    match.check_back(ply)
    if _agreed(match, body, "back", ply):
        await match.back(ply)
    return web.json_response({})


async def _draw(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    roles = list(match.lineup.players)
    if match.over or len(roles) < 2 or len(match.people.roles) < len(roles):
        return failure(409, "only people can agree on a draw, and only before the end")
    if _agreed(match, body, "draw"):
        await match.resign(*roles)
    return web.json_response({})


async def _end(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    if _agreed(match, body, "end"):
        await match.end()
    return web.json_response({})


async def _say(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    check_seat(match.lineup.seats, body)
    match.people.say(browser_of(match.lineup.seats, body), text_of(body, "text", LONGEST_REMARK))
    match.changed()
    return web.json_response({})


async def _call(request: web.Request) -> web.Response:
    """Take in the name of somebody who plays."""
    match, body = _found(request), await json_body(request)
    check_seat(match.lineup.seats, body)
    if match.people.call(browser_of(match.lineup.seats, body), body.get("name")):
        match.changed()
    return web.json_response({})


async def _delete(request: web.Request) -> web.Response:
    """Delete the files of a match: only who sits at this machine, or has the link to a seat, may do that."""
    site, body = request.app[_SITE], await json_body(request)
    match = site.matches.get(request.match_info["id"])
    if not (seat_of(match.lineup.seats, body.get("seat")) or request.remote in _HERE):
        raise SeatError("only its players can delete this match, with the link to a seat")
    match.unreachable("this match was deleted")
    site.matches.discard(match)
    return web.json_response({})


async def _decline(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    check_seat(match.lineup.seats, body)
    match.people.decline()
    match.changed()
    return web.json_response({})


async def _rematch(request: web.Request) -> web.Response:
    """Begin the same match again, everybody one seat further, once all want it; and tell who asks where it is."""
    site, match, body = request.app[_SITE], _found(request), await json_body(request)
    check_seat(match.lineup.seats, body)
    if not match.over or not match.people.roles:
        return failure(409, "there is a rematch when a match between people is over")
    if not match.rematch and _agreed(match, body, "rematch"):
        await _begin_again(site, match, request)
    if not match.rematch:
        return web.json_response({"id": ""})
    browser, again = browser_of(match.lineup.seats, body), site.matches.get(match.rematch)
    following = _next_seats(match.lineup)
    own = [following[role] for role in match.people.of(browser)]
    new = [again.people.sit(browser, role) for role in own]
    if any(new):
        again.changed()
    seats = {role: secret for role, secret in again.lineup.seats.items() if role in own}
    return web.json_response({"id": again.id, "seats": seats, "as": following.get(str(body.get("role")), "")})


def _next_seats(lineup: Lineup) -> dict[str, str]:
    """Return the role that the player of each role has in a rematch."""
    roles = list(lineup.players)
    return dict(zip(roles, [roles[-1], *roles], strict=False))


async def _begin_again(site: Site, match: LiveMatch, request: web.Request) -> None:
    before, following = match.lineup, _next_seats(match.lineup)
    players = {following[role]: player for role, player in before.players.items()}
    players = {role: players[role] for role in before.players}
    seats = new_seats({"seats": bool(before.seats)}, players, hidden=before.hidden)
    settings = {**before.settings, "seed": seeds.draw()}
    lineup = replace(before, players=players, settings=settings, created=time.time(), seats=seats)
    again = _new(site, lineup, request)
    match.rematch = again.id
    try:
        await _begun(site, again)
    except GameClientError:
        match.rematch = ""
        raise
    match.changed()


async def _explain(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    check_whole(match, "positions are explained")
    command = Explain(match.file, whole_number(body.get("ply"), "ply"), text_of(body, "atom"))
    return web.json_response(await match.ask(command))


async def _reason(request: web.Request) -> web.Response:
    match = _found(request)
    check_whole(match, "its end is explained")
    return web.json_response(await match.ask(Because(match.file, match.state()["plies"])))


async def _after(request: web.Request) -> web.Response:
    match, body = _found(request), await json_body(request)
    check_whole(match, "the board after a move is shown")
    ply, role, move = whole_number(body.get("ply"), "ply"), text_of(body, "role", 300), text_of(body, "move")
    return web.json_response(await match.ask(Consider(match.file, ply, role, move)))


async def _events(request: web.Request) -> web.StreamResponse:
    """Stream the state of a match whenever it changes. The page requests everything else."""
    site = request.app[_SITE]
    match = site.matches.get(request.match_info["id"])
    if site.streams.full:
        return failure(503, "there are too many spectators at the moment")
    viewer, role, seats = Viewer.of(match, request), request.query.get("as", ""), match.lineup.seats
    allowed = role not in seats or role == seat_of(seats, request.query.get("seat"))
    if allowed and match.people.sit(viewer.browser, role) | match.people.call(
        viewer.browser, request.query.get("name")
    ):
        match.changed()
    return await site.streams.answer(request, _states(match, viewer), PROTECTION)


async def _states(match: LiveMatch, viewer: Viewer) -> AsyncGenerator[bytes]:
    version = -1
    sent: State | None = None
    while True:
        version = (await match.newer(version))["version"]
        state = viewer.state(match)
        if state != sent:  # even that something has changed may be more than a role sees
            sent = state
            yield event(state)
