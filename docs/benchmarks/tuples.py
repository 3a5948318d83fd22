"""Measure what tuples of cells and images of states are worth to a learned value, in a game that comes with one.

    python docs/benchmarks/tuples.py connect_four --states 400000

The states are those of games that a search of `--depth` plies plays against itself with the learned values. One in ten
is kept to test what a network learns from the others, in five passes, without tuples, with them, and with images, too.
The errors are root mean squares in points, where a win is 100 and a loss -100. The last column has the nodes per second
of the search.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

import gdl
from ggp.learning.tuples import find_tuples
from ggp.players.alphabeta.search import Plan, Search
from ggp.players.learned_values.images import Images, find_images
from ggp.players.learned_values.network import Network, unpacked
from ggp.players.learned_values.tuples import NONE
from ggp.players.learned_values.value import SUFFIX, read_value
from ggp.rules.shipped_games import find_game

#: The states of a batch of games, and the most random plies at the beginning of its games.
BATCH = 10_000
OPENINGS = (4, 8, 12, 16)


def main() -> None:
    """Print the table, a row for each kind of network."""
    parser = argparse.ArgumentParser(description="Measure what tuples and images are worth.")
    parser.add_argument("game", help="a game that comes with learned values")
    parser.add_argument("--states", type=int, default=400_000, help="the number of states")
    parser.add_argument("--depth", type=int, default=4, help="the depth of the search")
    arguments = parser.parse_args()
    path = find_game(arguments.game)
    game = gdl.compile(path)
    search, start = Search(game, 0), game.initial_state().bits
    search.install(read_value(path.with_suffix(SUFFIX)).network(game, path.name))
    played = [
        search.play(start, BATCH, Plan(1000 + number, arguments.depth, OPENINGS[number % len(OPENINGS)], 16, 200))
        for number in range(max(1, arguments.states // BATCH))
    ]
    states = np.concatenate([games.states for games in played])
    values = np.concatenate([games.values for games in played])
    cut, facts = len(states) * 9 // 10, len(game.all_facts)
    print("| network | error on states learned from | on others | nodes/s |")
    print("| --- | --- | --- | --- |")
    tuples, alone, images = find_tuples(game, 1), Images.none(facts, 2), find_images(game, duel=True)
    kinds = (("facts alone", NONE, alone), ("with tuples", tuples, alone), ("with images", tuples, images))
    for name, given, taken in kinds:
        network = Network(facts, 1, given)
        network.fit(states[: min(cut, 40_000)], values[: min(cut, 40_000)])
        for number in range(5):
            random = np.random.default_rng(number)
            error = network.learn(*taken.of((states[:cut], values[:cut]), random), random)
        unseen = 100 * network.values(unpacked(states[cut:], facts)) - values[cut:]
        search.install(network)
        search.forget()
        before, end = search.nodes, perf_counter() + 2
        search.run(start, lambda end=end: end - perf_counter())
        rate = (search.nodes - before) / 2
        print(f"| {name} | {error**0.5:.1f} | {np.sqrt(np.mean(unseen**2)):.1f} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
