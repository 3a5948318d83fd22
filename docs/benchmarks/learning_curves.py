"""Measure learning curves: how strong learned values are after some minutes of training, for several games and seeds.

    python docs/benchmarks/learning_curves.py breakthrough othello connect_four --seeds 0 1 2
    python docs/benchmarks/learning_curves.py my_game.kif --steps 1 4 16 --matches 100 --simulations 1000

Each training goes on from step to step: `--steps` are minutes of training in all. The values after each step are kept
in a folder, and play against `mcts` at a fixed number of simulations, from all seats. Matches have no clocks, so other
work on the machine does not change them. The picture shows ratings over the processor time that training took, which
other work hardly changes either.

Every result is written to the folder as soon as it is known. Run the same command again to go on after an interruption,
or with more games, seeds, steps or matches.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

import gdl
from ggp import make_player
from ggp.learning.chart import Point, curves_chart, elo
from ggp.learning.checkpoint import SUFFIX
from ggp.learning.matches import contest
from ggp.match.settings import Settings
from ggp.players.learned_values.value import read_value
from ggp.rules.shipped_games import find_game, game_name
from ggp.tournament.ratings import wilson


class Step(NamedTuple):
    """Values after some minutes of training: the game, a hash of its rules, the seed, and the minutes."""

    game: str
    rules: str
    seed: int
    minutes: float


class Task(NamedTuple):
    """A match: the step whose values play, the two players, and its number."""

    step: Step
    player: str
    rival: str
    number: int


class Results:
    """The results so far, kept in a file with a JSON value on each line. An incomplete last line is ignored."""

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one."""
        self._path = path
        #: The processor seconds of steps, each from the one before, and the points of matches.
        self.seconds: dict[Step, float] = {}
        self.points: dict[Task, float] = {}
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text.splitlines():
            with suppress(ValueError):
                step, match, value = json.loads(line)
                self._take(Step(*step), match, value)
        if text and not text.endswith("\n"):
            with path.open("a", encoding="utf-8") as file:
                file.write("\n")

    def add(self, step: Step, match: tuple[str, str, int] | None, value: float) -> None:
        """Add the processor seconds of a step, or the points of a match: its players and number."""
        self._take(step, match, value)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([step, match, value]) + "\n")

    def _take(self, step: Step, match: tuple[str, str, int] | None, value: float) -> None:
        if match is None:
            self.seconds[step] = value
        else:
            self.points[Task(step, *match)] = value


def values_of(folder: Path, step: Step) -> Path:
    """Return the file of the values after a step."""
    return folder / f"{game_name(Path(step.game))}-{step.rules}-{step.seed}-{step.minutes:g}.learned"


def state_of(values: Path) -> Path:
    """Return the file of the state of the training run beside a file of values."""
    return values.with_name(values.name + SUFFIX)


def train(folder: Path, step: Step, before: Step | None) -> float:
    """Train from one step to the next, and return the processor seconds. Raises CalledProcessError.

    A training run ends after a round, not in the middle of one. If the step before has lasted as long as this one,
    there is nothing left to do, in 0 seconds.
    """
    if before is not None and read_value(values_of(folder, before), header=True).made["seconds"] >= 60 * step.minutes:
        shutil.copy(values_of(folder, before), values_of(folder, step))
        shutil.copy(state_of(values_of(folder, before)), state_of(values_of(folder, step)))
        return 0.0
    # A copy, so that a step that is interrupted begins again where the one before had ended.
    working = folder / "training.learned"
    for path in (working, state_of(working)):
        path.unlink(missing_ok=True)
    if before is not None:
        shutil.copy(values_of(folder, before), working)
        shutil.copy(state_of(values_of(folder, before)), state_of(working))
    command = [sys.executable, "-m", "ggp", "train", str(find_game(step.game)), "-o", str(working), "--jobs", "1"]
    command += ["--minutes", f"{step.minutes:g}", "--seed", str(step.seed), "--no-measure"]
    began = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    ended = getrusage(RUSAGE_CHILDREN)
    shutil.move(state_of(working), state_of(values_of(folder, step)))
    shutil.move(working, values_of(folder, step))
    return ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime


@cache
def compiled(game: str) -> gdl.Simulator:
    """Return a compiled game, once for each process."""
    return gdl.compile(Path(find_game(game)))


def play(task: Task, values: Path) -> float:
    """Play a match, and return the points of the learned values: 1 for a win, 0.5 for a draw."""
    points = contest(
        compiled(task.step.game),
        lambda: make_player(task.player.format(file=values)),
        lambda: make_player(task.rival),
        Settings(task.number),
        number=task.number,
    )
    assert points is not None
    return points


def play_all(tasks: list[Task], folder: Path, results: Results, jobs: int) -> None:
    """Play the matches that are not known yet."""
    missing = [task for task in tasks if task not in results.points]
    with ProcessPoolExecutor(jobs) as pool:
        try:
            futures = {pool.submit(play, task, values_of(folder, task.step)): task for task in missing}
            for number, future in enumerate(as_completed(futures), len(tasks) - len(missing) + 1):
                task = futures[future]
                results.add(task.step, task[1:], future.result())
                show(f"match {number} of {len(tasks)}  {task.step.game}")
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def show(text: str) -> None:
    """Show what is being done, in one line."""
    print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)


def curves(steps: list[list[Step]], tasks: list[Task], results: Results) -> dict[str, dict[str, list[Point]]]:
    """Return the ratings over minutes of processor time that are known, by game and seed."""
    points: defaultdict[Step, list[float]] = defaultdict(list)
    for task in tasks:
        if task in results.points:
            points[task.step].append(results.points[task])
    found: dict[str, dict[str, list[Point]]] = {}
    for training in steps:
        seconds = 0.0
        for step in training:
            seconds += results.seconds.get(step, 0.0)
            if own := points[step]:
                share, ends = sum(own) / len(own), wilson(sum(own), len(own))
                values = (elo(one, len(own)) for one in (share, *ends))
                lines = found.setdefault(game_name(Path(step.game)), {})
                lines.setdefault(f"seed {step.seed}", []).append(Point(seconds / 60, *values))
    return found


def table(found: dict[str, dict[str, list[Point]]]) -> None:
    """Print a table in Markdown: processor minutes and ratings."""
    print("| game | training | minutes: rating (95% interval) |\n| --- | --- | --- |")
    for game, lines in found.items():
        for name, points in lines.items():
            row = (f"{one.minutes:.1f}: {one.value:.0f} ({one.low:.0f} to {one.high:.0f})" for one in points)
            print(f"| {game} | {name} | {'; '.join(row)} |", flush=True)


def main() -> None:
    """Train, play the matches, print the table, and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="+", help="rule files or names of games")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=float, nargs="+", default=[0.5, 1, 2, 4], help="minutes of training")
    parser.add_argument("--matches", type=int, default=40, help="matches of each step; an even number")
    parser.add_argument("--simulations", type=int, default=500, help="those of both players for a move")
    parser.add_argument("--player", help="another player; {file} stands for the file of the values")
    parser.add_argument("--rival", help="another rival than mcts")
    parser.add_argument("--jobs", type=int, default=1, help="processes for matches; training always has one")
    parser.add_argument("--folder", type=Path, default=Path("learning-curves"), help="the folder for all files")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    results = Results(options.folder / "results.jsonl")
    player = options.player or f"learned({{file}},simulations={options.simulations})"
    rival = options.rival or f"mcts(simulations={options.simulations})"
    hashes = {game: sha256(Path(find_game(game)).read_bytes()).hexdigest()[:16] for game in options.games}
    steps = [
        [Step(game, rules, seed, minutes) for minutes in sorted(options.steps)]
        for game, rules in hashes.items()
        for seed in options.seeds
    ]
    tasks: list[Task] = []
    try:
        for training in steps:
            for before, step in pairwise([None, *training]):
                assert step is not None
                if step not in results.seconds:
                    show(f"training {step.game}, seed {step.seed}, up to {step.minutes:g} minutes")
                    results.add(step, None, train(options.folder, step, before))
        # Steps without a round of their own have the values of the one before.
        own = [step for training in steps for step in training if results.seconds[step]]
        tasks += (Task(step, player, rival, number) for number in range(options.matches) for step in own)
        play_all(tasks, options.folder, results, options.jobs)
    except KeyboardInterrupt:
        pass
    print(file=sys.stderr)
    found = curves(steps, tasks, results)
    table(found)
    caption = "minutes of processor time for training"
    title = f"Elo points of {player.format(file='…')} against {rival}"
    (options.folder / "curves.svg").write_text(curves_chart(found, title, caption), encoding="utf-8")


if __name__ == "__main__":
    main()
