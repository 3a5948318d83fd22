"""Measure beliefs: how many states a second are found that agree with what a role did and saw, and how often none.

    python docs/benchmarks/beliefs.py
    python docs/benchmarks/beliefs.py --histories 20 --particles 1000 kuhn_poker my_game.kif

All roles move at random. Each history is that of one role, which takes turns with the others. At every ply but the
last one, the belief takes in the role's move and percepts; only this is timed. States that were found before and still
agree count again, since a player needs all of them at every ply.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter

import gdl
from gdl.engine import player_roles
from ggp.belief import Belief, ImpossiblePerceptsError, SearchLimitError
from ggp.belief.samples import Step
from ggp.rules.shipped_games import find_game

#: The shipped games with hidden states and little else.
GAMES = (
    *("kuhn_poker", "leduc_poker", "liars_dice_1", "monty_hall", "mastermind"),
    *("kriegspiel_tic_tac_toe", "phantom_connect_four", "blind_breakthrough_6x6"),
)


@dataclass(slots=True)
class Figures:
    """The counts of a game: plies, plies without a state, states, and seconds."""

    plies: int = 0
    empty: int = 0
    states: int = 0
    seconds: float = 0.0


def history(game: gdl.Simulator, role: str, random: Random) -> list[Step]:
    """Return what a role did and saw in a random playout, but for the last ply."""
    state, steps = game.initial_state(), list[Step]()
    while not game.is_terminal(state):
        joint = [random.choice(game.legal_moves(state, other)) for other in game.roles]
        steps.append(Step(joint[game.roles.index(role)], frozenset(game.percepts(state, joint)[role])))
        state = game.next_state(state, joint)
    return steps[:-1]


def measure(game: gdl.Simulator, histories: int, particles: int | None, seconds: float) -> Figures:
    """Return the figures of a game. A history ends early if no state is found within the time limit."""
    figures, roles = Figures(), player_roles(game)
    for seed in range(histories):
        role = roles[seed % len(roles)]
        belief = Belief(game, role, seed=seed, particles=particles)
        for step in history(game, role, Random(seed)):
            figures.plies += 1
            began = perf_counter()
            try:
                belief.follow([step], over=False, seconds=seconds)
            except (ImpossiblePerceptsError, SearchLimitError):
                figures.empty += 1
                break  # the belief has not taken in the ply, so later ones mean nothing to it
            finally:
                figures.seconds += perf_counter() - began
            figures.states += len(belief.samples)
    return figures


def main() -> None:
    """Print the table, a row for each game."""
    parser = argparse.ArgumentParser(description="Measure how fast beliefs are, and how often they are empty.")
    parser.add_argument("games", nargs="*", default=GAMES, help="rule files or names of games with hidden states")
    parser.add_argument("--histories", type=int, default=100, help="random histories of a game")
    parser.add_argument("--particles", type=int, help="states wanted; default: as many as players want")
    parser.add_argument("--seconds", type=float, default=1.0, help="the time for a ply")
    arguments = parser.parse_args()
    print("| game | plies | states per second | ms per ply | empty |")
    print("| --- | --- | --- | --- | --- |")
    for name in arguments.games:
        game = gdl.Simulator.load(Path(find_game(name)))
        measure(game, 1, arguments.particles, arguments.seconds)  # so that all code is loaded
        figures = measure(game, arguments.histories, arguments.particles, arguments.seconds)
        rate, time = figures.states / (figures.seconds or 1), 1e3 * figures.seconds / max(1, figures.plies)
        empty = f"{figures.empty} ({figures.empty / max(1, figures.plies):.1%})"
        print(f"| {Path(name).stem} | {figures.plies:,} | {rate:,.0f} | {time:.1f} | {empty} |", flush=True)


if __name__ == "__main__":
    main()
