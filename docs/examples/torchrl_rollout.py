"""Play at random in TorchRL, through its wrapper for PettingZoo.

    python docs/examples/torchrl_rollout.py connect_four

It needs `pip install 'ggp[training]'`.
"""

import argparse

import torch
from torchrl.envs import PettingZooWrapper

from ggp.environments.pettingzoo import aec_env


def main() -> None:
    """Play matches, and print who won how often."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", help="a rule file, or the name of a shipped game")
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    env = PettingZooWrapper(aec_env(options.rules), use_mask=True)
    env.set_seed(options.seed)
    rewards = torch.zeros(len(env.possible_agents))
    for _ in range(options.matches):
        played = env.rollout(1000, break_when_any_done=True)
        rewards += torch.stack([played["next", group, "reward"].sum() for group in env.group_map])
    for group, reward in zip(env.group_map, rewards, strict=True):
        print(f"{group}: average reward {reward / options.matches:.2f} in {options.matches} matches")


if __name__ == "__main__":
    main()
