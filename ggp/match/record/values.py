"""The record of a match as values: moves, states, times and errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from gdl.language.parser import parse_terms
from gdl.terms import Term
from ggp.match.record.fields import RecordError
from ggp.match.record.variations import Variation
from ggp.rules.report_text import number_and_noun

if TYPE_CHECKING:
    from ggp.board.picture import Pictures


class Result(StrEnum):
    """The result of a match."""

    RUNNING = "running"
    #: A terminal state was reached.
    FINISHED = "finished"
    #: The ply limit was reached first.
    UNFINISHED = "unfinished"
    #: A role broke the rules of the match under the policy `disqualify`.
    DISQUALIFIED = "disqualified"
    #: A role gave up.
    RESIGNED = "resigned"
    #: The rules failed: a role has no legal move, or a derivation raised an error.
    STUCK = "stuck"
    #: It was interrupted from outside.
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Ply:
    """A ply: the joint move and the state after it. Tuples are in role order, texts are KIF.

    `errors` has the error of each role, empty if there was none: `TO` (late), `IL MOVE` (illegal), `CE ...` (crashed).
    `seconds` is the time that each role took, `choices` the number of its legal moves. `time` is when the state was
    reached, in milliseconds since 1970.
    """

    moves: tuple[str, ...]
    state: str
    errors: tuple[str, ...]
    seconds: tuple[float, ...]
    choices: tuple[int, ...]
    time: int


@dataclass(frozen=True, slots=True, repr=False)
class MatchRecord:
    """A match, as far as it was played. Clocks are in seconds, None without a clock; tuples are in role order.

    `initial_errors` are the errors at the start. `last_errors` are those of a ply that was not completed and of the
    players' `stop`. Both are empty if there were none. `goals` is empty unless the match was finished or a role was
    disqualified or resigned; a role without a goal value has None. `rules_error` is the error in the rules, if any.
    `roles` is empty in records of other programs, which do not name them. `variations` is the analysis of the match.
    """

    match_id: str
    random_token: str
    start_time: int
    roles: tuple[str, ...]
    players: tuple[str, ...]
    initial_state: str
    initial_errors: tuple[str, ...]
    plies: tuple[Ply, ...] = ()
    last_errors: tuple[str, ...] = ()
    result: Result = Result.RUNNING
    goals: tuple[int | None, ...] = ()
    disqualified: tuple[str, ...] = ()
    resigned: tuple[str, ...] = ()
    rules_error: str = ""
    seed: int | None = None
    max_plies: int | None = None
    start_clock: float | None = None
    play_clock: float | None = None
    policy: str = ""
    game_name: str = ""
    rules: str = ""
    game_url: str = ""
    variations: tuple[Variation, ...] = ()

    def before(self, kept: int) -> MatchRecord:
        """Return the record of a match that goes on after its first `kept` plies."""
        return replace(
            self,
            plies=self.plies[:kept],
            result=Result.RUNNING,
            goals=(),
            last_errors=(),
            disqualified=(),
            resigned=(),
            rules_error="",
        )

    def concealed(self) -> MatchRecord:
        """Return the record without what only some roles may know: its plies, and the seed, from which chance follows.

        What is left is the same for all matches of these players.
        """
        return replace(self, plies=(), last_errors=(), seed=None)

    @property
    def over(self) -> bool:
        """True unless the match is still running."""
        return self.result is not Result.RUNNING

    @property
    def completed(self) -> bool:
        """True if the goals are settled."""
        return self.result in (Result.FINISHED, Result.DISQUALIFIED, Result.RESIGNED)

    @property
    def faulty(self) -> bool:
        """True if the rules were at fault."""
        return self.result is Result.STUCK or bool(self.rules_error)

    @property
    def states(self) -> tuple[str, ...]:
        """The text of each state, the initial one first."""
        return self.initial_state, *(ply.state for ply in self.plies)

    @property
    def state_times(self) -> tuple[int, ...]:
        """The time at which each state was reached, in milliseconds since 1970."""
        return self.start_time, *(ply.time for ply in self.plies)

    @property
    def error_rows(self) -> tuple[tuple[str, ...], ...]:
        """The errors at the start, in each ply, and at the end if there were any."""
        last = (self.last_errors,) if self.last_errors else ()
        return self.initial_errors, *(ply.errors for ply in self.plies), *last

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """The joint moves."""
        return tuple(ply.moves for ply in self.plies)

    @property
    def goal_values(self) -> tuple[int | None, ...]:
        """The goal of each role, None for roles without one."""
        return self.goals or (None,) * len(self.roles)

    @property
    def player_names(self) -> tuple[str, ...]:
        """The player of each role, empty if the record does not name it."""
        return self.players or ("",) * len(self.roles)

    @property
    def goal_of(self) -> dict[str, int | None]:
        """A mapping from role names to goals; empty if `goals` or `roles` is."""
        return dict(zip(self.roles, self.goals, strict=True)) if self.goals and self.roles else {}

    @property
    def boards(self) -> Pictures:
        """The states as pictures, the initial one first. Raises RecordError for a record without rules."""
        from ggp.match.record.pictures import pictures

        return pictures(self)

    def errors_of(self, place: int) -> list[str]:
        """Return all errors of the role at an index in role order, as separate texts."""
        return [error for row in self.error_rows for error in row[place].split("; ") if error]

    def facts(self, ply: int) -> tuple[Term, ...]:
        """Return the facts of the state after a ply; 0 is the initial state. Raises GdlError if its text is invalid."""
        return state_facts(self.plies[ply - 1].state if ply else self.initial_state)

    def __str__(self) -> str:
        """Return the game, how the match ended, and the goals, in one line."""
        plies = number_and_noun(len(self.plies), "ply", "plies")
        goals = ", ".join(f"{role} {'-' if goal is None else goal}" for role, goal in self.goal_of.items())
        return f"{self.game_name or 'match'}: {self.result} after {plies}{f': {goals}' if goals else ''}"

    def __repr__(self) -> str:
        """Return the same line in angle brackets."""
        return f"<MatchRecord {self}>"

    def _repr_html_(self) -> str:
        from ggp.match.record.pictures import record_html

        return record_html(self)


def state_facts(text: str) -> tuple[Term, ...]:
    """Return the facts of a state from its text in a record: `((cell 1 1 b) (control white))`. Raises GdlError."""
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        raise RecordError("<record>", "not a state")
    return tuple(parse_terms(text[1:-1]))
