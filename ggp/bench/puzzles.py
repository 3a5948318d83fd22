"""Benchmark the player `planner` on puzzles: `python -m ggp.bench.puzzles FILE_OR_FOLDER ...`.

Each rule file with one role is played once, with clocks as in a competition: the player gets the rules when the start
clock begins. Set the environment variable GDL_CACHE to an empty value to ignore code compiled earlier.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.planner import PlannerPlayer

#: Limit of plies; no puzzle in the public files takes as many.
LONGEST = 1_000


def puzzles(paths: Iterable[Path]) -> Iterator[tuple[Path, Reasoner]]:
    """Yield the rule files with one role from files and folders."""
    for path in paths:
        for file in sorted(path.rglob("*.kif")) if path.is_dir() else [path]:
            try:
                game = Reasoner.load(file)
            except GdlError as error:
                print(f"{file.stem}: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            if len(game.roles) == 1:
                yield file, game


def row(file: Path, game: Reasoner, start_clock: float, play_clock: float) -> str:
    """Play a puzzle and return its table row: the goal, the plies, the seconds to the first move, the late moves."""
    settings = Settings(seed=1, max_plies=LONGEST, start_clock=start_clock, play_clock=play_clock)
    begun, first = time.monotonic(), None
    with Match(game, {game.roles[0]: PlannerPlayer()}, settings, name=file.stem) as match:
        for _ in match.plies():
            first = first or time.monotonic() - begun
    record = match.record
    goal = record.goal_values[0]
    late = sum(ply.errors[0] != "" for ply in record.plies)
    thought = first or time.monotonic() - begun
    return f"| {file.stem} | {'none' if goal is None else goal} | {len(record.plies)} | {thought:.1f} | {late} |"


def main(arguments: list[str] | None = None) -> None:
    """Print a Markdown table with a row for each puzzle."""
    parser = argparse.ArgumentParser(prog="python -m ggp.bench.puzzles", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", metavar="FILE_OR_FOLDER", nargs="+", type=Path)
    parser.add_argument("--start-clock", type=float, default=30.0, help="seconds (30)")
    parser.add_argument("--play-clock", type=float, default=10.0, help="seconds (10)")
    options = parser.parse_args(arguments)
    print("| file | goal | plies | seconds to the first move | late moves |\n| --- | --- | --- | --- | --- |")
    for file, game in puzzles(options.paths):
        print(row(file, game, options.start_clock, options.play_clock), flush=True)


if __name__ == "__main__":
    main()
