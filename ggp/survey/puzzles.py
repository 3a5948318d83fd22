"""Measure the player `planner` on puzzles: `python -m ggp.survey.puzzles FILE_OR_FOLDER ...`.

Each rule file with one role is played once, with clocks as in a competition: the player gets the rules when the start
clock begins. Set the environment variable GDL_CACHE to an empty value to ignore code compiled earlier.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gdl.errors import GdlError, Source
from gdl.reasoner.reasoner import Reasoner
from ggp.survey.checks import MODULE
from ggp.work.executors import open_executor
from ggp.work.job import Job, Lost


def puzzles(paths: Iterable[Path]) -> Iterator[tuple[str, Source]]:
    """Yield the names and texts of the rule files with one role in files and folders."""
    for path in paths:
        for file in sorted(path.rglob("*.kif")) if path.is_dir() else [path]:
            try:
                game = Reasoner.load(file)
            except GdlError as error:
                print(f"{file.stem}: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            if len(game.roles) == 1:
                yield file.stem, game.rulesheet.source


def row(name: str, answer: dict[str, Any]) -> str:
    """Return a table row: the goal, the plies, the seconds to the first move, the late moves."""
    goal = "none" if answer["goal"] is None else answer["goal"]
    return f"| {name} | {goal} | {answer['plies']} | {answer['first']:.1f} | {answer['late']} |"


def main(arguments: list[str] | None = None) -> None:
    """Print a Markdown table with a row for each puzzle."""
    parser = argparse.ArgumentParser(prog="python -m ggp.survey.puzzles", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", metavar="FILE_OR_FOLDER", nargs="+", type=Path)
    parser.add_argument("--start-clock", type=float, default=30.0, help="seconds (30)")
    parser.add_argument("--play-clock", type=float, default=10.0, help="seconds (10)")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with a core of its own (1)")
    parser.add_argument("--ray", metavar="ADDRESS", help="work on a Ray cluster: see `ggp tournament --help`")
    options = parser.parse_args(arguments)
    clocks = {"start_clock": options.start_clock, "play_clock": options.play_clock}

    def job(puzzle: tuple[str, Source]) -> Job:
        name, rules = puzzle
        return Job("plan", clocks, rules, label=f"plan of {name}")

    print("| file | goal | plies | seconds to the first move | late moves |\n| --- | --- | --- | --- | --- |")
    with open_executor(
        MODULE, jobs=options.jobs, ray=options.ray, note=lambda line: print(line, file=sys.stderr)
    ) as executor:
        for result in executor.run(list(puzzles(options.paths)), job):
            name, _ = result.task
            if isinstance(result, Lost):
                print(f"{name}: {result.reason}", file=sys.stderr)
            else:
                print(row(name, result.answer), flush=True)


if __name__ == "__main__":
    main()
