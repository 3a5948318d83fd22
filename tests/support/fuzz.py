"""Compare all engines with the oracle on random games, for a given time.

From the root of the repository: `PYTHONPATH=.:tests python -m support.fuzz --minutes 60 --jobs 2 --seed 1`. Each game
has a number; job `j` of `n` takes the numbers `seed * 1_000_000 + j`, `+ n`, `+ 2n` and so on. Disagreements are
printed with their game, made as small as possible, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from random import Random
from typing import Any

import gdl
from support import oracle
from support.agreement import budget
from support.comparing import compare
from support.features import Coverage
from support.processors import interpreting
from support.random_games import random_game

#: How many games go by between two reports of a job.
_REPORT = 20


def compiled(text: str) -> gdl.Simulator | None:
    """The Simulator of a game; None if it is too large."""
    with budget(rules=5_000, seconds=10.0):
        try:
            return gdl.compile(text, cache=False).whole()
        except gdl.NotWholeError:
            return None


def interpreted(call: Callable[[], Any]) -> Any:
    """The result of a call in which games have the code of large circuits, which is quick to make."""
    with interpreting():
        return call()


def check_game(number: int, text: str, level: int) -> Counter[str]:
    """Compare one game; `level` 0 without compiling, 1 with the Simulator, 2 with many states and playouts, too.

    One game in ten has the machine code of small circuits; the others have that of large ones.
    """
    if level < 2:
        return compare(text, number, compiled if level else None)
    if number % 10 == 0:
        return compare(text, number, compiled, arrays=True)
    return interpreted(lambda: compare(text, number, compiled, arrays=True))


def result(number: int, text: str, level: int) -> Counter[str] | tuple[str, str]:
    """Return the amounts compared or, for a disagreement, its kind and its full message."""
    try:
        return check_game(number, text, level)
    except AssertionError as error:
        said = str(error) or traceback.format_exc()
        return " ".join(word for word in said.split()[:5] if not any(c in "()0123456789" for c in word)), said
    except Exception as error:
        return type(error).__name__, traceback.format_exc()


# Small texts


def _written(expression: Any) -> str:
    return expression if isinstance(expression, str) else f"({' '.join(map(_written, expression))})"


def _smaller(statements: list[Any]) -> Iterator[list[Any]]:
    """Texts with less: without some statements, without one condition or part of one."""
    size = len(statements) // 2
    while size:
        for start in range(0, len(statements), size):
            yield statements[:start] + statements[start + size :]
        size //= 2
    for i, statement in enumerate(statements):
        for other in _without(statement):
            yield [*statements[:i], other, *statements[i + 1 :]]


def _without(expression: Any) -> Iterator[Any]:
    if isinstance(expression, str):
        return
    for i, part in enumerate(expression):
        if i:
            yield expression[:i] + expression[i + 1 :]
            if not isinstance(part, str) and part[1:]:
                yield from ((*expression[:i], inner, *expression[i + 1 :]) for inner in part[1:])
        for other in _without(part):
            yield (*expression[:i], other, *expression[i + 1 :])


def minimal(text: str, fails: Callable[[str], bool], seconds: float = 20.0) -> str:
    """A smaller text that fails in the same way, found within some time."""
    end = time.monotonic() + seconds
    statements = oracle.read(text)
    best = "\n".join(map(_written, statements))
    if not fails(best):
        return text
    found = True
    while found and time.monotonic() < end:
        found = False
        for smaller in _smaller(statements):
            candidate = "\n".join(map(_written, smaller))
            if time.monotonic() > end:
                break
            if fails(candidate):
                statements, best, found = smaller, candidate, True
                break
    return best


def _fails_alike(number: int, kind: str, level: int) -> Callable[[str], bool]:
    def fails(text: str) -> bool:
        try:
            oracle.Game(text)
        except Exception:
            return False
        found = result(number, text, level)
        return isinstance(found, tuple) and found[0] == kind

    return fails


# Jobs


def work(numbers: range, seconds: float, level: int) -> tuple[Counter[str], Coverage, list[tuple[int, str, str]]]:
    """Compare games until the time is over."""
    end, start = time.monotonic() + seconds, time.monotonic()
    counts: Counter[str] = Counter()
    coverage = Coverage()
    failures: list[tuple[int, str, str]] = []
    kinds: Counter[str] = Counter()
    for done, number in enumerate(numbers):
        if time.monotonic() > end:
            break
        text = random_game(Random(number))
        found = result(number, text, level)
        coverage.add(text)
        if isinstance(found, Counter):
            counts += found
        else:
            kind, said = found
            counts["disagreements"] += 1
            kinds[kind] += 1
            if kinds[kind] <= 3:
                small = minimal(text, _fails_alike(number, kind, level))
                again = result(number, small, level)
                small_said = again[1] if isinstance(again, tuple) else said
                failures.append((number, small_said, small))
                print(f"\n=== game {number}: {small_said[-1000:]}\n--- rules:\n{small}\n", flush=True)
        if done % _REPORT == _REPORT - 1:
            spent = time.monotonic() - start
            told = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
            print(f"{spent:7.0f} s: {done + 1} games ({(done + 1) / spent:.1f}/s): {told}", flush=True)
    return counts, coverage, failures


def main() -> int:
    """Read the options, run the jobs, and print all that was met."""
    parser = argparse.ArgumentParser(prog="python -m support.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--games", type=int, default=10**9, help="the largest number of games")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of one game, which is printed")
    parser.add_argument(
        "--level",
        type=int,
        default=2,
        choices=(0, 1, 2),
        help="0: Reasoner; 1: Simulator; 2: many states and playouts, too",
    )
    options = parser.parse_args()
    if options.only is not None:
        text = random_game(Random(options.only))
        print(text)
        print(result(options.only, text, options.level))
        return 0
    counts, coverage, failures = Counter[str](), Coverage(), []
    first = options.seed * 1_000_000
    ranges = [range(first + job, first + min(options.games, 10**6), options.jobs) for job in range(options.jobs)]
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(work, numbers, 60 * options.minutes, options.level) for numbers in ranges]
        for task in as_completed(tasks):
            its_counts, its_coverage, its_failures = task.result()
            counts += its_counts
            coverage.update(its_coverage)
            failures += its_failures
    print(coverage.table())
    print(f"never met: {', '.join(coverage.missing()) or 'none'}")
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    for number, said, _ in failures:
        print(f"game {number}: {said.strip().splitlines()[-1][:200]}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
