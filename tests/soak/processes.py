"""The services as processes, and the resources that they use, as read from /proc."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: The environment variable that marks all processes of a service, orphans included.
MARK = "GGP_SOAK"

#: Seconds that a service has to start listening, and to end.
STARTING = 120.0
ENDING = 15.0

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources of a service at a time: bytes of its own process and of all its processes, and open files."""

    at: float
    own: int
    all: int
    processes: int
    files: int


@dataclass
class Service:
    """A command that runs until it is ended. All output goes to files."""

    name: str
    arguments: tuple[str, ...]
    folder: Path
    run: str
    process: subprocess.Popen[bytes] | None = None
    port: int = 0
    path: str = "/"
    usage: list[Usage] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """The file with everything that the command printed."""
        return self.folder / f"{self.name}.log"

    @property
    def mark(self) -> str:
        return f"{self.run}:{self.name}"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.path.rstrip('/')}"

    def start(self) -> None:
        home = self.folder / "home"
        environment = {
            **os.environ,
            MARK: self.mark,
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
            "COLUMNS": "200",
        }
        home.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "ggp", *self.arguments]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    async def listening(self, pattern: str) -> None:
        """Wait until the log names the port. Raises RuntimeError."""
        until = time.monotonic() + STARTING
        while time.monotonic() < until and self.running:
            if found := re.search(pattern, self.text()):
                self.port = int(found[1])
                return
            await asyncio.sleep(0.1)
        raise RuntimeError(f"{self.name} does not listen: {self.text()[-2000:]}")

    def text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def terminate(self) -> None:
        if self.process is not None and self.running:
            self.process.send_signal(signal.SIGTERM)

    def reap(self) -> None:
        """Collect the exit status of a process that has ended or was killed."""
        if self.process is not None:
            self.process.wait(ENDING)

    def sample(self, marked: dict[str, list[int]]) -> Usage:
        """Record what the service uses at the moment."""
        own = self.process.pid if self.process is not None else 0
        pids = marked.get(self.mark, [])
        usage = Usage(time.monotonic(), _memory(own), sum(map(_memory, pids)), len(pids), _open_files(own))
        self.usage.append(usage)
        return usage


def marked_processes(run: str) -> dict[str, list[int]]:
    """Return the processes of this run by mark. Zombies are left out."""
    found: dict[str, list[int]] = {}
    start = f"{MARK}={run}:".encode()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # of another user, or gone
        for variable in variables:
            if variable.startswith(start):
                found.setdefault(variable.decode().partition("=")[2], []).append(int(folder.name))
    return found


def command_of(pid: int) -> str:
    """Return the command line of a process, shortened."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120]
    except OSError:
        return "(gone)"


async def all_gone(run: str, patience: float = ENDING) -> list[int]:
    """Wait for the processes of this run to end, and return those that are left."""
    until = time.monotonic() + patience
    while (left := [pid for pids in marked_processes(run).values() for pid in pids]) and time.monotonic() < until:
        await asyncio.sleep(0.2)
    return left


def kill(pids: Iterable[int]) -> None:
    """End processes of this run that are left over."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _memory(pid: int) -> int:
    """Return the resident memory of a process in bytes; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _open_files(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0
