"""Measure how well beliefs predict the hidden state if they assume rational opponents (`ggp.belief.opponents`).

    python docs/examples/measure_models.py --matches 20

Plays matches of `ismcts` against itself, and prints for each game and each rationality how surprised the belief of the
first role is by the true state: the mean of -log2 of the probability that it gave to what each fact is, added up over
the facts of a state, in bits. Less is better. It also prints the time that a ply takes.
"""

from __future__ import annotations

import argparse
from math import log2
from pathlib import Path
from statistics import fmean, stdev
from time import perf_counter

import gdl
from gdl.engine import player_roles
from ggp.belief import Belief
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.rules.shipped_games import find_game

GAMES = (
    *("kuhn_poker", "leduc_poker", "liars_dice_1", "kriegspiel_tic_tac_toe", "phantom_connect_four"),
    "blind_breakthrough_6x6",
)

#: No probability counts as less: the belief is a sample.
LEAST = 1e-3


def surprise(belief: Belief, state: gdl.State) -> float:
    """Return how many bits a belief learns from the state."""
    shares, facts = belief.shares(), set(state)
    bits = [log2(max(LEAST, shares.get(fact, 0.0))) for fact in facts]
    bits += [log2(max(LEAST, 1 - share)) for fact, share in shares.items() if fact not in facts]
    return -sum(bits)


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description="How well beliefs know what they cannot see.")
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--player", default="ismcts(simulations=2000)")
    parser.add_argument("--rationality", type=float, nargs="*", default=[0.0, 2.0, 4.0, 8.0])
    options = parser.parse_args()
    for name in options.games:
        path = Path(find_game(name))
        game, reasoner = gdl.Simulator.load(path), gdl.Reasoner.load(path)
        roles = player_roles(game)
        found: dict[float, list[float]] = {one: [] for one in options.rationality}
        times: dict[float, list[float]] = {one: [] for one in options.rationality}
        for seed in range(options.matches):
            players = {role: make_player(options.player) for role in roles}
            beliefs = {one: Belief(game, roles[0], seed=seed, rationality=one) for one in options.rationality}
            before = reasoner.initial_state()
            totals: dict[float, list[float]] = {one: [] for one in options.rationality}
            with Match(game, players, Settings(seed=seed), name=name) as match:
                for ply in match.plies():
                    seen = reasoner.percepts(before, ply.moves)[roles[0]]
                    before = reasoner.next_state(before, ply.moves)
                    for one, belief in beliefs.items():
                        began = perf_counter()
                        belief.update(ply.moves[game.roles.index(roles[0])], seen, seconds=20)
                        times[one].append(perf_counter() - began)
                        totals[one].append(surprise(belief, before))
            for one, bits in totals.items():
                found[one].append(fmean(bits))
        for one in options.rationality:
            gains = [low - high for low, high in zip(found[options.rationality[0]], found[one], strict=True)]
            spread = 1.96 * stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else float("nan")
            print(
                f"{name:24} rationality {one:4.1f}: {fmean(found[one]):6.3f} bits, "
                f"{fmean(gains):+.3f} ± {spread:.3f} better than the first; {1000 * fmean(times[one]):6.1f} ms a ply",
                flush=True,
            )


if __name__ == "__main__":
    main()
