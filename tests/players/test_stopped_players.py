"""Players whose process stands still for a while: they think as before from the next move on."""

from __future__ import annotations

import subprocess
import sys
import time
from textwrap import dedent

import pytest
from support.stopped import LOCK, stop_for

from ggp.players.clock import StepTime

#: Asks a player for moves in the first state of a game, and prints its work for each: simulations or nodes, or, of a
#: player that does not tell, milliseconds of the processor's time.
SCRIPT = """
    import sys
    import time
    import gdl
    from ggp.players import make_player
    from ggp.players.clock import Deadline
    from ggp.players.player import Start, Turn
    from ggp.players.traits import thought_of
    from ggp.rules.shipped_games import find_game

    name, rules, clock = sys.argv[1], sys.argv[2], float(sys.argv[3])
    game = gdl.compile(rules if "(" in rules else find_game(rules))
    player = make_player(name)
    start_clock = float(sys.argv[4])
    player.start(Start("m", game, game.roles[0], 1, start_clock, clock), Deadline.after(start_clock))
    state = game.initial_state()
    ready = False
    for ply in range(1, 1000):
        if ready:
            print("asked", flush=True)
        turn = Turn(ply, state, game.legal_moves(state, game.roles[0]), deadline=Deadline.after(clock))
        began = time.process_time()
        player.move(turn)
        work = int(1000 * (time.process_time() - began))
        if name != "planner":
            thought = thought_of(player)
            work = thought.work if thought else 0
        if ready:
            print("work", work, flush=True)
        # The code of the search may have to be compiled first.
        ready = ready or work > 0
"""


def works(player: str, rules: str, start_clock: float, clock: float, moves: int) -> tuple[list[int], list[int]]:
    """The work for each move before the process stands still over the end of a clock, and after that."""
    command = [sys.executable, "-c", dedent(SCRIPT), player, rules, str(clock), str(start_clock)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    before: list[int] = []
    after: list[int] = []
    try:
        for number in range(2 * moves + 1):
            assert process.stdout.readline() == "asked\n"
            if number == moves:
                time.sleep(clock / 2)
                stop_for(process.pid, 4 * clock)
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
    [
        ("mcts(keep=0)", "connect_four"),
        ("mcts(keep=0,leaves=1,playouts=1)", "othello"),
        ("alphabeta", "breakthrough"),
        ("planner", LOCK),
    ],
)
def test_a_player_that_was_stopped_thinks_again(player: str, rules: str) -> None:
    before, after = works(player, rules, 3.0, 0.5, 5)
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
