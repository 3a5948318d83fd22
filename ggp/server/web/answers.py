"""Reading of JSON requests to `ggp serve`, and answers to them."""

from __future__ import annotations

import json
from functools import wraps
from typing import Final

from aiohttp import web

from gdl.errors import GdlError
from ggp.server.lineup import SetupError
from ggp.server.messages import Json
from ggp.server.web.files import FilesError, FullError
from ggp.server.web.game_client import EndlessError
from ggp.server.web.library import LibraryError
from ggp.server.web.matches import BusyError
from ggp.server.web.pages import Handler
from ggp.server.web.seats import SeatError

#: The largest number of characters of a move, or of an atom to be explained.
_LONGEST: Final = 10_000


def json_errors(handler: Handler) -> Handler:
    """Wrap a handler so that its errors become JSON answers."""

    @wraps(handler)
    async def run(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except (FilesError, LibraryError) as error:
            return failure(404 if request.method == "GET" else 400, error)
        except SeatError as error:
            return failure(403, error)
        except BusyError as error:
            return failure(503, error)
        except FullError as error:
            return failure(429, error)
        except EndlessError as error:
            return failure(422, error)
        except GdlError as error:
            return failure(400, error)

    return run


def failure(status: int, error: object) -> web.Response:
    """Return an answer with an error."""
    return web.json_response({"error": str(error)}, status=status)


async def json_object(request: web.Request) -> Json:
    """Return the JSON object in the body of a request. Raises SetupError."""
    try:
        # JSON is always UTF-8 (RFC 8259), whatever the header says.
        body = json.loads((await request.read()).decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise SetupError("the request is not JSON") from None
    if not isinstance(body, dict):
        raise SetupError("the request is not a JSON object")
    return body


async def json_body(request: web.Request) -> Json:
    """Return the JSON object in the body of a request, if it contains only Unicode text. Raises SetupError."""
    body = await json_object(request)
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise SetupError("the request contains text that is not Unicode") from None
    return body


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def text_of(body: Json, name: str, longest: int = _LONGEST) -> str:
    """Return a text of a request that is not empty. Raises SetupError."""
    value = body.get(name)
    if not isinstance(value, str) or not value or len(value) > longest:
        raise SetupError(f"{name} must be a string of 1 to {longest:,} characters")
    return value


def whole_number(value: object, name: str) -> int:
    """Return a number of a request, which may be a text of digits. Raises SetupError."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 8:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**7:
        raise SetupError(f"{name} must be a whole number, 0 or more")
    return value
