"""Measure the kernels of games of two roles, in both kinds of code: that computes everything, or follows changes.

    python docs/benchmarks/kernels.py othello battle games/my_game.kif

`kernels` is the kind that `gdl` has chosen on this machine. For each kind, the table has the seconds of processor time
to make it, its size in MB, and thousands of nodes per second of `alphabeta`, after a few lessons, from states after a
few random moves. `--skip` leaves out the code that computes everything, which may take LLVM half a minute.
"""

from __future__ import annotations

import argparse
import time
from math import inf
from pathlib import Path
from random import Random
from unittest.mock import patch

import gdl
from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.simulator import single_states
from gdl.simulator.kernels import Kernels
from ggp.players.alphabeta.chooser import MoveChooser
from ggp.rules.shipped_games import find_game

#: Longer assembly is compiled at LLVM's level 0, as by `gdl.compile`.
LONG = 2_700_000


def positions(game: gdl.Simulator) -> list[gdl.PackedState]:
    """Return states of one random playout."""
    random, state, found = Random(5), game.initial_state(), []
    for ply in range(18):
        if game.is_terminal(state):
            break
        if ply % 5 == 2:
            found.append(state)
        state = game.next_state(state, [random.choice(game.legal_moves(state, role)) for role in game.roles])
    return found


def thousands_of_nodes(game: gdl.Simulator, seconds: float = 0.5) -> float:
    """Return thousands of nodes per second of a search from some states."""
    nodes = spent = 0.0
    chooser = MoveChooser(game, game.roles[0], 1)
    chooser.learn_playouts(lambda: 0.0)
    chooser.learn_games(None)
    for state in positions(game):
        before, began = chooser.nodes, time.thread_time()
        end = began + seconds
        chooser.ponder(state, lambda end=end: end - time.thread_time())
        nodes += chooser.nodes - before
        spent += time.thread_time() - began
    return nodes / spent / 1000


def program(game: gdl.Simulator, *, follow: bool) -> single_states.Program:
    """Return the program of one kind."""
    limit, share = (0, 0.0) if follow else (1 << 60, inf)
    with (
        patch.object(single_states, "LARGEST_SINGLE", limit),
        patch.object(single_states, "_share", lambda *_: share),
    ):
        (found,) = single_states.single_state_programs(game.circuit)
    return found


def measured(game: gdl.Simulator, *, follow: bool) -> str:
    """Return a part of the row of a game: one kind of code."""
    began = time.process_time()
    text, facts = program(game, follow=follow)
    code = compiled(text, host(), int(len(text) <= LONG))
    seconds = time.process_time() - began
    vars(game)["kernels"] = Kernels(Library(code), facts["work"], game.layout)
    return f"{seconds:.1f} | {len(code) / 1e6:.1f} | {thousands_of_nodes(game):.0f}"


def main() -> None:
    """Print the table, a row for each game."""
    parser = argparse.ArgumentParser(description="Measure both kinds of kernels.")
    parser.add_argument("games", nargs="+", help="rule files or names of games")
    parser.add_argument("--skip", action="store_true", help="leave out the code that computes everything")
    arguments = parser.parse_args()
    print("| game | inputs of gates | kernels | changes: s | MB | knodes/s | everything: s | MB | knodes/s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in arguments.games:
        path = Path(find_game(name))
        game = gdl.compile(path)
        inputs = single_states.inputs(game.circuit)
        followed = game.kernels.work_words == program(game, follow=True)[1]["work"]
        kind = "changes" if followed else "everything"
        following = measured(game, follow=True)
        computing = "| |" if arguments.skip else measured(game, follow=False)
        print(f"| {path.stem} | {inputs:,} | {kind} | {following} | {computing} |", flush=True)


if __name__ == "__main__":
    main()
