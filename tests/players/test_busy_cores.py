"""Players on a machine all of whose cores are busy: few of their answers are late. Run with `-s` for the figures."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

import pytest

#: Prints the number of moves that were late, out of 100 at 0.2 s, and the seconds of the slowest one.
SCRIPT = """
    import sys
    import time
    import gdl
    from ggp.players import make_player
    from ggp.players.clock import Deadline
    from ggp.players.player import Start, Turn
    from ggp.players.traits import thought_of
    from ggp.rules.shipped_games import find_game

    clock = 0.2
    game = gdl.compile(find_game("breakthrough"))
    player = make_player(sys.argv[1])
    player.start(Start("m", game, game.roles[0], 1, 20.0, clock), Deadline.after(20.0))
    state = game.initial_state()
    legal = game.legal_moves(state, game.roles[0])
    late, seconds = 0, []
    while len(seconds) < 100:
        deadline = Deadline.after(clock)
        player.move(Turn(1, state, legal, deadline=deadline))
        left = deadline.left()
        thought = thought_of(player)
        if thought and thought.work:  # the code of the search may have to be compiled first
            late += left < 0
            seconds.append(clock - left)
    print(late, max(seconds))
"""

BURN = "while True: pass"


@pytest.mark.slow
@pytest.mark.parametrize("player", ["alphabeta", "mcts(keep=0)"])
def test_few_answers_are_late_on_busy_cores(player: str) -> None:
    burning = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(os.cpu_count() or 1)]
    try:
        command = [sys.executable, "-c", dedent(SCRIPT), player]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    finally:
        for process in burning:
            process.kill()
            process.wait()
    late, slowest = done.stdout.split()
    print(f"{player}: {late} of 100 moves were late, the slowest took {float(slowest):.3f} s of 0.2 s")
    # The share depends on what else the machine does; the notes have figures. Without any reserve, most are late.
    assert int(late) < 50
