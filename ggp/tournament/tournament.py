"""Tournaments in one call: `ggp.tournament.play`, and the tournament behind it and the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, TypedDict, Unpack, final

from gdl.language.parser import read_source
from gdl.simulator import seeds
from ggp.match.isolation.local import MEMORY
from ggp.match.isolation.log import temporary_logs
from ggp.network.pasted import is_address
from ggp.rules.shipped_games import find_game, game_name
from ggp.tournament.format import Format
from ggp.tournament.outcome import Outcome
from ggp.tournament.plan import Contest, Plan, PlanError, check_elsewhere
from ggp.tournament.pool import LostMatch, MatchPool
from ggp.tournament.standings import Line, Table, tables
from ggp.tournament.store import Store
from ggp.work.job import Lost, digest_of

#: Called with a line of text for each stage, and for each game that cannot be compiled.
Progress = Callable[[str], None]


class TournamentOptions(TypedDict, total=False):
    """The options of a tournament; `play` describes them."""

    games: int
    format: Literal["round-robin", "swiss"]
    rounds: int
    start_clock: float | None
    play_clock: float | None
    seed: int | None
    jobs: int | None
    store: str | Path | None
    max_plies: int
    player_memory: int | None
    player_logs: str | Path | None
    ray: str | None


_USUAL: Final[TournamentOptions] = {
    "games": 10,
    "format": "round-robin",
    "rounds": 0,
    "start_clock": None,
    "play_clock": None,
    "seed": None,
    "jobs": None,
    "store": None,
    "max_plies": 500,
    "player_memory": MEMORY,
    "player_logs": None,
    "ray": None,
}


@final
class Tournament:
    """A tournament in progress; a context manager that leaves no processes behind.

    `plan` has the settings and the fixtures, `outcomes` the matches that were already in the store, and `progress` the
    state of the others. `note` may be replaced.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        players: Sequence[str],
        options: TournamentOptions,
        *,
        compiling: Progress = lambda _: None,
        note: Progress = lambda _: None,
    ) -> None:
        """Check the players, compile the games, and open the store.

        `compiling` is called with the name of each game before it is compiled, and `note` with a line for each game
        that the Reasoner plays, and for each match that is played again. Raises the same errors as `play`.
        """
        self.note = note
        if unknown := options.keys() - _USUAL.keys():
            raise TypeError(f"a tournament has no option {', '.join(sorted(unknown))}")
        chosen: TournamentOptions = {**_USUAL, **options}
        store, logs, seed = chosen["store"], chosen["player_logs"], chosen["seed"]
        elsewhere = [name for name in players if is_address(name)]
        if elsewhere:
            _check_remote(chosen)
        paths = [find_game(str(file)) for file in files]
        with ExitStack() as opened:
            self._store = opened.enter_context(Store(None if store is None else Path(store)))
            folder = None if logs is None else Path(logs)
            if folder is None and chosen["ray"] is None:
                folder = opened.enter_context(temporary_logs(note))
            self._pool = opened.enter_context(
                MatchPool(
                    1 if elsewhere else chosen["jobs"],
                    memory=chosen["player_memory"],
                    logs=folder,
                    ray=chosen["ray"],
                    note=lambda text: self.note(text),
                )
            )
            self.progress = self._pool.executor.progress
            for name in players:
                self._pool.check(name)
            contests = tuple(self._contest(path, compiling, note) for path in paths)
            check_elsewhere(contests, elsewhere)
            if seed is None:
                kept = self._store.seed("--seed")
                seed = seeds.draw() if kept is None else kept
            self.plan = Plan(
                contests,
                tuple(players),
                chosen["games"],
                seed,
                chosen["start_clock"],
                chosen["play_clock"],
                chosen["max_plies"],
                Format(chosen["format"]),
                chosen["rounds"],
            )
            self._store.begin(self.plan.identity())
            self.outcomes = tuple(self._store.outcomes(self.plan.fixtures))
            self._opened = opened.pop_all()

    def __enter__(self) -> Tournament:
        """Return the tournament itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes; unfinished matches are lost."""
        self._opened.close()

    def results(self) -> Iterator[Outcome | LostMatch]:
        """Play the remaining matches. Each result is in the store before it is yielded.

        If a match of a Swiss round is lost, the tournament ends with that round.
        """
        played = {outcome.number: outcome for outcome in self.outcomes}
        lost = False
        while not lost:
            fixtures = self.plan.fixtures(list(played.values()))
            tasks = [self.plan.task(one) for one in fixtures if one.number not in played]
            if not tasks:
                return
            for result in self._pool.play(tasks):
                if isinstance(result, Lost):
                    lost = True
                else:
                    self._store.add(fixtures[result.number], result)
                    played[result.number] = result
                yield result

    def _contest(self, path: Path, compiling: Progress, note: Progress) -> Contest:
        """Compile a game once for all processes."""
        name = game_name(path)
        compiling(name)
        rules = read_source(path.absolute())
        loaded = self._pool.load(rules)
        if loaded["note"]:
            note(f"{name}: not compiled whole, and slower: {loaded['note']}")
        roles, engine = tuple(loaded["roles"]), loaded["engine"]
        return Contest(name, rules.name, digest_of(rules), roles, engine, text=rules.text)


def _check_remote(chosen: TournamentOptions) -> None:
    """Check the options of a tournament with players elsewhere. Raises PlanError."""
    if chosen["start_clock"] is None or chosen["play_clock"] is None:
        raise PlanError("players at addresses need a start clock and a play clock")
    if chosen["ray"] is not None:
        raise PlanError("matches against players at addresses are played from this machine, not by a cluster")
    if chosen["jobs"] not in (None, 1):
        raise PlanError("matches against players at addresses are played one at a time, not several at once")


@final
@dataclass(frozen=True, slots=True, repr=False)
class TournamentResult:
    """The result of a tournament: `tables` has one table per game and, with several games, one for all of them.

    `lost` contains the matches that could not be played. Notebooks show the tables.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    tables: tuple[Table, ...]
    lost: tuple[LostMatch, ...] = ()

    def __str__(self) -> str:
        """Return the tables as text."""
        return "\n\n".join("\n".join([table.name, *map(_row, table.lines)]) for table in self.tables)

    def __repr__(self) -> str:
        """Return the number of matches and the best player."""
        best = self.tables[-1].lines[0].player if self.tables and self.tables[-1].lines else "nobody"
        return f"<TournamentResult of {len(self.outcomes)} matches: {best} leads>"

    def _repr_html_(self) -> str:
        heads = ("player", "matches", "won", "drawn", "lost", "rating")
        parts = []
        for table in self.tables:
            rows = [[f"<td>{escape(cell)}</td>" for cell in _cells(one)] for one in table.lines]
            lines = [[f"<th>{name}</th>" for name in heads], *rows]
            body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in lines)
            parts.append(f"<table><caption>{escape(table.name)}</caption>{body}</table>")
        return "".join(parts)


def play(
    files: str | Path | Sequence[str | Path],
    players: Sequence[str],
    *,
    progress: Progress | None = None,
    **options: Unpack[TournamentOptions],
) -> TournamentResult:
    """Play a tournament and return its tables.

    In a round robin, all pairs of players meet in each game, equally often in each role. In a Swiss tournament, players
    with equal points meet in each round.

    >>> import ggp
    >>> ggp.tournament.play("tic_tac_toe", ["greedy", "random"], games=4, seed=1, jobs=1)
    <TournamentResult of 4 matches: greedy leads>

    Args:
        files: Paths or names of shipped games.
        players: The players, named as on the command line; `remote(http://HOST:PORT)` is one on the network.
        progress: Called with a line of text for each stage and match.
        **options: What is left out has the value that the command line has without it.

    Options:
        games: Matches per pair and game; an even number is fair to all roles. In a Swiss tournament, a pair plays them
            within one round.
        format: The format, `round-robin` or `swiss`.
        rounds: The number of rounds of a Swiss tournament: at most half as many as players.
        start_clock: Seconds to get ready; None for no clock.
        play_clock: Seconds for each move; None for no clock.
        seed: Repeats a tournament. None takes the seed of the store or draws one.
        jobs: Number of matches played at the same time; None for one per core. Clocks are only fair if each match
            has a core to itself.
        store: An SQLite file for the results; a tournament started again with this file continues where it stopped.
        max_plies: A longer match ends as unfinished, which counts as a draw.
        player_memory: Bytes of memory that the process of a class in a file may use; None for no limit.
        player_logs: The folder for the output of such processes; None for a temporary folder, named by `progress`
            if there is any output.
        ray: The address of a Ray cluster that plays the matches, or `auto` for the one of RAY_ADDRESS or of this
            machine; None for processes of this machine. A cluster counts its cores itself, whatever `jobs`.

    Raises:
        UnknownGameError, AmbiguousGameError, FileError: A game cannot be found.
        WorkError: The rules cannot be read, a player cannot be made, or there is no such cluster.
        PlanError: The tournament is impossible, such as one of a single player.
        StoreError: The store belongs to another tournament, or is damaged.
        ValueError: A clock or limit makes no sense.
    """
    tell = progress or (lambda _: None)
    every = [files] if isinstance(files, str | Path) else list(files)
    lost: list[LostMatch] = []
    with Tournament(every, players, options, compiling=lambda name: tell(f"compiling {name}"), note=tell) as running:
        outcomes = {outcome.number: outcome for outcome in running.outcomes}
        total = running.plan.total
        for result in running.results():
            if isinstance(result, Lost):
                lost.append(result)
            else:
                outcomes[result.number] = result
            tell(f"{len(outcomes) + len(lost)} of {total} matches")
        played = tuple(outcomes[number] for number in sorted(outcomes))
        return TournamentResult(running.plan, played, tuple(tables(running.plan, played)), tuple(lost))


def _cells(line: Line) -> tuple[str, ...]:
    rating = "-" if line.rating is None else f"{line.rating.elo:+.0f}"
    return (line.player, str(line.matches), str(line.wins), str(line.draws), str(line.losses), rating)


def _row(line: Line) -> str:
    player, matches, wins, draws, losses, rating = _cells(line)
    return f"  {player:<20} {matches:>4} matches: {wins:>3} won, {draws:>3} drawn, {losses:>3} lost, rating {rating}"
