"""What is wrong with a message."""

from __future__ import annotations

from gdl.errors import GdlError


class ProtocolError(GdlError):
    """What came in is not a message of the protocol, or what should go out would be none."""

    code = "protocol"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}"


class OversizedError(ProtocolError):
    """A message is larger than what is taken in."""

    code = "oversized"
