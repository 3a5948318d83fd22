"""Measure how rule files compile and how fast they are played, and compare their states with the Reasoner's.

    python docs/benchmarks/files.py rulesheets/*.kif --jobs 2 --agreement 10 > table.md

For each file, a process of its own compiles it without a cache and makes 512 playouts. The table has the seconds of
processor time until then, child processes included, the peak memory of the larger process, in MB, playouts per second
of processor time, and how many states of random playouts are the same for the Reasoner: those of 20 playouts, or of as
many as `--agreement` seconds allow. A file that gives no answer within `--limit` seconds counts as such. Progress goes
to standard error.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import gdl

#: The plies after which playouts end, and the states after which a playout that is compared does.
MOST_PLIES = 500
MOST_STATES = 1_000


def spent() -> float:
    """Return the processor time of this process and its children so far, in seconds."""
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def peak() -> float:
    """Return the peak memory of this process or of a child, in MB."""
    whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return max(resource.getrusage(who).ru_maxrss for who in whose) / 1_000


def answers(game: gdl.Simulator | gdl.Reasoner, state: Any) -> tuple[list[str], bool, list[list[str]]]:
    """Return the facts of a state, whether it is terminal, and the legal moves of each role unless it is."""
    over = game.is_terminal(state)
    legal = [] if over else [sorted(map(str, game.legal_moves(state, role))) for role in game.roles]
    return sorted(map(str, state)), over, legal


def agreeing(simulator: gdl.Simulator | gdl.PartialGame, seconds: float) -> int:
    """Return the number of states of random playouts, which must be the same for the Reasoner."""
    reasoner, random, count = gdl.Reasoner(simulator.rulesheet), Random(1), 0
    end = time.monotonic() + seconds
    for _ in range(20):
        ours, theirs = simulator.initial_state(), reasoner.initial_state()
        for _ in range(MOST_STATES):
            if time.monotonic() > end:
                return count
            found = answers(simulator, ours)
            if found != answers(reasoner, theirs):
                raise AssertionError(f"the Reasoner does not agree: {found}")
            count += 1
            _, over, legal = found
            if over or not all(legal):
                break
            joint = [random.choice(moves) for moves in legal]
            ours, theirs = simulator.next_state(ours, joint), reasoner.next_state(theirs, joint)
    return count


def timed(simulator: gdl.Simulator | gdl.PartialGame, count: int) -> float:
    """Return the seconds of processor time that some playouts take."""
    began = time.process_time()
    simulator.playouts(count, seed=1, max_plies=MOST_PLIES)
    return time.process_time() - began


def measured(path: Path, agreement: float) -> dict[str, Any]:
    """Measure a file in this process."""
    before = spent()
    try:
        simulator = gdl.compile(path, cache=False)
        # What the Reasoner answers is slow: one playout tells how slow.
        count = 1 if isinstance(simulator, gdl.PartialGame) and simulator.by_reasoner else 512
        simulator.playouts(count, seed=1, max_plies=MOST_PLIES)
    except gdl.GdlError as error:
        message = str(error).splitlines()[0].removeprefix(f"{path}: ")
        return {"refused": message, "seconds": spent() - before, "memory": peak()}
    row: dict[str, Any] = {"seconds": spent() - before, "memory": peak()}
    if isinstance(simulator, gdl.PartialGame):
        row["by the Reasoner"] = ", ".join(simulator.by_reasoner)
    while (seconds := timed(simulator, count)) < 0.5:
        count = int(count * max(2.0, min(16.0, 0.8 / max(seconds, 1e-3))))
    # The first time, a very long playout may need code with larger counters.
    row["rate"] = count / min(seconds, timed(simulator, count))
    if agreement:
        try:
            row["agreeing"] = agreeing(simulator, agreement)
        except gdl.NoLegalMoveError:
            row["agreeing"] = "a role has no legal move"
        except gdl.GdlError as error:
            row["agreeing"] = str(error).splitlines()[0]
    return row


def asked(path: Path, agreement: float, limit: float) -> dict[str, Any]:
    """Measure a file in a process of its own."""
    command = [sys.executable, __file__, str(path), "--alone", "--agreement", str(agreement)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + agreement + 10)
    except subprocess.TimeoutExpired:
        row = {"refused": f"no answer after {limit:.0f} s"}
    else:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        row = json.loads(done.stdout) if done.returncode == 0 else {"refused": f"failed: {last[0]}"}
    print(f"{path.stem}: {row}", file=sys.stderr, flush=True)
    return {"file": path.stem, **row}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--agreement", type=float, default=0.0, help="seconds of comparing states with the Reasoner")
    parser.add_argument("--limit", type=float, default=70.0, help="seconds after which there should be an answer")
    parser.add_argument("--jobs", type=int, default=1, help="files that are measured at a time")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(measured(options.files[0], options.agreement)))
        return
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda path: asked(path, options.agreement, options.limit), options.files))
    print("| file | seconds | MB | playouts/s | same states |\n| --- | --- | --- | --- | --- |")
    for row in sorted(rows, key=lambda row: -row.get("seconds", 1e9)):
        rate = f"{row['rate']:,.{0 if row['rate'] >= 10 else 2}f}" if "rate" in row else row["refused"]
        if row.get("by the Reasoner"):
            rate += f" (the Reasoner answers {row['by the Reasoner']})"
        seconds, memory = row.get("seconds", float("nan")), row.get("memory", float("nan"))
        print(f"| {row['file']} | {seconds:.1f} | {memory:.0f} | {rate} | {row.get('agreeing', '')} |")
    made = [row for row in rows if "rate" in row]
    if made:
        seconds, memory = ([row[key] for row in made] for key in ("seconds", "memory"))
        print(f"\n{len(made)} of {len(rows)} files compile; median {median(seconds):.1f} s,", end=" ")
        print(f"at most {max(seconds):.1f} s and {max(memory):.0f} MB.")


if __name__ == "__main__":
    main()
