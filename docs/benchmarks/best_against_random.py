"""Compute the best possible result against random moves in small games with hidden information.

    python docs/benchmarks/best_against_random.py kuhn_poker leduc_poker liars_dice_1

It builds the tree of all lines of play, and prints the goal that the best answer to random moves can expect in each
seat.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import gdl
from ggp.rules.shipped_games import find_game
from ggp.solver.budget import limited
from ggp.solver.extensive.response import best_response
from ggp.solver.extensive.tree import Tree, build_tree


def uniform(tree: Tree, player: int) -> np.ndarray:
    """Return the strategy that chooses each legal move with the same probability."""
    strategy = np.zeros(1 + sum(len(own.moves) for own in tree.sets[player]))
    for own in tree.sets[player]:
        strategy[own.first : own.first + len(own.moves)] = 1 / len(own.moves)
    return strategy


def main() -> None:
    """Print a line for each game and role."""
    parser = argparse.ArgumentParser(description="Compute the best possible result against random moves.")
    parser.add_argument("games", nargs="+", help="rule files or names of games")
    for name in parser.parse_args().games:
        game = gdl.Simulator.load(Path(find_game(name)))
        tree = build_tree(game, game.initial_state(), limited(300, 4.0, lambda _: None))
        strategies = [uniform(tree, player) for player in range(len(tree.players))]
        for player, role in enumerate(tree.players):
            goal, _ = best_response(tree, strategies, player)
            print(f"{name} {role}: {goal:.2f}", flush=True)


if __name__ == "__main__":
    main()
