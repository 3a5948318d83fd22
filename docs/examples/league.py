"""Learn a game against a league of earlier selves (fictitious self-play; Heinrich, Lanctot and Silver, 2015).

    python docs/examples/league.py connect_four --steps 2000000 --folder league
    ggp tournament connect_four --games 20 --players "$(ls league/*.onnx | paste -sd,),random"

It trains as ppo.py does, but the opponent of each match is drawn from a pool: the player random, and copies of the
network from some twenty moments so far, all with the same weight. It needs `pip install 'ggp[training]'`.
"""

import argparse
import copy
from collections import Counter
from pathlib import Path

import torch
from ppo import Network, export, train

from ggp.environments.game import EnvironmentGame
from ggp.environments.gymnasium import GameEnv
from ggp.environments.pool import Pool

#: One copy in this many is written to a file, for the tournament.
EVERY = 5


def main() -> None:
    """Train, and write some of the copies to ONNX files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", help="a rule file, or the name of a shipped game")
    parser.add_argument("--steps", type=int, default=2_000_000)
    parser.add_argument("--matches", type=int, default=256, help="matches for each role")
    parser.add_argument(
        "--perspective", default="mover", help="mover: every role sees the game as the first one; fixed"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path("league"), help="the folder of the files")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    options.folder.mkdir(exist_ok=True)
    game = EnvironmentGame(options.rules, perspective=options.perspective)
    inputs = GameEnv(game).observer.shape[0]
    network = Network(inputs, len(game.actions))
    pool = Pool({"random": "random"})
    progress = train(
        network,
        game,
        minutes=0,
        total=options.steps,
        matches=options.matches,
        opponents=pool,
        seed=options.seed,
    )
    for number, (seconds, steps, goals) in enumerate(progress):
        told = ", ".join(f"{role} {goal:.1f}" for role, goal in goals.items())
        print(f"{seconds:6.1f} s  {steps:10,} steps  average goals against random: {told}", flush=True)
        earlier = copy.deepcopy(network).eval()
        pool.add(f"{number:02}", earlier.best)
        if number % EVERY == 0:
            export(copy.deepcopy(earlier), inputs, options.perspective, options.folder / f"{number:02}.onnx")
    drawn = Counter(pool.draw(seed) for seed in range(1000))
    print(
        f"{len(pool.names)} members; each is drawn for {min(drawn.values())} to {max(drawn.values())} of 1,000 matches"
    )


if __name__ == "__main__":
    main()
