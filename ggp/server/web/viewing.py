"""What a request may see of a match with hidden information while it is played.

Roles do not see everything in such a match, so its page shows a person only what the person's role sees. Who asks is
known by the secret of a seat, which every person in such a match has:

- `whole`: everything. So it is when the match is over; and from the beginning if only programs of this server play.
- `own`: what one role sees. Until the end, an answer depends on nothing but this role's moves, its percepts and legal
  moves, and the number of plies.
- `public`: the rules, the players, the clocks and the number of plies.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, final

from aiohttp import web

from ggp.server.messages import Believe, Likely, Position, State
from ggp.server.web.live_match import LiveMatch
from ggp.server.web.seats import SeatError, browser_of, seat_of

#: What is said when something is asked for that is shown only at the end.
_LATER: Final = "roles do not see everything in this game: {} when the match is over"


class Sight(StrEnum):
    """The part of a match that a request may see."""

    WHOLE = "whole"
    OWN = "own"
    PUBLIC = "public"


@final
@dataclass(frozen=True, slots=True)
class Viewer:
    """The sender of a request about a match.

    `role` is the role of its seat, empty unless the sender is limited to what this role sees.
    """

    sight: Sight
    role: str = ""
    browser: str = ""

    @classmethod
    def of(cls, match: LiveMatch, request: web.Request) -> Viewer:
        """Return who sends a request about a match, by the secret in its query."""
        seats, query = match.lineup.seats, request.query
        browser = browser_of(seats, query)
        if not match.concealed:
            return cls(Sight.WHOLE, browser=browser)
        role = seat_of(seats, query.get("seat"))
        return cls(Sight.OWN if role else Sight.PUBLIC, role, browser)

    def state(self, match: LiveMatch) -> State:
        """Return the state of a match as far as it may be seen."""
        state = match.state()
        state["taken"] = match.people.taken(self.browser)
        # The match may have ended since this was made.
        if self.sight is Sight.WHOLE or not match.concealed:
            return {**state, "view": Sight.WHOLE.value, "role": self.role}
        asked = self.role in state["waiting"]
        return {
            **state,
            "version": state["plies"],  # others count what this role does not see
            "settings": {**state["settings"], "seed": None},  # chance follows from it
            "thoughts": 0,
            "doing": "",
            "slow": "",
            "last": [],
            "counts": [],
            "undo": {},
            "waiting": [self.role] if asked else [],
            "until": state["until"] if asked else None,
            "clocks": {role: clock for role, clock in state["clocks"].items() if role == self.role},
            "view": self.sight.value,
            "role": self.role,
        }

    async def position(self, match: LiveMatch, ply: int) -> Position:
        """Return the position after a ply as far as it may be seen. Raises SeatError, GameClientError."""
        if self.sight is Sight.OWN:
            return await match.own_position(ply, self.role)
        if self.sight is Sight.PUBLIC and ply:
            raise SeatError(_LATER.format("moves are shown"))
        return await match.position(ply)

    async def belief(self, match: LiveMatch, ply: int) -> Likely:
        """Return what the role of a seat can believe after a ply. Raises SeatError, GameClientError."""
        if self.sight is not Sight.OWN:
            raise SeatError("only a role that does not see everything has a belief, while the match is being played")
        return await match.ask(Believe(match.file, ply, self.role), patient=True)


def check_whole(match: LiveMatch, what: str) -> None:
    """Check that everything about a match may be seen. Raises SeatError, which says that `what` happens at the end."""
    if match.concealed:
        raise SeatError(_LATER.format(what))


def check_no_help(match: LiveMatch) -> None:
    """Check that nobody who plays is helped: not while others play than programs of this server. Raises SeatError."""
    if match.contested:
        raise SeatError("this match is being played; what its positions are worth is shown when it is over")
