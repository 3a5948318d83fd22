"""Measure the player `planner` on puzzles, as a table.

    python docs/benchmarks/puzzles.py FILE_OR_FOLDER ...

Each rule file with one role is played once, with clocks as in a competition: the player gets the rules when the start
clock begins. Set the environment variable GDL_CACHE to an empty value to ignore code compiled earlier.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic

from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.planner import PlannerPlayer

#: The longest match of a puzzle, in plies; no plan in the public files has as many.
LONGEST = 1_000


def puzzles(paths: Iterable[Path]) -> Iterator[tuple[str, Reasoner]]:
    """Yield the names and games of the rule files with one role in files and folders."""
    for path in paths:
        for file in sorted(path.rglob("*.kif")) if path.is_dir() else [path]:
            try:
                game = Reasoner.load(file)
            except GdlError as error:
                print(f"{file.stem}: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            if len(game.roles) == 1:
                yield file.stem, game


def row(name: str, game: Reasoner, settings: Settings) -> str:
    """Play a game, and return a table row: the goal, the plies, the seconds to the first move, the late moves."""
    began, first = monotonic(), None
    with Match(game, {game.roles[0]: PlannerPlayer()}, settings, name=name) as match:
        for _ in match.plies():
            first = first or monotonic() - began
    record = match.record
    goal = "none" if record.goal_values[0] is None else record.goal_values[0]
    late = sum(ply.errors[0] != "" for ply in record.plies)
    return f"| {name} | {goal} | {len(record.plies)} | {first or monotonic() - began:.1f} | {late} |"


def main() -> None:
    """Print a Markdown table with a row for each puzzle."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", metavar="FILE_OR_FOLDER", nargs="+", type=Path)
    parser.add_argument("--start-clock", type=float, default=30.0, help="seconds (30)")
    parser.add_argument("--play-clock", type=float, default=10.0, help="seconds (10)")
    options = parser.parse_args()
    clocks = {"start_clock": options.start_clock, "play_clock": options.play_clock}
    settings = Settings(seed=1, max_plies=LONGEST, **clocks)
    print("| file | goal | plies | seconds to the first move | late moves |\n| --- | --- | --- | --- | --- |")
    for name, game in puzzles(options.paths):
        print(row(name, game, settings), flush=True)


if __name__ == "__main__":
    main()
