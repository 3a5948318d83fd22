"""Messages between the server and its game processes, as typed values, and the state of a match, as pages see it.

A command is a value that says what to do; `Command[Why]` is answered by a `Why`. Both are lines of JSON: a command with
its name as `do` and an `id`, an answer with the same `id` and an `answer` or an `error`. News come at any time, and say
what they are about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NotRequired, TypedDict, TypeVar, dataclass_transform

from gdl.engine import is_nature
from ggp.match.record import MatchRecord, Result

#: The exit status of a game process that exceeded the time limit.
EXHAUSTED: Final = 75

#: The error of an answer that came too late, as records have it.
LATE: Final = "TO"

#: JSON that passes through the server to a page.
Json = dict[str, Any]

#: A line of joint moves in role order.
Line = Sequence[Sequence[str]]

#: An element of a drawing: its name, its attributes and what is in it.
Drawn = list[Any]


# ------------------------------------------------------------------------------------------ answers


class Part(TypedDict):
    """A part of a move, as it is clicked: one of some cells, a word beside the board, or both.

    The cells of a `lane` mean the same as the others, but are not marked. A word without cells may have a `slot`.
    """

    cells: list[str]
    word: NotRequired[str]
    slot: NotRequired[str]
    lane: NotRequired[list[str]]


class Choice(TypedDict):
    """A legal move, its parts in the order in which they are clicked, and a `label`: the move in words."""

    move: str
    label: str
    parts: list[Part]


class Word(TypedDict):
    """A word of a move, as it is shown: its text, a drawing of it, and the angle of an arrow, if it has them."""

    text: str
    look: NotRequired[Drawn]
    angle: NotRequired[int]


class Game(TypedDict):
    """The constant part of a game: its roles, and the boards without pieces. Cells have keys.

    `above` are the roles whose pieces stand above those of others at the start.
    """

    title: str
    roles: list[str]
    hidden: bool
    width: float
    height: float
    stacked: bool
    ground: list[Drawn]
    middles: dict[str, tuple[float, float]]
    labels: dict[str, str]
    colours: dict[str, str]
    above: list[str]
    values: NotRequired[bool]


class Pieces(TypedDict):
    """The contents of the boards, as drawings and in words by cell."""

    under: list[Drawn]
    pieces: list[Drawn]
    over: list[Drawn]
    names: dict[str, str]


class Choices(TypedDict):
    """The legal moves of each role, the `words` in their parts, and how many `more` are not listed.

    `fault` is an error of the rules.
    """

    terminal: bool
    choices: dict[str, list[Choice]]
    words: dict[str, Word]
    more: dict[str, int]
    fault: NotRequired[str]


class Position(Pieces, Choices):
    """A position as a page shows it, with the joint move before it, and with `goals` at the end of a line.

    `said` are the moves in words, `counts` the moves that each role could choose from; `told` is what a role did and
    saw that sees no more.
    """

    ply: int
    moves: list[str]
    said: list[str]
    errors: list[str]
    steps: list[list[str]]
    notes: list[list[Any]]
    facts: list[str]
    counts: list[int]
    told: list[Json]
    goals: dict[str, int | None]


class After(Pieces):
    """The board after a move that is considered; `certain` if nothing else can come of it."""

    ply: int
    certain: bool


class Why(TypedDict):
    """Why an atom holds, or why not: lines with their branches, text, note and kind."""

    holds: bool
    lines: list[list[str]]
    cut: bool
    atom: NotRequired[str]


class Reason(TypedDict):
    """Why a match is over: the cells from which it follows, and the condition in words."""

    cells: list[str]
    because: str


class Likely(TypedDict):
    """The beliefs of a role: pieces, the paler the less likely, and facts with their shares."""

    pieces: list[Drawn]
    over: list[Drawn]
    names: dict[str, str]
    facts: list[list[Any]]
    more: int
    uncertain: bool


class Parts(TypedDict):
    """The parts of a value, in points of the first of `roles`."""

    points: float
    roles: list[str]
    shades: list[Drawn]
    cells: dict[str, str]
    facts: list[list[Any]]
    more: int


class Opened(TypedDict):
    """A game that was opened, and its initial position."""

    game: Game
    position: Position


# ------------------------------------------------------------------------------------------ commands

A = TypeVar("A", covariant=True)


@dataclass_transform(frozen_default=True)
class Command(Generic[A]):
    """Something that a game process is to do, and answers by an `A`. Each kind of it is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        """Make it a dataclass."""
        dataclass(frozen=True)(cls)

    def message(self) -> Json:
        """Return the command as JSON."""
        return {"do": type(self).__name__, **vars(self)}


class Open(Command[Opened]):
    """Open a game, before any command about it; `learned` is a file of learned values, or empty."""

    rules: str
    name: str
    wishes: str
    learned: str = ""


class Learn(Command[bool]):
    """Take this file of learned values, or none, from now on. The answer tells whether it fits."""

    learned: str


class Play(Command[None]):
    """Play a match, or go on with the one in the file."""

    players: Mapping[str, str]
    settings: Mapping[str, Any]
    file: str


class Move(Command[bool]):
    """Make a person's move. The answer tells whether it was due and legal."""

    role: str
    ply: int
    move: str


class Back(Command[None]):
    """Take back all moves after a ply."""

    ply: int


class Resign(Command[None]):
    """Give up some roles; if all do, it is a draw."""

    roles: Sequence[str]


class End(Command[None]):
    """Abort the match."""


class Show(Command[Position]):
    """Show the position after a ply; with a role, only what it sees. `file` has the record, if there is one yet."""

    file: str | None
    ply: int
    role: str = ""


class ShowRecord(Command[Position]):
    """Show the position after a ply of a record, given as JSON."""

    record: Json
    ply: int


class Say(Command[dict[str, str]]):
    """Put moves into words."""

    moves: Sequence[str]


class Believe(Command[Likely]):
    """Tell how likely facts are for a role. Others are answered meanwhile."""

    file: str | None
    ply: int
    role: str


class Value(Command[Parts]):
    """Tell what the learned value is made of after a ply, or after joint moves. Others are answered meanwhile."""

    file: str | None
    ply: int = 0
    moves: Line | None = None


class Because(Command[Reason]):
    """Tell why the match is over."""

    file: str | None
    ply: int


class Film(Command[str]):
    """Draw the match as an animation, an SVG document."""

    file: str | None


class HowToPlay(Command[Json]):
    """Tell how to play the game."""


class Consider(Command[After]):
    """Show the board after a move."""

    file: str | None
    ply: int
    role: str
    move: str


class Explain(Command[Why]):
    """Explain an atom after a ply."""

    file: str | None
    ply: int
    atom: str


class Unplayed(Command[Json]):
    """Make the record of a match without plies, from a position on if one is given, for an analysis."""

    position: str


class ShowLine(Command[Position]):
    """Show the position after these joint moves."""

    file: str | None
    moves: Line


class ExplainLine(Command[Why]):
    """Explain an atom after these joint moves."""

    file: str | None
    moves: Line
    atom: str


class Evaluate(Command[None]):
    """Evaluate the positions after some plies of a line, each for some seconds. The news have this name."""

    file: str
    moves: Line
    plies: Sequence[int]
    seconds: float
    name: str


class Rest(Command[None]):
    """Stop evaluating."""


class AskText(Command[Json]):
    """Answer a question of the page /edit about a text."""

    question: str
    rules: str
    parts: Json


class AskRules(Command[Json]):
    """Answer a question of the page /edit about positions of the game of a text."""

    question: str
    rules: str
    parts: Json


# ------------------------------------------------------------------------------------------ news


class MatchNews(TypedDict):
    """The standing of the match, the roles of people that are to move, and the seconds that are left on clocks.

    `left` are those for this ply, `clocks` those of each person for the whole match.
    """

    say: Literal["match"]
    standing: Standing
    waiting: list[str]
    clocks: dict[str, float]
    left: float | None


class Doing(TypedDict):
    """The stage of the compilation for the programs, and why they use the Reasoner; empty if nothing."""

    say: Literal["doing"]
    doing: str
    slow: str


class Failure(TypedDict):
    """The match cannot go on, or the process is gone."""

    say: Literal["failed", "gone"]
    error: str


class ThoughtNews(TypedDict):
    """The thought of a program before a ply."""

    say: Literal["thought"]
    thought: Json


class Evaluated(TypedDict):
    """A request to evaluate is over."""

    say: Literal["evaluated"]
    name: str
    error: str
    stopped: bool


class EvaluationNews(TypedDict):
    """The evaluation of a position; with several positions, also the `mistake` in the move that follows it."""

    say: Literal["evaluation"]
    name: str
    ply: int
    evaluation: Json


News = MatchNews | Doing | Failure | ThoughtNews | Evaluated | EvaluationNews


# ------------------------------------------------------------------------------------------ how a match stands


class Standing(TypedDict):
    """The state of a match. Lists follow `record_roles`.

    `late` are those among the resigned roles whose time was over. `counts` are the moves that each role could choose
    from in the `last` ply. `undo` has for each role the number of
    plies that stay if it takes back its last choice.
    """

    plies: int
    result: str
    goals: list[int | None]
    resigned: list[str]
    late: list[str]
    rules_error: str
    last: list[str]
    counts: list[int]
    undo: dict[str, int]
    record_roles: list[str]


#: What people agree on: to take back a move, that the match is a draw, that it ends, that there is another one.
What = Literal["back", "draw", "end", "rematch"]


class Offer(TypedDict):
    """An offer of some roles; `ply` is the number of plies that stay if a move is taken back."""

    what: What
    ply: int | None
    by: list[str]
    declined: bool


class Clock(TypedDict):
    """The seconds that a person has left for a match; if it is to move, also when they are over, since 1970."""

    left: float
    due: float | None


class Remark(TypedDict):
    """Something that somebody has said, and when, in seconds since 1970."""

    who: str
    text: str
    at: float


class State(Standing):
    """The state of a match as a page sees it.

    `version` increases with every change. `reserved` are roles that need a secret, `taken` those that others play.
    `doing` is what the compilation does, `slow` the reason why programs use the Reasoner, if they do, and `until` the
    time by which all answers are due, in seconds since 1970. `names` are those of people, by role, and `chat` what they
    have said, None if they cannot talk. `view` says what may be seen: everything, what `role`
    sees, or what is public.
    """

    id: str
    version: int
    game: str
    title: str
    players: dict[str, str]
    settings: Json
    source: str
    reserved: list[str]
    taken: list[str]
    offer: Offer | None
    rematch: str
    names: dict[str, str]
    chat: list[Remark] | None
    clocks: dict[str, Clock]
    error: str
    running: bool
    doing: str
    slow: str
    thoughts: int
    contested: bool
    waiting: list[str]
    until: float | None
    view: str
    role: str


def standing(record: MatchRecord | None) -> Standing:
    """Return the standing of a match with a record, or of one that has not begun."""
    last = record.plies[-1] if record and record.plies else None
    return {
        "plies": len(record.plies) if record else 0,
        "result": record.result.value if record else Result.RUNNING.value,
        "goals": list(record.goals) if record else [],
        "resigned": list(record.resigned) if record else [],
        "late": late_roles(record) if record else [],
        "rules_error": record.rules_error if record else "",
        "last": list(last.moves) if last else [],
        "counts": list(last.choices) if last else [],
        "undo": undoable(record) if record else {},
        "record_roles": list(record.roles) if record else [],
    }


def late_roles(record: MatchRecord) -> list[str]:
    """Return the roles that have lost because their time was over."""
    errors = dict(zip(record.roles, record.last_errors, strict=False))
    return [role for role in record.resigned if errors.get(role) == LATE]


def joint_moves(record: MatchRecord | None) -> Json:
    """Return the joint moves of a record, and how many moves each role could choose from."""
    plies = record.plies if record else ()
    return {"moves": [list(ply.moves) for ply in plies], "counts": [list(ply.choices) for ply in plies]}


def distinct_moves(record: MatchRecord | None) -> list[str]:
    """Return the moves of a record, each once."""
    return list(dict.fromkeys(move for ply in (record.plies if record else ()) for move in ply.moves))


def undoable(record: MatchRecord) -> dict[str, int]:
    """Return for each role the number of plies that stay if it takes back its last choice.

    A choice is where a role had two or more moves. Nothing is taken back from before a random move, which was seen.
    """
    found: dict[str, int] = {}
    for number in reversed(range(len(record.plies))):
        choosing = [role for role, count in zip(record.roles, record.plies[number].choices, strict=False) if count > 1]
        if any(map(is_nature, choosing)):
            break
        found = dict.fromkeys(choosing, number) | found
    return found
