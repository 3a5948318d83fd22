"""Seats that only their players can move: each has a secret text, which is part of the link to the seat."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from io import BytesIO
from typing import Final

from aiohttp import web

from gdl.errors import GdlError
from ggp.server.lineup import HUMAN, SetupError
from ggp.server.messages import Json
from ggp.server.web.guard import DRAWING_POLICY

#: The largest number of characters of an address in a QR code.
_LONGEST: Final = 500

#: The largest number of characters by which a browser is known; pages add the name of a role.
_LONGEST_NAME: Final = 400


class SeatError(GdlError):
    """A request does not come from the player of a seat."""

    code = "seat"


def new_seats(body: Json, players: Mapping[str, str], *, hidden: bool = False) -> dict[str, str]:
    """Return a secret for each person's role, if a request for a match wants seats. Raises SetupError.

    In a game with hidden information there are always seats, as each person sees something else.
    """
    wanted = body.get("seats", False)
    if not isinstance(wanted, bool):
        raise SetupError("seats must be true or false")
    return {role: secrets.token_urlsafe(12) for role, name in players.items() if (wanted or hidden) and name == HUMAN}


def seat_of(seats: Mapping[str, str], given: object) -> str:
    """Return the role whose secret somebody has given, or an empty text."""
    secret = given.encode() if isinstance(given, str) else b""
    return next((role for role, own in seats.items() if secrets.compare_digest(own.encode(), secret)), "")


def check_seat(seats: Mapping[str, str], body: Json, role: str | None = None) -> None:
    """Check that a request has the secret of a role, or of any role without one. Raises SeatError."""
    given = seat_of(seats, body.get("seat"))
    if seats and (not given or role not in (None, given)):
        raise SeatError("only the player of this seat can do that, with the link to the seat")


def browser_of(seats: Mapping[str, str], fields: Mapping[str, object]) -> str:
    """Return what the browser is known by that has sent a body or a query: a text of its own, else its seat."""
    browser = fields.get("browser")
    if isinstance(browser, str) and 0 < len(browser) <= _LONGEST_NAME:
        return browser
    return f"seat of {seat}" if (seat := seat_of(seats, fields.get("seat"))) else ""


async def qr_code(request: web.Request) -> web.Response:
    """Answer with the QR code of an address as a drawing."""
    import segno

    text = request.query.get("text", "")
    if not text.startswith(("http://", "https://")) or len(text) > _LONGEST:
        raise web.HTTPBadRequest(text=f"text must be an address of at most {_LONGEST} characters")
    drawing = BytesIO()
    segno.make_qr(text, error="m").save(drawing, kind="svg", border=3, dark="#000", light="#fff", omitsize=True)
    headers = {"Content-Security-Policy": DRAWING_POLICY}
    return web.Response(body=drawing.getvalue(), content_type="image/svg+xml", headers=headers)
