"""The output of `ggp bench`: tables, JSON and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gdl.system.files import write_file
from ggp.cli.json_output import print_json
from ggp.cli.screen import screen, table
from ggp.rules.shipped_games import game_name
from ggp.study.bench.bar_chart import Bar, bar_chart
from ggp.study.bench.playouts import Measurement

#: The engine of another project.
PEER: Final = "openspiel"

#: The engines that others are compared with, and the heading of each comparison.
_COMPARED: Final = {"reasoner": "x reasoner", PEER: "x openspiel"}


class BenchView:
    """A view of measurements: lines of JSON as each game is measured, or one table at the end."""

    def __init__(self, *, json: bool, settings: Mapping[str, int]) -> None:
        """Start without measurements; `settings` become part of each JSON object."""
        self._json = json
        self._settings = settings
        self._measured: list[tuple[Path, Sequence[Measurement]]] = []

    def add(self, path: Path, measurements: Sequence[Measurement]) -> None:
        """Add the measurements of a game, and print them if the output is JSON."""
        if not measurements:
            return
        self._measured.append((path, measurements))
        if self._json:
            for one in measurements:
                print_json("bench", self._fields(path, one, measurements))

    def show(self) -> None:
        """Print the table, unless lines of JSON were printed."""
        if self._json or not self._measured:
            return
        engines = {one.engine for _, measurements in self._measured for one in measurements}
        compared = [name for name in _COMPARED if name in engines and len(engines) > 1]
        heading = ["game", "engine", "playouts/s", "spread", "transitions/s", "mean length", "setup s", "cut off"]
        rows = [[*heading, *(_COMPARED[name] for name in compared)]]
        for path, measurements in self._measured:
            for one in measurements:
                ratios = _ratios(one, measurements)
                rows.append(
                    [
                        game_name(path),
                        one.engine,
                        _figure(one.playouts_per_second),
                        f"{one.spread:.0%}",
                        _figure(one.transitions_per_second),
                        f"{one.total.mean_length:.1f}",
                        f"{one.setup_seconds:.2f}",
                        f"{one.total.cut:,}",
                        *("" if (ratio := ratios[name]) is None else _figure(ratio) for name in compared),
                    ]
                )
        table(screen(), rows, right=range(2, len(rows[0])))

    def plot(self, path: Path) -> None:
        """Draw a bar chart of the playouts per second. Raises OSError."""
        bars = [
            Bar(game_name(game), one.engine, one.playouts_per_second)
            for game, measurements in self._measured
            for one in measurements
        ]
        write_file(path, bar_chart(bars, title="Random playouts", unit="playouts/s on one core"))

    def _fields(self, path: Path, one: Measurement, measurements: Sequence[Measurement]) -> dict[str, object]:
        total = one.total
        ratios = _ratios(one, measurements)
        return {
            "game": game_name(path),
            "file": str(path),
            "engine": one.engine,
            "playouts": total.playouts,
            "cut_off": total.cut,
            "transitions": total.transitions,
            "seconds": total.seconds,
            "wall_seconds": total.wall_seconds,
            "playouts_per_second": one.playouts_per_second,
            "transitions_per_second": one.transitions_per_second,
            "mean_length": total.mean_length,
            "setup_seconds": one.setup_seconds,
            "runs": [speed.playouts_per_second for speed in one.speeds],
            "times_reasoner": ratios["reasoner"],
            "times_openspiel": ratios["openspiel"],
            **self._settings,
        }


def _ratios(one: Measurement, measurements: Sequence[Measurement]) -> dict[str, float | None]:
    """Return the speed relative to each reference engine; None for itself and for engines not measured.

    Also None for the peer if playouts were cut off, because the peer always plays them to the end.
    """
    ratios: dict[str, float | None] = dict.fromkeys(_COMPARED)
    for other in measurements:
        unequal = PEER in (one.engine, other.engine) and (one.total.cut or other.total.cut)
        if other is not one and other.engine in ratios and not unequal:
            ratios[other.engine] = one.times(other)
    return ratios


def _figure(number: float) -> str:
    """Return a number as text, with at least three digits: 12,345 or 1.23."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
