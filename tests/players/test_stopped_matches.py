"""Matches whose processes stand still over the end of a clock: from the next move on, all think as before."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random
from statistics import median

import pytest
from support.joined import joined
from support.processes import soon
from support.served import body
from support.stopped import LOCK, stop_for
from support.toy_files import start

from gdl import Reasoner
from ggp.match.record import read_record
from ggp.network.protocol.messages import Start, rules_line
from ggp.rules.shipped_games import find_game

#: Seconds for which the test waits for a match to begin, on a busy machine.
PATIENCE = 180.0

#: The moves before the one in which the processes stand still, and after it.
MOVES = 3

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs SIGSTOP")]


def check(seconds: list[float], clock: float) -> None:
    """Check the time that moves took after the one that took longest, in which the processes stood still."""
    stopped = seconds.index(max(seconds))
    assert seconds[stopped] > clock
    later = seconds[stopped + 1 :]
    # Other work on the machine may delay a question, which leaves less time to think.
    assert min(later) > 0.1 * clock
    assert median(later) > 0.4 * clock


def test_a_match_of_ggp_play(tmp_path: Path) -> None:
    clock, file = 0.5, tmp_path / "match.json"
    process = start(
        *("play", "othello", "--player", "mcts", "--seed", "1", "--record", file, "--quiet"),
        *("--start-clock", "6", "--play-clock", str(clock)),
    )

    def plies() -> int:
        return len(read_record(file).plies) if file.exists() else 0

    try:
        assert soon(lambda: plies() >= MOVES, PATIENCE)
        time.sleep(clock / 2)
        stop_for(process.pid, 4.5)
        stopped = plies()
        assert soon(lambda: plies() > stopped + 2 * MOVES, PATIENCE)
    finally:
        process.kill()
        process.communicate()
    # One role has a choice; the others answer at once.
    check([max(ply.seconds) for ply in read_record(file).plies], clock)


# Players in games in which they need all their time, since nothing is proved early; `ggp play` shows `mcts`.
@pytest.mark.parametrize(
    ("player", "rules"), [("alphabeta", "othello"), ("planner", LOCK)], ids=["alphabeta", "planner"]
)
def test_a_match_of_ggp_join(player: str, rules: str) -> None:
    clock, random = 1.0, Random(1)
    game = Reasoner(rules) if "(" in rules else Reasoner.load(find_game(rules))
    role, *others = game.roles
    seconds: list[float] = []
    with joined("--player", player, "--seed", "1") as (server, process):
        assert server.ask(Start("m", role, rules_line(game.rulesheet.source.text), 8, clock)) == "ready"
        state, last = game.initial_state(), "NIL"
        while len(seconds) <= 2 * MOVES:
            choosing = len(game.legal_moves(state, role)) > 1
            began = time.monotonic()
            asked = server.begin(f"(PLAY m {last})")
            if choosing and len(seconds) == MOVES:
                time.sleep(clock / 2)
                stop_for(process.pid, 4.5)
            own = body(asked)
            if own == "nil":  # it could not even choose at random any more
                own = game.legal_moves(state, role)[0].text
            if choosing:
                seconds.append(time.monotonic() - began)
            moves = [own, *(random.choice(game.legal_moves(state, other)).text for other in others)]
            state, last = game.next_state(state, moves), f"({' '.join(moves)})"
    check(seconds, clock)
