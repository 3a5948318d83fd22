"""Seats that only their players can move: each has a secret text, which is part of the link to the seat."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from io import BytesIO
from typing import Any, Final

from aiohttp import web

from gdl.errors import GdlError
from ggp.server.guard import DRAWING_POLICY
from ggp.server.lineup import HUMAN, SetupError

#: The largest number of characters of an address in a QR code.
_LONGEST: Final = 500


class SeatError(GdlError):
    """A request does not come from the player of a seat."""

    code = "seat"


def new_seats(body: Mapping[str, Any], players: Mapping[str, str], *, hidden: bool = False) -> dict[str, str]:
    """Return a secret for each person's role, if a request for a match wants seats. Raises SetupError.

    In a game with hidden information there are always seats, as each person sees something else.
    """
    wanted = body.get("seats", False)
    if not isinstance(wanted, bool):
        raise SetupError("seats must be true or false")
    return {role: secrets.token_urlsafe(12) for role, name in players.items() if (wanted or hidden) and name == HUMAN}


def check_seat(seats: Mapping[str, str], body: Mapping[str, Any], role: str | None = None) -> None:
    """Check that a request has the secret of a role, or of any role without one. Raises SeatError."""
    if not seats:
        return
    given = body.get("seat")
    own = [secret for name, secret in seats.items() if role in (None, name)]
    if isinstance(given, str) and any(secrets.compare_digest(secret.encode(), given.encode()) for secret in own):
        return
    raise SeatError("only the player of this seat can do that, with the link to the seat")


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
