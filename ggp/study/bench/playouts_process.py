"""A process that plays bulk playouts: `python -m ggp.study.bench.playouts_process`.

`ggp.work.process` has the form of the messages. There are two kinds of jobs:

    compile     the rules of a game                        -> {}
    playouts    `count`, `seed`, `max_plies`               -> the sums of the playouts: see `bulk.Sums`
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, final

from ggp.rules.engine_choice import EngineChoice
from ggp.study.bench.bulk import sums_of
from ggp.work.job import WorkError
from ggp.work.process import Games, serve


@final
class Playouts:
    """Plays random playouts of compiled games."""

    def __init__(self, games: Games) -> None:
        """Start without loaded games."""
        self._games = games

    def compile(self, rules: str) -> dict[str, Any]:
        """Compile a game. Raises WorkError if that is impossible."""
        self._load(rules)
        return {}

    def playouts(self, rules: str, count: int, seed: int, max_plies: int) -> dict[str, Any]:
        """Play `count` playouts."""
        simulator = self._load(rules).simulator
        assert simulator is not None
        return asdict(sums_of(simulator.playouts(count, seed=seed, max_plies=max_plies, threads=1)))

    def _load(self, rules: str) -> EngineChoice:
        choice = self._games.load(rules)
        if choice.simulator is None:
            raise WorkError(f"{self._games.source(rules).name}: bulk playouts need the compiled game: {choice.reason}")
        return choice


def main() -> None:
    """Answer requests until the input ends."""
    games = Games()
    playouts = Playouts(games)
    serve(games, compile=playouts.compile, playouts=playouts.playouts)


if __name__ == "__main__":
    main()
