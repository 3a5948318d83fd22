"""Measure in how many plies players finish positions that are won, against the longest defence by the solver.

    python docs/benchmarks/finishing.py wolf_sheep --players "mcts(simulations=1000)" "alphabeta(nodes=3000)"

The game must have two roles that take turns, and so few positions that all of them can be solved. Among these, some are
drawn in which the role that moves wins in a number of plies within the limits. There are no clocks: limit the players
by their options.
"""

from __future__ import annotations

import argparse
import random
from itertools import product
from typing import Any

import numpy as np

import gdl
from ggp import make_player
from ggp.match.answers import legal_move
from ggp.players import End, Start, Turn
from ggp.players.clock import NEVER
from ggp.rules.shipped_games import find_game
from ggp.solver.byrules import row_of
from ggp.solver.graph import Solution
from ggp.solver.solve import solve


class Truth:
    """All positions of a game, and how soon the roles win."""

    def __init__(self, game: gdl.Simulator, solution: Solution) -> None:
        """Take the solution of a game."""
        self.game, self.graph, self.sure = game, solution.graph, solution.worth.sure
        #: The rank of each role's highest goal; -2, which no position has, if no role can force it.
        self.top = [
            own.values.index(top) if top in own.values else -2
            for own, top in zip(self.sure, solution.worth.top, strict=True)
        ]
        self.facts = {fact: number for number, fact in enumerate(self.graph.facts)}

    def plies(self, number: int, role: int) -> int | None:
        """The plies in which a role wins from a position; None if it does not."""
        return int(self.sure[role].distance[number]) if self.sure[role].rank[number] == self.top[role] else None

    def won(self, low: int, high: int) -> list[int]:
        """The positions in which the role to move wins in this number of plies."""
        graph, found = self.graph, np.zeros(len(self.graph.states), np.bool_)
        for role, own in enumerate(self.sure):
            wins = (own.rank == self.top[role]) & (own.distance >= low) & (own.distance <= high)
            found |= wins & (graph.mover == role) & (graph.outcome < 0)
        return [int(number) for number in np.flatnonzero(found)]

    def state(self, number: int) -> gdl.PackedState:
        """A position by its number."""
        row = np.unpackbits(self.graph.states[number].view(np.uint8), bitorder="little")
        return self.game.state([fact for fact, place in self.facts.items() if row[place]])

    def after(self, number: int, state: gdl.PackedState) -> int:
        """The number of the position that a state after this one is."""
        row = row_of(state, self.facts, self.graph.states.shape[1])
        return next(int(one) for one in self.graph.after(number) if np.array_equal(self.graph.states[one], row))


def finished(truth: Truth, number: int, name: str, seed: int) -> int | None:
    """Return the plies in which a player wins; None if it spoils the win, or takes six times as long as it has to."""
    game, role = truth.game, int(truth.graph.mover[number])
    player, state, moves = make_player(name), truth.state(number), None
    player.start(Start("finishing", game, game.roles[role], seed), NEVER)
    most, plies = 6 * (truth.plies(number, role) or 0), 0
    while not game.is_terminal(state):
        if truth.plies(number, role) is None or plies > most:
            return None
        legal = [game.legal_moves(state, one) for one in game.roles]
        turn = Turn(plies + 1, state, legal[role], moves, None if moves is None else moves[role])
        answer, error = legal_move(player.move(turn), legal[role])
        if answer is None:
            raise SystemExit(f"{name}: {error}")
        joint = [(answer,) if one == role else own for one, own in enumerate(legal)]
        followers: list[tuple[Any, gdl.PackedState]] = [(one, game.next_state(state, one)) for one in product(*joint)]
        numbers = [truth.after(number, follower) for _, follower in followers]
        # The other role delays the end, or spoils the win if it can.
        left = [truth.plies(one, role) for one in numbers]
        best = max(range(len(left)), key=lambda one: float("inf") if left[one] is None else left[one])
        (moves, state), number = followers[best], numbers[best]
        plies += 1
    player.stop(End("finished"))
    return plies if truth.plies(number, role) is not None else None


def main() -> None:
    """Solve the game, draw positions, and print a row for each player."""
    parser = argparse.ArgumentParser(description="Measure in how many plies players finish positions that are won.")
    parser.add_argument("game", help="a rule file or the name of a game, of two roles that take turns")
    parser.add_argument("--positions", type=int, default=10, help="the number of positions")
    parser.add_argument("--plies", type=int, nargs=2, default=[9, 13], metavar=("LOW", "HIGH"), help="plies to the win")
    parser.add_argument("--seed", type=int, default=5, help="another seed, other positions")
    parser.add_argument("--players", nargs="+", default=["mcts(simulations=1000)"], help="players")
    arguments = parser.parse_args()
    game = gdl.Simulator.load(find_game(arguments.game))
    answer = solve(game, game.initial_state(), seconds=None, memory=6.0, progress=lambda _: None)
    if answer.solution is None:
        raise SystemExit("the game has too many positions")
    truth = Truth(game, answer.solution)
    won = truth.won(*arguments.plies)
    drawn = random.Random(arguments.seed).sample(won, min(len(won), arguments.positions))
    print("| player | plies over those of the shortest win | the worst | not won |\n| --- | --- | --- | --- |")
    for name in arguments.players:
        found = [(truth.plies(one, int(truth.graph.mover[one])), finished(truth, one, name, one)) for one in drawn]
        done = [(taken, least) for least, taken in found if taken is not None and least is not None]
        if done:
            mean = sum(taken for taken, _ in done) / sum(least for _, least in done)
            worst = max(taken / least for taken, least in done)
            print(f"| `{name}` | {mean:.2f} | {worst:.2f} | {len(found) - len(done)} of {len(found)} |", flush=True)


if __name__ == "__main__":
    main()
