"""Learn a game by proximal policy optimization (PPO; Schulman et al., 2017) against random opponents in every role.

    python docs/examples/ppo.py connect_four --minutes 5 --curve connect_four.csv

One network plays all roles. It needs `pip install 'ggp[training]'`.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from ggp.environments.evaluation import average_goals
from ggp.environments.game import EnvironmentGame
from ggp.environments.pool import Pool
from ggp.environments.vector import VectorGameEnv

GAMMA, LAMBDA = 0.99, 0.95
CLIP, ENTROPY, VALUE = 0.2, 0.01, 0.5
STEPS, EPOCHS = 16, 4
RATE = 1e-3


class Network(nn.Module):
    """Two layers, shared by the policy and the value function."""

    def __init__(self, inputs: int, actions: int, width: int = 256) -> None:
        """Begin with random weights."""
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logarithms of probabilities (n, actions), and values (n,)."""
        hidden = self.body(observation)
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return logits.log_softmax(1), self.value(hidden).squeeze(1)

    def best(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return the most probable actions (n,)."""
        device = self.value.weight.device
        with torch.no_grad():
            return self(joined([observation], device), joined([mask], device))[0].argmax(1).cpu().numpy()


class Seats:
    """Matches in which the learner takes each of the roles, side by side: `size` in all.

    The matches run on the processor; what they return lies on `device`.
    """

    def __init__(
        self, game: EnvironmentGame, matches: int, opponents: str | Pool, seed: int, device: torch.device
    ) -> None:
        """Begin `matches` matches for each role."""
        self.device = device
        self.envs = [
            VectorGameEnv(
                game,
                matches,
                role=role,
                opponents=opponents,
                dtype="float32",
                rewards="centered",
                autoreset_mode="SameStep",
            )
            for role in game.agent_roles
        ]
        self.size = matches * len(self.envs)
        found = [env.reset(seed=seed + number) for number, env in enumerate(self.envs)]
        self.observation = joined([observation for observation, _ in found], device)
        self.mask = joined([info["action_mask"] for _, info in found], device)

    def step(self, actions: Tensor, network: Network) -> tuple[Tensor, Tensor]:
        """Do actions (size,). Returns the rewards (size,), and 1 (size,) where a match has ended."""
        parts = actions.cpu().numpy().reshape(len(self.envs), -1)
        found = [env.step(own) for env, own in zip(self.envs, parts, strict=True)]
        for _, reward, _, truncated, info in found:
            if truncated.any():  # the rules give no goal values, so the reward is what the network expects
                with torch.no_grad():
                    last = joined([info["final_obs"][truncated]], self.device)
                    reward[truncated] += GAMMA * network.value(network.body(last)).squeeze(1).cpu().numpy()
        self.observation = joined([one[0] for one in found], self.device)
        self.mask = joined([one[4]["action_mask"] for one in found], self.device)
        ends = [(one[2] | one[3]).astype(np.float32) for one in found]
        return joined([one[1] for one in found], self.device), joined(ends, self.device)


def export(network: Network, inputs: int, perspective: str, path: Path) -> None:
    """Write the network to an ONNX file, which `ggp play --player FILE.onnx` plays with."""
    network = network.cpu().eval()
    batch = torch.export.Dim("batch")
    program = torch.onnx.export(
        network,
        (torch.zeros(2, inputs), torch.ones(2, network.policy.out_features)),
        input_names=["observation", "mask"],
        output_names=["logits", "value"],
        dynamic_shapes=({0: batch}, {0: batch}),
        dynamo=True,
        verbose=False,
    )
    program.model.metadata_props.update({"perspective": perspective, "rewards": "centered"})
    program.save(path)


def joined(arrays: list[np.ndarray], device: torch.device) -> Tensor:
    """Return arrays as one tensor on a device, along their first axis."""
    return torch.from_numpy(np.concatenate(arrays)).to(device)


def collect(seats: Seats, network: Network) -> tuple[Tensor, ...]:
    """Play some steps. Returns observations, masks, actions, their log-probabilities, advantages, and returns."""
    rows = []
    with torch.no_grad():
        for _ in range(STEPS):
            observation, mask = seats.observation, seats.mask
            logs, values = network(observation, mask)
            actions = torch.multinomial(logs.exp(), 1).squeeze(1)
            rewards, ends = seats.step(actions, network)
            chosen = logs.gather(1, actions[:, None]).squeeze(1)
            rows.append((observation, mask, actions, chosen, values, rewards, ends))
        following = network(seats.observation, seats.mask)[1]
    observations, masks, actions, chosen, values, rewards, ends = map(torch.stack, zip(*rows, strict=True))
    advantages = torch.zeros_like(values)
    advantage = torch.zeros_like(following)
    for t in reversed(range(STEPS)):
        goes_on = 1 - ends[t]
        advantage = rewards[t] + GAMMA * following * goes_on - values[t] + GAMMA * LAMBDA * goes_on * advantage
        advantages[t], following = advantage, values[t]
    batch = observations, masks, actions, chosen, advantages, advantages + values
    return tuple(part.flatten(0, 1) for part in batch)


def improve(network: Network, optimizer: torch.optim.Optimizer, batch: tuple[Tensor, ...], minibatch: int) -> None:
    """Train on a batch, a few times over, `minibatch` rows at a time."""
    for _ in range(EPOCHS):
        for part in torch.randperm(len(batch[0]), device=batch[0].device).split(minibatch):
            observations, masks, actions, before, advantages, returns = (one[part] for one in batch)
            logs, values = network(observations, masks)
            ratio = (logs.gather(1, actions[:, None]).squeeze(1) - before).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
            entropy = -(logs.exp() * logs * masks).sum(1).mean()
            loss = VALUE * (values - returns).square().mean() - gain - ENTROPY * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def train(
    network: Network,
    game: EnvironmentGame,
    *,
    minutes: float,
    total: int | None = None,
    matches: int,
    opponents: str | Pool,
    seed: int,
    minibatch: int = 2048,
) -> Iterator[tuple[float, int, dict[str, float]]]:
    """Train a network, for some minutes or for a total of steps.

    Yields seconds, steps and average goal values by role, some twenty times.
    """
    seats = Seats(game, matches, opponents, seed, network.value.weight.device)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    start, steps, shown = time.monotonic(), 0, 0.0
    while (spent := steps / total if total else (time.monotonic() - start) / (60 * minutes)) < 1:
        optimizer.param_groups[0]["lr"] = RATE * (1 - spent)
        improve(network, optimizer, collect(seats, network), minibatch)
        steps += STEPS * seats.size
        if spent >= shown:
            shown += 0.05
            yield time.monotonic() - start, steps, average_goals(game, network.best, dtype="float32")
    yield time.monotonic() - start, steps, average_goals(game, network.best, matches=10_000, dtype="float32")


def main() -> None:
    """Train, and print average goal values as they grow."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", help="a rule file, or the name of a shipped game")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--steps", type=int, help="end after that many steps instead, which is repeatable")
    parser.add_argument("--matches", type=int, default=256, help="matches for each role")
    parser.add_argument("--minibatch", type=int, default=2048, help="steps from which one gradient is computed")
    parser.add_argument("--opponents", default="random", help="a player, as for ggp play")
    parser.add_argument("--perspective", default="fixed", help="mover: every role sees the game as the first one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=256, help="units in each layer of the network")
    parser.add_argument("--device", default="cpu", type=torch.device, help="where PyTorch computes: cpu, cuda")
    parser.add_argument("--threads", type=int, default=1, help="processor cores for PyTorch")
    parser.add_argument("--curve", type=Path, help="write the average goal values to this file")
    parser.add_argument("--save", type=Path, help="write the weights to this file")
    parser.add_argument("--onnx", type=Path, help="write the network to this file, for ggp play --player FILE.onnx")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    game = EnvironmentGame(options.rules, perspective=options.perspective)
    inputs = VectorGameEnv(game).observer.shape[0]
    network = Network(inputs, len(game.actions), options.width).to(options.device)
    rows: list[tuple[float, int, str, float]] = []
    for seconds, steps, goals in train(
        network,
        game,
        minutes=options.minutes,
        total=options.steps,
        matches=options.matches,
        opponents=options.opponents,
        seed=options.seed,
        minibatch=options.minibatch,
    ):
        rows += [(round(seconds, 1), steps, role, goal) for role, goal in goals.items()]
        told = ", ".join(f"{role} {goal:.1f}" for role, goal in goals.items())
        print(f"{seconds:6.1f} s  {steps:10,} steps  average goals: {told}", flush=True)
        if options.curve:
            with options.curve.open("w", newline="") as file:
                csv.writer(file).writerows([("seconds", "steps", "role", "average_goal"), *rows])
    if options.save:
        torch.save(network.state_dict(), options.save)
    if options.onnx:
        export(network, inputs, options.perspective, options.onnx)


if __name__ == "__main__":
    main()
