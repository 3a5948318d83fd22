"""Addresses of players elsewhere, and hosts that cannot be reached."""

from __future__ import annotations

import re

import pytest
from support.hosted import CLOCK

from ggp.network.host import Address, Network, RemotePlayer
from ggp.network.host.connections import AddressError, ExchangeError


class TestAddresses:
    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("http://example.org", Address("example.org", 9147)),
            ("http://127.0.0.1:9000/", Address("127.0.0.1", 9000)),
            ("https://[::1]:1", Address("::1", 1, secure=True)),
            ("http://localhost:9147/open.sesame", Address("localhost", 9147, path="open.sesame")),
        ],
    )
    def test_read(self, text: str, address: Address) -> None:
        assert Address.parse(text) == address

    @pytest.mark.parametrize("text", ["ftp://x", "http://", "http://x:99999", "http://x/a/game", "http://[x", "x://"])
    def test_refused(self, text: str) -> None:
        with pytest.raises(AddressError, match=re.escape(text)):
            Address.parse(text)

    @pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 300])
    def test_a_host_that_is_not_there(self, host: str, network: Network) -> None:
        player = RemotePlayer(Address(host, 1), network)
        with pytest.raises((ExchangeError, TimeoutError)):
            player.introduce(CLOCK).result()
