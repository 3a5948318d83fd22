"""Measure steps of many states as values, and of the vector environment, in steps per second of processor time.

python docs/benchmarks/states.py connect_four breakthrough tic_tac_toe
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from ggp.environments.game import EnvironmentGame
from ggp.environments.vector import VectorGameEnv

#: The steps of a round, and the rounds of which the fastest counts.
STEPS, ROUNDS = 8, 30


def speed(work: Callable[[int], object], size: int) -> float:
    """Return the steps per second, in millions, of work that does step `i` of some states."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for step in range(STEPS):
            work(step)
        times.append(time.process_time() - start)
    return STEPS * size / min(times) / 1e6


def measure(name: str, size: int) -> None:
    """Print the speeds of a game."""
    game = EnvironmentGame(name)
    env, actions = VectorGameEnv(game, size, copy=False), np.zeros(size, np.int32)
    env.reset(seed=1)

    random, states = np.random.default_rng(1), [game.states(size)]
    chosen = []
    for _ in range(STEPS):
        chosen.append(states[-1].sample(random))
        states.append(states[-1].step(chosen[-1]).states)
    index = random.integers(size, size=size)
    found = {
        "vector environment": lambda _: env.step(env.sample_actions(actions)),
        "step": lambda i: states[i].step(chosen[i]),
        "step and observe": lambda i: states[i].step(chosen[i]).states.observe(),
        "gather": lambda i: states[i][index],
        "sample": lambda i: states[i].sample(random),
    }
    told = ", ".join(f"{what} {speed(work, size):.1f}" for what, work in found.items())
    print(f"{name}, {size:,} states, millions a second: {told}", flush=True)


def main() -> None:
    """Measure the games that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", nargs="*", default=["connect_four", "breakthrough", "tic_tac_toe"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 16384])
    options = parser.parse_args()
    for name in options.rules:
        for size in options.sizes:
            measure(name, size)


if __name__ == "__main__":
    main()
