"""A game compiled with a cache, and used."""

from __future__ import annotations

from pathlib import Path

import gdl


def use(rules: str, cache: Path | bool | str) -> str:
    """Make or read everything that is cached of a game; return the result of some playouts, after some moves."""
    simulator = gdl.compile(rules, cache=cache)
    state = simulator.initial_state()
    moves = [simulator.legal_moves(state, role)[0] for role in simulator.roles]
    result = simulator.playouts(1_000, seed=1)
    return f"{simulator.next_state(state, moves)}: {dict(result.counts)} {result.transitions}"
