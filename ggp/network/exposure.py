"""The warning of servers that listen not only to this machine."""

from __future__ import annotations

from collections.abc import Iterable

from ggp.network.own_requests import is_loopback


def exposure(hosts: Iterable[str]) -> str:
    """Return a warning if one of the addresses of a server can be reached from other machines, otherwise nothing."""
    exposed = sorted({host for host in hosts if not is_loopback(host.partition("%")[0])})
    if not exposed:
        return ""
    return f"other machines can reach {', '.join(exposed)}: anyone on the network can send requests to this server"
