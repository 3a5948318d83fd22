"""Ctrl-C and SIGTERM at random moments of the long commands.

    PYTHONPATH=.:tests python -m soak.interrupts --tries 200 --commands train solve

Each try starts a command in a folder of its own and sends it a signal at a random moment. The command must end in 3 s,
with the status of the signal and without a traceback. Nothing may be left: no process, no temporary file, and no file
that cannot be read. Prints how long the ends took, and exits with status 1 if a try fails. On a busy machine, seconds
in which the process only waits for a processor do not count; they are printed, too.

Linux only: processes are read from /proc.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from support.processes import soon

from ggp.match.record import read_record
from ggp.players.learned_values.value import read_value
from ggp.solver.proof_file import read_proof
from soak.processes import MARK, ROOT, command_of, kill, marked_processes

#: Seconds after a signal in which a command must have ended, and those after which a try is broken off.
MOST: Final = 3.0
HANGING: Final = 40.0

#: Seconds within which a command ends that was over when the signal came.
LATE: Final = 0.3

#: Seconds in which a command must have begun. Before that, Python starts and modules load, and a signal just kills it.
STARTING: Final = 60.0

#: The shares of tries in which the game has not been compiled yet, and in which Numba's functions have not, either.
NEW_GAME: Final = 0.5
NEW_CODE: Final = 0.1

#: A game with one file for all its players: each names a bit, and the odd one out wins.
THREE: Final = """
(role a) (role b) (role c) (bit 0) (bit 1) (follows a b) (follows b c) (follows c end) (init (turn a))
(<= (legal ?r (say ?x)) (true (turn ?r)) (bit ?x) (role ?r))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (said ?r ?x)) (does ?r (say ?x)))
(<= (next (said ?r ?x)) (true (said ?r ?x)))
(<= (next (turn ?s)) (true (turn ?r)) (follows ?r ?s))
(<= terminal (true (turn end)))
(<= (odd ?r) (true (said ?r ?x)) (true (said ?s ?y)) (true (said ?t ?y)) (distinct ?s ?t) (distinct ?x ?y))
(<= (goal ?r 60) (odd ?r))
(<= (goal ?r 20) (role ?r) (not (odd ?r)))
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command that takes long: several forms of its arguments, and the moments of signals, in seconds.

    `moments` are for games that have been compiled; a compilation may take `compiling` seconds more.
    """

    forms: tuple[str, ...]
    moments: float
    compiling: float = 3.0


COMMANDS: Final = {
    "train": Command(
        (
            "train tic_tac_toe -o some.learned --minutes 5 --jobs 2 --plot some.svg",
            "train three.kif -o some.learned --minutes 5 --jobs 1",
        ),
        12.0,
    ),
    "solve": Command(
        (
            "solve connect_four --store some.proof",
            "solve three.kif",
            "solve wolf_sheep",
            "solve fox_game --json",
            "solve liars_dice_1 --exploitability 0.00000001",
        ),
        6.0,
    ),
    "study": Command(("study tic_tac_toe --jobs 2 --page some.html", "study wolf_sheep --json -o records"), 10.0),
    "tournament": Command(
        (
            "tournament tic_tac_toe --players mcts,random --games 1000 --play-clock 0.05 --jobs 2 --store some.sqlite",
            "tournament tic_tac_toe three.kif --players random,alphabeta --games 10000 --jobs 1 --plot some.svg",
        ),
        6.0,
    ),
    "host": Command(
        (
            "host tic_tac_toe --player xplayer=mcts --player oplayer=random --start-clock 1 --play-clock 2 --at-once 2"
            " --matches 100"
            " --record records --port 0",
            "host wolf_sheep --player auto --start-clock 1 --play-clock 1 --record some.json --port 0",
            "host tic_tac_toe --player xplayer={player} --player oplayer=random --start-clock 1 --play-clock 1 --json"
            " --matches 100",
            "host schedule.toml",
        ),
        8.0,
    ),
    "check": Command(
        ("check wolf_sheep connect_four three.kif --simulate --seconds 20", "check fox_game --simulate --json"), 10.0
    ),
    "export": Command(
        (
            "export connect_four -o some.html",
            "export fox_game -o some.html",
            "export wolf_sheep -o some.mjs",
            "export fox_game -o some.c",
        ),
        3.0,
    ),
    "dataset": Command(
        (
            "dataset connect_four -o some.npz --games 10000000",
            "dataset tic_tac_toe -o some.npz --games 1000 --player mcts(simulations=50) --text",
        ),
        6.0,
    ),
    "render": Command(("render connect_four -o some.svg", "render wolf_sheep -o some.png"), 2.0),
    "bench": Command(("bench tic_tac_toe connect_four",), 8.0),
}

SCHEDULE: Final = """
games = ["tic_tac_toe"]
matches = 50
start_clock = 1
play_clock = 8
records = "records"

[players]
one = "auto"
two = "random"
"""


@dataclass(slots=True)
class Result:
    """What a try has shown: seconds from the signal to the end, None if there was no need for it, and the faults.

    `waited` are those of the seconds in which the main thread could have run, but had no processor.
    """

    command: str
    end: signal.Signals
    moment: float
    seconds: float | None = None
    waited: float = 0.0
    faults: list[str] = field(default_factory=list)


def attempt(name: str, number: int, run: str, shared: Path, player: str) -> Result:
    """Start a command, end it, and look at what is left."""
    random = Random(f"{run} {name} {number}")
    folder = shared / f"{name}-{number}"
    folder.mkdir()
    for place in ("tmp", "records"):
        (folder / place).mkdir()
    (folder / "three.kif").write_text(THREE)
    (folder / "schedule.toml").write_text(SCHEDULE)
    command = COMMANDS[name]
    new_code, new_game = random.random() < NEW_CODE, random.random() < NEW_GAME
    moment = random.random() * (command.moments + command.compiling * (new_game + 5 * new_code))
    arguments = random.choice(command.forms).format(player=player).split()
    end = random.choice([signal.SIGINT, signal.SIGTERM])
    mark = f"{run}-{name}-{number}"
    environment = {
        **os.environ,
        MARK: f"{mark}:try",
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder / "tmp"),
        "XDG_DATA_HOME": str(folder / "data"),
        "GDL_CACHE": str((folder if new_game else shared) / "cache"),
        "NUMBA_CACHE_DIR": str((folder if new_code else shared) / "code"),
    }
    log = folder / "tmp" / "log"
    result = Result(
        f"{' '.join(arguments)} ({'new' if new_game else 'known'} game{', no code' * new_code})", end, moment
    )
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "ggp", *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
        started = time.monotonic()
        while not _has_begun(process.pid) and process.poll() is None and time.monotonic() < started + STARTING:
            time.sleep(0.02)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            _end(process, end, mark, result)
        else:
            if process.returncode not in (0, 1):
                result.faults.append(f"status {process.returncode} without a signal")
    said = log.read_text(errors="replace")
    log.unlink()
    if "Traceback" in said or "Exception ignored" in said or "rror:" in said:
        result.faults.append(f"said {said[:500]} ... {said[-1500:]}")
    result.faults += [f"left {path.relative_to(shared)}" for path in _temporary(folder, shared)]
    result.faults += _damaged(folder)
    if not result.faults:
        shutil.rmtree(folder)
    return result


def _end(process: subprocess.Popen[bytes], end: signal.Signals, mark: str, result: Result) -> None:
    sent, before = time.monotonic(), _waited(process.pid)
    waited = before
    process.send_signal(end)
    while process.poll() is None and time.monotonic() < sent + HANGING:
        time.sleep(0.01)
        waited = _waited(process.pid) or waited
    if process.returncode is None:
        result.faults.append("it hangs")
        process.send_signal(end)  # Ctrl-C twice must always end it
        try:
            process.wait(MOST)
        except subprocess.TimeoutExpired:
            result.faults.append("it hangs after a second signal, too")
            process.kill()
            process.wait()
    status = process.returncode
    while (left := [pid for pids in marked_processes(mark).values() for pid in pids]) and time.monotonic() < sent + 10:
        time.sleep(0.05)
    result.seconds, result.waited = time.monotonic() - sent, waited - before
    if left:
        result.faults.append(f"processes are left: {', '.join(map(command_of, left))}")
        kill(left)
    if result.seconds - result.waited > MOST:
        result.faults.append(f"{result.seconds:.1f} s, {result.waited:.1f} s without a processor")
    # A shell shows the death by a signal as the same status. It is the end of a command that still loads its modules. A
    # command that had just done all its work ends as it would have.
    done = status == 0 and result.seconds - result.waited < LATE
    if status not in (128 + end, -end) and not done:
        result.faults.append(f"status {status}")


def _has_begun(pid: int) -> bool:
    """Return True if a command listens for SIGTERM."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> signal.SIGTERM - 1 & 1)


def _waited(pid: int) -> float:
    """Return the seconds in which the main thread of a process has waited for a processor; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def _temporary(folder: Path, shared: Path) -> Iterable[Path]:
    yield from (folder / "tmp").iterdir()
    for place in (folder, shared / "cache", shared / "code"):
        yield from (path for path in place.rglob(".*") if path.suffix in (".tmp", ".lock"))


def _damaged(folder: Path) -> Iterable[str]:
    """Try to read all files that commands have written."""
    readers: dict[str, Callable[[Path], object]] = {
        "*.learned": read_value,
        "*.proof": lambda path: read_proof(path, 1.0),
        "some.json": read_record,
        "records/**/*.json": read_record,
        "*.sqlite": _check_database,
        "*.npz": _check_arrays,
        "*.svg": lambda path: path.read_bytes().rindex(b"</svg>"),
        "*.html": lambda path: path.read_bytes().rindex(b"</html>"),
    }
    for pattern, read in readers.items():
        for path in folder.glob(pattern):
            try:
                read(path)
            except Exception as error:
                yield f"{path.name} is damaged: {error}"


def _check_arrays(path: Path) -> None:
    with np.load(path) as arrays:
        for name in arrays:
            arrays[name]


def _check_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            raise ValueError(found)


def attempts(names: Iterable[str], tries: int, seed: int, shared: Path, jobs: int = 2) -> Iterator[Result]:
    """Try all commands, `jobs` tries at a time, and yield the results."""
    run = f"interrupts-{seed}-{time.time_ns():x}"
    with Player(shared) as address, ThreadPoolExecutor(jobs) as pool:
        todo = [(name, number, run, shared, address) for number in range(tries) for name in names]
        futures = [pool.submit(attempt, *arguments) for arguments in todo]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


class Player:
    """A remote player for hosts."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "player.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "ggp", "join", "--port", "0", "--player", "random", "--matches", "100"],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def __enter__(self) -> str:
        if not soon(lambda: " is listening on " in self._log.read_text()):
            self.__exit__()
            raise RuntimeError("the player does not listen")
        return self._log.read_text().partition(" is listening on ")[2].split()[0].rstrip(";")

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def _say(result: Result) -> None:
    print(f"{result.command}, {result.end.name} after {result.moment:.2f} s:", *result.faults, sep="\n    ", flush=True)


def main() -> None:
    """Try commands as the arguments say."""
    parser = argparse.ArgumentParser("soak.interrupts", description=__doc__)
    parser.add_argument("--tries", type=int, default=200, help="tries of each command")
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--jobs", type=int, default=2, help="tries at the same time")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    shared = Path(tempfile.mkdtemp(prefix="interrupts-"))
    results = []
    with suppress(KeyboardInterrupt):  # the results so far are shown
        for result in attempts(chosen.commands, chosen.tries, chosen.seed, shared, chosen.jobs):
            results.append(result)
            if result.faults:
                _say(result)
    by_command: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_command[result.command.split()[0]].append(result)
    for name, found in by_command.items():
        ended = [result for result in found if result.seconds is not None]
        failed = sum(bool(result.faults) for result in found)
        wall = sorted(result.seconds or 0.0 for result in ended) or [0.0]
        own = sorted((result.seconds or 0.0) - result.waited for result in ended) or [0.0]
        print(
            f"{name}: {len(ended)} interrupted, median {own[len(own) // 2]:.2f} s, most {own[-1]:.2f} s "
            f"(with waiting for a processor {wall[-1]:.2f} s); {failed} failed"
        )
    if any(result.faults for result in results):
        print(f"what is left is in {shared}")
        sys.exit(1)
    shutil.rmtree(shared)


if __name__ == "__main__":
    main()
