"""The error for records that cannot be read or written."""

from __future__ import annotations

from gdl.errors import NamedFileError


class RecordError(NamedFileError):
    """A match record cannot be read or written."""

    code = "match-record"
    template = "{code}: {0}: {1}"
