"""Measure how strong the levels of `auto` are: each against the next one, in both seats, in Elo points.

    python docs/examples/measure_levels.py --matches 40 tic_tac_toe connect_four breakthrough games/my_game.kif

Matches have no clocks, so that the same seeds give the same table on every machine.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from math import log10
from pathlib import Path

import gdl
from gdl.engine import is_nature
from ggp import Settings, make_player
from ggp.match.match import play_match
from ggp.players.levels import HIGHEST
from ggp.rules.shipped_games import find_game


def points(task: tuple[str, str, str, int]) -> float:
    """Play a match, and return the points of the second of two players: 1 for a win, 0.5 for a draw."""
    name, lower, higher, seed = task
    game = gdl.compile(Path(find_game(name)))
    roles = [role for role in game.roles if not is_nature(role)]
    players = [higher, lower] if seed % 2 else [lower, higher]
    record = play_match(game, {r: make_player(p) for r, p in zip(roles, players, strict=True)}, Settings(seed=seed))
    goals = dict(zip(record.roles, record.goals, strict=True))
    ours = (goals[roles[0]] or 0) - (goals[roles[1]] or 0)
    ours = ours if seed % 2 else -ours
    return 1.0 if ours > 0 else 0.0 if ours < 0 else 0.5


def elo(share: float, matches: int) -> float:
    """Return the difference in Elo points; a share of 0 or 1 counts as half a point from there."""
    share = min(max(share, 0.5 / matches), 1 - 0.5 / matches)
    return -400 * log10(1 / share - 1)


def shares(pool: ProcessPoolExecutor, name: str, players: list[str], matches: int) -> Iterator[float]:
    """Yield the share of the points that each player has against the one before."""
    for lower, higher in itertools.pairwise(players):
        tasks = [(name, lower, higher, seed) for seed in range(matches)]
        yield sum(pool.map(points, tasks, chunksize=4)) / matches


def main() -> None:
    """Print a table in Markdown: a row for each game, with the Elo points of each level above `random`."""
    parser = argparse.ArgumentParser(description="Measure how strong the levels of auto are.")
    parser.add_argument("games", nargs="+", help="rule files or names of games, of two roles")
    parser.add_argument("--matches", type=int, default=40, help="matches between neighbours; an even number")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    players = ["random", *(f"auto(level={level})" for level in range(1, HIGHEST + 1))]
    print("| game |", " | ".join(map(str, range(1, HIGHEST + 1))), "|")
    print("| --- |" + " --- |" * HIGHEST)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for name in arguments.games:
            total, row = 0.0, []
            for share in shares(pool, name, players, arguments.matches):
                total += elo(share, arguments.matches)
                row.append(f"{total:.0f} ({100 * share:.0f} %)")
            print(f"| {Path(name).stem} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
