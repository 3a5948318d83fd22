"""Measure how often, and by how much, a player is late when all cores are busy.

    python docs/benchmarks/clock.py mcts alphabeta --moves 2000

Beside the player, one process for each core does nothing but use it. The player searches the first position of
breakthrough again and again, with 0.2 seconds for each move.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

import gdl
from ggp.players import Start, Turn, make_player
from ggp.players.clock import Deadline
from ggp.players.traits import thought_of
from ggp.rules.shipped_games import find_game

#: What keeps a core busy, as long as its parent lives.
BURN = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"

#: A move that is later than this, in seconds, is counted apart.
MUCH = 0.05


def overruns(name: str, game: str, moves: int, clock: float) -> list[float]:
    """Return the seconds by which each move was late, negative if it was in time."""
    engine = gdl.compile(Path(find_game(game)))
    player = make_player(name)
    player.start(Start("m", engine, engine.roles[0], 1, 20.0, clock), Deadline.after(20.0))
    state = engine.initial_state()
    legal = engine.legal_moves(state, engine.roles[0])
    found: list[float] = []
    until = monotonic() + 60 + 4 * moves * clock
    while len(found) < moves and monotonic() < until:
        deadline = Deadline.after(clock)
        player.move(Turn(1, state, legal, deadline=deadline))
        over = -deadline.left()
        thought = thought_of(player)
        if thought is None or thought.work:  # the code of a search may have to be compiled first
            found.append(over)
    return found


def main() -> None:
    """Print a line for each player."""
    parser = argparse.ArgumentParser(description="How often a player is late on busy cores.")
    parser.add_argument("players", nargs="+")
    parser.add_argument("--game", default="breakthrough")
    parser.add_argument("--moves", type=int, default=2000)
    parser.add_argument("--clock", type=float, default=0.2, help="seconds for a move")
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1, help="processes that keep cores busy")
    options = parser.parse_args()
    for name in options.players:
        burning = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(options.busy)]
        try:
            found = overruns(name, options.game, options.moves, options.clock)
        finally:
            for process in burning:
                process.kill()
                process.wait()
        late, much = (sum(one > least for one in found) for least in (0.0, MUCH))
        print(
            f"{name}: {late} of {len(found)} moves late, {much} of them by more than {1000 * MUCH:.0f} ms; "
            f"the latest by {1000 * max(found):.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
