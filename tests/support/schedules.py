"""Schedules for tests, and what is left of a tournament that was hosted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

#: A player that takes its time.
SLOW = """\
import time

class Slow:
    name = "slow"

    def start(self, start, deadline):
        pass

    def move(self, turn):
        time.sleep({seconds})
        return turn.legal[0]

    def stop(self, end):
        pass
"""


def schedule(folder: Path, players: Mapping[str, str], *lines: str, games: str = '["tic_tac_toe"]') -> Path:
    """The file of a tournament called `cup`; `lines` are further keys."""
    file = folder / "cup.toml"
    table = "".join(f"{name} = {json.dumps(player)}\n" for name, player in players.items())
    keys = "\n".join((f"games = {games}", "seed = 1", "start_clock = 10", "play_clock = 5", *lines))
    file.write_text(f"{keys}\n[players]\n{table}", encoding="utf-8")
    return file


def slow_player(folder: Path, seconds: float) -> str:
    (folder / "slow.py").write_text(SLOW.format(seconds=seconds), encoding="utf-8")
    return f"{folder / 'slow.py'}:Slow"


def stored(folder: Path) -> dict[int, list[str]]:
    """The line-ups of the matches in the store of a tournament, by number."""
    with closing(sqlite3.connect(folder / "tournament.sqlite")) as database:
        return {number: json.loads(lineup) for number, lineup in database.execute("SELECT number, lineup FROM matches")}
