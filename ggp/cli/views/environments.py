"""`ggp bench environments`: the measurement, and its output as a table or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import gdl
from ggp.cli.guard import say
from ggp.cli.json_output import print_json
from ggp.cli.screen import progress_line, screen, table
from ggp.rules.shipped_games import game_name
from ggp.study.bench.environments import EnvironmentPeer, NoPeerError, VectorSteps, peer_runner
from ggp.study.bench.playouts import Comparison, Measurement, Runner


def bench_environments(
    paths: Sequence[Path],
    peers: Sequence[EnvironmentPeer],
    *,
    states: int,
    seconds: float,
    repeat: int,
    seed: int,
    cache: bool,
    json: bool,
) -> None:
    """Measure the vector environment of each game, in turn with those of the peers that have it, and print the results.

    Raises what compiling a game raises, MissingPeerError and MissingOpenSpielError.
    """
    rows = [["game", "environment", "steps/s", "spread", "matches", "setup s", "times"]]
    for path in paths:
        with progress_line() as progress:
            simulator = gdl.compile(path, cache=cache, progress=progress).whole("an environment")
            runners: list[Runner] = [VectorSteps(simulator, states)]
        for peer in peers:
            try:
                runners.append(peer_runner(peer, simulator, path, states))
            except NoPeerError as error:
                say(str(error))
        comparison = Comparison(runners)
        comparison.run(seconds=seconds, repeat=repeat, seed=seed)
        ours, *others = comparison.measurements
        for one in (ours, *others):
            times = None if one is ours else ours.transitions_per_second / one.transitions_per_second
            if json:
                print_json("bench", _fields(path, one, times, states=states, seed=seed))
            rows.append(
                [
                    game_name(path),
                    one.engine,
                    f"{one.transitions_per_second:,.0f}",
                    f"{_spread(one):.0%}",
                    f"{states:,}" if one.engine in (VectorSteps.engine, EnvironmentPeer.PGX) else "1",
                    f"{one.setup_seconds:.2f}",
                    "" if times is None else f"{times:,.1f}",
                ]
            )
    if not json:
        table(screen(), rows, right=range(2, len(rows[0])))


def _fields(path: Path, one: Measurement, times: float | None, *, states: int, seed: int) -> dict[str, object]:
    return {
        "game": game_name(path),
        "file": str(path),
        "environment": one.engine,
        "states": states,
        "seed": seed,
        "steps": one.total.transitions,
        "seconds": one.total.seconds,
        "wall_seconds": one.total.wall_seconds,
        "steps_per_second": one.transitions_per_second,
        "runs": [speed.transitions_per_second for speed in one.speeds],
        "setup_seconds": one.setup_seconds,
        "times": times,
    }


def _spread(one: Measurement) -> float:
    """Return the difference between the fastest and the slowest run, as a share of the median."""
    rates = [speed.transitions_per_second for speed in one.speeds]
    return (max(rates) - min(rates)) / one.transitions_per_second
