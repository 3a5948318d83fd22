"""The people of a match: who plays which role, and what those who play together have to agree on.

A browser is known by a text of its own. It plays the roles for which it has moved, or to which it came by a link; a
role that nobody has played yet is that of whoever asks. One browser may play several roles: then people sit at one
screen, and have agreed already.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Final, final

from gdl.errors import GdlError
from ggp.server.messages import Json, Offer, Remark, What

#: The most remarks that are kept, the characters of one and of a name, and how many one may make in how many seconds.
_KEPT: Final = 100
LONGEST_REMARK: Final = 300
LONGEST_NAME: Final = 40
_MOST_AT_ONCE: Final = 6
_AT_ONCE: Final = 10.0


def _texts(fields: object) -> dict[str, str]:
    """Return the fields of a JSON object that are plain texts."""
    given = fields.items() if isinstance(fields, dict) else ()
    return {key: value for key, value in given if isinstance(value, str) and value.isprintable()}


class TalkError(GdlError):
    """Somebody cannot say anything now."""

    code = "talk"


@final
@dataclass(frozen=True, slots=True)
class _Offer:
    """What some browsers want. `ply` is the number of plies that stay if a move is taken back."""

    what: What
    ply: int | None
    browsers: frozenset[str] = field(default=frozenset(), compare=False)
    declined: bool = field(default=False, compare=False)


@final
class People:
    """The people in one match."""

    def __init__(self, roles: Iterable[str], *, talk: bool = False) -> None:
        """Start with roles that are played by people, but not yet by anybody in particular.

        They can `talk` to each other if there are several.
        """
        self.roles: Final = tuple(roles)
        self.talk: Final = talk and len(self.roles) > 1
        self._names: dict[str, str] = {}
        self._remarks: deque[Remark] = deque(maxlen=_KEPT)
        self._times: dict[str, deque[float]] = {}
        self._browsers: dict[str, str] = {}
        self._offer: _Offer | None = None

    def kept(self) -> Json:
        """Return what outlasts the server: who plays which role, and what was said; nothing if nobody has come."""
        seated = set(self._browsers.values())
        names = {browser: name for browser, name in self._names.items() if browser in seated}
        found = {"browsers": dict(self._browsers), "names": names, "remarks": list(self._remarks)}
        return found if any(found.values()) else {}

    def restore(self, kept: Json) -> None:
        """Go on with what was kept; parts of another form, as in damaged files, are left out."""
        browsers, names = _texts(kept.get("browsers")), _texts(kept.get("names"))
        self._browsers = {role: browser for role, browser in browsers.items() if role in self.roles}
        self._names = {browser: name[:LONGEST_NAME] for browser, name in names.items()}
        remarks = kept.get("remarks")
        for remark in remarks if isinstance(remarks, list) else ():
            said = _texts(remark)
            at = remark.get("at") if isinstance(remark, dict) else None
            if {"who", "text"} <= said.keys() and isinstance(at, int | float) and isfinite(at):
                who, text = said["who"][:LONGEST_REMARK], said["text"][:LONGEST_REMARK]
                self._remarks.append({"who": who, "text": text, "at": at})

    def sit(self, browser: str, role: str) -> bool:
        """Note that a browser plays a role. Return True if that is new."""
        new = role in self.roles and self._browsers.get(role) != browser
        if new:
            self._browsers[role] = browser
        return new

    def call(self, browser: str, name: object) -> bool:
        """Note the name of who uses a browser; an empty one is none. Return True if that is new."""
        plain = " ".join(name.split())[:LONGEST_NAME] if isinstance(name, str) else None
        if plain is None or not self.of(browser) or self._names.get(browser, "") == plain:
            return False
        self._names[browser] = plain
        return True

    def names(self) -> dict[str, str]:
        """Return the names of those who play roles, by role."""
        found = {role: self._names.get(browser, "") for role, browser in self._browsers.items()}
        return {role: name for role, name in found.items() if name}

    def say(self, browser: str, text: str) -> None:
        """Note what somebody says to the others. Raises TalkError."""
        roles = [role for role, own in self._browsers.items() if own == browser]
        if not self.talk:
            raise TalkError("nobody talks in this match")
        if not roles:
            raise TalkError("only those who play in this match can talk, once they have come to their seats")
        now, times = time.time(), self._times.setdefault(browser, deque(maxlen=_MOST_AT_ONCE))
        if len(times) == _MOST_AT_ONCE and now - times[0] < _AT_ONCE:
            raise TalkError("that is too much at once; wait a moment")
        times.append(now)
        who = self._names.get(browser) or " and ".join(roles)
        self._remarks.append({"who": who, "text": " ".join(text.split())[:LONGEST_REMARK], "at": now})

    def remarks(self) -> list[Remark] | None:
        """Return what was said; None if nobody can talk."""
        return list(self._remarks) if self.talk else None

    def taken(self, browser: str) -> list[str]:
        """Return the roles that other browsers play."""
        return [role for role in self.roles if self._browsers.get(role, browser) != browser]

    def of(self, browser: str) -> list[str]:
        """Return the roles that a browser plays, or may play."""
        return [role for role in self.roles if self._browsers.get(role, browser) == browser]

    def want(self, browser: str, what: What, ply: int | None = None) -> bool:
        """Note what a browser wants. Return True if all who play want it."""
        for role in self.of(browser):
            self._browsers[role] = browser
        wanted = _Offer(what, ply)
        before = self._offer.browsers if self._offer == wanted and not self._offer.declined else frozenset()
        self._offer = replace(wanted, browsers=before | {browser})
        if set(self._browsers.values()) <= self._offer.browsers:
            self._offer = None
        return self._offer is None

    def decline(self) -> None:
        """Note that somebody does not want what is offered."""
        if self._offer is not None:
            self._offer = replace(self._offer, declined=True)

    def lapse(self) -> None:
        """Forget what is offered, as the match has gone on."""
        self._offer = None

    def offer(self) -> Offer | None:
        """Return what is offered, by which roles, and whether it was declined; None if nothing is."""
        if self._offer is None:
            return None
        by = [role for role in self.roles if self._browsers.get(role) in self._offer.browsers]
        return {"what": self._offer.what, "ply": self._offer.ply, "by": by, "declined": self._offer.declined}
