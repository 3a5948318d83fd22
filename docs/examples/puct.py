"""Learn a game from nothing but its rules: self-play by PUCT with a network, many trees at once (Silver et al., 2018).

    python docs/examples/puct.py tic_tac_toe --generations 20

Any game of one or more roles without hidden states will do. It needs `pip install 'ggp[training]'`.
"""

import argparse
from collections import deque

import numpy as np
import torch
from torch import Tensor, nn

from ggp.environments.evaluation import average_goals
from ggp.environments.game import EnvironmentGame
from ggp.environments.states import States

EXPLORATION, NOISE, SPIKES = 1.25, 0.25, 0.8
RATE, BATCH, KEPT = 2e-3, 512, 5


class Network(nn.Module):
    """Judges observations (n, facts): logits of actions (n, actions), and expected rewards of the agents."""

    def __init__(self, game: EnvironmentGame, width: int = 128) -> None:
        """Begin with random weights."""
        super().__init__()
        inputs = game.states().observe().shape[1]
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, len(game.actions)), nn.Linear(width, len(game.agents))

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and expected rewards."""
        hidden = self.body(seen)
        return self.policy(hidden), self.value(hidden).tanh()

    @torch.no_grad()
    def judge(self, seen: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return probabilities of legal actions (n, actions), and expected rewards (n, agents)."""
        logits, values = self(torch.from_numpy(seen))
        return logits.masked_fill(torch.from_numpy(mask) == 0, -1e9).softmax(1).numpy(), values.numpy()


def search(network: Network, states: States, simulations: int, random: np.random.Generator | None = None) -> np.ndarray:
    """Return how often each action was tried from each state (n, actions); `random` adds noise to the first choice."""
    n, count, agents = len(states), simulations + 1, np.array(states.game.agents)
    nodes = states[np.repeat(np.arange(n), count)]  # node k of tree i is number i * count + k
    mask, role = np.zeros((n, count, len(states.game.actions)), np.int8), np.full((n, count), -1)
    prior, visits, total = (np.zeros(mask.shape, np.float32) for _ in range(3))
    child, value = np.full(mask.shape, -1), np.zeros((n, count, len(agents)), np.float32)
    mask[:, 0], role[:, 0] = states.legal(), states.role
    prior[:, 0], value[:, 0] = network.judge(states.observe(dtype="float32"), mask[:, 0])
    if random is not None:
        spikes = random.gamma(SPIKES, size=mask[:, 0].shape).astype(np.float32) * mask[:, 0] + 1e-9
        prior[:, 0] = (1 - NOISE) * prior[:, 0] + NOISE * spikes / spikes.sum(1, keepdims=True)
    for new in range(1, count):
        at, path = np.zeros(n, np.int64), []
        trees = np.flatnonzero(role[:, 0] >= 0)
        while len(trees):  # go down in all trees, until each has reached an action without a node, or an end
            node = at[trees]
            tried = visits[trees, node]
            bonus = EXPLORATION * prior[trees, node] * np.sqrt(1 + tried.sum(1, keepdims=True)) / (1 + tried)
            score = np.where(mask[trees, node], total[trees, node] / np.maximum(tried, 1) + bonus, -np.inf)
            action = score.argmax(1)
            path.append((trees, node, action))
            found = child[trees, node, action]
            at[trees] = np.where(found < 0, -1 - node, found)
            trees = trees[(found >= 0) & (role[trees, found] >= 0)]
        grown = np.flatnonzero(at < 0)
        if len(grown):
            parent, chosen = -1 - at[grown], np.zeros(n, np.int64)
            for trees, _, action in path:
                chosen[trees] = action
            step = nodes[grown * count + parent].step(chosen[grown])
            nodes[grown * count + new] = step.states
            child[grown, parent, chosen[grown]] = new
            mask[grown, new], role[grown, new] = step.mask, step.role
            prior[grown, new], values = network.judge(step.states.observe(dtype="float32"), step.mask)
            value[grown, new] = np.where(step.ended[:, None], step.rewards, values)
            at[grown] = new
        for trees, node, action in path:
            visits[trees, node, action] += 1
            total[trees, node, action] += value[trees, at[trees], np.searchsorted(agents, role[trees, node])]
    return visits[:, 0]


def play(network: Network, states: States, simulations: int, random: np.random.Generator) -> list[np.ndarray]:
    """Play matches. Returns observations, shares of visits, roles, and what all agents got in the end."""
    rows, outcome = [], np.zeros((len(states), len(states.game.agents)), np.float32)
    while not states.over.all():
        visits = search(network, states, simulations, random) + 1e-9
        shares = visits / visits.sum(1, keepdims=True)
        rows.append((states.observe(dtype="float32"), shares, states.role, outcome))
        step = states.step((shares.cumsum(1) > random.random((len(states), 1))).argmax(1), "replace")
        outcome += step.rewards  # the same array in all rows
        states = step.states
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
    return [column[columns[2] >= 0] for column in columns]


def improve(network: Network, optimizer: torch.optim.Optimizer, batch: list[np.ndarray], epochs: int = 2) -> float:
    """Train on positions, and return the last loss."""
    seen, shares, _, outcome = map(torch.from_numpy, batch)
    for part in torch.cat([torch.randperm(len(seen)) for _ in range(epochs)]).split(BATCH):
        logits, values = network(seen[part])
        loss = nn.functional.cross_entropy(logits, shares[part]) + (values - outcome[part]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def train(network: Network, game: EnvironmentGame, generations: int, matches: int, simulations: int, seed: int) -> None:
    """Train a network on its own matches, and on their images by the symmetries of the game."""
    random, symmetries, kept = np.random.default_rng(seed), game.symmetries(), deque(maxlen=KEPT)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    for generation in range(generations):
        positions = play(network, game.states(matches, rewards="centered"), simulations, random)
        kept.append(symmetries.augment(*positions))
        loss = improve(network, optimizer, [np.concatenate(column) for column in zip(*kept, strict=True)])
        goals = average_goals(game, lambda seen, mask: network.judge(seen, mask)[0].argmax(1), dtype="float32")
        told = ", ".join(f"{role} {goal:.1f}" for role, goal in goals.items())
        print(f"{generation:4}  loss {loss:.3f}  average goals without search: {told}", flush=True)


def main() -> None:
    """Train, and print average goal values against random moves."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", help="a rule file, or the name of a shipped game")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--matches", type=int, default=256, help="matches in each generation")
    parser.add_argument("--simulations", type=int, default=50, help="nodes of each tree")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    game = EnvironmentGame(options.rules)
    train(Network(game), game, options.generations, options.matches, options.simulations, options.seed)


if __name__ == "__main__":
    main()
