"""Measure how much faster a search is with several threads, even if other programs use the same cores.

    python docs/benchmarks/threads.py breakthrough connect_four othello --threads 1 2

The system says for each thread how long it ran, and how long it waited for a core. The rest of its time, it waited for
other threads of the search. With a core for each thread, it would not wait for one; so a search would take the mean of
what its threads ran and waited for each other. What this leaves out is that they would load the memory more if all ran
at the same time. It needs Linux. `mcts` searches the first position, after some simulations that do not count, and
`alphabeta` some positions after random moves.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

import gdl
from ggp.players.alphabeta.chooser import MoveChooser
from ggp.players.alphabeta.search import Search as AlphaBeta
from ggp.players.helpers import Helpers
from ggp.players.mcts.options import Options
from ggp.players.mcts.search import Search
from ggp.players.mcts.world import LanesWorld
from ggp.rules.shipped_games import find_game

#: What threads of the current search took: seconds by the clock, on a core, and waiting for one.
Times = list[tuple[float, float, float]]


def scheduled() -> tuple[float, float, float]:
    """Return the time, and the seconds that this thread ran, and waited for a core, so far."""
    ran, waited, _ = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()
    return time.monotonic(), int(ran) / 1e9, int(waited) / 1e9


def timed(work: Callable[[], Any], times: Times) -> Any:
    """Call a function, and note what it took this thread."""
    before = scheduled()
    try:
        return work()
    finally:
        after = scheduled()
        times.append(tuple(late - early for early, late in zip(before, after, strict=True)))  # type: ignore[arg-type]


def rates(work: Callable[[], int], times: Times, threads: int) -> tuple[float, float, float]:
    """Return the units of work per second on idle cores, those per second on a core, and the share of waiting."""
    times.clear()
    done = timed(work, times)
    ran = sum(one[1] for one in times)
    blocked = sum(max(0.0, one[0] - one[1] - one[2]) for one in times)
    return done * threads / (ran + blocked), done / ran, blocked / (ran + blocked)


def trees(game: gdl.Simulator, threads: int, simulations: int, warm: int, repeat: int, times: Times) -> list[Any]:
    """Measure `mcts`."""
    search = Search(LanesWorld(game, 1), 1, Options(memory=1 << 28, threads=threads))
    search.advance(game.initial_state())
    search.warm_up()
    found = []
    for _ in range(repeat):
        search.forget()
        search.advance(game.initial_state())
        if warm:
            search.run(simulations=warm)
        before = search.simulations

        def run(before: int = before) -> int:
            search.run(simulations=simulations)
            return search.simulations - before

        found.append(rates(run, times, threads))
    return found


def depths(game: gdl.Simulator, threads: int, nodes: int, repeat: int, times: Times) -> tuple[list[Any], float]:
    """Measure `alphabeta`, which gets as many nodes for each thread; also return the mean depth."""
    chooser, random = MoveChooser(game, game.roles[0], 1), Random(1)
    chooser.learn_playouts(lambda: 1e9)
    search: AlphaBeta = chooser._search
    found, reached = [], []
    for number in range(repeat):
        state = game.initial_state()
        for _ in range(4 + number % 3):
            state = game.next_state(state, [random.choice(game.legal_moves(state, role)) for role in game.roles])
        chooser.forget()

        def run(bits: bytes = state.bits) -> int:
            before = search.nodes
            reached.append(search.run(bits, lambda: 1e9, threads * nodes, threads=threads).depth)
            return search.nodes - before

        found.append(rates(run, times, threads))
    return found, fmean(reached)


def main() -> None:
    """Print a line for each game, search and number of threads."""
    parser = argparse.ArgumentParser(description="How much faster a search is with several threads.")
    parser.add_argument("games", nargs="+")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--simulations", type=int, default=600_000)
    parser.add_argument("--warm", type=int, default=300_000, help="simulations before those that count")
    parser.add_argument("--nodes", type=int, default=300_000, help="nodes of alphabeta for each thread; 0 for none")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    times: Times = []
    begin = Helpers.begin
    Helpers.begin = lambda self, works: begin(  # type: ignore[method-assign]
        self, [lambda work=work: timed(work, times) for work in works]
    )
    for name in options.games:
        game = gdl.compile(Path(find_game(name)))
        first: dict[str, float] = {}
        for threads in options.threads:
            found = trees(game, threads, options.simulations, options.warm, options.repeat, times)
            lines = [("simulations", found, "")]
            if options.nodes:
                found, depth = depths(game, threads, options.nodes, options.repeat, times)
                lines.append(("nodes", found, f", mean depth {depth:.2f}"))
            for unit, measured, more in lines:
                rate, alone, blocked = (median(column) for column in zip(*measured, strict=True))
                gain = rate / first.setdefault(unit, rate)
                print(
                    f"{name:16} {threads} threads: {rate:12,.0f} {unit}/s on idle cores (x {gain:.2f}), "
                    f"{alone:12,.0f} a second of a core, {100 * blocked:.0f} % waiting{more}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
