"""Learn a game from nothing but its rules: self-play by PUCT with a network, many trees at once (Silver et al., 2018).

    python docs/examples/puct.py tic_tac_toe --generations 20

Any game of one or more roles without hidden states will do. It needs `pip install 'ggp[training]'`.
"""

import argparse
import time
from collections import deque

import numpy as np
import torch
from torch import Tensor, nn

from ggp.environments.game import EnvironmentGame
from ggp.environments.states import States
from ggp.environments.vector import VectorGameEnv

EXPLORATION, NOISE, SPIKES, OPENING = 1.5, 0.25, 0.8, 12
RATE, BATCH, KEPT = 1e-3, 1024, 8


class Network(nn.Module):
    """Judges observations (n, facts): logits of actions (n, actions), and expected rewards of the agents."""

    def __init__(self, game: EnvironmentGame, width: int = 256) -> None:
        """Begin with random weights."""
        super().__init__()
        inputs = game.states().observe().shape[1]
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, len(game.actions)), nn.Linear(width, len(game.agents))

    def forward(self, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and expected rewards."""
        hidden = self.body(seen.float())
        return self.policy(hidden), self.value(hidden).tanh()

    @torch.inference_mode()
    def judge(self, seen: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return probabilities of actions (n, actions), 0 for illegal ones, and expected rewards (n, agents)."""
        (logits, values), legal = self(torch.from_numpy(seen)), torch.from_numpy(mask)
        return (logits.masked_fill(legal == 0, -1e9).softmax(1).clamp_(1e-6) * legal).numpy(), values.numpy()


def search(network: Network, states: States, simulations: int, random: np.random.Generator | None = None) -> np.ndarray:
    """Return how often each action was tried from each state (n, actions); `random` adds noise to the first choice."""
    n, count, agents = len(states), simulations + 1, np.array(states.game.agents)
    roots, leaf = np.arange(n), np.zeros(n, np.int64)  # node k of tree i is number k * n + i
    nodes, role = states[np.tile(roots, count)], np.full(n * count, -1)
    prior, visits, total = (np.zeros((n * count, len(states.game.actions)), np.float32) for _ in range(3))
    child, value = np.full(prior.shape, -1, np.int32), np.zeros((n * count, len(agents)), np.float32)
    role[roots], (prior[roots], value[roots]) = states.role, network.judge(states.observe(), states.legal())
    if random is not None:
        spikes = random.gamma(SPIKES, size=(n, prior.shape[1])) * (prior[roots] > 0) + 1e-9
        prior[roots] = (1 - NOISE) * prior[roots] + NOISE * spikes / spikes.sum(1, keepdims=True) * (prior[roots] > 0)
    for new in range(1, count):
        at, path, grown = roots[role[roots] >= 0], [], []
        while len(at):  # go down in all trees, until each has reached an action without a node, or an end
            tried, likely = visits[at], prior[at]
            bonus = EXPLORATION * likely * np.sqrt(1 + tried.sum(1, keepdims=True)) / (1 + tried)
            action = np.where(likely > 0, total[at] / np.maximum(tried, 1) + bonus, -np.inf).argmax(1)
            path.append((at, action))
            found = child[at, action]
            fresh = found < 0
            grown.append((at[fresh], action[fresh]))
            leaf[at % n] = np.where(fresh, new * n + at % n, found)
            at = found[~fresh & (role[found] >= 0)]
        parent, action = (np.concatenate(part) for part in zip(*grown, strict=True)) if grown else ([], [])
        if len(parent):
            node = new * n + parent % n
            step = nodes[parent].step(action)
            nodes[node], role[node], child[parent, action] = step.states, step.role, node
            prior[node], guess = network.judge(step.states.observe(), step.mask)
            value[node] = np.where(step.ended[:, None], step.rewards, guess)
        for node, action in path:
            visits[node, action] += 1
            total[node, action] += value[leaf[node % n], np.searchsorted(agents, role[node])]
    return visits[roots]


def play(network: Network, states: States, simulations: int, random: np.random.Generator) -> list[np.ndarray]:
    """Play matches. Returns observations, shares of visits, roles, and what all agents got in the end."""
    rows, outcome = [], np.zeros((len(states), len(states.game.agents)), np.float32)
    match = np.arange(len(states))  # the number of each match that goes on
    while len(match):
        visits = search(network, states, simulations, random) + 1e-9
        shares = visits / visits.sum(1, keepdims=True)
        rows.append((states.observe(), shares, states.role, match))
        drawn = (shares.cumsum(1) > random.random((len(match), 1))).argmax(1)
        step = states.step(np.where(states.plies < OPENING, drawn, shares.argmax(1)), "replace")
        outcome[match] = step.rewards
        states, match = step.states[~step.ended], match[~step.ended]
    *columns, match = [np.concatenate(column) for column in zip(*rows, strict=True)]
    return [*columns, outcome[match]]


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
    optimizer, start = torch.optim.Adam(network.parameters(), RATE), time.process_time()
    for generation in range(generations):
        positions = play(network, game.states(matches, rewards="centered"), simulations, random)
        kept.append(symmetries.augment(*positions))
        loss = improve(network, optimizer, [np.concatenate(column) for column in zip(*kept, strict=True)])
        print(f"{generation:4}  {time.process_time() - start:6.0f} s  loss {loss:.3f}", flush=True)


def strength(network: Network, game: EnvironmentGame, player: str, simulations: int, matches: int) -> dict[str, float]:
    """Return the average goal values of a search in each role against a player by name."""
    goals = {}
    for role in game.agent_roles:
        env = VectorGameEnv(game, matches, role=role, opponents=player, rewards="centered", autoreset_mode="Disabled")
        _, info = env.reset(seed=1)
        total = 0.0
        while (info["role"] >= 0).any():
            _, reward, _, _, info = env.step(search(network, env.states, simulations).argmax(1))
            total += reward.sum()
        goals[role] = 50 + 50 * total / matches
        env.close()
    return goals


def main() -> None:
    """Train, and print average goal values against other players."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", help="a rule file, or the name of a shipped game")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--matches", type=int, default=512, help="matches in each generation")
    parser.add_argument("--simulations", type=int, default=50, help="nodes of each tree")
    parser.add_argument("--against", nargs="*", default=[], help="players to play 50 matches against in each role")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    game = EnvironmentGame(options.rules)
    network = Network(game)
    train(network, game, options.generations, options.matches, options.simulations, options.seed)
    for player in options.against:
        goals = strength(network, game, player, 200, 50)
        told = ", ".join(f"{role} {goal:.1f}" for role, goal in goals.items())
        print(f"average goals of 200 simulations against {player}: {told}", flush=True)


if __name__ == "__main__":
    main()
