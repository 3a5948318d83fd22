"""The record of a match as JSON.

It has the fields that viewers of the GGP community read (matchId, states, moves, errors, goalValues and so on), and
additional ones:

=====================  ==============================================================================
matchId, randomToken   the identifier of the match, and 32 random letters and digits
startTime, stateTimes  milliseconds since 1970; stateTimes has one entry per state
gameMetaURL            the URL of a description of the game, if any
gameName               the name of the rule file; gameRulesheet is its text
gameRoleNames          the roles; all other lists are in this order
playerNamesFromHost    the player of each role
startClock, playClock  seconds; 0 without a clock
states                 one text per state, including the initial one: `((cell 1 1 b) (control white))`
moves                  one list per ply: each role's move
errors                 one list for the start and one per ply: each role's error, or an empty text; one more
                       list if the match ended with errors
isCompleted            true if goalValues are settled; isAborted: true if interrupted, or the rules got stuck
goalValues             one number per role (null for a role without a goal); only if isCompleted
timesUsed              one list per ply: the seconds that each role took
legalMoveCounts        one list per ply: the number of legal moves of each role
seed, maxPlies         settings of the match, as is policy
result                 running, finished, unfinished (ply limit), disqualified, stuck or aborted
disqualified           the disqualified roles
rulesError             the error in the rules, if any
variations             the analysis of the match, a tree: see `ggp.match.record.variations`
=====================  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from ggp.match.record.fields import Fields, RecordError
from ggp.match.record.values import MatchRecord, Ply, Result
from ggp.match.record.variations import variations_from_json, variations_to_json

#: The fields of a single ply that have one entry per role.
_ROWS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {"moves": str, "errors": str, "timesUsed": float, "legalMoveCounts": int}
)


def to_json(record: MatchRecord) -> dict[str, Any]:
    """Return the record as a JSON object, with the fields listed in the module's docstring."""
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
        "states": record.states,
        "moves": record.moves,
        "stateTimes": record.state_times,
        "errors": record.error_rows,
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
        "resigned": record.resigned,
        "rulesError": record.rules_error,
        "seed": record.seed,
        "maxPlies": record.max_plies,
        "policy": record.policy,
        "gameRulesheet": record.rules,
        "variations": tuple(variations_to_json(record.variations)),
    }
    return always | {name: value for name, value in where_given.items() if value not in (None, "", ())}


def ply_to_json(number: int, ply: Ply) -> dict[str, Any]:
    """Return a single ply as it is appended to a record: the same fields, one entry each. `number` counts from 1."""
    return {
        "ply": number,
        "moves": ply.moves,
        "state": ply.state,
        "stateTime": ply.time,
        "errors": ply.errors,
        "timesUsed": [round(seconds, 6) for seconds in ply.seconds],
        "legalMoveCounts": ply.choices,
    }


def ply_from_json(fields: Mapping[str, Any], number: int, width: int, file: str = "<record>") -> Ply:
    """Return the ply with this number from a match with `width` roles. Raises `RecordError`."""
    read = Fields(fields, file)
    if read.required("ply", int) != number:
        raise RecordError(file, f"ply {read.required('ply', int)} where ply {number} is expected")
    rows = {name: read.row(name, kind) for name, kind in _ROWS.items()}
    for name, row in rows.items():
        if len(row) != width:
            raise RecordError(file, f"{name}: {len(row)} entries for {width} roles")
    return Ply(
        moves=rows["moves"],
        state=read.required("state", str),
        errors=rows["errors"],
        seconds=rows["timesUsed"],
        choices=rows["legalMoveCounts"],
        time=read.required("stateTime", int),
    )


def from_json(fields: Mapping[str, Any], file: str = "<record>") -> MatchRecord:
    """Return the record in a JSON object, ours or another program's. Raises `RecordError`."""
    read = Fields(fields, file)
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
        raise RecordError(file, "errors, timesUsed or legalMoveCounts do not have one list per ply")
    goals = read.goals()
    for name, rows in (("moves", moves), ("errors", errors), ("timesUsed", seconds), ("legalMoveCounts", choices)):
        if any(len(row) != width for row in rows):
            raise RecordError(file, f"{name}: not every list has {width} entries, one per role")
    if any(given and len(given) != width for given in (players, goals)):
        raise RecordError(file, f"playerNamesFromHost or goalValues do not have {width} entries, one per role")
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
        resigned=read.row("resigned", str, ()),
        rules_error=read.optional("rulesError", str, ""),
        seed=read.optional("seed", int, None),
        max_plies=read.optional("maxPlies", int, None),
        start_clock=read.optional("startClock", float, 0.0) or None,
        play_clock=read.optional("playClock", float, 0.0) or None,
        policy=read.optional("policy", str, ""),
        game_name=read.optional("gameName", str, ""),
        rules=read.optional("gameRulesheet", str, ""),
        game_url=read.optional("gameMetaURL", str, ""),
        variations=variations_from_json(read.optional("variations", list, []), width, file),
    )


def _clock_to_json(seconds: float | None) -> float | int:
    if seconds is None:
        return 0
    return int(seconds) if seconds == int(seconds) else seconds


def _result(read: Fields) -> Result:
    name = read.optional("result", str, "")
    if name:
        try:
            return Result(name)
        except ValueError:
            raise RecordError(read.file, f"result: {name} is not one of {', '.join(Result)}") from None
    if read.optional("isAborted", bool, False):
        return Result.ABORTED
    return Result.FINISHED if read.required("isCompleted", bool) else Result.RUNNING
