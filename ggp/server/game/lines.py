"""Positions after lines of moves, as the page of an analysis shows them. Runs in a game process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gdl.errors import GdlError, GoalError
from gdl.language.parser import parse_term, source_of
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from ggp.match.blank_record import blank_record
from ggp.match.record import MatchRecord, Result
from ggp.match.settings import Settings
from ggp.rules.position import at_position
from ggp.server.game.table import Table
from ggp.server.messages import Position, Why

#: The largest number of states kept in memory.
_MOST_STATES: Final = 5000

#: A line: joint moves in role order, as texts.
Line = tuple[tuple[str, ...], ...]


class LineError(GdlError):
    """A line of moves cannot be played."""

    code = "line"


class Lines:
    """The positions of one game after lines of moves, from the start of a match on."""

    def __init__(self, table: Table) -> None:
        """Show positions of the game at a table."""
        self._table = table
        self._known: dict[tuple[str, Line], State] = {}

    def position(self, record: MatchRecord, line: Line) -> Position:
        """Return the position after a line, as pages show it, with the goals if it is terminal. Raises GdlError."""
        state = self.state(record, line)
        previous = self.state(record, line[:-1]) if line else None
        found = self._table.shown(state, len(line), line[-1] if line else (), previous, chance=True)
        return {**found, "goals": self._goals(state) if found["terminal"] else {}}

    def explain(self, record: MatchRecord, line: Line, atom: str) -> Why:
        """Explain why an atom holds after a line, or why not. Raises GdlError."""
        return self._table.explained(self.state(record, line), atom)

    def state(self, record: MatchRecord, line: Line) -> State:
        """Return the state after a line. Raises LineError for a move that is not legal."""
        game = self._table.game
        start = record.initial_state
        known = len(line)
        while known and (start, line[:known]) not in self._known and line[:known] != record.moves[:known]:
            known -= 1
        state = self._known.get((start, line[:known])) if known else None
        if state is None:
            state = game.state(record.facts(known))  # of the match itself, as it was recorded
        for ply in range(known, len(line)):
            state = self._next(state, line[ply], ply + 1)
            if len(self._known) >= _MOST_STATES:
                self._known.pop(next(iter(self._known)))
            self._known[start, line[: ply + 1]] = state
        return state

    def unplayed(self, name: str, position: str = "") -> MatchRecord:
        """Return the record of a match of this game without plies, to be analysed, from a position on if one is given.

        Raises TermError for a text that is not a position.
        """
        game = self._table.game
        if position:
            game = Reasoner(at_position(game.rulesheet, source_of(position, "position")), budget=game.budget)
        record = blank_record(game, {}, Settings(seed=0), game.initial_state(), name, "")
        nobody = ("",) * len(record.roles)
        return replace(record, players=nobody, seed=None, max_plies=None, policy="", result=Result.ABORTED)

    def _next(self, state: State, moves: Sequence[str], ply: int) -> State:
        game = self._table.game
        if len(moves) != len(game.roles):
            raise LineError(f"ply {ply}: {len(moves)} moves for {len(game.roles)} roles")
        if game.is_terminal(state):
            raise LineError(f"ply {ply}: the game is over before it")
        try:
            return game.next_state(state, tuple(map(parse_term, moves)))
        except GdlError as error:
            raise LineError(f"ply {ply}: {error}") from None

    def _goals(self, state: State) -> dict[str, int | None]:
        found: dict[str, int | None] = {}
        for role in self._table.game.roles:
            try:
                found[role] = self._table.game.goal(state, role)
            except GoalError:
                found[role] = None
        return found
