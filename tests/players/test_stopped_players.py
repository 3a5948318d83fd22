"""Players whose process stands still for a while: they think as before from the next move on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from textwrap import dedent

import pytest

from ggp.players.step_time import StepTime

#: Plays matches of one player with itself, and prints the work for each move of the first role: simulations or nodes.
SCRIPT = """
    import sys
    import gdl
    from ggp.players import make_player
    from ggp.players.clock import Deadline
    from ggp.players.player import Start, Turn
    from ggp.players.traits import thought_of
    from ggp.rules.shipped_games import find_game

    name, rules, clock = sys.argv[1], sys.argv[2], float(sys.argv[3])
    game = gdl.compile(find_game(rules))
    player = make_player(name)
    player.start(Start("m", game, game.roles[0], 1, 20.0, clock), Deadline.after(20.0))
    state = game.initial_state()
    ready = False
    for ply in range(1, 1000):
        if ready:
            print("asked", flush=True)
        turn = Turn(ply, state, game.legal_moves(state, game.roles[0]), deadline=Deadline.after(clock))
        player.move(turn)
        thought = thought_of(player)
        if ready:
            print("work", thought.work if thought else 0, flush=True)
        # The code of the search may have to be compiled first.
        ready = ready or bool(thought and thought.work)
"""


def works(player: str, rules: str, clock: float, moves: int) -> tuple[list[int], list[int]]:
    """The work for each move before the process stands still over the end of a clock, and after that."""
    command = [sys.executable, "-c", dedent(SCRIPT), player, rules, str(clock)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    before: list[int] = []
    after: list[int] = []
    try:
        for number in range(2 * moves + 1):
            assert process.stdout.readline() == "asked\n"
            if number == moves:
                time.sleep(clock / 2)
                os.killpg(process.pid, signal.SIGSTOP)
                time.sleep(4.5)
                os.killpg(process.pid, signal.SIGCONT)
            work = int(process.stdout.readline().split()[1])
            (before if number < moves else after).append(work)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    return before, after[1:]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGSTOP")
@pytest.mark.parametrize(
    ("player", "rules"),
    [("mcts(keep=0)", "connect_four"), ("mcts(keep=0,leaves=1,playouts=1)", "othello"), ("alphabeta", "breakthrough")],
)
def test_a_player_that_was_stopped_thinks_again(player: str, rules: str) -> None:
    before, after = works(player, rules, 0.5, 5)
    assert sorted(after)[len(after) // 2] >= sorted(before)[len(before) // 2] / 3
    assert min(after) > 0


def test_one_slow_step_does_not_count() -> None:
    times = StepTime()
    assert times.slowest == 0
    for _ in range(5):
        times.add(0.01)
    times.add(4.5)
    assert times.slowest == 0.01
    times.add(0.02)
    times.add(0.03)
    assert times.slowest == 0.03


def test_slow_steps_are_tried_again() -> None:
    times = StepTime()
    times.add(8.0)
    times.begin()
    assert times.slowest == 8
    for expected in (4, 2, 1):  # no step was made since the last search began
        times.begin()
        assert times.slowest == expected
    times.add(8.0)
    times.begin()
    times.add(8.0)
    assert times.slowest == 8


def test_old_steps_are_forgotten() -> None:
    times = StepTime()
    for _ in range(3):
        times.add(1.0)
    for _ in range(20):
        times.add(0.1)
    assert times.slowest == 0.1
