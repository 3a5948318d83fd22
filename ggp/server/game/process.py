"""The process of one game, `python -m ggp.server.game.process THREADS`.

It carries out the commands of `ggp.server.messages`; each search has that many threads. A match reports its standing
whenever it changes, and what the compilation for its programs is doing. The process ends with its input, or with status
`EXHAUSTED` when rules exceed their time limit.
"""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from gdl.errors import GdlError
from gdl.reasoner.budget import DerivationBudget
from gdl.system.childprocess import JSON_LINES, Parent, limit_process, memory_up_to
from ggp.board.wishes import parse_wishes
from ggp.match.record import MatchRecord, RecordError, from_json, read_record, to_json
from ggp.match.settings import Settings
from ggp.server import messages as to
from ggp.server.game.believing import Believing
from ggp.server.game.evaluating import Evaluating, EvaluationRequest
from ggp.server.game.game_clock import GameClock
from ggp.server.game.lines import Line, Lines
from ggp.server.game.play import Playing, aborted, earlier, resigned
from ggp.server.game.rules_answers import RulesAnswers
from ggp.server.game.table import Table
from ggp.server.game.text_answers import TextAnswers
from ggp.server.game.valuing import Valuing
from ggp.server.game.watchdog import Watchdog

#: Seconds that rules may take to answer one question, or to be read and have their boards found.
ANSWER: Final = 15.0

#: Bytes of memory that a process may use; at most three quarters of the machine's.
MEMORY: Final = 12 << 30

#: The settings of a match that are those of any match; others are about people at pages.
_SETTINGS: Final = frozenset(field.name for field in fields(Settings))

#: Sends an answer or news to the server.
Send = Callable[[Mapping[str, Any]], None]


class ProcessError(GdlError):
    """A command cannot be carried out now."""

    code = "game-process"


class OpenGame:
    """The game of this process, with all that answers about it."""

    def __init__(
        self, command: to.Open, watchdog: Watchdog, budget: DerivationBudget, send: Send, threads: int
    ) -> None:
        """Read the rules, and find their boards; searches use `threads` threads.

        Raises RulesheetError, DerivationLimitError and WishError.
        """
        self._threads = threads
        self._name = command.name
        self._watchdog = watchdog
        self._send = send
        wishes = parse_wishes(command.wishes, "the file beside the rules")
        self._table = Table(command.rules, f"{command.name}.kif", wishes, budget)
        self._lines = Lines(self._table)
        self._learned = _path(command.learned)
        self._valuing = Valuing(self._table, self._learned)
        self._believing = Believing(self._table, budget)
        self._evaluating = Evaluating(self._table.game, send, threads)
        self._match: Playing | None = None
        self._records: dict[str, tuple[object, MatchRecord]] = {}

    def opened(self) -> to.Opened:
        """Return the game, and its initial position."""
        game: to.Game = {**self._table.about(), "values": self._valuing.fits}
        return {"game": game, "position": self._table.position(None, 0)}

    def learn(self, command: to.Learn) -> bool:
        """Take another file of learned values."""
        self._learned = _path(command.learned)
        self._valuing.use(self._learned)
        return self._valuing.fits

    # The match

    def play(self, command: to.Play) -> None:
        """Begin a match, or go on with it."""
        file, game = Path(command.file), self._table.game
        given = {key: value for key, value in command.settings.items() if key in _SETTINGS}
        settings = Settings(**{**given, "threads": self._threads})
        self._match = Playing(
            game,
            command.players,
            settings,
            file,
            self._send,
            self._watchdog,
            name=self._name,
            clock=GameClock.of(command.settings),
            learned=self._learned,
        )
        self._match.start(earlier(file))

    def _playing(self) -> Playing:
        if self._match is None:
            raise ProcessError("the match is not being played")
        return self._match

    def move(self, command: to.Move) -> bool:
        """Make a person's move."""
        return self._playing().play(command.role, command.ply, command.move)

    def back(self, command: to.Back) -> None:
        """Take back moves."""
        self._playing().change(lambda record: record.before(command.ply))

    def resign(self, command: to.Resign) -> None:
        """Give up roles."""
        self._playing().change(resigned(command.roles))

    def end(self, command: to.End) -> None:  # noqa: ARG002
        """Abort the match."""
        self._playing().change(aborted)

    # Positions

    def show(self, command: to.Show) -> to.Position:
        """Return a position."""
        record = self._record(command.file, command.ply)
        if command.role:
            return self._table.own_position(record, command.ply, command.role)
        return self._table.position(record, command.ply)

    def show_record(self, command: to.ShowRecord) -> to.Position:
        """Return a position of another record."""
        return self._table.position(from_json(command.record), command.ply)

    def say(self, command: to.Say) -> dict[str, str]:
        """Return moves in words."""
        return {move: self._table.choosing.said(move) for move in command.moves}

    def believe(self, command: to.Believe) -> Future[to.Likely]:
        """Begin to work out a belief."""
        record = self._record(command.file, command.ply)
        return self._believing.ask(command.role, self._table.told(record, command.ply, command.role) if record else [])

    def value(self, command: to.Value) -> Future[to.Parts]:
        """Begin to find out what a value is made of."""
        if command.moves is not None:
            state = self._lines.state(self._begun(command.file), _line(command.moves))
        else:
            state = self._table.state(self._record(command.file, command.ply), command.ply)
        return self._valuing.ask(state)

    def because(self, command: to.Because) -> to.Reason:
        """Return why the match is over."""
        return self._table.reason(self._record(command.file, command.ply), command.ply)

    def film(self, command: to.Film) -> str:
        """Return the match as an animation."""
        return self._table.film(self._record(command.file, 0))

    def how_to_play(self, command: to.HowToPlay) -> to.Json:  # noqa: ARG002
        """Return how to play."""
        return self._table.how_to_play()

    def consider(self, command: to.Consider) -> to.After:
        """Return the board after a move."""
        return self._table.after(self._record(command.file, command.ply), command.ply, command.role, command.move)

    def explain(self, command: to.Explain) -> to.Why:
        """Explain an atom."""
        return self._table.explain(self._record(command.file, command.ply), command.ply, command.atom)

    # Analyses

    def unplayed(self, command: to.Unplayed) -> to.Json:
        """Return the record of a match without plies."""
        return to_json(self._lines.unplayed(self._name, command.position))

    def show_line(self, command: to.ShowLine) -> to.Position:
        """Return the position after a line."""
        return self._lines.position(self._begun(command.file), _line(command.moves))

    def explain_line(self, command: to.ExplainLine) -> to.Why:
        """Explain an atom after a line."""
        return self._lines.explain(self._begun(command.file), _line(command.moves), command.atom)

    def evaluate(self, command: to.Evaluate) -> None:
        """Begin to evaluate positions."""
        self._evaluating.stop()
        record, line = self._begun(command.file), _line(command.moves)
        with self._watchdog:
            states = {ply: self._lines.state(record, line[:ply]) for ply in command.plies}
        self._evaluating.begin(EvaluationRequest(command.name, states, line, command.seconds))

    def rest(self, command: to.Rest) -> None:  # noqa: ARG002
        """Stop evaluating."""
        self._evaluating.stop()

    def _begun(self, file: str | None) -> MatchRecord:
        record = self._record(file, 0)
        if record is None:
            raise ProcessError("the match has not begun")
        return record

    def _record(self, file: str | None, ply: int) -> MatchRecord | None:
        """Return the record of the match or in a file, or None without one. Raises RecordError if it lacks the ply."""
        if file is None:
            return None
        record = self._match.record if self._match is not None else None
        if record is None:
            status = Path(file).stat()
            version = (status.st_mtime_ns, status.st_size)
            known = self._records.get(file)
            if known is None or known[0] != version:
                self._records = {file: (version, read_record(file))}
            record = self._records[file][1]
        if not 0 <= ply <= len(record.plies):
            raise RecordError(Path(file).name, f"the match has no ply {ply}")
        return record


#: What is done for each command about the game: in the time that rules may take, except for those that run none here.
_TIMED: Final[Mapping[type, Callable[[OpenGame, Any], object]]] = MappingProxyType(
    {
        to.Learn: OpenGame.learn,
        to.Show: OpenGame.show,
        to.ShowRecord: OpenGame.show_record,
        to.Say: OpenGame.say,
        to.Believe: OpenGame.believe,
        to.Value: OpenGame.value,
        to.Because: OpenGame.because,
        to.Film: OpenGame.film,
        to.HowToPlay: OpenGame.how_to_play,
        to.Consider: OpenGame.consider,
        to.Explain: OpenGame.explain,
        to.Unplayed: OpenGame.unplayed,
        to.ShowLine: OpenGame.show_line,
        to.ExplainLine: OpenGame.explain_line,
    }
)
_UNTIMED: Final[Mapping[type, Callable[[OpenGame, Any], object]]] = MappingProxyType(
    {
        to.Play: OpenGame.play,
        to.Move: OpenGame.move,
        to.Back: OpenGame.back,
        to.Resign: OpenGame.resign,
        to.End: OpenGame.end,
        to.Evaluate: OpenGame.evaluate,
        to.Rest: OpenGame.rest,
    }
)

#: All commands, by their names.
_COMMANDS: Final[Mapping[str, type]] = MappingProxyType(
    {kind.__name__: kind for kind in (to.Open, to.AskText, to.AskRules, *_TIMED, *_UNTIMED)}
)


class CommandHandler:
    """Carries out commands."""

    def __init__(self, send: Send, threads: int) -> None:
        """Wait for a game. `send` is called with each answer and each piece of news; searches use `threads` threads."""
        self._send = send
        self._threads = threads
        seconds = float(os.environ.get("GGP_SERVE_SECONDS", ANSWER))
        self._watchdog = Watchdog(seconds)
        # The Reasoner's own limit comes first: its error names the rule, and the process goes on.
        self._budget = DerivationBudget(seconds=seconds / 2, memory=memory_up_to(MEMORY) // 2)
        self._game: OpenGame | None = None
        self._text: TextAnswers | None = None
        self._rules: RulesAnswers | None = None

    def do(self, message: Mapping[str, Any]) -> None:
        """Carry out a command and send its answer, which may be an error, and may come later."""
        parts = dict(message)
        number, name = parts.pop("id", None), parts.pop("do")
        self._settle(number, lambda: self._answer(_COMMANDS[name](**parts)))

    def _settle(self, number: object, answer: Callable[[], object]) -> None:
        try:
            found = answer()
        except GdlError as error:
            reason = str(error)
        except (MemoryError, RecursionError) as error:
            reason = f"the rules exceed the limits of this machine: {type(error).__name__}"
        except Exception as error:  # an internal error must neither end a match nor look like an endless wait
            reason = f"{type(error).__name__}: {error}"
        else:
            if isinstance(found, Future):
                found.add_done_callback(lambda later: self._settle(number, later.result))
            else:
                self._send({"say": "answer", "id": number, "answer": found})
            return
        self._send({"say": "answer", "id": number, "error": reason})

    def _answer(self, command: Any) -> object:
        kind = type(command)
        if kind in _UNTIMED:
            return _UNTIMED[kind](self._opened(), command)
        with self._watchdog:
            if kind in _TIMED:
                return _TIMED[kind](self._opened(), command)
            if kind is to.Open:
                self._game = None  # so that two games are never in memory
                self._game = OpenGame(command, self._watchdog, self._budget, self._send, self._threads)
                return self._game.opened()
            about = self._about_text if kind is to.AskText else self._about_rules
            return about(command.rules).answer(command.question, command.parts)

    def _opened(self) -> OpenGame:
        if self._game is None:
            raise ProcessError("no game is open")
        return self._game

    def _about_text(self, text: str) -> TextAnswers:
        """Return the answers about a text, the last one or another."""
        if self._text is None or self._text.text != text:
            self._text = TextAnswers(text, "rules")
        return self._text

    def _about_rules(self, text: str) -> RulesAnswers:
        if self._rules is None or self._rules.text != text:
            self._rules = None  # so that two games are never in memory
            self._rules = RulesAnswers(text, "rules", self._budget)
        return self._rules


def _path(file: str) -> Path | None:
    return Path(file) if file else None


def _line(moves: to.Line) -> Line:
    return tuple(map(tuple, moves))


def main() -> None:
    """Carry out commands until the input ends."""
    parent = Parent(JSON_LINES)
    commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    parent.listen(commands.put)
    limit_process(0, memory=memory_up_to(MEMORY))
    handler = CommandHandler(parent.send, int(sys.argv[1]))
    while True:
        handler.do(commands.get())


if __name__ == "__main__":
    main()
