"""Show which player `auto` chooses for some rule files, why, and how much of the start clock that takes.

    python docs/benchmarks/auto.py connect_four games/my_game.kif --clocks 2 10 30

The table says what the rule of thumb would choose, too. Each choice is made as for the first match of a game. To see
what the choice is worth, let both players play:

    ggp tournament connect_four --players "mcts(expand=0),mcts" --games 40 --start-clock 6 --play-clock 0.2 --jobs 1
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gdl
from ggp.players import Start
from ggp.players.auto import AutoPlayer
from ggp.players.clock import Deadline
from ggp.players.player import End
from ggp.rules.shipped_games import find_game


def choice(game: gdl.Simulator, clock: float, *, race: bool) -> tuple[str, float]:
    """Return what `auto` says of its choice, and the seconds that it took."""
    player = AutoPlayer(race=race, learned=0, remember=0)
    player.start(Start("m", game, game.roles[0], 1, clock, 1.0), Deadline.after(clock))
    reason, seconds = player.reason or f"auto chose {player.chosen.name}", player.seconds
    player.stop(End("aborted"))
    return reason.removeprefix("auto chose "), seconds


def main() -> None:
    """Print the table, a row for each file and clock."""
    parser = argparse.ArgumentParser(description="Show which player auto chooses.")
    parser.add_argument("games", nargs="+", help="rule files or names of games")
    parser.add_argument("--clocks", type=float, nargs="+", default=[2.0, 10.0, 30.0], help="start clocks in seconds")
    arguments = parser.parse_args()
    print("| game | start clock | choice | after |")
    print("| --- | --- | --- | --- |")
    for name in arguments.games:
        path = Path(find_game(name))
        game = gdl.compile(path)
        thumb, _ = choice(game, max(arguments.clocks), race=False)
        print(f"| {path.stem} | rule of thumb | {thumb} | |", flush=True)
        for clock in arguments.clocks:
            reason, seconds = choice(game, clock, race=True)
            print(f"| | {clock:g} s | {reason} | {seconds:.1f} s |", flush=True)


if __name__ == "__main__":
    main()
