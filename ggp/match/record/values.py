"""The record of a match as values: what was played, how long it took, what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggp.board.picture import Pictures


class Result(StrEnum):
    """How a match stands."""

    RUNNING = "running"
    #: A terminal state was reached.
    FINISHED = "finished"
    #: The ply limit was reached first.
    UNFINISHED = "unfinished"
    #: A role broke the rules of the match under the policy `disqualify`.
    DISQUALIFIED = "disqualified"
    #: The rules do not let it go on: a role without a legal move, or an error while deriving.
    STUCK = "stuck"
    #: It was broken off from outside.
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Ply:
    """One step: the joint move, and the state after it. Tuples are in role order, texts are KIF.

    `errors` has for each role what went wrong while it was asked, empty if nothing did: `TO` (late), `IL MOVE`
    (illegal), `CE ...` (crashed). `seconds` is the time that each role took, `choices` how many legal moves it
    had. `time` is when the state was reached, in milliseconds since 1970.
    """

    moves: tuple[str, ...]
    state: str
    errors: tuple[str, ...]
    seconds: tuple[float, ...]
    choices: tuple[int, ...]
    time: int


@dataclass(frozen=True, slots=True, repr=False)
class MatchRecord:
    """A match, as far as it was played. Clocks are in seconds, None where none ran; tuples are in role order.

    `initial_errors` are those of the start, `last_errors` those of a ply that was asked for but not played, and of
    the players' farewell; empty where there were none. `goals` is empty unless the match was finished or a role
    disqualified; a role without a goal value has None. `rules_error` is what the rules did wrong, if anything.
    `roles` is empty in records of other programs, which do not name them.
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
    rules_error: str = ""
    seed: int | None = None
    max_plies: int | None = None
    start_clock: float | None = None
    play_clock: float | None = None
    policy: str = ""
    game_name: str = ""
    rules: str = ""
    game_url: str = ""

    @property
    def completed(self) -> bool:
        """True if the goals are settled."""
        return self.result in (Result.FINISHED, Result.DISQUALIFIED)

    @property
    def goal_of(self) -> dict[str, int | None]:
        """The goal of each role by its name; empty where `goals` is."""
        return dict(zip(self.roles, self.goals, strict=True)) if self.goals else {}

    @property
    def boards(self) -> Pictures:
        """The states as pictures, the initial one first. Raises RecordError for a record without rules."""
        from ggp.match.record.pictures import pictures

        return pictures(self)

    def __str__(self) -> str:
        """Return the game, how the match ended, and the goals, in one line."""
        plies = f"{len(self.plies)} {'ply' if len(self.plies) == 1 else 'plies'}"
        goals = ", ".join(f"{role} {'-' if goal is None else goal}" for role, goal in self.goal_of.items())
        return f"{self.game_name or 'match'}: {self.result} after {plies}{f': {goals}' if goals else ''}"

    def __repr__(self) -> str:
        """Return the same line in angle brackets."""
        return f"<MatchRecord {self}>"

    def _repr_html_(self) -> str:
        from ggp.match.record.pictures import record_html

        return record_html(self)
