"""Learn a game with MaskablePPO of sb3-contrib in every role, against random opponents or copies of itself.

    python docs/examples/maskable_ppo.py tic_tac_toe --minutes 10 --curve tic_tac_toe.csv
    python docs/examples/maskable_ppo.py breakthrough --league --perspective mover --against greedy

It needs `pip install 'ggp[training]'`.
"""

import argparse
import copy
import csv
import time
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from ggp.environments.evaluation import average_goals
from ggp.environments.game import EnvironmentGame
from ggp.environments.pool import Pool
from ggp.environments.stable_baselines3 import GameVecEnv


class Progress(BaseCallback):
    """Prints average goal values, some twenty times, and ends the training run after some minutes or steps.

    With a league, the policy of each of these moments becomes an opponent; the latest one plays half of the matches.
    """

    def __init__(
        self, game: EnvironmentGame, minutes: float, total: int | None, curve: Path | None, league: Pool | None
    ) -> None:
        """Prepare for a training run."""
        super().__init__()
        self.game, self.minutes, self.total, self.curve, self.league = game, minutes, total, curve, league
        self.rows: list[tuple[float, int, str, float]] = []
        self.shown = 0.0

    def _on_training_start(self) -> None:
        self.start = time.monotonic()

    def _on_step(self) -> bool:
        return self.spent() < 1

    def spent(self) -> float:
        """Return the share of the training run that is over."""
        if self.total:
            return self.num_timesteps / self.total
        return (time.monotonic() - self.start) / (60 * self.minutes)

    def _on_rollout_end(self) -> None:
        if self.spent() >= self.shown:
            self.shown += 0.05
            self.show(1000)
            if self.league:
                self.enlist(self.league)

    def enlist(self, league: Pool) -> None:
        """Make a copy of the policy an opponent."""
        policy = copy.deepcopy(self.model.policy)
        for name in league.names:
            league.weigh(name, 1)
        league.add(
            f"{self.num_timesteps} steps",
            lambda observation, mask: policy.predict(observation, action_masks=mask)[0],
            weight=len(league.names),
        )

    def _on_training_end(self) -> None:
        self.show(10_000)

    def show(self, matches: int) -> None:
        """Play some matches for each role, and print the average goal values."""
        seconds = time.monotonic() - self.start
        goals = average_goals(self.game, self.best, matches=matches)
        self.rows += [(round(seconds, 1), self.num_timesteps, role, goal) for role, goal in goals.items()]
        told = ", ".join(f"{role} {goal:.1f}" for role, goal in goals.items())
        print(f"{seconds:6.1f} s  {self.num_timesteps:10,} steps  average goals: {told}", flush=True)
        if self.curve:
            with self.curve.open("w", newline="") as file:
                csv.writer(file).writerows([("seconds", "steps", "role", "average_goal"), *self.rows])

    def best(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return the most probable actions (n,). Where nobody is asked, so that nothing is legal, all are allowed."""
        allowed = mask.astype(bool) | ~mask.any(axis=1, keepdims=True)
        return self.model.predict(observation, action_masks=allowed, deterministic=True)[0]


def main() -> None:
    """Train, and print average goal values as they grow."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", help="a rule file, or the name of a shipped game")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--steps", type=int, help="end after that many steps instead, which is repeatable")
    parser.add_argument("--matches", type=int, default=32, help="matches for each role")
    parser.add_argument("--opponents", default="random", help="a player, as for ggp play")
    parser.add_argument("--league", action="store_true", help="play against copies of the policy, too")
    parser.add_argument(
        "--perspective", default="fixed", help="mover: every role sees the game as the first one; fixed"
    )
    parser.add_argument("--against", nargs="*", default=[], help="players to play 100 matches against in the end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="processor cores for PyTorch")
    parser.add_argument("--curve", type=Path, help="write the average goal values to this file")
    parser.add_argument("--save", type=Path, help="write the model to this file")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    game = EnvironmentGame(options.rules, perspective=options.perspective)
    pool = Pool({options.opponents: options.opponents})
    seats = GameVecEnv(
        game, options.matches, opponents=pool if options.league else options.opponents, rewards="centered"
    )
    model = MaskablePPO(
        "MlpPolicy",
        seats,
        n_steps=64,
        batch_size=1024,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=options.seed,
        device="cpu",
    )
    progress = Progress(game, options.minutes, options.steps, options.curve, pool if options.league else None)
    model.learn(10**9, callback=progress)
    for name in options.against:
        goals = average_goals(game, progress.best, opponents=name, matches=100)
        print(f"average goals against {name}: " + ", ".join(f"{role} {goal:.1f}" for role, goal in goals.items()))
    if options.save:
        model.save(options.save)


if __name__ == "__main__":
    main()
