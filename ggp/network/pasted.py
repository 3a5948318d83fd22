"""Addresses as people paste them: with or without `http://`, with blanks around them or a slash at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote, urlsplit

#: The beginning of an address without `http://`: a host and a port. In `FILE.py:CLASS`, no number follows the colon.
_HOST_AND_PORT: Final = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^\s/:()=,\\]+):[0-9]+(?:/.*)?", re.DOTALL)

#: The path of a page of `ggp host`.
_PAGE: Final = re.compile(r"/?|/matches/?|/matches/([^/]+)(?:/|/events/?)?")

#: A player at an address, in the form that other players with options have.
_REMOTE: Final = re.compile(r"\s*remote\((?P<address>.*)\)\s*", re.DOTALL)


def plain_address(text: str) -> str:
    """Return the address in `remote(ADDRESS)`; any other text as it is."""
    match = _REMOTE.fullmatch(text)
    return text if match is None else match["address"].strip()


def is_address(text: str) -> bool:
    """Return True if a text is meant as an address: it has a scheme, or begins with a host and a port.

    The address may be that of a player: `remote(ADDRESS)`.
    """
    text = plain_address(text).strip()
    return "://" in text or _HOST_AND_PORT.fullmatch(text) is not None


def with_scheme(text: str) -> str:
    """Return an address with `http://` in front if it has no scheme, and without blanks and slashes at its end."""
    text = text.strip()
    return (text if "://" in text else f"http://{text}").rstrip("/")


@dataclass(frozen=True, slots=True)
class HostPage:
    """The address of a `ggp host`, `http://HOST:PORT`, and of one of its matches, if `match` is not empty."""

    origin: str
    match: str = ""

    @property
    def matches(self) -> str:
        """The address of the list of matches."""
        return f"{self.origin}/matches"

    def record(self, match: str = "") -> str:
        """Return the address of the record of a match, by default of the one that the address names."""
        return f"{self.matches}/{quote(match or self.match, safe='')}"

    @classmethod
    def parse(cls, text: str) -> HostPage:
        """Parse the address of any page of a host, as it was printed or copied from a browser. Raises ValueError."""
        parts = urlsplit(with_scheme(text))
        page = _PAGE.fullmatch(parts.path)
        if parts.scheme not in ("http", "https") or not parts.hostname or " " in parts.netloc or not page:
            raise ValueError(f"{text}: expected the address of a `ggp host`, {FORMS}")
        _ = parts.port  # raises ValueError
        return cls(f"{parts.scheme}://{parts.netloc}", unquote(page[1] or ""))


#: The forms of addresses of hosts, for messages.
FORMS: Final = "http://HOST:PORT/ or http://HOST:PORT/matches/ID"
