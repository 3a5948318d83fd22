"""The process of one game, `python -m ggp.server.game.process`. Commands and answers are lines of JSON.

    {"do": "open", "rules": text, "name": text, "wishes": text}   the first command about a game; the answer is the game
                                                           ("learned": path, a file of learned values)
    {"do": "play", "players": {role: name}, "settings": {...}, "file": path}
    {"do": "move", "role": role, "ply": number, "move": text}
    {"do": "resign", "roles": [role, ...]}; if all do, it is a draw     {"do": "back", "ply": number}     {"do": "end"}
    {"do": "show", "file": path or null, "ply": number}    or with the record itself, "record": {...}; with a "role",
                                                           only what it sees
    {"do": "believe", "file": path, "ply": number, "role": role}    how likely facts are for a role, after others
    {"do": "value", "file": path or null, "ply": number}      what the learned value is made of, after others; or of the
                                                           position after joint moves, "moves": [[text, ...], ...]
    {"do": "learned", "learned": path}    take this file of learned values, or none, from now on; whether it fits
    {"do": "reason", "file": path or null, "ply": number}     why the match is over
    {"do": "how"}     how to play the game
    {"do": "after", "file": path or null, "ply": number, "role": role, "move": text}     the board after a move
    {"do": "explain", "file": path or null, "ply": number, "atom": text}
    {"do": "unplayed", "position": text}                   the record of a match without plies, for an analysis
    {"do": "line", "file": path, "moves": [[text, ...], ...]}    the position after these joint moves
    {"do": "why", "file": path, "moves": [[text, ...], ...], "atom": text}
    {"do": "evaluate", "file": path, "moves": [...], "plies": [number, ...], "seconds": number, "name": text}
    {"do": "rest"}                                         stop evaluating
    {"do": "text", "question": text, "rules": text, ...}    {"do": "rules", "question": text, "rules": text, ...}

The last two are the questions of the page /edit, which are about one text after another.

Each command also has an `id`, which its answer repeats. A match reports its standing whenever it changes, and what the
compilation for its programs is doing. The process
ends with its input, or with status `EXHAUSTED` when rules exceed their time limit.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gdl.childprocess import JSON_LINES, Parent, limit_process, memory_up_to
from gdl.reasoner.budget import DerivationBudget
from ggp.server.game.watchdog import Watchdog

if TYPE_CHECKING:
    from ggp.server.game.believing import Believing
    from ggp.server.game.rules_answers import RulesAnswers
    from ggp.server.game.text_answers import TextAnswers
    from ggp.server.game.valuing import Valuing

#: Seconds that rules may take to answer one question, or to be read and have their boards found.
ANSWER: Final = 15.0

#: Bytes of memory that a process may use; at most three quarters of the machine's.
MEMORY: Final = 12 << 30


class CommandHandler:
    """Carries out commands."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None]) -> None:
        """Load all code. `send` is called with each answer and each piece of news."""
        # Import now, while nobody is waiting.
        from ggp.server.game.evaluating import Evaluating
        from ggp.server.game.lines import Lines
        from ggp.server.game.play import Playing
        from ggp.server.game.table import Table

        self._send = send
        seconds = float(os.environ.get("GGP_SERVE_SECONDS", ANSWER))
        self._watchdog = Watchdog(seconds)
        # The Reasoner's own limit comes first: its error names the rule, and the process goes on.
        self._budget = DerivationBudget(seconds=seconds / 2, memory=memory_up_to(MEMORY) // 2)
        self._table: Table | None = None
        self._lines: Lines | None = None
        self._evaluating: Evaluating | None = None
        self._playing: Playing | None = None
        self._believing: Believing | None = None
        self._learned: Path | None = None
        self._valuing: Valuing | None = None
        self._name = ""
        self._records: dict[str, tuple[object, Any]] = {}
        self._text_answers: TextAnswers | None = None
        self._rules_answers: RulesAnswers | None = None

    def do(self, command: Mapping[str, Any]) -> None:
        """Carry out a command and send its answer, which may be an error."""
        from gdl.errors import GdlError

        try:
            answer = self._answer(command)
        except GdlError as error:
            answer = {"error": str(error)}
        except (MemoryError, RecursionError) as error:
            answer = {"error": f"the rules exceed the limits of this machine: {type(error).__name__}"}
        except Exception as error:  # an internal error must not end a match
            answer = {"error": f"{type(error).__name__}: {error}"}
        if answer is not None:
            self._send({"say": "answer", "id": command.get("id"), **answer})

    def _answer(self, command: Mapping[str, Any]) -> dict[str, Any] | None:
        from ggp.server.game.play import aborted, resigned

        match command["do"]:
            case "open":
                return self._open(command)
            case "play":
                return self._play(command)
            case "move":
                assert self._playing is not None
                return {"taken": self._playing.play(command["role"], command["ply"], command["move"])}
            case "back":
                assert self._playing is not None
                kept: int = command["ply"]
                self._playing.change(lambda record: record.before(kept))
                return {}
            case "resign":
                assert self._playing is not None
                self._playing.change(resigned(command["roles"]))
                return {}
            case "end":
                assert self._playing is not None
                self._playing.change(aborted)
                return {}
            case "show":
                with self._watchdog:
                    assert self._table is not None
                    record, ply, role = self._record(command), command["ply"], command.get("role")
                    show = self._table.position if role is None else partial(self._table.own_position, role=role)
                    return {"position": show(record, ply)}
            case "believe":
                with self._watchdog:
                    self._believe(command)
                return None  # the answer comes later
            case "value":
                with self._watchdog:
                    self._tell_value(command)
                return None  # the answer comes later
            case "learned":
                with self._watchdog:
                    assert self._valuing is not None
                    self._learned = _path(command)
                    self._valuing.use(self._learned)
                    return {"values": self._valuing.fits}
            case "after":
                with self._watchdog:
                    assert self._table is not None
                    record = self._record(command)
                    return {"after": self._table.after(record, command["ply"], command["role"], command["move"])}
            case "reason":
                with self._watchdog:
                    assert self._table is not None
                    return {"reason": self._table.reason(self._record(command), command["ply"])}
            case "how":
                with self._watchdog:
                    assert self._table is not None
                    return {"how": self._table.how_to_play()}
            case "explain":
                with self._watchdog:
                    assert self._table is not None
                    return {"why": self._table.explain(self._record(command), command["ply"], command["atom"])}
            case "unplayed" | "line" | "why":
                with self._watchdog:
                    return self._analyse(command)
            case "text":
                with self._watchdog:
                    return self._about_text(command["rules"]).answer(command["question"], command)
            case "rules":
                with self._watchdog:
                    return self._about_rules(command["rules"]).answer(command["question"], command)
            case "evaluate":
                return self._evaluate(command)
            case "rest":
                if self._evaluating is not None:
                    self._evaluating.stop()
                return {}
        return {"error": f"unknown command {command['do']}"}

    def _believe(self, command: Mapping[str, Any]) -> None:
        """Begin to work out a belief, which is the answer as soon as it is there: other commands do not wait."""
        from ggp.server.game.believing import Believing

        assert self._table is not None
        told = self._table.told(self._record(command), command["ply"], command["role"])
        if self._believing is None:
            self._believing = Believing(self._table, self._budget)
        number = command["id"]
        self._believing.ask(command["role"], told, lambda answer: self._send({"say": "answer", "id": number, **answer}))

    def _tell_value(self, command: Mapping[str, Any]) -> None:
        """Begin to find out what a value is made of, which is the answer as soon as it is there."""
        assert self._table is not None
        assert self._lines is not None
        assert self._valuing is not None
        number = command["id"]
        record = self._record({"ply": 0, **command})
        if "moves" in command:
            state = self._lines.state(record, tuple(map(tuple, command["moves"])))
        else:
            state = self._table.state(record, command["ply"])
        self._valuing.ask(state, lambda answer: self._send({"say": "answer", "id": number, **answer}))

    def _analyse(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from ggp.match.record import to_json

        assert self._lines is not None
        if command["do"] == "unplayed":
            return {"record": to_json(self._lines.unplayed(self._name, command["position"]))}
        record = self._record({**command, "ply": 0})
        line = tuple(map(tuple, command["moves"]))
        if command["do"] == "line":
            return {"position": self._lines.position(record, line)}
        return {"why": self._lines.explain(record, line, command["atom"])}

    def _about_text(self, text: str) -> TextAnswers:
        """Return the answers about a text, the last one or another."""
        from ggp.server.game.text_answers import TextAnswers

        if self._text_answers is None or self._text_answers.text != text:
            self._text_answers = TextAnswers(text, "rules")
        return self._text_answers

    def _about_rules(self, text: str) -> RulesAnswers:
        from ggp.server.game.rules_answers import RulesAnswers

        if self._rules_answers is None or self._rules_answers.text != text:
            self._rules_answers = None  # so that two games are never in memory
            self._rules_answers = RulesAnswers(text, "rules", self._budget)
        return self._rules_answers

    def _evaluate(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from ggp.server.game.evaluating import Evaluating, EvaluationRequest

        assert self._table is not None
        assert self._lines is not None
        if self._evaluating is None:
            self._evaluating = Evaluating(self._table.game, self._send)
        self._evaluating.stop()
        record = self._record({**command, "ply": 0})
        line = tuple(map(tuple, command["moves"]))
        with self._watchdog:
            states = {ply: self._lines.state(record, line[:ply]) for ply in command["plies"]}
        self._evaluating.begin(EvaluationRequest(command["name"], states, line, command["seconds"]))
        return {}

    def _open(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from ggp.board.wishes import parse_wishes
        from ggp.server.game.lines import Lines
        from ggp.server.game.table import Table
        from ggp.server.game.valuing import Valuing

        self._name = command["name"]
        self._learned = _path(command)
        # Those of another game.
        self._table = self._lines = self._evaluating = self._believing = self._valuing = None
        with self._watchdog:
            wishes = parse_wishes(command["wishes"], "the file beside the rules")
            self._table = Table(command["rules"], self._name + ".kif", wishes, self._budget)
            self._lines = Lines(self._table)
            self._valuing = Valuing(self._table, self._learned)
            about = {**self._table.about(), "values": self._valuing.fits}
            return {"game": about, "position": self._table.position(None, 0)}

    def _play(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from ggp.match.settings import Settings
        from ggp.server.game.play import Playing, earlier

        assert self._table is not None
        file = Path(command["file"])
        settings = Settings(**command["settings"])
        self._playing = Playing(
            self._table.game,
            command["players"],
            settings,
            file,
            self._send,
            self._watchdog,
            name=self._name,
            learned=self._learned,
        )
        self._playing.start(earlier(file))
        return {}

    def _record(self, command: Mapping[str, Any]) -> Any:
        """Return the record that a command refers to, or None without one. Raises RecordError if it lacks the ply."""
        from ggp.match.record import RecordError, from_json, read_record

        if "record" in command:
            return from_json(command["record"])
        file = command["file"]
        if file is None:
            return None
        record = self._playing.record if self._playing is not None else None
        if record is None:
            status = Path(file).stat()
            version = (status.st_mtime_ns, status.st_size)
            known = self._records.get(file)
            if known is None or known[0] != version:
                self._records = {file: (version, read_record(file))}
            record = self._records[file][1]
        if not 0 <= command["ply"] <= len(record.plies):
            raise RecordError(Path(file).name, f"the match has no ply {command['ply']}")
        return record


def _path(command: Mapping[str, Any]) -> Path | None:
    """Return the file of learned values that a command names; None if it names none."""
    return Path(command["learned"]) if command.get("learned") else None


def main() -> None:
    """Carry out commands until the input ends."""
    parent = Parent(JSON_LINES)
    commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    parent.listen(commands.put)
    limit_process(0, memory=memory_up_to(MEMORY))
    handler = CommandHandler(parent.send)
    while True:
        handler.do(commands.get())


if __name__ == "__main__":
    main()
