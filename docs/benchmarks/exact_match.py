"""Compute the expected result of two players in a small game with hidden information, without playing matches.

    python docs/benchmarks/exact_match.py kuhn_poker ismcts docs/benchmarks/ismcts_bot.py:Kuhn --times 40

Each player is asked several times for its move in each situation that it can tell apart. The shares of its moves are
its strategy, and the tree of all lines of play says what these strategies get against each other, and how much a best
response to each of them gets. So there is no luck of cards, only that of the players.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import gdl
from gdl import parse_term
from ggp.players import Start, Turn, make_player
from ggp.players.clock import Deadline
from ggp.players.player import Told
from ggp.rules.shipped_games import find_game
from ggp.solver.budget import limited
from ggp.solver.extensive.response import best_response, expected_goals
from ggp.solver.extensive.tree import InformationSet, Tree, build_tree


def strategies_of(name: str, game: gdl.Simulator, tree: Tree, times: int, clock: float, noop: str) -> list[np.ndarray]:
    """Return a player's strategy for each role of the tree: the share of each move in each information set."""
    found = []
    for player, role in enumerate(tree.players):
        strategy = np.zeros(1 + sum(len(own.moves) for own in tree.sets[player]))
        for own in tree.sets[player]:
            for seed in range(times):
                strategy[own.first + own.moves.index(asked(name, game, role, own, seed, clock, noop))] += 1 / times
        found.append(strategy)
    return found


def asked(
    name: str, game: gdl.Simulator, role: str, own: InformationSet, seed: int, clock: float, noop: str
) -> gdl.Term:
    """Return the move that a new player chooses in an information set."""
    past = tuple(
        Told(None, parse_term(noop) if move is None else move, tuple(map(parse_term, seen)))
        for move, seen in own.memory
    )
    rules = game.rulesheet.source.text
    player = make_player(name)
    player.start(
        Start("exact", game, role, seed, 5.0, clock, rules, hidden=True, past=past, resumed=True), Deadline.after(5.0)
    )
    last = past[-1] if past else Told()
    deadline = Deadline.after(clock)
    turn = Turn(len(past) + 1, None, own.moves, own_move=last.own_move, percepts=last.percepts, deadline=deadline)
    chosen = player.move(turn)
    return parse_term(chosen) if isinstance(chosen, str) else chosen


def main() -> None:
    """Print what both players get in both seats, and what best responses get."""
    parser = argparse.ArgumentParser(description="What two players can expect against each other.")
    parser.add_argument("game")
    parser.add_argument("players", nargs=2)
    parser.add_argument("--times", type=int, default=40, help="questions in each information set")
    parser.add_argument("--clock", type=float, default=0.2, help="seconds for a move")
    parser.add_argument("--noop", default="noop", help="the move of a role that has no choice")
    options = parser.parse_args()
    game = gdl.Simulator.load(Path(find_game(options.game)))
    tree = build_tree(game, game.initial_state(), limited(300, 4.0, lambda _: None))
    known = {}
    for name in options.players:
        known[name] = strategies_of(name, game, tree, options.times, options.clock, options.noop)
        best = [best_response(tree, known[name], 1 - player)[0] for player in (0, 1)]
        print(f"{name}: a best response gets {best[0]:.2f} against {tree.players[0]}, ", end="")
        print(f"{best[1]:.2f} against {tree.players[1]}", flush=True)
    one, other = options.players
    total = 0.0
    for first, second in ((one, other), (other, one)):
        goals = expected_goals(tree, [known[first][0], known[second][1]])
        print(f"{first} as {tree.players[0]} gets {goals[0]:.2f}, {second} as {tree.players[1]} gets {goals[1]:.2f}")
        total += (goals[0] - goals[1]) * (1 if first == one else -1) / 2
    print(f"{one} gets {total:+.2f} more than {other} on average")


if __name__ == "__main__":
    main()
