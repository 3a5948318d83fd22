"""Runs the soak: `python -m soak --minutes 60`."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import aiohttp

from soak import __doc__ as description
from soak.honest import Honest
from soak.hostile import Hostile
from soak.ledger import Ledger
from soak.processes import Service, all_gone, command_of, kill, marked_processes
from soak.report import judge_growth, judge_logs, judge_matches, printed

#: The port in what a service prints when it listens.
SERVE = r"http://127\.0\.0\.1:(\d+)/"
JOIN = r"is listening on http://127\.0\.0\.1:(\d+)"
HOST = r"spectators: http://127\.0\.0\.1:(\d+)/"

#: The players on the network, and the number of matches that each may play: the long host's, the short host's and some
#: hostile ones.
PLAYERS = ("random", "mcts", "auto")
MATCHES = 6

#: The player that only answers requests with a token in their path.
GUARDED = "auto"
TOKEN = "soak-token"

#: Seconds between two samples.
EVERY = 2.0

#: Bytes of all processes of a service at which the soak is broken off.
MOST = 8 << 30


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("soak", description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="the length of the soak")
    parser.add_argument("--alone", type=float, default=0.1, help="the share of it without hostile requests")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the random choices")
    parser.add_argument(
        "--folder", type=Path, help="keep the logs here; otherwise they are kept only if something fails"
    )
    return parser.parse_args()


async def soak(seconds: float, alone: float, seed: int, folder: Path) -> Ledger:
    """Run everything, print the report, and return the ledger."""
    folder = folder.resolve()
    run = f"soak-{seed}-{time.time_ns():x}"
    random = Random(seed)
    ledger = Ledger()
    serve = Service("serve", ("serve", "--port", "0", "--matches", str(folder / "matches")), folder, run)
    joins = {name: _join(name, folder, run) for name in PLAYERS}
    host = Service("host", (), folder, run)
    services = [serve, host, *joins.values()]
    begun = time.monotonic()
    try:
        for service in (serve, *joins.values()):
            service.start()
        await serve.listening(SERVE)
        for service in joins.values():
            await service.listening(JOIN)
        host.arguments = _hosted(joins)
        host.start()
        await host.listening(HOST)
        ledger.started = begun = time.monotonic()
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session:
            honest = Honest(ledger, serve, host, joins, folder, Random(random.random()), run, session)
            hostile = Hostile(ledger, serve, host, joins, Random(random.random()))
            tasks = [asyncio.ensure_future(_again(one, ledger)) for one in honest.activities()]
            try:
                broken = await _sampled(services, ledger, run, alone * seconds)
                ledger.hostile = True
                tasks += [asyncio.ensure_future(_again(one, ledger)) for one in hostile.activities()]
                if not broken:
                    await _sampled(services, ledger, run, (1 - alone) * seconds)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        ended = time.monotonic()
        for service in services:
            if not service.running:
                ledger.miss("services that ended", f"{service.name}: {service.text()[-300:]}")
            service.terminate()
        for pid in await all_gone(run):
            ledger.miss("processes left after SIGTERM", f"{pid}: {command_of(pid)}")
    finally:
        kill(pid for pids in marked_processes(run).values() for pid in pids)
        for service in services:
            service.reap()
    growth = {service.name: judge_growth(service, ledger, begun, ended) for service in services}
    judge_logs([*services, Service("host-once", (), folder, run)], ledger)
    judge_matches(ledger)
    print(printed(ledger, growth))
    return ledger


def _join(name: str, folder: Path, run: str) -> Service:
    options = ["--port", "0", "--player", name, "--matches", str(MATCHES)]
    service = Service(f"join-{name}", (), folder, run)
    if name == GUARDED:
        options += ["--token", TOKEN]
        service.path = f"/{TOKEN}"
    service.arguments = ("join", *options)
    return service


def _hosted(joins: dict[str, Service]) -> tuple[str, ...]:
    """Return the arguments of a host that plays match after match."""
    players = [f"--player={role}={joins[name].address}" for role, name in (("xplayer", "random"), ("oplayer", "mcts"))]
    clocks = ("--start-clock=6", "--play-clock=2", "--matches=1000000")
    return ("host", "tic_tac_toe", *players, *clocks, "--json", "--port=0")


async def _again(activity: Callable[[], Awaitable[None]], ledger: Ledger) -> None:
    """Repeat an activity. Its own errors are reported, too: they may hide those of a service."""
    while True:
        try:
            await activity()
        except Exception as error:
            ledger.miss("errors of the soak itself", f"{type(error).__name__}: {error}")
            await asyncio.sleep(1)
        await asyncio.sleep(0.05)


async def _sampled(services: list[Service], ledger: Ledger, run: str, seconds: float) -> bool:
    """Sample resources for some time. Return True if a service uses too much memory to go on."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        marked = marked_processes(run)
        for service in services:
            if service.sample(marked).all > MOST:
                ledger.miss("growth", f"{service.name}: over {MOST >> 30} GiB; the soak was broken off")
                return True
        await asyncio.sleep(EVERY)
    return False


def main() -> None:
    """Run the soak with the arguments of the command line."""
    chosen = arguments()
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    ledger = asyncio.run(soak(60 * chosen.minutes, chosen.alone, chosen.seed, folder))
    if ledger.misses:
        print(f"\nLogs in {folder}")
        sys.exit(1)
    if chosen.folder is None:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
