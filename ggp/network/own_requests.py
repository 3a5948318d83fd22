"""Checks that a request comes from a program or from this server's own pages, and not from another site's page.

Any web page that is opened on this machine can make the browser send requests to servers on it. Browsers say where a
request comes from (`Origin`, `Sec-Fetch-Site`). A site that points its own name here (DNS rebinding) passes for the
server's own, but has to send that name in `Host`. Servers that listen not only to this machine give a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit


def is_named(host: str, allowed: Collection[str]) -> bool:
    """Return True if a Host header is a loopback address, or has one of the allowed names, which are in lower case."""
    try:
        name = (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return False
    return name in allowed or is_loopback(name)


def is_loopback(host: str) -> bool:
    """Return True if a host is a loopback address, or `localhost`."""
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_foreign_origin(origin: str | None, host: str) -> bool:
    """Return True if an Origin header names another site than the Host header."""
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:
        return True


def is_foreign_site(site: str | None) -> bool:
    """Return True if a Sec-Fetch-Site header says that another site has caused the request."""
    return site not in (None, "none", "same-origin")


def exposure(hosts: Iterable[str]) -> str:
    """Return a warning if one of the addresses of a server can be reached from other machines, otherwise nothing."""
    exposed = sorted({host for host in hosts if not is_loopback(host.partition("%")[0])})
    if not exposed:
        return ""
    return f"other machines can reach {', '.join(exposed)}: anyone on the network can send requests to this server"
