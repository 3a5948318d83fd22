"""The output of `ggp bench sums`: sums over very many playouts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ggp.cli.guard import say
from ggp.cli.json_output import print_json
from ggp.cli.screen import progress_line, screen, table
from ggp.rules.shipped_games import game_name
from ggp.study.bench.bulk import BulkPlayouts, Sums
from ggp.work.job import work_fields, work_text


def bulk_playouts(
    paths: list[Path], playouts: int, *, seed: int, max_plies: int, jobs: int | None, ray: str | None, json: bool
) -> bool:
    """Play many playouts of each game, and print their sums. Return False if some could not be played.

    An interrupt shows what is known. Raises FileError and WorkError.
    """
    from gdl.language.parser import read_source

    rows = [["game", "playouts", "transitions", "mean length", "longest", "cut off", "mean goals"]]
    whole = True
    try:
        for path in paths:
            rules = read_source(path)
            with BulkPlayouts(rules, playouts, seed=seed, max_plies=max_plies, jobs=jobs, ray=ray, note=say) as running:
                try:
                    with progress_line() as show:
                        show(f"compiling {game_name(path)}")
                        for sums in running.run():
                            share = f"{sums.playouts:,} of {playouts:,} playouts"
                            show(f"{game_name(path)}: {share}, {work_text(running.progress, 'jobs')}")
                finally:
                    if running.sums.playouts:
                        rows.append(_row(path, running.sums))
                        if json:
                            print_json("bench", _fields(path, playouts, seed, max_plies, running))
            for reason in running.lost:
                say(reason)
            whole = whole and not running.lost
    finally:
        if not json and len(rows) > 1:
            table(screen(), rows, right=range(1, 6))
    return whole


def _row(path: Path, sums: Sums) -> list[str]:
    goals = ", ".join(f"{role} {goal:.4f}" for role, goal in sums.goals.items())
    length = f"{sums.mean_length:.4f}"
    return [
        game_name(path),
        f"{sums.playouts:,}",
        f"{sums.transitions:,}",
        length,
        f"{sums.max_length}",
        f"{sums.cut:,}",
        goals,
    ]


def _fields(path: Path, playouts: int, seed: int, max_plies: int, running: BulkPlayouts) -> dict[str, object]:
    sums = asdict(running.sums)
    sums["cut_off"] = sums.pop("cut")
    return {
        "game": game_name(path),
        "file": str(path),
        "engine": "simulator",
        "seed": seed,
        "max_plies": max_plies,
        "asked": playouts,
        **sums,
        "lost": running.lost,
        "work": work_fields(running.progress),
    }
