"""A runner of playouts that only notes what it is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.study.bench.playouts import (
    Speed,
)


@dataclass
class FakeRunner:
    engine: str
    log: list[tuple[str, int]]
    fails_at: int | None = None
    setup_seconds: float = 0.5

    def run(self, seconds: float, seed: int) -> Speed:
        if seed == self.fails_at:
            raise KeyboardInterrupt
        self.log.append((self.engine, seed))
        return Speed(playouts=10 + seed, transitions=400, cut=0, seconds=seconds, wall_seconds=2 * seconds)
