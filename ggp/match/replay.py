"""Replays of recorded matches, checked against the rules.

    replay = Replay(record, gdl.Reasoner(record.rules))
    for ply in replay.plies():
        print(ply.moves)

Each ply is checked before it is yielded: the game was not over, every move was legal, and the next state is the
recorded one. After the last ply, the recorded result is checked. The first disagreement with the rules raises
`ReplayError`, which names the ply.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gdl.engine import Engine, State, is_nature
from gdl.errors import GdlError, GoalError
from gdl.language.parser import parse_term
from gdl.terms import Term, name_key
from ggp.match.record import MatchRecord, Ply, Result, state_facts
from ggp.rules.report_text import printable

#: Maximum number of differing facts named in an error.
_SHOWN = 3


class ReplayError(GdlError):
    """A record disagrees with the rules. `ply` is the first ply that does, counted from 1; 0 is the start."""

    code = "replay"

    def __init__(self, ply: int, reason: str) -> None:
        """Store the ply and the reason."""
        self.ply = ply
        self.reason = reason
        super().__init__(ply, reason)

    def __str__(self) -> str:
        """Return the code, the ply and the reason."""
        return f"{self.code}: {f'ply {self.ply}' if self.ply else 'the start'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Passed:
    """A replayed ply: the state before it, and the joint move in role order."""

    state: State
    moves: tuple[Term, ...]


class Replay:
    """A replay in progress: `state` is the current state, `record` the record up to there.

    `passed` contains the plies so far, `recorded` is the whole record.
    """

    def __init__(self, recorded: MatchRecord, game: Engine) -> None:
        """Check the roles and the initial state. Raises ReplayError if they are not those of the rules."""
        self.game = game
        self.recorded = recorded
        self.passed: list[Passed] = []
        self.state: State = game.initial_state()
        names = recorded.roles or game.roles  # records of other programs do not contain the roles
        if [name_key(name) for name in names] != [name_key(name) for name in game.roles]:
            raise ReplayError(0, f"the roles are {', '.join(game.roles)}, but the record has {_text(', '.join(names))}")
        self._compare(0, recorded.initial_state)
        blank = ("",) * len(game.roles)
        self.record = replace(
            recorded,
            roles=game.roles,
            players=recorded.players or blank,
            initial_errors=recorded.initial_errors or blank,
            plies=(),
            last_errors=(),
            result=Result.RUNNING,
            goals=(),
            disqualified=(),
            resigned=(),
            rules_error="",
        )

    def plies(self) -> Iterator[Ply]:
        """Yield the plies one by one. Raises ReplayError at the first that disagrees with the rules."""
        while len(self.record.plies) < len(self.recorded.plies):
            yield self._next()
        self._check_end()
        self.record = replace(self.recorded, roles=self.record.roles, players=self.record.players)

    def check_goes_on(self) -> None:
        """Raise ReplayError if the match is over, and so cannot be resumed.

        A match that was interrupted in a terminal state goes on, as its goals have yet to be recorded.
        """
        if self.recorded.result not in (Result.RUNNING, Result.ABORTED, Result.UNFINISHED):
            raise ReplayError(len(self.recorded.plies), "the match is over, and cannot be resumed")

    def _next(self) -> Ply:
        number = len(self.record.plies) + 1
        ply = self.recorded.plies[number - 1]
        if len(ply.moves) != len(self.game.roles):
            raise ReplayError(number, f"{len(ply.moves)} moves for {len(self.game.roles)} roles")
        try:
            if self.game.is_terminal(self.state):
                raise ReplayError(number, "the game was already over")
            moves = tuple(map(parse_term, ply.moves))
            after = self.game.next_state(self.state, moves)
            self._check_choices(number, ply)
        except ReplayError:
            raise
        except GdlError as error:
            raise ReplayError(number, str(error).splitlines()[0]) from None
        self.passed.append(Passed(self.state, moves))
        self.state = after
        self._compare(number, ply.state)
        if not ply.choices:  # a record of another program
            ply = replace(ply, choices=(0,) * len(moves))
        self.record = replace(self.record, plies=(*self.record.plies, ply))
        return ply

    def _check_choices(self, number: int, ply: Ply) -> None:
        for role, recorded in zip(self.game.roles, ply.choices, strict=False):
            count = len(self.game.legal_moves(self.state, role))
            if recorded not in (0, count):  # 0 in records of other programs
                raise ReplayError(number, f"{role} has {count} legal moves, but the record says {recorded}")

    def _compare(self, number: int, recorded: str) -> None:
        """Raise ReplayError if the state is not the recorded one."""
        try:
            facts = set(state_facts(recorded))
        except GdlError:
            raise ReplayError(number, f"the recorded state cannot be read: {_text(recorded)}") from None
        here = set(self.state)
        differences = [
            *_some("the record lacks", here - facts),
            *_some("the rules do not have", facts - here),
        ]
        if differences:
            name = "state after it" if number else "initial state"
            raise ReplayError(number, f"the {name} is not the recorded one: {'; '.join(differences)}")

    def _check_end(self) -> None:
        number = len(self.recorded.plies)
        record = self.recorded
        if record.result not in (Result.FINISHED, Result.UNFINISHED):
            return  # such matches may end in any state
        over = self.game.is_terminal(self.state)
        if over != (record.result is Result.FINISHED):
            found = "the game is over after it" if over else "the game is not over after it"
            raise ReplayError(number, f"{found}, but the record says {record.result}")
        if not over:
            return
        for role, recorded in zip(self.game.roles, record.goals, strict=False):
            try:
                goal: int | None = self.game.goal(self.state, role)
            except GoalError:
                goal = None
            if goal != recorded and not is_nature(role):
                shown = ["none" if value is None else str(value) for value in (goal, recorded)]
                raise ReplayError(number, f"the goal of {role} is {shown[0]}, but the record says {shown[1]}")


def _some(what: str, facts: set[Term]) -> Iterator[str]:
    if facts:
        texts = sorted(fact.text for fact in facts)
        more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
        yield f"{what} {', '.join(texts[:_SHOWN])}{more}"


def _text(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 100 else text[:97] + "..."
