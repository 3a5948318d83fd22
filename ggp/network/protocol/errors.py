"""Errors in messages."""

from __future__ import annotations

from gdl.errors import GdlError


class ProtocolError(GdlError):
    """A received or outgoing text is not a valid message of the protocol."""

    code = "protocol"
    template = "{code}: {0}"

    def __init__(self, reason: str) -> None:
        """Keep the reason, in one line."""
        self.reason = reason
        super().__init__(reason)


class OversizedError(ProtocolError):
    """A message exceeds the size limit."""

    code = "oversized"


class ForbiddenError(ProtocolError):
    """A request comes from somewhere that may not send any."""

    code = "forbidden"


class TokenError(ProtocolError):
    """A request lacks the player's token."""

    code = "no-token"
