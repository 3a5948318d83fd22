"""A match on the screen: the players, each ply with the board after it, and the result."""

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
    """A match being played or replayed, as far as it has come."""

    @property
    def game(self) -> Engine:
        """The engine."""
        ...

    @property
    def record(self) -> MatchRecord:
        """The record so far."""
        ...

    @property
    def state(self) -> State:
        """The current state."""
        ...


class View(Protocol):
    """A report on a match while it is played or replayed."""

    def go_on(self, match: Shown) -> None:
        """Continue with the resumed match."""

    def take_back(self, match: Shown) -> None:
        """Continue with a match in which moves have been taken back."""

    def begin(self) -> None:
        """Report the start."""

    def ply(self, ply: Ply) -> None:
        """Report one ply."""

    def end(self) -> None:
        """Report the result."""


class MatchView:
    """A view that prints a match while it is played or replayed."""

    def __init__(self, match: Shown, *, quiet: bool = False) -> None:
        """Find the boards of the game; with `quiet`, plies and boards are not shown."""
        self._match = match
        self._quiet = quiet
        self._layout = None if quiet else find_boards(match.game)
        self._console = screen()
        record = match.record
        self._margin = max(3, len(str(record.max_plies or 0)))
        self._role_width = max(map(len, record.roles))
        self._begun = False
        #: The state that was shown last.
        self._before: State | None = None
        self._timed = record.start_clock is not None or record.play_clock is not None

    def go_on(self, match: Shown) -> None:
        """Continue with the resumed match."""
        self._match = match

    def take_back(self, match: Shown) -> None:
        """Print the position to which the match has gone back."""
        self._match = match
        self._before = None
        plies = match.record.plies
        if not self._quiet:
            line(self._console, (f"back to {f'ply {len(plies)}' if plies else 'the start'}", "bold"))
            self._board(plies[-1] if plies else None)

    def begin(self) -> None:
        """Print the heading and the initial position, the first time this is called."""
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
        """Print one ply: the moves, the errors, and the board."""
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
        """Print the result, the goals and the errors, unless the match was never shown."""
        if not self._begun:
            return
        self._console = screen()  # an interrupt within its print would make the old one keep everything back
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
        state = self._match.state
        board = render_state(self._layout, state, last_moves=moves, before=self._before)
        self._console.print(board, crop=False)
        self._console.print()
        self._before = state


def _is_idle(ply: Ply, index: int) -> bool:
    """Return True if a role's only legal move carries no information, such as `noop`."""
    return ply.choices[index] == 1 and not ply.moves[index].startswith("(") and not ply.errors[index]


def _worth_showing(ply: Ply) -> list[int]:
    """Return the indices of the roles whose moves are shown: those that are not idle, or all if all are idle."""
    everybody = list(range(len(ply.moves)))
    return [index for index in everybody if not _is_idle(ply, index)] or everybody


def error_text(error: str) -> str:
    """Return an error of a record in words."""
    code, _, details = error.partition(" ")
    words = {LATE: "late", ILLEGAL: "illegal", CRASH: "failed:"}
    return f"{words.get(code, code)} {details}".strip()


def error_counts(record: MatchRecord, index: int) -> str:
    """Return the number of errors of each kind for a role, in words; empty if there were none."""
    found = conduct_of(record, index)
    words = ((found.late, "late"), (found.illegal, "illegal"), (found.crashes, "failed"))
    counts = ", ".join(f"{count} {word}" for count, word in words if count)
    return f"errors: {counts}" if counts else ""


def ending(record: MatchRecord) -> str:
    """Return the result of a match in words."""
    plies = number_and_noun(len(record.plies), "ply", "plies")
    match record.result:
        case Result.FINISHED:
            return f"finished after {plies}"
        case Result.UNFINISHED:
            return f"unfinished after {plies}, the limit (--max-plies)"
        case Result.DISQUALIFIED:
            return f"over after {plies}: {', '.join(record.disqualified)} disqualified"
        case Result.RESIGNED:
            return f"over after {plies}: {', '.join(record.resigned)} resigned"
        case Result.STUCK:
            return f"stuck after {plies}"
        case Result.RUNNING:
            return f"not over after {plies}"
        case _:
            return f"{record.result} after {plies}"
