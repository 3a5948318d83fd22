"""Strategies for HTTP requests that are malformed, or that no page would send."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote_from_bytes

from hypothesis import strategies as st

#: Texts that some program might stumble over.
TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "",
        "\0",
        "\ud800",
        "..",
        "../../etc/passwd",
        "a" * 5000,
        "٣",
        "-1",
        "1e9",
        "http://[::1",
        "(",
        ")" * 50,
        "\u202e",
        "%",
    ]
)

#: JSON values that no page sends.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)

#: Bodies that are not JSON, or hardly.
BODIES = st.binary(max_size=40) | st.sampled_from(
    [
        b"",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xef\xbb\xbf{}",
        b"{} {}",
        b"NaN",
        b'{"ply": 1e999}',
        b'{"ply": ' + b"9" * 5000 + b"}",
        b'{"ply": 1, "ply": []}',
        '{"name": "x"}'.encode("utf-16"),
        b"\x1f\x8b\x08",
    ]
)

_SEGMENTS = st.binary(max_size=10).map(lambda data: quote_from_bytes(data, safe="")) | st.sampled_from(
    ["..", "%2e%2e", "%00", "%ff", "%2F", "..%2f..%2fetc%2fpasswd", "%zz", ".", "9" * 500, "%D9%A3", "-1", "a" * 3000]
)

_HEADERS = st.sampled_from(
    [
        "Content-Type: text/plain",
        "Content-Type: application/json; charset=foo",
        "Content-Type: application/json; charset=utf-16",
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Type: ;;;",
        "Content-Encoding: gzip",
        "Content-Encoding: deflate",
        "Content-Encoding: br",
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Expect: 100-continue",
        "Expect: something",
        "Origin: http://[",
        "Origin: null",
        "Host: [",
        "Host: evil.example",
        "Sec-Fetch-Site: cross-site",
        "Cookie: a=b; \x01; =; ;;;$x",
        "Last-Event-ID: ٣",
        "Last-Event-ID: -5",
        "Last-Event-ID: 999999999",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAA",
        "Connection: close",
        "Range: bytes=0-",
        "If-Modified-Since: never",
        "Accept-Encoding: gzip;q=x",
        "Content-Length: -1",
        "X: " + "y" * 9000,
        "No colon",
    ]
)


@st.composite
def requests(draw: st.DrawFn, paths: Sequence[str], fields: dict[str, st.SearchStrategy[object]]) -> tuple[bytes, bool]:
    """A request for one of some paths, and whether it is complete.

    In paths, `*` stands for any text. `fields` are the fields that servers read from JSON objects.
    """
    path = draw(st.sampled_from(list(paths)))
    while "*" in path:
        path = path.replace("*", draw(_SEGMENTS), 1)
    usual = "POST" if draw(st.booleans()) else "GET"
    method = draw(st.just(usual) | st.sampled_from(["HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "odd"]))
    given = draw(st.fixed_dictionaries({}, optional={name: one | VALUES for name, one in fields.items()}))
    body = draw(st.just(json.dumps(given).encode()) | BODIES)
    headers = draw(st.lists(_HEADERS, max_size=2))
    complete = draw(st.integers(0, 4)) > 0
    length = len(body) + (0 if complete else draw(st.integers(1, 1000)))
    kind = [] if any(one.startswith("Content-Type") for one in headers) else ["Content-Type: application/json"]
    host = [] if any(one.startswith("Host") for one in headers) else ["Host: localhost"]
    size = [] if any(one.startswith("Transfer") for one in headers) else [f"Content-Length: {length}"]
    head = "".join(f"{one}\r\n" for one in [f"{method} {path} HTTP/1.1", *host, *kind, *size, *headers])
    return head.encode("utf-8", "replace") + b"\r\n" + body, complete
