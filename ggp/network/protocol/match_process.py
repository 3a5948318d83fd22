"""The processes of matches that a player has joined, seen from the event loop that receives the messages.

Everything that rules may cause happens in such a process: reading them, following the match, and thinking. It is
killed at the end of its match, and everything that it has started dies with it. So another process, which outlives
matches, compiles the game.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, final

from gdl.compile_budget import CompileBudget
from gdl.errors import GdlError
from gdl.language.parser import source_of
from gdl.simulator.cache import default_folder
from gdl.simulator.compiler_process import CompilerProcess
from gdl.system.childprocess import AsyncChild, describe_status
from ggp.match.channels import one_line
from ggp.network.protocol.joined import EXHAUSTED, Event, RefusedError
from ggp.network.protocol.messages import Play, Start, Stop


@final
class GameCompiler:
    """Compiles one game at a time, that of the latest match. Calls return at once; they come from one thread."""

    def __init__(self) -> None:
        """Compile nothing yet."""
        self._rules = ""
        self._process: CompilerProcess | None = None

    def compile(self, rules: str) -> None:
        """Compile a game unless that has been done or begun; stop compiling any other. Errors are for its players."""
        if rules == self._rules:
            return
        self.close()
        self._rules = rules
        folder = default_folder()
        if folder is None:  # nobody could read the result
            return
        process = self._process = CompilerProcess(source_of(rules, "<START>"), CompileBudget(), folder)

        def compile_it() -> None:
            with suppress(GdlError):
                process.circuit()

        threading.Thread(target=compile_it, name="compiling", daemon=True).start()

    def close(self) -> None:
        """Stop compiling."""
        if self._process is not None:
            self._process.end()
            self._process = None
        self._rules = ""


#: Seconds that a match has to end before its process is killed.
ENDING: Final = 2.0

#: The number of idle processes while no match is under way, and while there is one.
IDLE: Final = 2
IDLE_IN_MATCH: Final = 1

#: The default memory limit of each process, in bytes of its address space.
MEMORY: Final = 4 << 30


class MatchLostError(GdlError):
    """The process of a match has ended, or failed to answer."""

    code = "match-lost"


class RunningMatch(Protocol):
    """A match for one role that runs outside the event loop. Calls return at once; the futures hold the answers.

    Times are values of `time.monotonic()`. Futures may raise RefusedError, for `start` only, and MatchLostError.
    """

    @property
    def transit(self) -> float:
        """The seconds that the last answer took to reach the event loop from where the match runs."""
        ...

    def start(self, message: Start, seed: int, due: float, report: Callable[[Event], None]) -> asyncio.Future[str]:
        """Begin the match; the answer is the reply to START. `report` receives its events."""
        ...

    def play(self, message: Play, due: float) -> asyncio.Future[str]:
        """Ask for a move; the answer is its text."""
        ...

    def call_off(self) -> None:
        """Give notice that the answers to earlier calls are no longer needed."""
        ...

    def end(self, message: Stop | None, reason: str) -> asyncio.Future[None]:
        """End the match; the future is done when nothing of it is left. See `JoinedMatch.end`."""
        ...


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """The settings of a match's process: the player's name, the memory limit in bytes, and the folder for its output.

    The limit holds for the match's process and for the player's, each. With `ponder`, the player may think while
    others do. Its search may use `threads` threads.
    """

    player: str
    logs: Path
    memory: int | None = MEMORY
    ponder: bool = False
    threads: int = 1


@final
class MatchProcess:
    """A process for one match: a `RunningMatch`. Create it within the event loop."""

    def __init__(
        self, settings: ProcessSettings, ended: Callable[[], None], begins: Callable[[str], None] = lambda _: None
    ) -> None:
        """Start the process, without waiting for it; `ended` is called when it has ended.

        `begins` is called with the rules of the match when it begins, if the player searches compiled games.
        """
        self._settings = settings
        self._ended = ended
        self._begins = begins
        self._compiles = False
        self._child: AsyncChild | None = None
        self._unsent: list[dict[str, Any]] = []
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._number = 0
        self._match_id = ""
        self._report: Callable[[Event], None] = _ignore
        self._killed = False
        self._lost = ""
        self.transit = 0.0
        #: The player's own name, once all code is loaded. Raises MatchLostError.
        self.ready: asyncio.Future[str] = _future()
        logs = str(settings.logs)
        self._send(
            {
                "do": "load",
                "player": settings.player,
                "memory": settings.memory,
                "logs": logs,
                "ponder": settings.ponder,
                "threads": settings.threads,
            }
        )
        self._life = asyncio.create_task(self._live())

    @property
    def lost(self) -> bool:
        """True if the process has ended."""
        return bool(self._lost)

    def start(self, message: Start, seed: int, due: float, report: Callable[[Event], None]) -> asyncio.Future[str]:
        """Begin the match."""
        self._match_id = message.match_id
        self._report = report
        if self._compiles:
            self._begins(message.rules)
        return self._ask({"do": "start", "text": str(message), "seed": seed, "due": due})

    def play(self, message: Play, due: float) -> asyncio.Future[str]:
        """Ask for a move."""
        return self._ask({"do": "play", "text": str(message), "due": due})

    def call_off(self) -> None:
        """Give notice that the answers to earlier calls are no longer needed."""
        self._send({"do": "call off"})

    def end(self, message: Stop | None, reason: str) -> asyncio.Future[None]:
        """End the match, then the process; it is killed if this takes too long."""
        answer = self._ask({"do": "end", "text": "" if message is None else str(message), "reason": reason})
        return asyncio.ensure_future(self._end(answer, reason))

    def kill(self) -> asyncio.Future[None]:
        """Kill the process at once; the future is done when it has ended."""
        self._killed = True
        if self._child is not None:
            self._child.kill()
        return self._life

    async def _end(self, answer: asyncio.Future[str], reason: str) -> None:
        await asyncio.wait([answer], timeout=ENDING)
        if not answer.done():
            self._tell(f"{reason}; its process was still computing and has been killed")
        await self.kill()

    def _ask(self, command: dict[str, Any]) -> asyncio.Future[str]:
        answer = _future()
        if self._lost:
            answer.set_exception(MatchLostError(self._lost))
            return answer
        self._number += 1
        self._waiting[self._number] = answer
        self._send({**command, "number": self._number})
        return answer

    def _send(self, command: dict[str, Any]) -> None:
        if self._child is None:
            self._unsent.append(command)
        else:
            self._child.send(command)

    async def _live(self) -> None:
        try:
            child = await AsyncChild.start("ggp.network.protocol.match_child")
        except OSError as error:
            self._lose(f"its process cannot be started: {error.strerror or error}")
            return
        status = 0
        try:
            self._child = child
            for command in self._unsent:
                child.send(command)
            while not self._killed:
                self._hear(await child.receive())
        except EOFError:
            pass
        finally:
            child.kill()
            status = await child.wait()
            self._lose(_reason(status, self._settings.memory))

    def _hear(self, told: Mapping[str, Any]) -> None:
        match told["say"]:
            case "ready":
                self._compiles = told["compiles"]
                self.ready.set_result(told["name"])
            case "failed":
                self.ready.set_exception(MatchLostError(told["reason"]))
            case "event":
                self._report(Event(told["match"], told["text"], told["warning"]))
            case "answer":
                self.transit = time.monotonic() - told["at"]
                answer = self._waiting.pop(told["number"])
                if answer.done():  # cancelled
                    return
                if "refused" in told:
                    answer.set_exception(RefusedError(told["refused"]))
                elif "failed" in told:
                    answer.set_exception(MatchLostError(told["failed"]))
                else:
                    answer.set_result(told["text"])

    def _lose(self, reason: str) -> None:
        self._lost = reason
        if not self._killed:
            self._tell(f"lost: {reason}")
        for answer in (self.ready, *self._waiting.values()):
            if not answer.done():
                answer.set_exception(MatchLostError(reason))
        self._waiting.clear()
        self._ended()

    def _tell(self, text: str) -> None:
        self._report(Event(self._match_id, one_line(text), True))


@final
class MatchProcesses:
    """Processes for matches: at least one is idle, with all code loaded, so that START need not wait for it."""

    def __init__(self, settings: ProcessSettings) -> None:
        """Keep the settings of the processes; none is started yet."""
        self._settings = settings
        self._idle: list[MatchProcess] = []
        self._all: set[MatchProcess] = set()
        self._compiler = GameCompiler()
        self._closed = False

    async def prepare(self) -> str:
        """Start the first processes, wait until they are ready, and return the player's own name.

        Raises MatchLostError if the player cannot be loaded.
        """
        self._fill()
        names = await asyncio.gather(*(process.ready for process in self._idle))
        return names[0]

    def take(self) -> MatchProcess:
        """Return a process for a match."""
        self._idle = [process for process in self._idle if not process.lost]
        taken = self._idle.pop(0) if self._idle else self._new()
        self._fill()
        return taken

    async def close(self) -> None:
        """Kill all processes."""
        self._closed = True
        self._compiler.close()
        await asyncio.gather(*(process.kill() for process in self._all), return_exceptions=True)

    def _fill(self) -> None:
        """Start processes until enough are idle. Few are started during a match, whose players need the cores."""
        wanted = IDLE if len(self._all) == len(self._idle) else IDLE_IN_MATCH
        while len(self._idle) < wanted and not self._closed:
            self._idle.append(self._new())

    def _new(self) -> MatchProcess:
        process = MatchProcess(self._settings, lambda: self._remove(process), self._compiler.compile)
        self._all.add(process)
        return process

    def _remove(self, process: MatchProcess) -> None:
        self._all.discard(process)
        if process not in self._idle:  # an idle process that cannot be loaded is not replaced before it is needed
            self._fill()


def _future() -> asyncio.Future[str]:
    """Return a future whose exception need not be retrieved."""
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future


def _reason(status: int, memory: int | None) -> str:
    if status == EXHAUSTED and memory is not None:
        return f"more than {memory / (1 << 30):g} GB of memory would be needed"
    return f"its process ended with {describe_status(status)}"


def _ignore(_event: Event) -> None:
    pass
