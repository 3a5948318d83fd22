"""Measure how often players keep the value of a position, by the solver.

    python docs/benchmarks/truth.py connect_four --positions 100 --plies 12 30 --results truth.jsonl \\
        --players "learned(games/classics/connect_four.learned)" "auto(learned=0)" openspiel

Random play leads to the positions. The solver proves the value of each, and which moves keep it. Where some do not,
each player is asked for a move, as in a match that is resumed. The game must have two roles that take turns. On a busy
machine, use no clock, but limit the players by their options: `--play-clock 0 --players "mcts(simulations=500)"`.

Every result is written to the file at once. Run the same command again to go on after an interruption or to add
players: what is in the file is not done again, except positions that were not solved within fewer seconds. The tables
are printed at the end, and when you press Ctrl-C. Positions that were not solved are counted in the first table.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import gdl
from gdl.terms import Term
from ggp import make_player
from ggp.match.answers import legal_move
from ggp.players import Start
from ggp.players.clock import Deadline
from ggp.players.player import End, Told, Turn
from ggp.rules.shipped_games import find_game
from ggp.solver.move_values import move_values
from ggp.tournament.ratings import wilson

#: The most attempts to draw one position.
ATTEMPTS = 10_000


@dataclass(frozen=True)
class Position:
    """A position: the joint moves that lead to it, and the index of the role that has a choice there."""

    line: tuple[tuple[Term, ...], ...]
    state: gdl.PackedState
    role: int


def drawn(game: gdl.Simulator, source: random.Random, plies: int, *, ends: bool) -> Position:
    """Return a position after some plies of random play, in which a role has a choice.

    Unless `ends` is set, no move ends the game there. Raises SystemExit if none is found.
    """
    for _ in range(ATTEMPTS):
        state, line = game.initial_state(), []
        while len(line) < plies and not game.is_terminal(state):
            line.append(tuple(source.choice(game.legal_moves(state, role)) for role in game.roles))
            state = game.next_state(state, line[-1])
        if game.is_terminal(state):
            continue
        legal = [game.legal_moves(state, role) for role in game.roles]
        role = max(range(len(legal)), key=lambda one: len(legal[one]))
        if len(legal[role]) < 2:
            continue
        if ends or not any(game.is_terminal(game.next_state(state, moves)) for moves in product(*legal)):
            return Position(tuple(line), state, role)
    raise SystemExit(f"found no such position after {plies} plies, in {ATTEMPTS:,} attempts")


def solved(game: gdl.Simulator, position: Position, seconds: float) -> dict[str, Any]:
    """Return the value of a position and the moves that keep or lose it; the value is None if it is not found."""
    values = move_values(game, position.state, seconds=seconds)
    if values is None:
        return {"value": None, "limit": seconds}
    keeping, losing = ([move.text for move in moves] for moves in (values.keeping, values.losing))
    return {"value": values.value, "keeping": keeping, "losing": losing, "seconds": round(values.seconds, 3)}


def asked(game: gdl.Simulator, position: Position, name: str, clocks: list[float | None], seed: int) -> dict[str, Any]:
    """Return a player's move, whether it was late, and its processor time in seconds.

    `clocks` are the start clock and the play clock in seconds, None for none.
    """
    role = game.roles[position.role]
    past = tuple(Told(moves, moves[position.role]) for moves in position.line)
    player = make_player(name)
    start = Start("truth", game, role, seed, *clocks, past=past, resumed=True)
    player.start(start, Deadline.after(clocks[0]))
    last = past[-1] if past else Told()
    legal = game.legal_moves(position.state, role)
    began = time.process_time()
    deadline = Deadline.after(clocks[1])
    answer = player.move(Turn(len(past) + 1, position.state, legal, last.moves, last.own_move, deadline=deadline))
    late = deadline.left() < 0
    seconds = time.process_time() - began
    player.stop(End("aborted"))
    move, error = legal_move(answer, legal)
    if move is None:
        raise SystemExit(f"{name}: {error}")
    return {"move": move.text, "late": late, "seconds": round(seconds, 3)}


class Results:
    """The results in a file: solved positions by number, and moves by number and player."""

    def __init__(self, file: Path, setting: list[Any], clocks: list[float | None]) -> None:
        """Read the file; lines of other settings or clocks, or that were not completed, are left alone."""
        self.file, self.setting, self.clocks = file, setting, clocks
        self.values: dict[int, dict[str, Any]] = {}
        self.moves: dict[tuple[int, str], dict[str, Any]] = {}
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        for line in text.splitlines():
            with suppress(ValueError):
                self._take(json.loads(line))
        if text and not text.endswith("\n"):
            with file.open("a", encoding="utf-8") as torn:
                torn.write("\n")

    def add(self, result: dict[str, Any]) -> None:
        """Add a result to the file."""
        result = {"setting": self.setting, **result}
        self._take(result)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")

    def _take(self, result: dict[str, Any]) -> None:
        if result["setting"] != self.setting:
            return
        if "player" not in result:
            self.values[result["number"]] = result
        elif result["clocks"] == self.clocks:
            self.moves[result["number"], result["player"]] = result


def measure(game: gdl.Simulator, results: Results, arguments: argparse.Namespace) -> None:
    """Solve the positions that are not solved yet, then ask the players."""
    positions = []
    for number in range(arguments.positions):
        source = random.Random(f"{arguments.seed} {number}")
        plies = source.randint(*arguments.plies)
        positions.append((number, plies, drawn(game, source, plies, ends=arguments.ends)))
    for number, plies, position in positions:
        known = results.values.get(number)
        if known is None or (known["value"] is None and known["limit"] < arguments.seconds):
            found = solved(game, position, arguments.seconds)
            results.add({"number": number, "plies": plies, "role": position.role, **found})
            print(f"\r{number + 1} of {len(positions)} positions  ", end="", file=sys.stderr, flush=True)
    for number, _, position in positions:
        for name in arguments.players if results.values[number].get("losing") else ():
            if (number, name) not in results.moves:
                answer = asked(game, position, name, results.clocks, number)
                results.add({"number": number, "player": name, "clocks": results.clocks, **answer})
                print(f"\r{number + 1} of {len(positions)} moves  ", end="", file=sys.stderr, flush=True)


def share(hits: float, count: int) -> str:
    """Return a share in percent with its 95% interval, as cells of a table."""
    low, high = wilson(hits, count)
    return f"{100 * hits / count:.0f}% of {count} | {100 * low:.0f}% to {100 * high:.0f}%" if count else "none |"


def tables(results: Results, players: list[str]) -> None:
    """Print what was solved at which ply, and the share of moves of each player that keep the value.

    Where no move can lose value, every player keeps it.
    """
    print("| plies | positions | solved | where a move can lose value |\n| --- | --- | --- | --- |")
    for plies in sorted({result["plies"] for result in results.values.values()}):
        own = [result for result in results.values.values() if result["plies"] == plies]
        known = [result for result in own if result["value"] is not None]
        print(f"| {plies} | {len(own)} | {len(known)} | {sum(bool(one['losing']) for one in known)} |")
    print("\n| player | where a move can lose value | 95% interval | all positions | 95% interval | late | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    values = {number: one for number, one in results.values.items() if one["value"] is not None}
    sharp = [one for one in values.values() if one["losing"]]
    if sharp:
        even = sum(len(one["keeping"]) / len(one["keeping"] + one["losing"]) for one in sharp)
        total = even + len(values) - len(sharp)
        print(
            f"| a random move, on average | {100 * even / len(sharp):.0f}% | | {100 * total / len(values):.0f}% | | | |"
        )
    for name in players:
        moves = {number: one for (number, player), one in results.moves.items() if player == name}
        kept = sum(one["move"] in values[number]["keeping"] for number, one in moves.items())
        done = len(moves) == len(sharp)
        every = share(kept + len(values) - len(sharp), len(values)) if done else "not asked everywhere yet |"
        late = sum(one["late"] for one in moves.values())
        seconds = sum(one["seconds"] for one in moves.values()) / max(1, len(moves))
        print(f"| `{name}` | {share(kept, len(moves))} | {every} | {late} | {seconds:.2f} |", flush=True)


def main() -> None:
    """Draw and solve positions, ask the players, and print the tables."""
    parser = argparse.ArgumentParser(description="Measure how often players keep the value of a position.")
    parser.add_argument("game", help="a rule file or the name of a game, of two roles that take turns")
    parser.add_argument("--positions", type=int, default=100, help="the number of positions")
    parser.add_argument(
        "--plies", type=int, nargs=2, default=[8, 30], metavar=("LOW", "HIGH"), help="plies before them"
    )
    parser.add_argument("--seed", type=int, default=0, help="another seed, other positions")
    parser.add_argument("--ends", action="store_true", help="also positions in which a move ends the game")
    parser.add_argument("--seconds", type=float, default=60.0, help="the solver's time limit for each position")
    parser.add_argument("--players", nargs="*", default=["auto", "mcts", "random"], help="players")
    parser.add_argument("--play-clock", type=float, default=0.2, help="seconds for a move; 0 for no clocks")
    parser.add_argument("--start-clock", type=float, default=2.0, help="seconds for a player to get ready")
    parser.add_argument("--results", type=Path, default=Path("truth.jsonl"), help="the file of results")
    arguments = parser.parse_args()
    path = Path(find_game(arguments.game))
    rules = sha256(path.read_bytes()).hexdigest()[:16]
    setting = [path.stem, rules, *arguments.plies, arguments.seed, arguments.ends]
    timed = arguments.play_clock > 0
    results = Results(
        arguments.results, setting, [arguments.start_clock, arguments.play_clock] if timed else [None, None]
    )
    with suppress(KeyboardInterrupt):
        measure(gdl.compile(path), results, arguments)
    print(file=sys.stderr)
    tables(results, arguments.players)


if __name__ == "__main__":
    main()
