"""The process of one game, `python -m ggp.server.game_process`. Commands and answers are lines of JSON.

    {"do": "open", "rules": text, "name": text, "wishes": text}   the first command; the answer is the game or an error
    {"do": "play", "players": {role: name}, "settings": {...}, "file": path}
    {"do": "move", "role": role, "ply": number, "move": text}
    {"do": "resign", "role": role}     {"do": "back", "ply": number}     {"do": "end"}
    {"do": "show", "file": path or null, "ply": number}    or with the record itself, "record": {...}
    {"do": "explain", "file": path or null, "ply": number, "atom": text}

Each command also has an `id`, which its answer repeats. A match reports its standing whenever it changes. The process
ends with its input, or with status `EXHAUSTED` when rules exceed their time limit.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from gdl.childprocess import JSON_LINES, Parent, limit_process, memory_up_to
from gdl.reasoner.budget import DerivationBudget
from ggp.server.watchdog import Watchdog

#: Seconds that rules may take to answer one question, or to be read and have their boards found.
ANSWER: Final = 15.0

#: Bytes of memory that a process may use; at most three quarters of the machine's.
MEMORY: Final = 12 << 30


class CommandHandler:
    """Carries out commands."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None]) -> None:
        """Load all code. `send` is called with each answer and each piece of news."""
        # Import now, while nobody is waiting.
        from ggp.server.play import Playing
        from ggp.server.table import Table

        self._send = send
        seconds = float(os.environ.get("GGP_SERVE_SECONDS", ANSWER))
        self._watchdog = Watchdog(seconds)
        # The Reasoner's own limit comes first: its error names the rule, and the process goes on.
        self._budget = DerivationBudget(seconds=seconds / 2, memory=memory_up_to(MEMORY) // 2)
        self._table: Table | None = None
        self._playing: Playing | None = None
        self._name = ""
        self._records: dict[str, tuple[object, Any]] = {}

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
        match command["do"]:
            case "open":
                return self._open(command)
            case "play":
                return self._play(command)
            case "move":
                assert self._playing is not None
                return {"taken": self._playing.play(command["role"], command["ply"], command["move"])}
            case "resign":
                assert self._playing is not None
                return {"taken": self._playing.resign(command["role"])}
            case "back":
                assert self._playing is not None
                self._playing.back(command["ply"])
                return {}
            case "end":
                assert self._playing is not None
                self._playing.end()
                return {}
            case "show":
                with self._watchdog:
                    assert self._table is not None
                    return {"position": self._table.position(self._record(command), command["ply"])}
            case "explain":
                with self._watchdog:
                    assert self._table is not None
                    return {"why": self._table.explain(self._record(command), command["ply"], command["atom"])}
        return {"error": f"unknown command {command['do']}"}

    def _open(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from ggp.board.wishes import parse_wishes
        from ggp.server.table import Table

        self._name = command["name"]
        with self._watchdog:
            wishes = parse_wishes(command["wishes"], "the file beside the rules")
            self._table = Table(command["rules"], self._name + ".kif", wishes, self._budget)
            return {"game": self._table.about(), "position": self._table.position(None, 0)}

    def _play(self, command: Mapping[str, Any]) -> dict[str, Any]:
        from ggp.match.settings import Settings
        from ggp.server.play import Playing, earlier

        assert self._table is not None
        file = Path(command["file"])
        settings = Settings(**command["settings"])
        self._playing = Playing(
            self._table.game, command["players"], settings, file, self._send, self._watchdog, name=self._name
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
