"""Measure what it costs to spread work: jobs that hardly do anything, in processes of this machine or on a Ray cluster.

    python docs/benchmarks/work.py --jobs 2
    python docs/benchmarks/work.py --ray auto

Each job plays one random playout of tic-tac-toe, in some microseconds. So the time of a job is the time that it takes
to send it, and to get its result.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

from gdl.errors import Source
from ggp.rules.shipped_games import find_game
from ggp.study.bench.bulk import playout_jobs
from ggp.work.job import Lost
from ggp.work.pool import open_executor


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description="Measure what it costs to spread work.")
    parser.add_argument("--count", type=int, default=2000, help="the number of jobs")
    parser.add_argument("--jobs", type=int, help="processes of this machine")
    parser.add_argument("--ray", help="the address of a Ray cluster, or auto")
    arguments = parser.parse_args()
    path = Path(find_game("tic_tac_toe"))
    rules = Source(path.name, path.read_text(encoding="utf-8"))
    jobs = list(playout_jobs(rules, arguments.count, 1, 500, size=1))
    began = perf_counter()
    first, answers = 0.0, []
    module = "ggp.study.bench.playouts_process"
    with open_executor(module, jobs=arguments.jobs, ray=arguments.ray, note=print) as executor:
        print(f"connected after {perf_counter() - began:.2f} s")
        for result in executor.run(jobs, lambda job: job):
            if isinstance(result, Lost):
                raise SystemExit(f"lost: {result.reason}")
            answers.append(result.answer)
            first = first or perf_counter()
        last = perf_counter()
        print(f"{executor.progress.nodes} nodes, {executor.progress.cores} cores")
    rate = (len(jobs) - 1) / (last - first)
    print(f"first result after {first - began:.2f} s")
    print(f"{rate:.0f} results/s, {1000 / rate:.2f} ms a job, with all processes that can work")
    print(f"{len(json.dumps(jobs[0].settings))} bytes a job, {len(json.dumps(answers[0]))} bytes a result, as JSON")
    print(f"{len(rules.text)} bytes of rules, once for each process")


if __name__ == "__main__":
    main()
