"""Play matches of a player of this version against the same player of an earlier one.

    git worktree add ../earlier COMMIT
    python docs/benchmarks/checkouts.py ../earlier FILE ... --matches 40 --results checkouts.jsonl

Both are served by `ggp join`, each by its own checkout, and meet in matches of `ggp host`. They take the roles in
turns, and other ones in the next match; in games of more than two roles, the mean goals of both versions are compared.
Nobody ponders, so that a match needs one core: on Linux, `--core 0` keeps all its processes on that core, and
`--core 0 1` gives each version one of its own. Each version has a cache of its own. Two quick matches with longer start
clocks fill it and are not counted: large games have to be compiled by then. What players remember of a game is part of
the cache, too. To begin with an empty one, name a new folder by XDG_CACHE_HOME.

What pondering is worth is shown by this version against itself, where only one of them ponders:

    python docs/benchmarks/checkouts.py . FILE ... --ponder --player mcts --core 0 1 --results ponder.jsonl

Every match is written to the file at once. Run the same command again to go on after an interruption: what is in the
file with the same clocks is not played again. The table is printed at the end, and when you press Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import fmean
from typing import Any

import gdl
from gdl.engine import is_nature
from ggp.rules.shipped_games import find_game
from ggp.tournament.ratings import wilson

HERE = Path(__file__).resolve().parents[2]

#: Seconds in which `ggp join` must listen.
PATIENCE = 120.0

#: Seconds for a move, at most, in the matches that fill the caches.
WARM_UP_CLOCK = 0.2


def environment(checkout: Path) -> dict[str, str]:
    """Return the environment in which a checkout runs: its own packages and its own cache."""
    found = {**os.environ, "PYTHONPATH": str(checkout)}
    if checkout != HERE:
        found["XDG_CACHE_HOME"] = str(checkout / ".cache")
    return found


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def served(checkout: Path, player: str, options: list[str], core: int | None) -> Iterator[str]:
    """Serve a player of a checkout, on one core if there is a number, and give its address."""
    port = free_port()
    command = [sys.executable, "-m", "ggp", "join", "--port", str(port), "--player", player, *options]
    process = subprocess.Popen(
        command, cwd=checkout, env=environment(checkout), stdout=subprocess.DEVNULL, start_new_session=True
    )
    if core is not None:
        os.sched_setaffinity(process.pid, {core})
    try:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.2)
        else:
            raise SystemExit(f"{checkout}: ggp join does not listen")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:  # an earlier version may wait for its matches
            os.killpg(process.pid, signal.SIGKILL)


def hosted(game: str, roles: list[str], players: list[str], seed: int, clocks: tuple[float, float]) -> dict[str, Any]:
    """Play one match, and return what `ggp host --json` says of it."""
    seats = [f"--player={role}={player}" for role, player in zip(roles, players, strict=True)]
    command = [sys.executable, "-m", "ggp", "host", game, *seats, "--seed", str(seed), "--json"]
    command += ["--start-clock", str(clocks[0]), "--play-clock", str(clocks[1])]
    done = subprocess.run(command, cwd=HERE, env=environment(HERE), capture_output=True, text=True, check=False)
    # The exit status is 1 if rules say nothing of a goal.
    if not done.stdout:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def roles_of(game: str) -> list[str]:
    """Return the roles of a game that are not played by chance."""
    roles = [role for role in gdl.Reasoner.load(game).roles if not is_nature(role)]
    if len(roles) < 2:
        raise SystemExit(f"{game} has {len(roles)} roles; there must be at least two")
    return list(map(str, roles))


@contextmanager
def served_often(times: int, *how: Any) -> Iterator[list[str]]:
    """Serve a player several times, so that it can take several roles of a match, and give the addresses."""
    with ExitStack() as stack:
        yield [stack.enter_context(served(*how)) for _ in range(times)]


def is_ours(role: int, seed: int) -> bool:
    """Return True if this version plays a role, by its number, in the match with a seed."""
    return (role + seed) % 2 == 0


def row_of(found: dict[str, Any], name: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return what is written about a match: for each version, the mean goal, the late moves and the crashes."""
    row: dict[str, Any] = {"game": name, "seed": seed, "start_clock": options.start_clock}
    row |= {"play_clock": options.play_clock, "plies": found["plies"], "result": found["result"]}
    for suffix, ours in (("", True), ("_earlier", False)):
        players = [one for role, one in enumerate(found["players"]) if is_ours(role, seed) == ours]
        # Rules that give no goal value, or several, mean 50 for players and tournaments.
        row[f"goal{suffix}"] = fmean(50 if one["goal"] is None else one["goal"] for one in players)
        for what in ("late", "crashes"):
            row[f"{what}{suffix}"] = sum(one[what] for one in players)
    return row


def play(options: argparse.Namespace, known: list[dict[str, Any]]) -> None:
    """Play the matches that are not known yet."""
    for game in options.games:
        name, roles = Path(game).stem, roles_of(game)
        done = {row["seed"] for row in known if row["game"] == name}
        missing = [seed for seed in range(options.seed, options.seed + options.matches) if seed not in done]
        if not missing:
            continue
        # The earlier version may not know the option.
        silent = ["--no-ponder"] if options.earlier == HERE else []
        cores = options.core or [None]
        rival, most = options.earlier_player or options.player, (len(roles) + 1) // 2
        with (
            served_often(most, options.earlier, rival, silent, cores[0]) as earlier,
            served_often(most, HERE, options.player, [] if options.ponder else ["--no-ponder"], cores[-1]) as ours,
        ):
            warm_up = 0, (options.warm_up, min(WARM_UP_CLOCK, options.play_clock))
            warm_ups = [] if done else [warm_up] * options.warm_ups
            counted = [(seed, (options.start_clock, options.play_clock)) for seed in missing]
            for number, (seed, clocks) in enumerate([*warm_ups, *counted]):
                players = [(ours if is_ours(role, seed) else earlier)[role // 2] for role in range(len(roles))]
                found = hosted(game, roles, players, seed, clocks)
                if number < len(warm_ups):
                    continue
                row = row_of(found, name, seed, options)
                known.append(row)
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"\r{name}: {len(done) + 1 + number - len(warm_ups)}  ", end="", file=sys.stderr, flush=True)


def points(row: dict[str, Any]) -> float:
    """Return the points of this version in a match: 1 for a win, 0.5 for a draw or an unfinished match."""
    ours, theirs = (row[key] if row["result"] == "finished" else 0 for key in ("goal", "goal_earlier"))
    return 1.0 if ours > theirs else 0.0 if ours < theirs else 0.5


def table(known: list[dict[str, Any]]) -> None:
    """Print a row for each game, and the mean."""
    print("\n| game | points | share | plies | late moves, of the earlier version |\n| --- | --- | --- | --- | --- |")
    shares = []
    for name in sorted({row["game"] for row in known}):
        rows = [row for row in known if row["game"] == name]
        won = sum(map(points, rows))
        low, high = wilson(won, len(rows))
        shares.append(won / len(rows))
        plies = sum(row["plies"] for row in rows)
        ours, theirs = (sum(row[key] for row in rows) for key in ("late", "late_earlier"))
        share = f"{100 * shares[-1]:.0f} % ({100 * low:.0f} to {100 * high:.0f})"
        print(f"| {name} | {won:g} of {len(rows)} | {share} | {plies / len(rows):.0f} | {ours}, {theirs} of {plies} |")
    if shares:
        print(f"| **mean** | | {100 * sum(shares) / len(shares):.0f} % | | |")


def main() -> None:
    """Play matches and print the table."""
    parser = argparse.ArgumentParser(description="This version against an earlier one.")
    parser.add_argument("earlier", type=Path, help="a checkout of the earlier version")
    parser.add_argument("games", nargs="+", help="rule files or names of games")
    parser.add_argument("--player", default="auto", help="the player of both versions")
    parser.add_argument("--earlier-player", help="that of the earlier version, if it is another one")
    parser.add_argument("--matches", type=int, default=20, help="matches of each game")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match")
    parser.add_argument("--start-clock", type=float, default=6.0)
    parser.add_argument("--play-clock", type=float, default=0.2)
    parser.add_argument("--warm-ups", type=int, default=2, help="matches before them, which fill the caches")
    parser.add_argument("--warm-up", type=float, default=25.0, help="start clock of those that are not counted")
    parser.add_argument("--core", type=int, nargs="+", help="the core on which everything runs, or one for each player")
    parser.add_argument("--ponder", action="store_true", help="this version thinks while the other one does, too")
    parser.add_argument("--results", type=Path, required=True, help="a file of JSON lines")
    options = parser.parse_args()
    options.earlier = options.earlier.resolve()
    options.games = [str(Path(find_game(game)).resolve()) for game in options.games]
    if options.core is not None:
        os.sched_setaffinity(0, set(options.core))
    known: list[dict[str, Any]] = []
    for line in options.results.read_text(encoding="utf-8").splitlines() if options.results.exists() else []:
        with suppress(ValueError):  # a line that was not completed
            row = json.loads(line)
            if (row["start_clock"], row["play_clock"]) == (options.start_clock, options.play_clock):
                known.append(row)
    with suppress(KeyboardInterrupt):
        play(options, known)
    table(known)


if __name__ == "__main__":
    main()
