"""The error for records that cannot be read or written."""

from __future__ import annotations

from gdl.errors import GdlError


class RecordError(GdlError):
    """A match record cannot be read or written."""

    code = "match-record"

    def __init__(self, file: str, reason: str) -> None:
        """Store the file and the reason."""
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        """Return the code, the file and the reason."""
        return f"{self.code}: {self.file}: {self.reason}"
