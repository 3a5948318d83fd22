"""The warning of servers that other machines can reach."""

from __future__ import annotations

import pytest

from ggp.network.own_requests import exposure


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_no_warning_on_this_machine(host: str) -> None:
    assert exposure([host]) == ""


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "fe80::1%eth0", "example.org", ""])
def test_a_warning_names_the_address(host: str) -> None:
    assert exposure(["127.0.0.1", host]) == (
        f"other machines can reach {host}: anyone on the network can send requests to this server"
    )
