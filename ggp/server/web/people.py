"""The people of a match: who plays which role, and what those who play together have to agree on.

A browser is known by a text of its own. It plays the roles for which it has moved, or to which it came by a link; a
role that nobody has played yet is that of whoever asks. One browser may play several roles: then people sit at one
screen, and have agreed already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, final

from ggp.server.messages import Offer, What


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

    def __init__(self, roles: Iterable[str]) -> None:
        """Start with roles that are played by people, but not yet by anybody in particular."""
        self.roles: Final = tuple(roles)
        self._browsers: dict[str, str] = {}
        self._offer: _Offer | None = None

    def sit(self, browser: str, role: str) -> bool:
        """Note that a browser plays a role. Return True if that is new."""
        new = role in self.roles and self._browsers.get(role) != browser
        if new:
            self._browsers[role] = browser
        return new

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
