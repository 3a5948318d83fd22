"""The record of a match: what was played, how long it took, what went wrong; as values and as JSON.

The JSON has the fields that the viewers of the GGP community read (matchId, states, moves, errors, goalValues
and so on), and further ones of ours:

=====================  ==============================================================================
matchId, randomToken   what the match is called, and 32 random letters and digits
startTime, stateTimes  milliseconds since 1970; stateTimes has one for each state
gameMetaURL            where the game is described on the network, if anywhere
gameName               the name of the rule file; gameRulesheet is its text
gameRoleNames          the roles, whose order all other lists follow
playerNamesFromHost    who played them
startClock, playClock  seconds; 0 where no clock ran
states                 one text a state, the first included: `((cell 1 1 b) (control white))`
moves                  one list a ply: each role's move
errors                 one list for the start and one a ply: each role's error, or an empty text; one list
                       more where the match ended in errors
isCompleted            whether goalValues are settled; isAborted: broken off, or the rules got stuck
goalValues             one number a role (null for a role without a goal); only when isCompleted
timesUsed              one list a ply: the seconds that each role took
legalMoveCounts        one list a ply: how many legal moves each role had
seed, maxPlies         what the match was started with, as is policy
result                 running, finished, unfinished (ply limit), disqualified, stuck or aborted
disqualified           the roles that were
rulesError             what the rules did wrong, if anything
=====================  ==============================================================================
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from gdl.errors import GdlError

T = TypeVar("T")
Default = TypeVar("Default")


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


@dataclass(frozen=True, slots=True)
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
        """Whether the goals are settled."""
        return self.result in (Result.FINISHED, Result.DISQUALIFIED)


class RecordError(GdlError):
    """A match record cannot be read or written."""

    code = "match-record"

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.file}: {self.reason}"


def to_json(record: MatchRecord) -> dict[str, Any]:
    """The record as a JSON object; the module says what is in it."""
    plies = record.plies
    always: dict[str, Any] = {
        "matchId": record.match_id,
        "randomToken": record.random_token,
        "startTime": record.start_time,
        "startClock": _clock_to_json(record.start_clock),
        "playClock": _clock_to_json(record.play_clock),
        "isCompleted": record.completed,
        "isAborted": record.result in (Result.ABORTED, Result.STUCK),
        "result": record.result.value,
        "states": [record.initial_state, *(ply.state for ply in plies)],
        "moves": [ply.moves for ply in plies],
        "stateTimes": [record.start_time, *(ply.time for ply in plies)],
        "errors": [record.initial_errors, *(ply.errors for ply in plies), *filter(None, [record.last_errors])],
        "timesUsed": [[round(seconds, 6) for seconds in ply.seconds] for ply in plies],
        "legalMoveCounts": [ply.choices for ply in plies],
    }
    where_given: dict[str, Any] = {
        "goalValues": record.goals,
        "gameName": record.game_name,
        "gameMetaURL": record.game_url,
        "gameRoleNames": record.roles,
        "playerNamesFromHost": record.players,
        "disqualified": record.disqualified,
        "rulesError": record.rules_error,
        "seed": record.seed,
        "maxPlies": record.max_plies,
        "policy": record.policy,
        "gameRulesheet": record.rules,
    }
    return always | {name: value for name, value in where_given.items() if value not in (None, "", ())}


def from_json(fields: Mapping[str, Any], file: str = "<record>") -> MatchRecord:
    """The record that a JSON object holds, ours or another program's. Raises `RecordError`."""
    read = _Fields(fields, file)
    moves = read.rows("moves", str)
    states = read.row("states", str)
    times = read.row("stateTimes", int)
    if len(states) != len(moves) + 1 or len(times) != len(states):
        raise RecordError(file, f"{len(moves)} plies do not fit {len(states)} states and {len(times)} stateTimes")
    players = read.row("playerNamesFromHost", str, ())
    roles = read.row("gameRoleNames", str, ())
    width = len(roles or players or (moves[0] if moves else ()))
    silent = ("",) * width
    errors = read.rows("errors", str, ()) or (silent,) * len(states)
    seconds = read.rows("timesUsed", float, ()) or ((0.0,) * width,) * len(moves)
    choices = read.rows("legalMoveCounts", int, ()) or ((0,) * width,) * len(moves)
    if not len(states) <= len(errors) <= len(states) + 1 or not len(seconds) == len(choices) == len(moves):
        raise RecordError(file, "errors, timesUsed or legalMoveCounts do not have one list a ply")
    goals = read.goals()
    for name, rows in (("moves", moves), ("errors", errors), ("timesUsed", seconds), ("legalMoveCounts", choices)):
        if any(len(row) != width for row in rows):
            raise RecordError(file, f"{name}: not every list has {width} entries, one a role")
    if any(given and len(given) != width for given in (players, goals)):
        raise RecordError(file, f"playerNamesFromHost or goalValues do not have {width} entries, one a role")
    return MatchRecord(
        match_id=read.required("matchId", str),
        random_token=read.optional("randomToken", str, ""),
        start_time=read.required("startTime", int),
        roles=roles,
        players=players,
        initial_state=states[0],
        initial_errors=errors[0],
        plies=tuple(map(Ply, moves, states[1:], errors[1:], seconds, choices, times[1:])),
        last_errors=errors[len(states)] if len(errors) > len(states) else (),
        result=_result(read),
        goals=goals,
        disqualified=read.row("disqualified", str, ()),
        rules_error=read.optional("rulesError", str, ""),
        seed=read.optional("seed", int, None),
        max_plies=read.optional("maxPlies", int, None),
        start_clock=read.optional("startClock", float, 0.0) or None,
        play_clock=read.optional("playClock", float, 0.0) or None,
        policy=read.optional("policy", str, ""),
        game_name=read.optional("gameName", str, ""),
        rules=read.optional("gameRulesheet", str, ""),
        game_url=read.optional("gameMetaURL", str, ""),
    )


def write_record(record: MatchRecord, path: str | Path) -> None:
    """Write a record, whole or not at all: a reader finds the file as it was before or as it is after.

    Raises `RecordError` where the file cannot be written.
    """
    target = Path(path)
    try:
        target = target.resolve()
        if target.exists() and not target.is_file():
            raise RecordError(str(path), "not a regular file")
        # Beside the target, as only within one file system a file can be put in another's place at once.
        draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            draft.write_text(json.dumps(to_json(record)) + "\n", encoding="utf-8")
            draft.replace(target)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise RecordError(str(path), getattr(error, "strerror", None) or str(error)) from None


class RecordFile:
    """The record of a match under way, kept in a file. Raises `RecordError` where that cannot be written.

    A record is written whole each time, so a long match of quick players would spend its time on that. `update`
    therefore leaves out the plies that follow so soon that writing would take more than `SHARE` of the time;
    `finish` writes in any case.
    """

    SHARE: Final = 0.1

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._not_before = 0.0

    def update(self, record: MatchRecord) -> None:
        if time.monotonic() >= self._not_before:
            self.finish(record)

    def finish(self, record: MatchRecord) -> None:
        began = time.monotonic()
        write_record(record, self._path)
        ended = time.monotonic()
        self._not_before = ended + (ended - began) / self.SHARE


def read_record(path: str | Path) -> MatchRecord:
    """The record in a file. Raises `RecordError`, naming what is wrong with it."""
    try:
        fields = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(str(path), error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(str(path), f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise RecordError(str(path), "not a JSON object")
    return from_json(fields, str(path))


def _clock_to_json(seconds: float | None) -> float | int:
    if seconds is None:
        return 0
    return int(seconds) if seconds == int(seconds) else seconds


def _result(read: _Fields) -> Result:
    name = read.optional("result", str, "")
    if name:
        try:
            return Result(name)
        except ValueError:
            raise RecordError(read.file, f"result: {name} is none of {', '.join(Result)}") from None
    if read.optional("isAborted", bool, False):
        return Result.ABORTED
    return Result.FINISHED if read.required("isCompleted", bool) else Result.RUNNING


_KINDS: Final = MappingProxyType(
    {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}
)


class _Fields:
    """Typed looks into a JSON object. What is missing or of the wrong kind raises `RecordError`."""

    def __init__(self, fields: Mapping[str, Any], file: str) -> None:
        self._fields = fields
        self.file = file

    def required(self, name: str, kind: type[T]) -> T:
        if name not in self._fields:
            raise RecordError(self.file, f"{name} is missing")
        return self._checked(name, self._fields[name], kind)

    def optional(self, name: str, kind: type[T], default: Default) -> T | Default:
        value = self._fields.get(name)
        return default if value is None else self._checked(name, value, kind)

    def row(self, name: str, kind: type[T], default: tuple[T, ...] | None = None) -> tuple[T, ...]:
        entries = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(self._checked(name, entry, kind) for entry in entries)

    def rows(self, name: str, kind: type[T], default: tuple[()] | None = None) -> tuple[tuple[T, ...], ...]:
        rows = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(tuple(self._checked(name, x, kind) for x in self._checked(name, row, list)) for row in rows)

    def goals(self) -> tuple[int | None, ...]:
        values = self.optional("goalValues", list, ())
        return tuple(None if value is None else self._checked("goalValues", value, int) for value in values)

    def _checked(self, name: str, value: Any, kind: type[T]) -> T:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            with suppress(OverflowError):  # as an int, it is refused below
                value = float(value)
        whole = isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
        if not whole or (isinstance(value, float) and not isfinite(value)):
            shown = json.dumps(value)
            shown = shown if len(shown) <= 40 else shown[:37] + "..."
            raise RecordError(self.file, f"{name}: {shown} is not {_KINDS[kind]}")
        return cast(T, value)
