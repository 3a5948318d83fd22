"""HTTP as it comes from programs of many authors, in pieces of any size."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples

from ggp.network.protocol.errors import OversizedError, ProtocolError
from ggp.network.protocol.http import Incoming, reply_bytes, request_bytes
from ggp.network.protocol.messages import Play, parse_message

MESSAGE = "(PLAY m.1 ((mark 1 1) noop))"


def read(data: bytes, *sizes: int, request: bool = True, limit: int = 10_000) -> Incoming:
    """The state after it is fed in pieces of these sizes, and the rest at once; the connection stays open."""
    incoming = Incoming(request=request, limit=limit)
    for size in sizes:
        piece, data = data[:size], data[size:]
        incoming.feed(piece)
    incoming.feed(data)
    return incoming


def post(body: str, *fields: str) -> bytes:
    return "\r\n".join(["POST / HTTP/1.0", "Accept: text/delim", *fields, "", body]).encode()


@given(st.lists(st.integers(0, 40), max_size=30))
@examples(100)
def test_a_request_comes_in_pieces(sizes: list[int]) -> None:
    data = request_bytes(MESSAGE, "127.0.0.1:9147", receiver="white player")
    incoming = read(data, *sizes)
    assert incoming.complete
    assert incoming.text == MESSAGE
    assert incoming.head is not None
    assert incoming.head.method == "POST"
    assert incoming.head.fields["content-type"] == "text/acl"
    assert incoming.head.fields["accept"] == "text/delim"
    assert incoming.head.fields["sender"] == "GAMESERVER"
    assert incoming.head.fields["receiver"] == "white player"


@given(st.lists(st.integers(0, 40), max_size=30), st.sampled_from(["noop", "(mark 1 1)", "", "((name é))"]))
@examples(100)
def test_a_reply_comes_in_pieces(sizes: list[int], reply: str) -> None:
    incoming = read(reply_bytes(reply), *sizes, request=False)
    assert incoming.complete
    assert incoming.text == reply
    assert incoming.head is not None
    assert incoming.head.status == 200


@pytest.mark.parametrize(
    "data",
    [
        post(MESSAGE),  # no length
        post(MESSAGE, "Content-Length: 28"),
        post(MESSAGE, "CONTENT-LENGTH:28"),
        post(MESSAGE, "Content-Length: 9999"),  # too long
        post(f"  \r\n{MESSAGE}", "Content-Length: many"),
        post(MESSAGE).replace(b"\r\n", b"\n"),
        b"\r\n\r\n" + post(MESSAGE),
        post(f"; a comment (\n{MESSAGE}\r\n"),
        post("1c\r\n(PLAY m.1 ((mark 1 1) noop))\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        post("A;x=1\r\n(PLAY m.1 \r\n12\r\n((mark 1 1) noop))\r\n0\r\n\r\n", "transfer-encoding: Chunked"),
        f"GET /{quote_plus(MESSAGE)} HTTP/1.0\r\n\r\n".encode(),
        f"get /{quote_plus(MESSAGE)}\n\n".encode(),
    ],
)
def test_a_request_is_whole_without_the_end_of_the_connection(data: bytes) -> None:
    for sizes in ((), [1] * len(data)):
        incoming = read(data, *sizes)
        assert incoming.complete
        assert incoming.head is not None
        text = incoming.text or incoming.head.target
        assert parse_message(text) == parse_message(MESSAGE)


def test_a_length_that_counts_characters_for_bytes() -> None:
    message = "(PLAY m ((sagt größe) ja))"
    incoming = read(post(message, f"Content-Length: {len(message)}"))
    assert isinstance(parse_message(incoming.text), Play)


def test_what_is_no_group_is_not_waited_for() -> None:
    incoming = read(post("hello"))
    assert incoming.complete
    assert incoming.text == "hello"


def test_a_reply_without_length_ends_with_the_connection() -> None:
    incoming = read(b"HTTP/1.0 200 OK\n\nnoop", request=False)
    assert not incoming.complete
    incoming.end()
    assert incoming.complete
    assert incoming.text == "noop"


def test_bytes_that_are_no_text_are_kept() -> None:
    incoming = read(b"POST /\n\n(PLAY \xff NIL)")
    assert incoming.complete
    assert incoming.text.encode("utf-8", "surrogateescape") == b"(PLAY \xff NIL)"


@pytest.mark.parametrize("data", [b"", b"\r\n", b"POST / HTTP/1.0", b"POST / HTTP/1.0\r\nAccept: x\r\n"])
def test_a_connection_that_ends_in_the_header(data: bytes) -> None:
    incoming = read(data)
    assert not incoming.complete
    with pytest.raises(ProtocolError):
        incoming.end()


@pytest.mark.parametrize("data", [b"POST / HTTP/1.0\n\n(", b"POST / HTTP/1.0\nX: ", b"x", b"POST /\n\n;"])
def test_what_never_ends_is_cut_off(data: bytes) -> None:
    incoming = Incoming(request=True, limit=1000)
    incoming.feed(data)
    for _ in range(15):
        incoming.feed(b"( " * 30)
    with pytest.raises(OversizedError):
        incoming.feed(b"( " * 60)


def test_chunks_without_a_size() -> None:
    with pytest.raises(ProtocolError):
        read(post("x" * 2000, "Transfer-Encoding: chunked"))


@given(st.binary(max_size=300), st.booleans())
@examples(300)
def test_any_bytes_are_taken_or_refused(data: bytes, request_: bool) -> None:
    for begin in (b"", b"POST / HTTP/1.0\r\n\r\n", b"POST / x\nTransfer-Encoding: chunked\n\n"):
        incoming = Incoming(request=request_, limit=250)
        try:
            incoming.feed(begin + data)
            incoming.end()
        except ProtocolError:
            continue
        assert incoming.head is not None
        assert isinstance(incoming.text + incoming.head.method + incoming.head.target, str)
        assert incoming.head.status >= 0


def test_a_name_cannot_add_fields() -> None:
    data = request_bytes("(INFO)", "host", receiver="x\r\nContent-Length: 9\nY: é")
    assert read(data).head is not None
    assert data.count(b"\r\n") == 8
    assert b"\nY" not in data


def test_what_a_reply_says_of_itself() -> None:
    assert reply_bytes("no", HTTPStatus.BAD_REQUEST).startswith(b"HTTP/1.0 400 Bad Request\r\n")
    assert reply_bytes("é").endswith("\r\nContent-Length: 2\r\n\r\né".encode())
