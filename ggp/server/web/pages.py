"""The pages and their scripts and styles, as `ggp serve` and `ggp host` send them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from aiohttp import web

from ggp.board.drawing.palette import chips, style

_STATIC: Final = Path(__file__).parent.parent / "static"

_TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def page(name: str) -> Handler:
    """Return a handler that sends a static file."""

    async def send(request: web.Request) -> web.Response:  # noqa: ARG001
        return file_response(name)

    return send


def file_response(name: str) -> web.Response:
    """Return a static file as a response."""
    body = (_STATIC / name).read_bytes()
    return web.Response(body=body, content_type=_TYPES[Path(name).suffix], charset="utf-8")


def static_routes() -> list[web.RouteDef]:
    """Return the routes of everything that pages load, except their data."""
    return [
        web.get("/board.css", _board_style),
        web.get("/static/{name:.+}", _static),
        web.get("/favicon.ico", page("icon.svg")),
    ]


async def _static(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    # Only existing names are accepted, so no text of a request becomes part of a path.
    if (
        name not in {path.relative_to(_STATIC).as_posix() for path in _STATIC.rglob("*")}
        or Path(name).suffix not in _TYPES
    ):
        raise web.HTTPNotFound
    return file_response(name)


async def _board_style(request: web.Request) -> web.Response:  # noqa: ARG001
    return web.Response(text=style() + chips(), content_type="text/css")
