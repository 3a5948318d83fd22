"""Addresses as they are pasted."""

from __future__ import annotations

import pytest

from ggp.network.host import Address
from ggp.network.host.connections import AddressError
from ggp.network.pasted import HostPage, is_address


@pytest.mark.parametrize(
    "text",
    [
        "http://h:1",
        "https://h",
        "h:1",
        "127.0.0.1:9147/token",
        " localhost:80/ ",
        "[::1]:9147",
        "ftp://x",
        "http://",
        "remote(h:1)",
    ],
)
def test_what_is_meant_as_an_address(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text", ["mcts", "mine.py:Player", "pkg.mod:Class", "mcts(seconds=1:2)", "a/b.py:C", "C:\\x", ""]
)
def test_what_is_the_name_of_a_player(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize(
    "text", ["http://h:5/t", "h:5/t", "http://h:5/t/", "  h:5/t\n", "remote(h:5/t)", "remote( http://h:5/t )"]
)
def test_players(text: str) -> None:
    assert Address.parse(text) == Address("h", 5, path="t")


def test_a_page_is_no_player() -> None:
    for text in ("http://h:5/matches", "h:5/matches/nim.1.x/"):
        with pytest.raises(AddressError, match="the page of a host, not a player; players are at http://HOST:PORT"):
            Address.parse(text)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("http://h:5", ""),
        ("h:5/", ""),
        ("http://h:5/matches/", ""),
        ("http://h:5/matches/nim.1.x", "nim.1.x"),
        ("h:5/matches/nim.1.x/", "nim.1.x"),
        ("http://h:5/matches/nim.1.x/events", "nim.1.x"),
        ("http://h:5/matches/a%20b", "a b"),
    ],
)
def test_pages(text: str, match: str) -> None:
    page = HostPage.parse(text)
    assert page == HostPage("http://h:5", match)
    assert HostPage.parse(page.record()) == page


@pytest.mark.parametrize("text", ["http://h:5/other", "ftp://h/", "no address", "http://h:99999/", "", "http://[::1"])
def test_no_pages(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of any part
        HostPage.parse(text)
