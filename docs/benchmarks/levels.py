"""Measure how strong the levels of `auto` are: each against the next one, in both seats, in Elo points.

    python docs/benchmarks/levels.py --results levels.jsonl
    python docs/benchmarks/levels.py --results levels.jsonl --matches 40 tic_tac_toe games/my_game.kif

Every match is written to the file of results as soon as it is over. Run the same command again to go on after an
interruption: matches that are in the file are not played again. The table is printed at the end, and when you press
Ctrl-C; games of which nothing is known yet are left out.

Matches have no clocks, so the same seeds give the same table on every machine, except for the highest level.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from hashlib import sha256
from math import log10
from pathlib import Path

import gdl
from gdl.engine import is_nature
from ggp import Settings, make_player
from ggp.match.match import play_match
from ggp.players.levels import HIGHEST
from ggp.rules.shipped_games import find_game
from ggp.tournament.outcome import points_of

#: Ten shipped games of two roles: in turns and at the same time, of lines, captures, connection, blocking and races.
GAMES = (
    *("tic_tac_toe", "connect_four", "breakthrough", "othello", "knights_and_pawns"),
    *("variants/wolf_sheep_diagonal", "crossing", "honeycomb", "towers", "harvest"),
)

PLAYERS = ["random", *(f"auto(level={level})" for level in range(1, HIGHEST + 1))]

#: A match: the game, a hash of its rules, the two players, and the seed; the second player begins if that is odd.
Task = tuple[str, str, str, str, int]


def points(task: Task) -> float:
    """Play a match, and return the points of the second of two players: 1 for a win, 0.5 for a draw."""
    name, _, lower, higher, seed = task
    game = gdl.compile(Path(find_game(name)))
    roles = [role for role in game.roles if not is_nature(role)]
    players = [higher, lower] if seed % 2 else [lower, higher]
    record = play_match(game, {r: make_player(p) for r, p in zip(roles, players, strict=True)}, Settings(seed=seed))
    goals = dict(zip(record.roles, record.goals, strict=True))
    first = points_of(goals[roles[0]], goals[roles[1]])
    return first if seed % 2 else 1 - first


def elo(share: float, matches: int) -> float:
    """Return the difference in Elo points; a share of 0 or 1 counts as half a point from there."""
    share = min(max(share, 0.5 / matches), 1 - 0.5 / matches)
    return -400 * log10(1 / share - 1)


def tasks_of(names: list[str], matches: int) -> list[Task]:
    """Return all matches, game by game."""
    hashes = {name: sha256(Path(find_game(name)).read_bytes()).hexdigest()[:16] for name in names}
    return [
        (name, hashes[name], lower, higher, seed)
        for name in names
        for lower, higher in itertools.pairwise(PLAYERS)
        for seed in range(matches)
    ]


def read(results: Path) -> dict[Task, float]:
    """Return the points of the matches in a file of results; a line that was not completed is left out."""
    found: dict[Task, float] = {}
    for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else []:
        with suppress(ValueError):
            *task, share = json.loads(line)
            found[tuple(task)] = share
    return found


def play(tasks: list[Task], known: dict[Task, float], results: Path, jobs: int) -> None:
    """Play the matches that are not known yet, and add them to what is known and to the file."""
    missing = [task for task in tasks if task not in known]
    torn = results.exists() and not results.read_text(encoding="utf-8").endswith("\n")
    with ProcessPoolExecutor(jobs) as pool, results.open("a", encoding="utf-8") as file:
        file.write("\n" * torn)
        try:
            futures = {pool.submit(points, task): task for task in missing}
            for number, future in enumerate(as_completed(futures), len(tasks) - len(missing) + 1):
                task = futures[future]
                known[task] = future.result()
                file.write(json.dumps([*task, known[task]]) + "\n")
                file.flush()
                print(f"\r{number} of {len(tasks)}  {task[0]}  ", end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
    print(file=sys.stderr)


def table(names: list[str], known: dict[Task, float], tasks: list[Task]) -> None:
    """Print a table in Markdown: a row for each game, with the Elo points of each level above `random`."""
    print("| game |", " | ".join(map(str, range(1, HIGHEST + 1))), "|")
    print("| --- |" + " --- |" * HIGHEST)
    for name in names:
        total, row = 0.0, []
        for lower, higher in itertools.pairwise(PLAYERS):
            shares = [known[task] for task in tasks if task in known and (task[0], *task[2:4]) == (name, lower, higher)]
            if not shares:
                break  # the points of higher levels are above those of this one
            share = sum(shares) / len(shares)
            total += elo(share, len(shares))
            row.append(f"{total:.0f} ({100 * share:.0f} %)")
        if row:
            print(f"| {Path(name).stem} |", " | ".join([*row, *[""] * (HIGHEST - len(row))]), "|", flush=True)


def main() -> None:
    """Play the matches, and print the table."""
    parser = argparse.ArgumentParser(description="Measure how strong the levels of auto are.")
    parser.add_argument("games", nargs="*", default=GAMES, help="rule files or names of games, of two roles")
    parser.add_argument("--results", type=Path, default=Path("levels.jsonl"), help="the file of results")
    parser.add_argument("--matches", type=int, default=24, help="matches between neighbours; an even number")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    names, known = list(arguments.games), read(arguments.results)
    tasks = tasks_of(names, arguments.matches)
    play(tasks, known, arguments.results, arguments.jobs)
    table(names, known, tasks)


if __name__ == "__main__":
    main()
