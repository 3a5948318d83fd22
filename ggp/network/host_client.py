"""Records of matches at a `ggp host`, requested by the address of any of its pages. Loads aiohttp."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, Final

import aiohttp

from gdl.errors import GdlError
from ggp.match.record import MatchRecord, from_json
from ggp.network.pasted import HostPage

#: The largest answer in bytes, and the seconds that a host may take for it.
_LARGEST: Final = 32 << 20
_SECONDS: Final = 10.0


_ASKED: Final = "is there a `ggp host` at this address?"


class HostError(GdlError):
    """A host did not answer, or does not have what was asked for."""

    code = "host"


def session() -> aiohttp.ClientSession:
    """Return a session for requests to hosts, which may take a few seconds each."""
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS))


def parse_page(text: str) -> HostPage:
    """Parse the address of a page of a host. Raises HostError."""
    try:
        return HostPage.parse(text)
    except ValueError as error:
        raise HostError(str(error)) from None


async def find_match(requests: aiohttp.ClientSession, page: HostPage) -> HostPage:
    """Return the page of a match: of the one that is named, else of the newest under way, else of the newest.

    Raises HostError.
    """
    if page.match:
        return page
    found = await _answer(requests, page.matches)
    listed = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    listed.sort(key=lambda one: one.get("result") != "running")  # newest first, as before
    name = listed[0].get("matchId") if listed else None
    if not isinstance(name, str):
        raise HostError(f"{page.origin} has no match yet")
    return HostPage(page.origin, name)


async def fetch_record(requests: aiohttp.ClientSession, page: HostPage) -> MatchRecord:
    """Request the record of the match that a page is about. Raises HostError, RecordError."""
    url = page.record()
    fields = await _answer(requests, url)
    if not isinstance(fields, dict):
        raise HostError(f"the answer from {url} is not a record")
    return await asyncio.to_thread(from_json, fields, url)


async def _answer(requests: aiohttp.ClientSession, url: str) -> Any:
    try:
        async with requests.get(url, headers={"Accept": "application/json"}, allow_redirects=False) as response:
            if response.status != 200:
                raise HostError(f"{url} answered with HTTP status {response.status}; {_ASKED}")
            body = bytearray(await response.content.read(_LARGEST))
            while not response.content.at_eof() and len(body) < _LARGEST:
                body += await response.content.read(_LARGEST - len(body))
    except aiohttp.ClientConnectorError as error:
        raise HostError(f"{url}: no connection: {_reason(error)}; is `ggp host` running there?") from None
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise HostError(f"{url}: {error or 'no answer'}") from None
    try:
        # Seconds for the largest ones, in which others are answered.
        return await asyncio.to_thread(json.loads, body)
    except (ValueError, RecursionError):
        raise HostError(f"the answer from {url} is not JSON; {_ASKED}") from None


def _reason(error: aiohttp.ClientConnectorError) -> str:
    """Return the system's message, without the text that asyncio wraps around it."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
