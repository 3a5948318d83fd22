"""HTTP as the GGP protocol uses it: requests and replies as bytes, and an incremental reader. Opens no sockets.

The reader accepts what programs in practice send: names in any case, a lone LF for CRLF, a missing length or one that
counts characters instead of bytes, chunks, and a closed connection in place of a length. As a message is a single
expression, it is complete once its parentheses are closed, whatever the header says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote_plus

from ggp.network.protocol.errors import OversizedError, ProtocolError
from ggp.network.protocol.scan import shown

CONTENT_TYPE: Final = "text/acl"
ACCEPT: Final = "text/delim"

#: The name that ggp-base's servers use.
SENDER: Final = "GAMESERVER"

#: The default size limit of a message, in bytes. The largest public rule files have 40,000.
LIMIT: Final = 1_000_000

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_CHUNK: Final = re.compile(rb"\s*([0-9A-Fa-f]{1,8})[^\n]*\n")
_PLACE: Final = re.compile(rb"[();\n]")


@dataclass(frozen=True, slots=True)
class Head:
    """The words of the first line of a request or reply, and its header fields by lower-case names."""

    first: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The method of a request, such as GET or POST."""
        return self.first[0].upper()

    @property
    def target(self) -> str:
        """The target of a request, decoded, without the leading slash."""
        target = self.first[1] if len(self.first) > 1 else ""
        return unquote_plus(target, errors="replace").removeprefix("/")

    @property
    def status(self) -> int:
        """The status of a reply: 200 for success, 0 if it is missing."""
        return int(self.first[1]) if len(self.first) > 1 and self.first[1].isdecimal() else 0

    @property
    def length(self) -> int | None:
        """The declared length of the body in bytes, or None."""
        text = self.fields.get("content-length", "")
        return int(text) if text.isdecimal() and len(text) < 16 else None

    @property
    def chunked(self) -> bool:
        """True if the body is sent in chunks."""
        return "chunked" in self.fields.get("transfer-encoding", "").lower()


class Incoming:
    """A request or a reply that arrives piece by piece.

    Pass bytes to `feed`, and call `end` when the connection ends. Once `complete` is true, `head` and `text` hold the
    message. Both methods raise ProtocolError for invalid HTTP, and OversizedError for more than `limit` bytes.
    """

    def __init__(self, *, request: bool, limit: int = LIMIT) -> None:
        """Read a request if `request` is true, else a reply, of at most `limit` bytes."""
        self._request = request
        self._limit = limit
        self._size = 0
        self._raw = bytearray()
        self._body = bytearray()
        self._shape = _Shape()
        self.head: Head | None = None
        self.complete = False

    @property
    def text(self) -> str:
        """The body. Bytes that are not UTF-8 become surrogates, as in rule files."""
        return self._body.decode("utf-8", errors="surrogateescape")

    def feed(self, data: bytes) -> None:
        """Take in more bytes. Bytes after the end of the message are ignored."""
        if self.complete:
            return
        self._size += len(data)
        if self._size > self._limit:
            raise OversizedError(f"more than {self._limit} bytes")
        seen = len(self._raw)
        self._raw += data
        if self.head is None:
            self._read_head(seen)
        if self.head is not None and not self.complete:
            self._read_body(self.head)

    def end(self) -> None:
        """Take in the end of the connection, which completes the message."""
        if self.head is None:
            text = self._raw.decode("latin-1")
            if not text:
                raise ProtocolError("no data was received")
            raise ProtocolError(f"the connection ended within the header: {shown(text)}")
        self.complete = True

    def _read_head(self, seen: int) -> None:
        if self._raw and self._raw[0] in b"\r\n":  # left over from an earlier message
            self._raw = self._raw.lstrip(b"\r\n")
            seen = 0
        found = _HEAD_END.search(self._raw, max(0, seen - 4))
        if not found:
            return
        self.head = _head(self._raw[: found.start()].decode("latin-1"))
        del self._raw[: found.end()]
        if self._request and self.head.method not in ("POST", "PUT"):
            self.complete = True

    def _read_body(self, head: Head) -> None:
        if not head.chunked:
            self._take(len(self._raw))
            self.complete |= head.length is not None and len(self._body) >= head.length
        while head.chunked and not self.complete:
            size = _CHUNK.match(self._raw)
            if not size:
                if len(self._raw) > 1000:
                    raise ProtocolError("a chunk has no size")
                return
            count = int(size[1], 16)
            if len(self._raw) < size.end() + count:
                return
            del self._raw[: size.end()]
            self._take(count)
            self.complete |= not count

    def _take(self, count: int) -> None:
        """Move bytes to the body."""
        data = bytes(self._raw[:count])
        del self._raw[:count]
        self._body += data[: self._shape.follow(data)]
        # A reply may be a symbol, which has no visible end. A request may not, so the rest of it need not be read.
        self.complete |= self._shape.closed or (self._request and self._shape.bare)


class _Shape:
    """Tracks the parentheses of a text that arrives piece by piece."""

    def __init__(self) -> None:
        self._depth = 0
        self._comment = False
        #: True once a group has been opened and closed.
        self.closed = False
        #: True if the text does not start with a group.
        self.bare = False

    def follow(self, data: bytes) -> int:
        """Return the number of bytes that belong to the text: fewer than all if its group ends among them."""
        at = 0
        for token in _PLACE.finditer(data):
            if self._is_bare(data[at : token.start()]):
                return len(data)
            at = token.end()
            if token[0] == b"\n":
                self._comment = False
            elif self._comment:
                continue
            elif token[0] == b";":
                self._comment = True
            elif token[0] == b"(":
                self._depth += 1
            elif self._depth == 0:
                self.bare = True
                return len(data)
            else:
                self._depth -= 1
                self.closed = self._depth == 0
                if self.closed:
                    return at
        self._is_bare(data[at:])
        return len(data)

    def _is_bare(self, between: bytes) -> bool:
        """Return True if the text does not start with a group, given the bytes between two tokens."""
        if self._depth == 0 and not self._comment and between.strip():
            self.bare = True
        return self.bare


def request_bytes(message: str, host: str, path: str = "", *, receiver: str, sender: str = SENDER) -> bytes:
    """Return a server's request with a message. `host` and `path` are the player's address, `receiver` its name."""
    fields = (("Accept", ACCEPT), ("Host", host), ("Sender", sender), ("Receiver", receiver))
    return _bytes(f"POST /{path} HTTP/1.0", fields, message)


def reply_bytes(reply: str, status: HTTPStatus = HTTPStatus.OK) -> bytes:
    """Return a player's reply. It is HTTP 1.0, so that servers do not expect the connection to stay open."""
    return _bytes(f"HTTP/1.0 {status.value} {status.phrase}", (), reply)


def _bytes(first: str, fields: tuple[tuple[str, str], ...], text: str) -> bytes:
    body = text.encode("utf-8", errors="surrogateescape")
    fields = (*fields, ("Content-Type", CONTENT_TYPE), ("Content-Length", str(len(body))))
    lines = [first, *(f"{name}: {' '.join(value.split())}" for name, value in fields), "", ""]
    return "\r\n".join(lines).encode("ascii", errors="replace") + body


def _head(text: str) -> Head:
    first, *lines = text.split("\n")
    words = tuple(first.split())
    if not words:
        raise ProtocolError("not HTTP: the first line is empty")
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    return Head(words, fields)
