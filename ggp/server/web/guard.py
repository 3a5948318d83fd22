"""Checks of requests, and restrictions on pages.

The server listens on this machine, so any web page that is opened here can make the browser send requests to it:

- A request must name this server in `Host`. Otherwise another site could point its own name here (DNS rebinding).
- Requests from pages of other sites (`Origin`, `Sec-Fetch-Site`) are refused, except when a user follows a link.
- Requests that change something must be JSON, which another site's form cannot send without a preflight request.
- Pages may only load this server's own files, may not run inline scripts, and may not be framed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from ggp.network.own_requests import is_foreign_origin, is_foreign_site, is_named
from ggp.server.web.files import FullError

#: The bytes that a visitor may make the server keep, and the seconds after which this begins anew.
_PER_VISITOR: Final = 128 << 20
_DAY: Final = 24 * 3600.0

#: The largest body of a request, in bytes.
LARGEST: Final = 4 << 20

#: Pages may use scripts and styles from this server, and send requests to this server only.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

#: A drawing may only use its own inline style, and images that are part of it.
DRAWING_POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'"

#: The default headers of all responses.
PROTECTION: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "X-Frame-Options": "DENY",
        "Cache-Control": "no-cache",
    }
)


def guard(names: Iterable[str]) -> Middleware:
    """Return the middleware. `names` are the host names that requests may use, besides loopback addresses."""
    allowed = {name.lower() for name in names}

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        reason = _refusal(request, allowed)
        if reason:
            response: web.StreamResponse = web.json_response({"error": reason}, status=403)
        else:
            try:
                response = await handler(request)
            except web.HTTPException as error:
                response = error
        if not response.prepared:
            for name, value in PROTECTION.items():
                response.headers.setdefault(name, value)
        if isinstance(response, web.HTTPException):
            raise response
        return response

    return guarded


def _refusal(request: web.Request, allowed: set[str]) -> str:
    """Return the reason for refusing a request, or an empty string."""
    host = request.headers.get("Host", "")
    if not is_named(host, allowed):
        return "unknown host name; see --allow"
    if is_foreign_origin(request.headers.get("Origin"), host):
        return "this request comes from another site"
    follows_link = request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"
    linked = follows_link and not request.path.startswith("/api/")
    if is_foreign_site(request.headers.get("Sec-Fetch-Site")) and not linked:
        return "this request comes from another site"
    if request.method not in ("GET", "HEAD") and request.content_type != "application/json":
        return "the content type must be application/json"
    return ""


class Allowance:
    """What visitors, who are known by their addresses, may make the server keep in a day."""

    def __init__(self) -> None:
        """Let nobody have spent anything."""
        self._spent: dict[str, tuple[float, int]] = {}

    def spend(self, visitor: str, size: int) -> None:
        """Note the bytes that are to be kept for a visitor. Raises FullError if these are too many."""
        now = time.monotonic()
        self._spent = {one: (since, spent) for one, (since, spent) in self._spent.items() if now - since < _DAY}
        since, spent = self._spent.get(visitor, (now, 0))
        if spent + size > _PER_VISITOR:
            raise FullError(f"this server keeps at most {_PER_VISITOR >> 20} MiB a day for one visitor")
        self._spent[visitor] = since, spent + size
