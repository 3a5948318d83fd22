"""Measure what players make of positions that are decided: how soon they win, and how many points they save.

    python docs/benchmarks/finishing.py wolf_sheep --players "mcts(simulations=1000)" "alphabeta(nodes=3000)"
    python docs/benchmarks/finishing.py connect_four FILE ... --lost lost.jsonl --against "mcts(simulations=200)" \\
        --players "mcts(simulations=20000)" --results now.jsonl

With `--lost`, each player goes on from positions that the solver proves to be lost, against a player that may err. They
are read from a file, or drawn from games of a search against itself with random openings and written to it. For the
points of an earlier version, let its checkout come first in PYTHONPATH; `--before FILE` compares its results in pairs.

Without it, players finish positions that are won, against the longest defence by the solver. The game must have two
roles that take turns, and so few positions that all of them can be solved. Among these, some are drawn in which the
role that moves wins in a number of plies within the limits.

There are no clocks: limit the players by their options.
"""

from __future__ import annotations

import argparse
import json
import random
from itertools import product
from pathlib import Path
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


#: The simulations of the search that plays games from which lost positions are drawn, and the longest game.
DRAWING = 100
LONGEST = 300


def play_on(game: gdl.Simulator, state: gdl.PackedState, names: list[str], seed: int) -> list[gdl.PackedState]:
    """Return the states of a game that players of these names go on with, one for each role."""
    players, states = [make_player(name) for name in names], [state]
    for role, player in zip(game.roles, players, strict=True):
        player.start(Start("finishing", game, role, seed), NEVER)
    moves = None
    while not game.is_terminal(state) and len(states) <= LONGEST:
        joint = []
        for place, (role, player) in enumerate(zip(game.roles, players, strict=True)):
            legal = game.legal_moves(state, role)
            turn = Turn(len(states), state, legal, moves, None if moves is None else moves[place])
            answer, error = legal_move(player.move(turn), legal)
            if answer is None:
                raise SystemExit(f"{names[place]}: {error}")
            joint.append(answer)
        moves, state = tuple(joint), game.next_state(state, joint)
        states.append(state)
    for player in players:
        player.stop(End("finished"))
    return states


def lost_in(game: gdl.Simulator, state: gdl.PackedState, seconds: float) -> int | None:
    """Return in how many plies the role that moves loses by force; None if it does not, or if that is not known."""
    legal = [game.legal_moves(state, role) for role in game.roles]
    role = max(range(2), key=lambda one: len(legal[one]))
    if min(map(len, legal)) > 1 or len(legal[role]) < 2:
        return None
    answer = solve(game, state, seconds=seconds, memory=3.0, progress=lambda _: None)
    if answer.line is None or (answer.bounds is not None and not answer.bounds.closed):
        return None
    for step in answer.line.steps:
        state = game.next_state(state, step.moves)
    lost = game.is_terminal(state) and game.goal(state, game.roles[role]) == 0
    return len(answer.line.steps) if lost else None


def draw_lost(names: list[str], file: Path, arguments: argparse.Namespace) -> None:
    """Draw positions that are lost in at least some plies, and write them to a file."""
    for name in names:
        game, random_, found = gdl.Simulator.load(find_game(name)), random.Random(arguments.seed), 0
        for seed in range(4 * arguments.positions):
            state = game.initial_state()
            for _ in range(random_.randrange(2, 6)):
                if not game.is_terminal(state):
                    state = game.next_state(state, [random_.choice(game.legal_moves(state, one)) for one in game.roles])
            states = play_on(game, state, [f"mcts(simulations={DRAWING})"] * 2, seed)[:-1]
            for one in random_.sample(states, min(6, len(states))):
                plies = lost_in(game, one, arguments.seconds)
                if plies is not None and plies >= arguments.least:
                    row = {"game": name, "state": [fact.text for fact in one], "plies": plies}
                    with file.open("a") as out:
                        out.write(json.dumps(row) + "\n")
                    found += 1
                    break
            if found == arguments.positions:
                break
        print(f"{name}: {found} positions", flush=True)


def save_points(arguments: argparse.Namespace) -> None:
    """Let each player go on from lost positions, and print the points that it saves in each game."""
    file: Path = arguments.lost
    if not file.exists():
        draw_lost(arguments.game, file, arguments)
    if not file.exists():
        raise SystemExit(
            f"no position was found that is lost in at least {arguments.least} plies; try --least or --seed"
        )
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    before = [json.loads(line) for line in arguments.before.read_text().splitlines()] if arguments.before else []
    kept = {(row["number"], row["player"], row["against"]): row["saved"] for row in before}
    games = {name: gdl.Simulator.load(find_game(name)) for name in dict.fromkeys(row["game"] for row in rows)}
    print("| game | player | against | positions | saved | before |\n| --- | --- | --- | --- | --- | --- |")
    for player, other in product(arguments.players, arguments.against):
        for name, game in games.items():
            saved, earlier = [], []
            for number, row in enumerate(rows):
                if row["game"] != name:
                    continue
                state = game.state(" ".join(row["state"]))
                mine = max(range(2), key=lambda one: len(game.legal_moves(state, game.roles[one])))
                names = [player if role == mine else other for role in range(2)]
                last = play_on(game, state, names, number)[-1]
                saved.append(game.goal(last, game.roles[mine]) / 100 if game.is_terminal(last) else 0.5)
                earlier.append(kept.get((number, player, other)))
                if arguments.results:
                    found = {"number": number, "player": player, "against": other, "saved": saved[-1]}
                    with arguments.results.open("a") as out:
                        out.write(json.dumps(found) + "\n")
            then = "" if None in earlier else f"{sum(earlier):g}"
            print(f"| {name} | `{player}` | `{other}` | {len(saved)} | {sum(saved):g} | {then} |", flush=True)


def main() -> None:
    """Solve the game, draw positions, and print a row for each player."""
    parser = argparse.ArgumentParser(description="Measure what players make of decided positions.")
    parser.add_argument("game", nargs="+", help="a rule file or the name of a game, of two roles that take turns")
    parser.add_argument("--positions", type=int, default=10, help="the number of positions")
    parser.add_argument("--plies", type=int, nargs=2, default=[9, 13], metavar=("LOW", "HIGH"), help="plies to the win")
    parser.add_argument("--seed", type=int, default=5, help="another seed, other positions")
    parser.add_argument("--players", nargs="+", default=["mcts(simulations=1000)"], help="players")
    parser.add_argument("--lost", type=Path, help="a file of lost positions, which is made if it is missing")
    parser.add_argument("--against", nargs="+", default=["mcts(simulations=200)"], help="players that may err")
    parser.add_argument("--least", type=int, default=8, help="the least plies of a lost position")
    parser.add_argument("--seconds", type=float, default=2.0, help="the time for solving a position")
    parser.add_argument("--results", type=Path, help="a file for the points of each position")
    parser.add_argument("--before", type=Path, help="such a file by an earlier version, to compare with")
    arguments = parser.parse_args()
    if arguments.lost is not None:
        save_points(arguments)
        return
    if len(arguments.game) > 1:
        parser.error("several games only go with --lost")
    game = gdl.Simulator.load(find_game(arguments.game[0]))
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
