"""Analyses of matches: any line of moves from the start of a match, and a tree of variations kept in its record.

An analysis is that of a match which is over, or of one without plies, which is made for the purpose.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from typing import Any, Final

from ggp.match.record import MatchRecord, RecordError, from_json, write_record
from ggp.match.record.variations import variations_from_json, variations_to_json
from ggp.server.messages import Json, Line, Open, Say, Unplayed, distinct_moves
from ggp.server.web.evaluations import Evaluations
from ggp.server.web.files import FilesError, Lineup
from ggp.server.web.game_client import GameClientError, GameClients
from ggp.server.web.kept_evaluations import KeptEvaluations
from ggp.server.web.library import Library, Rules
from ggp.server.web.live_match import LiveMatch
from ggp.server.web.matches import Matches, identifier_of

#: The largest number of analyses that are begun at a time.
_TOGETHER: Final = 2

#: What the line-up of an analysis names as the source.
SOURCE: Final = "an analysis"


class RunningError(GameClientError):
    """A match that is being played is not analysed."""


class Analyses:
    """The analyses of a server."""

    def __init__(self, matches: Matches, clients: GameClients, library: Library) -> None:
        """Analyse these matches, and games of a library."""
        self._matches = matches
        self._clients = clients
        self._library = library
        self.evaluations = Evaluations(clients)
        self._kept = KeptEvaluations(matches.files)
        self._beginning = asyncio.Semaphore(_TOGETHER)

    async def begin(self, game: str, position: str = "") -> str:
        """Begin the analysis of a game from its start or a position, and return the identifier.

        Raises LibraryError, and GameClientError for a text that is not a position.
        """
        return await self._begin(self._library.rules(game), position)

    async def begin_like(self, identifier: str, position: str) -> str:
        """Begin another analysis of the game that an analysis is about, from a position. Raises as `begin`."""
        match, _ = self._found(identifier)
        lineup = match.lineup
        return await self._begin(Rules(lineup.game, lineup.title, lineup.rules, lineup.wishes), position)

    async def _begin(self, rules: Rules, position: str) -> str:
        async with self._beginning, self._clients.lend() as client:
            name = rules.name.rpartition("/")[2]
            await client.ask(Open(rules.text, name, rules.wishes))
            record = from_json(await client.ask(Unplayed(position)))
        lineup = Lineup(rules.name, rules.title, record.rules, rules.wishes, {}, {}, time.time(), SOURCE)
        return self._again(lineup, record, begun=bool(position))

    def _again(self, lineup: Lineup, record: MatchRecord, *, begun: bool) -> str:
        """Return the analysis to which the same link has led before, or a new one.

        An analysis from the start of a game, not `begun` elsewhere, is a new one if something has been tried in those
        that there are; the list of matches has these.
        """
        files = self._matches.files
        digest = sha256(f"{lineup.rules}\0{lineup.wishes}".encode(errors="surrogateescape")).hexdigest()[:16]
        for number in count(1):
            ending = digest if number == 1 else f"{digest}-{number}"
            known = identifier_of(lineup.game, ending)
            try:
                before = files.record(known)
            except RecordError:
                continue  # damaged
            if before is None:
                return self._matches.create(lineup, ending, record).id
            if begun or not before.variations:
                return known
        raise AssertionError

    async def about(self, identifier: str) -> Json:
        """Return what a page needs to know. Raises FilesError, RunningError, GameClientError."""
        match, record = self._found(identifier)
        state, live = match.state(), self.opened(identifier)
        game, words = await live.about(), await live.ask(Say(distinct_moves(record)))
        return {
            "id": match.id,
            "game": game,
            # By its name, a game can be analysed elsewhere, too.
            "name": state["game"] if self._library.has(state["game"]) else "",
            "title": state["title"],
            "result": state["result"],
            "players": dict(zip(record.roles, record.player_names, strict=True)),
            "roles": list(record.roles),
            "goals": list(record.goals),
            "moves": [list(ply.moves) for ply in record.plies],
            "words": words,
            "variations": variations_to_json(record.variations),
            "evaluations": self._kept.of(identifier),
        }

    def opened(self, identifier: str) -> LiveMatch:
        """Return the match of an analysis, which has room for a process. Raises FilesError, RunningError, BusyError."""
        match, _ = self._found(identifier)
        self._matches.make_room(match)
        return match

    async def keep(self, identifier: str, variations: Sequence[Any]) -> None:
        """Store the variations of an analysis in its record. Raises RecordError, FilesError, RunningError."""
        _, record = self._found(identifier)
        tree = variations_from_json(variations, len(record.roles), "the analysis")
        file = self._matches.files.record_file(identifier)
        await asyncio.to_thread(write_record, replace(record, variations=tree), file)

    async def evaluate(self, identifier: str, line: Line, plies: Sequence[int], *, seconds: float, name: str) -> None:
        """Evaluate positions after some plies of a line; the news have this name. Raises BusyError, RunningError."""
        match, record = self._found(identifier)
        file = str(self._matches.files.record_file(identifier))
        played, moves = record.moves, tuple(map(tuple, line))
        keep = partial(self._kept.add, identifier, played, moves)
        await self.evaluations.begin(identifier, match.lineup, file, line, plies, seconds=seconds, name=name, keep=keep)

    def check(self, identifier: str) -> None:
        """Check that there is such an analysis. Raises FilesError, RecordError, RunningError."""
        self._found(identifier)

    def _found(self, identifier: str) -> tuple[LiveMatch, MatchRecord]:
        match = self._matches.get(identifier)
        record = self._matches.files.record(identifier)
        if record is None or not match.over:
            raise RunningError("this match is being played; it can be analysed when it is over")
        if not record.roles:
            raise FilesError("the record does not name the roles (gameRoleNames)")
        return match, record
