"""The warning of servers that listen not only to this machine."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address


def exposure(hosts: Iterable[str]) -> str:
    """Return a warning if one of the addresses of a server can be reached from other machines, otherwise nothing."""
    exposed = sorted({host for host in hosts if not _is_loopback(host)})
    if not exposed:
        return ""
    return f"other machines can reach {', '.join(exposed)}: anyone on the network can send requests to this server"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:  # a name, which may stand for any address
        return host == "localhost"
