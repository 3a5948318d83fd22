"""The requests about analyses: their page, positions, variations."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from aiohttp import web

from ggp.network.event_stream import EventStreams, event
from ggp.server.lineup import SetupError
from ggp.server.messages import ExplainLine, Json, ShowLine, Value
from ggp.server.web.analyses import Analyses, RunningError
from ggp.server.web.answers import failure, json_body, json_errors, text_of, whole_number
from ggp.server.web.guard import PROTECTION
from ggp.server.web.pages import Handler, page

#: The largest numbers of plies in a line, and of characters in a move.
_LONGEST_LINE: Final = 5000
_LONGEST_MOVE: Final = 10_000

#: The largest number of characters of a position.
_LONGEST_POSITION: Final = 500_000

#: The most seconds for the evaluation of a position.
_LONGEST: Final = 300


def analysis_routes(analyses: Analyses, streams: EventStreams) -> list[web.RouteDef]:
    """Return the routes of analyses."""
    requests = _Requests(analyses, streams)
    return [
        web.get("/analyse", page("analysis.html")),
        web.get("/analyse/{id}", page("analysis.html")),
        web.post("/api/analyses", _answered(requests.begin)),
        web.get("/api/analyses/{id}", _answered(requests.about)),
        web.post("/api/analyses/{id}/position", _answered(requests.position)),
        web.post("/api/analyses/{id}/value", _answered(requests.value)),
        web.post("/api/analyses/{id}/explain", _answered(requests.explain)),
        web.post("/api/analyses/{id}/variations", _answered(requests.keep)),
        web.post("/api/analyses/{id}/evaluate", _answered(requests.evaluate)),
        web.post("/api/analyses/{id}/stop", _answered(requests.stop)),
        web.get("/api/analyses/{id}/events", _answered(requests.events), allow_head=False),
    ]


def _answered(handler: Handler) -> Handler:
    async def run(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except RunningError as error:
            return failure(409, error)

    return json_errors(run)


class _Requests:
    def __init__(self, analyses: Analyses, streams: EventStreams) -> None:
        self._analyses = analyses
        self._streams = streams

    async def begin(self, request: web.Request) -> web.Response:
        body = await json_body(request)
        position = text_of(body, "position", _LONGEST_POSITION) if body.get("position") else ""
        if body.get("match"):
            made = await self._analyses.begin_like(text_of(body, "match", 100), position)
        else:
            made = await self._analyses.begin(text_of(body, "game", 300), position)
        return web.json_response({"id": made})

    async def about(self, request: web.Request) -> web.Response:
        return web.json_response(await self._analyses.about(request.match_info["id"]))

    async def position(self, request: web.Request) -> web.Response:
        match, line = self._analyses.opened(request.match_info["id"]), line_of(await json_body(request))
        return web.json_response(await match.ask(ShowLine(match.file, line)))

    async def value(self, request: web.Request) -> web.Response:
        match, line = self._analyses.opened(request.match_info["id"]), line_of(await json_body(request))
        return web.json_response(await match.ask(Value(match.file, moves=line), patient=True))

    async def explain(self, request: web.Request) -> web.Response:
        match, body = self._analyses.opened(request.match_info["id"]), await json_body(request)
        return web.json_response(await match.ask(ExplainLine(match.file, line_of(body), text_of(body, "atom"))))

    async def keep(self, request: web.Request) -> web.Response:
        body = await json_body(request)
        variations = body.get("variations")
        if not isinstance(variations, list):
            raise SetupError("variations must be a list")
        await self._analyses.keep(request.match_info["id"], variations)
        return web.json_response({})

    async def evaluate(self, request: web.Request) -> web.Response:
        body = await json_body(request)
        line, name = line_of(body), text_of(body, "name", 80)
        plies, seconds = body.get("plies"), body.get("seconds")
        if not isinstance(plies, list) or not 1 <= len(plies) <= len(line) + 1:
            raise SetupError("plies must be a list of plies of the line")
        numbers = sorted({whole_number(ply, "each of plies") for ply in plies})
        if numbers[-1] > len(line):
            raise SetupError(f"the line has no ply {numbers[-1]}")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
            raise SetupError(f"seconds must be a number, more than 0 and at most {_LONGEST}")
        await self._analyses.evaluate(request.match_info["id"], line, numbers, seconds=seconds, name=name)
        return web.json_response({})

    async def stop(self, request: web.Request) -> web.Response:
        await json_body(request)
        await self._analyses.evaluations.stop(request.match_info["id"])
        return web.json_response({})

    async def events(self, request: web.Request) -> web.StreamResponse:
        identifier = request.match_info["id"]
        self._analyses.check(identifier)
        if self._streams.full:
            return failure(503, "there are too many spectators at the moment")
        return await self._streams.answer(request, self._events(identifier), PROTECTION)

    async def _events(self, identifier: str) -> AsyncGenerator[bytes]:
        async with aclosing(self._analyses.evaluations.news(identifier)) as news:
            async for one in news:
                yield event(one)


def line_of(body: Json) -> list[list[str]]:
    """Return the line of moves in a request: a list of joint moves. Raises SetupError."""
    line = body.get("moves")
    if not isinstance(line, list) or len(line) > _LONGEST_LINE or not all(map(_is_joint_move, line)):
        raise SetupError(f"moves must be a list of at most {_LONGEST_LINE:,} joint moves, each a list of texts")
    return line


def _is_joint_move(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(move, str) and 0 < len(move) <= _LONGEST_MOVE for move in value)
