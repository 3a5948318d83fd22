"""The process of a joined match: what a match has started ends with it, whatever it is doing."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from support.grounded import ENDLESS
from support.joined import joined
from support.processes import descendants, is_running, soon
from support.served import TIC_TAC_TOE, Served
from support.toy_files import rule_file, start

from gdl import parse_term
from ggp.network.protocol.joined import Event, RefusedError
from ggp.network.protocol.match_process import MatchLostError, MatchProcess, MatchProcesses, ProcessSettings
from ggp.network.protocol.messages import Play, Start, Stop, parse_message

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory, and lifelines")

#: 2^40 legal moves.
MANY_MOVES = (
    f"(role r) (init a) (bit 0) (bit 1) (<= (legal r (m {' '.join(f'?b{i}' for i in range(40))})) (true a)"
    f"{' '.join(f'(bit ?b{i})' for i in range(40))}) (<= (next b) (true a)) (<= terminal (true b)) (goal r 1)"
)

#: The same from the second ply on.
LATER = MANY_MOVES.replace("(init a)", "(init z)") + "(<= (legal r go) (true z)) (<= (next a) (true z))"

#: Seconds after which nothing is left.
GONE = 5.0


def run(work: Callable[[ProcessSettings], Coroutine[Any, Any, None]], folder: Path, memory: int | None = None) -> None:
    asyncio.run(work(ProcessSettings("random", folder, memory)))


def later(seconds: float) -> float:
    return time.monotonic() + seconds


def test_a_match_and_its_end(tmp_path: Path) -> None:
    async def work(settings: ProcessSettings) -> None:
        events: list[Event] = []
        processes = MatchProcesses(settings)
        assert await processes.prepare() == "random"
        other = processes.take()
        with pytest.raises(RefusedError, match="nobody"):
            await other.start(Start("m", "nobody", TIC_TAC_TOE, 60, 60), 1, later(60), events.append)
        await other.end(None, "refused")
        assert not events
        match = processes.take()
        ready = match.start(Start("m", "xplayer", TIC_TAC_TOE, 60, 60), 1, later(60), events.append)
        # Calls are carried out one after another.
        move = match.play(Play("m"), later(60))
        assert await ready == "ready"
        assert (await move).startswith("(mark ")
        assert 0 < match.transit < GONE
        stop = parse_message(f"(STOP m ({await move} noop))")
        assert isinstance(stop, Stop)
        await match.end(stop, "stopped")
        assert match.lost
        assert [event.text.partition(";")[0].partition(" ")[0] for event in events] == ["ready", "ply", "stopped"]
        with pytest.raises(MatchLostError):
            await match.play(Play("m"), later(60))
        await processes.close()

    run(work, tmp_path)


def test_rules_that_need_too_much_memory(tmp_path: Path) -> None:
    async def work(settings: ProcessSettings) -> None:
        events: list[Event] = []
        match = MatchProcess(settings, lambda: None)
        await match.start(Start("m", "r", MANY_MOVES, 60, 60), 1, later(60), events.append)
        # Memory usually runs out while the Reasoner derives. It may also run out elsewhere in the process.
        refusal = "<START>:1:35: derivation-limit: deriving legal/2 takes more memory than this process may use"
        exhausted = "more than 0.1875 GB of memory would be needed"
        answer = match.play(Play("m"), later(60))
        await asyncio.wait([answer])
        error = answer.exception()
        assert answer.result() == "nil" if error is None else str(error) == exhausted
        assert events[-1] == Event("m", refusal if error is None else f"lost: {exhausted}", True)
        await match.end(None, "aborted")

    run(work, tmp_path, 3 << 26)


@pytest.mark.slow
def test_a_match_that_does_not_hear_of_its_end_is_killed(tmp_path: Path) -> None:
    async def work(settings: ProcessSettings) -> None:
        events: list[Event] = []
        match = MatchProcess(settings, lambda: None)
        await match.start(Start("m", "r", LATER, 60, 60), 1, later(60), events.append)
        assert await match.play(Play("m"), later(60)) == "go"
        waiting = match.play(Play("m", (parse_term("go"),)), later(60))
        await asyncio.sleep(0.1)
        await match.end(None, "aborted")
        with pytest.raises(MatchLostError):
            await waiting
        assert events[-1] == Event("m", "aborted; its process was still computing and has been killed", True)

    run(work, tmp_path)


def grounding(process: int) -> list[int]:
    """The grounders among the descendants of a process."""
    return [number for number, command in descendants(process).items() if "-m clingo" in command]


def join_and_ground(player: Served, process: int) -> dict[int, str]:
    """Start a match whose rules are grounded without end, and return all processes of the player."""
    assert player.start(role="robot", rules=ENDLESS, clock=5) == "ready"
    assert soon(lambda: bool(grounding(process)))
    return descendants(process)


def all_gone(processes: dict[int, str]) -> bool:
    return soon(lambda: not any(map(is_running, processes)), GONE)


@pytest.mark.slow
@pytest.mark.parametrize(("by", "status"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_nothing_is_left_of_a_player_that_was_ended(by: signal.Signals, status: int) -> None:
    with joined("--player", "mcts") as (player, process):
        started = join_and_ground(player, process.pid)
        process.send_signal(by)
        assert process.wait(60) == status
        assert all_gone(started)


@pytest.mark.slow
def test_of_an_aborted_match_only_compilation_goes_on_until_the_next_one() -> None:
    with joined("--player", "mcts") as (player, process):
        join_and_ground(player, process.pid)
        assert player.ask("(ABORT m)") == "aborted"
        assert player.status() == "available"
        assert soon(lambda: len(grounding(process.pid)) <= 1, GONE)
        assert player.start("next") == "ready"
        assert soon(lambda: not grounding(process.pid), GONE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "by"),
    [
        (("play", "FILE", "--player", "mcts", "--start-clock", "60", "--play-clock", "60"), signal.SIGTERM),
        (("solve", "FILE"), signal.SIGKILL),
        (("tournament", "FILE", "--players", "mcts,random", "--games", "2"), signal.SIGTERM),
    ],
)
def test_nothing_is_left_of_a_command(command: tuple[str, ...], by: signal.Signals, tmp_path: Path) -> None:
    file = rule_file(tmp_path, ENDLESS)
    process = start(*(file if word == "FILE" else word for word in command))
    try:
        assert soon(lambda: bool(grounding(process.pid)))
        started = descendants(process.pid)
        process.send_signal(by)
        process.communicate(timeout=60)
        assert process.returncode == (143 if by == signal.SIGTERM else -9)
        assert all_gone(started)
    finally:
        process.kill()
        process.communicate()
