"""A match on the screen: who plays, each ply with the board after it, and how it ended."""

from __future__ import annotations

from typing import Final, Protocol

from gdl.engine import Engine, State
from ggp.board import find_boards, render_state
from ggp.cli.screen import Piece, columns, line, screen
from ggp.match.channels import CRASH, ILLEGAL, LATE
from ggp.match.conduct import conduct_of
from ggp.match.record import MatchRecord, Ply, Result
from ggp.rules.report_text import number_and_noun

WARNING: Final = "bold red"


class Shown(Protocol):
    """A match that is played or replayed: what there is of it so far."""

    @property
    def game(self) -> Engine: ...

    @property
    def record(self) -> MatchRecord: ...

    @property
    def state(self) -> State: ...


class View(Protocol):
    """Reports a match while it is played or replayed."""

    def go_on(self, match: Shown) -> None: ...

    def begin(self) -> None: ...

    def ply(self, ply: Ply) -> None: ...

    def end(self) -> None: ...


class MatchView:
    """Shows a match while it is played or replayed; `quiet` leaves out the plies."""

    def __init__(self, match: Shown, *, quiet: bool = False) -> None:
        self._match = match
        self._quiet = quiet
        self._layout = None if quiet else find_boards(match.game)
        self._console = screen()
        record = match.record
        self._margin = max(3, len(str(record.max_plies or 0)))
        self._role_width = max(map(len, record.roles))
        self._begun = False
        self._timed = record.start_clock is not None or record.play_clock is not None

    def go_on(self, match: Shown) -> None:
        """Show another match from here on: the same, resumed."""
        self._match = match

    def begin(self) -> None:
        """The heading and the start position; nothing if they were shown already."""
        if self._begun:
            return
        self._begun = True
        record = self._match.record
        seed = "" if record.seed is None else f"   seed {record.seed}"
        line(self._console, (record.game_name or record.match_id, "bold"), seed, (self._clocks(), "dim"))
        for role, player in columns(list(zip(record.roles, record.players, strict=True))):
            line(self._console, f"  {role}  {player}")
        self._board(None)

    def ply(self, ply: Ply) -> None:
        """One ply: who moved what, what went wrong, and the board."""
        if self._quiet:
            return
        record = self._match.record
        if len(record.plies) == 1:
            self._errors("at the start", record.initial_errors)
        number = str(len(record.plies)).rjust(self._margin)
        for index in _worth_showing(ply):
            line(self._console, (number, "bold"), *self._move(ply, index))
            number = " " * self._margin
        self._board(ply)

    def end(self) -> None:
        """How the match ended: the result, the goals, and the errors; nothing of one that was never shown."""
        if not self._begun:
            return
        record = self._match.record
        if not self._quiet:
            if not record.plies:
                self._errors("at the start", record.initial_errors)
            self._errors("at the end", record.last_errors)
        line(self._console, (ending(record), "bold"))
        goals = ["" if goal is None else str(goal) for goal in record.goal_values]
        counts = [error_counts(record, index) for index in range(len(record.roles))]
        rows = columns(list(zip(record.roles, record.players, goals, counts, strict=True)), right=[2])
        for role, player, goal, count in rows:
            line(self._console, f"  {role}  {player}  ", (goal, "bold"), (f"  {count}" if count else "", WARNING))
        if record.rules_error:
            line(self._console, (f"the rules are at fault: {record.rules_error}", WARNING))

    def _errors(self, when: str, errors: tuple[str, ...]) -> None:
        for role, error in zip(self._match.record.roles, errors, strict=False):
            if error:
                line(self._console, (f"{role} {when}: {error_text(error)}", WARNING))

    def _clocks(self) -> str:
        record = self._match.record
        clocks = (("start", record.start_clock), ("play", record.play_clock))
        return "".join(f"   {name} clock {seconds:g} s" for name, seconds in clocks if seconds is not None)

    def _move(self, ply: Ply, index: int) -> list[Piece]:
        record = self._match.record
        role = record.roles[index].ljust(self._role_width)
        idle = _is_idle(ply, index)
        pieces: list[Piece] = [
            ("  ", ""),
            (role, "dim" if idle else ""),
            ("  ", ""),
            (ply.moves[index], "dim" if idle else "bold"),
        ]
        if self._timed:
            pieces.append((f"  {ply.seconds[index]:.2f} s", "dim"))
        if error := ply.errors[index]:
            pieces.append((f"  (at random: {error_text(error)})", WARNING))
        return pieces

    def _board(self, ply: Ply | None) -> None:
        if self._layout is None:
            return
        moves = None if ply is None else ply.moves
        self._console.print()
        self._console.print(render_state(self._layout, self._match.state, last_moves=moves), crop=False)
        self._console.print()


def _is_idle(ply: Ply, index: int) -> bool:
    """Whether a role had nothing to choose and its one move says nothing, as `noop` does not."""
    return ply.choices[index] == 1 and not ply.moves[index].startswith("(") and not ply.errors[index]


def _worth_showing(ply: Ply) -> list[int]:
    """The roles whose moves are shown: those that are not idle, or all where everybody is."""
    everybody = list(range(len(ply.moves)))
    return [index for index in everybody if not _is_idle(ply, index)] or everybody


def error_text(error: str) -> str:
    """An error of a record in words."""
    code, _, details = error.partition(" ")
    words = {LATE: "late", ILLEGAL: "illegal", CRASH: "failed with"}
    return f"{words.get(code, code)} {details}".strip()


def error_counts(record: MatchRecord, index: int) -> str:
    """How often what went wrong for a role, in words; empty if nothing did."""
    found = conduct_of(record, index)
    words = ((found.late, "late"), (found.illegal, "illegal"), (found.crashes, "failed"))
    counts = ", ".join(f"{count} {word}" for count, word in words if count)
    return f"errors: {counts}" if counts else ""


def ending(record: MatchRecord) -> str:
    """How a match ended, in words."""
    plies = number_and_noun(len(record.plies), "ply", "plies")
    match record.result:
        case Result.FINISHED:
            return f"finished after {plies}"
        case Result.UNFINISHED:
            return f"unfinished after {plies}, the limit (--max-plies)"
        case Result.DISQUALIFIED:
            return f"over after {plies}: {', '.join(record.disqualified)} disqualified"
        case Result.STUCK:
            return f"stuck after {plies}"
        case Result.RUNNING:
            return f"not over after {plies}"
        case _:
            return f"{record.result} after {plies}"
