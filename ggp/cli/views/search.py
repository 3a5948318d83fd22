"""`ggp bench search`: simulations per second of tree searches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ggp.cli.guard import say
from ggp.cli.json_output import print_json
from ggp.cli.screen import progress_line, screen, table
from ggp.rules.shipped_games import game_name
from ggp.study.bench.searches import Searcher, SearchMeasurement, compare


def bench_search(
    paths: Sequence[Path], *, peer: bool, seconds: float, repeat: int, seed: int, cache: bool, json: bool
) -> None:
    """Measure the games and print a table, or one JSON object per search as each game is measured."""
    rows = [["game", "search", "simulations/s", "spread", "walks/s", "playouts/s", *["x openspiel"] * peer]]
    try:
        for path in paths:
            found = compare(_searchers(path, peer=peer, cache=cache), seconds=seconds, repeat=repeat, seed=seed)
            for one in found:
                times = _times(one, found)
                if json:
                    print_json("bench", _fields(path, one, times) | {"seed": seed})
                shown = "" if times is None else f"{times:.3g}"
                rows.append(
                    [
                        game_name(path),
                        one.search + " (proven)" * one.proven,
                        f"{one.rate:,.0f}",
                        f"{one.spread:.0%}",
                        f"{one.walk_rate:,.0f}",
                        f"{one.playout_rate:,.0f}",
                        *[shown] * peer,
                    ]
                )
    finally:
        if not json and len(rows) > 1:
            table(screen(), rows, right=range(2, len(rows[0])))


def _searchers(path: Path, *, peer: bool, cache: bool) -> list[Searcher]:
    """Return the searches to measure. Raises CompileError if the game cannot be compiled."""
    import gdl
    from ggp.study.bench.searches import OwnSearch, PeerSearch

    with progress_line() as progress:
        simulator = gdl.compile(path, cache=cache, progress=progress).whole("a search in lanes")
    searchers: list[Searcher] = [OwnSearch(simulator)]
    if peer:
        from ggp.players.openspiel.games import find

        same = find(simulator, simulator)
        if same is None:
            text = f"{game_name(path)}: OpenSpiel has no game known to be the same"
            say(text)
        else:
            searchers.append(PeerSearch(same.name))
    return searchers


def _times(one: SearchMeasurement, found: Sequence[SearchMeasurement]) -> float | None:
    """Return the rate relative to OpenSpiel's; None for OpenSpiel itself, or if it was not measured."""
    other = next((other for other in found if other.search == "openspiel"), one)
    return None if other is one else one.rate / other.rate


def _fields(path: Path, one: SearchMeasurement, times: float | None) -> dict[str, object]:
    return {
        "game": game_name(path),
        "file": str(path),
        "search": one.search,
        "simulations": sum(speed.simulations for speed in one.speeds),
        "walks": sum(speed.walks for speed in one.speeds),
        "playouts": sum(speed.playouts for speed in one.speeds),
        "seconds": sum(speed.seconds for speed in one.speeds),
        "simulations_per_second": one.rate,
        "walks_per_second": one.walk_rate,
        "playouts_per_second": one.playout_rate,
        "runs": [speed.rate for speed in one.speeds],
        "proven": one.proven,
        "times_openspiel": times,
    }
