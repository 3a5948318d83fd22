"""What the server refuses, and what it lets a page do.

The server listens on this machine, so whoever can open a web page here can make a browser send it requests:

- A request must name this server in its `Host`, or another site could have its own name lead here (DNS rebinding).
- A request that another site's page sends (`Origin`, `Sec-Fetch-Site`) is refused, but for links that are followed.
- What changes something must be JSON, which no form of another site can send without asking first.
- Pages may load nothing but this server's own files, run no script within the page, and be framed by nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

#: Bytes of a request's body.
LARGEST: Final = 4 << 20

#: Pages run their own scripts and styles, and ask this server only.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

#: A drawing brings its own style, and nothing else.
DRAWING_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

#: What browsers are told about every response that does not say otherwise.
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
    """The middleware. `names` are those that the server may be called by, besides addresses of this machine."""
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
    """Why a request is refused; empty if it is not."""
    if not _is_named(request.headers.get("Host", ""), allowed):
        return "this server has another name; see --allow"
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower():
        return "this request comes from a page of another site"
    site = request.headers.get("Sec-Fetch-Site", "none")
    follows_link = request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"
    if site not in ("none", "same-origin") and not (follows_link and not request.path.startswith("/api/")):
        return "this request comes from a page of another site"
    if request.method not in ("GET", "HEAD") and request.content_type != "application/json":
        return "what is sent has to be application/json"
    return ""


def _is_named(host: str, allowed: set[str]) -> bool:
    """Whether a Host header names this server."""
    try:
        name = (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return False
    if name in allowed:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
