"""A tournament that is hosted: the matches of a schedule between players on any machine, with spectators.

The folder of the records has the store, `tournament.sqlite`, and a record for each match, `match-0007.json`. Whatever
stops the process, the next one continues: stored matches are not played again, a match that has a record is resumed
after its last ply, and one whose record is complete is only stored.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, final

from gdl.engine import Engine, player_roles, rule_text
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator import seeds
from gdl.system.files import clear_drafts
from ggp.match.match import AnyPlayer, Match
from ggp.match.record import MatchRecord, RecordError, Result, read_record
from ggp.match.settings import Settings
from ggp.network.host import Bulletin, HostedMatches, Monitor
from ggp.network.pasted import is_address
from ggp.rules.shipped_games import game_name
from ggp.tournament.json_form import tournament_fields
from ggp.tournament.outcome import Outcome, outcome
from ggp.tournament.plan import Contest, Fixture, Plan, check_elsewhere
from ggp.tournament.schedule import Schedule
from ggp.tournament.store import Store
from ggp.work.job import digest_of

#: The name of the store in the folder of the records.
STORE: Final = "tournament.sqlite"

#: The largest number of matches to come that are announced.
_ANNOUNCED: Final = 100

#: What is announced: neither seeds, from which moves could be predicted, nor paths on this machine.
_PUBLIC: Final = ("players", "format", "rounds", "start_clock", "play_clock", "played", "tables")

#: Makes a player from its address or name; the second argument is its name in the tournament.
Maker = Callable[[str, str], AnyPlayer]


@final
class HostedTournament:
    """A tournament in progress; a context manager that closes the store.

    `plan` has the settings and the fixtures, `outcomes` the matches that are over, `bulletin` what spectators are told.
    """

    def __init__(
        self,
        schedule: Schedule,
        hosted: HostedMatches,
        bulletin: Bulletin,
        make: Maker,
        engine: Callable[[Reasoner, Iterable[object]], Engine],
    ) -> None:
        """Load the games, and open the store. `engine` returns the engine of a game for its players.

        Raises PlanError, StoreError, RecordError, and the errors of rules and players.
        """
        self.schedule = schedule
        self.bulletin = bulletin
        self._hosted = hosted
        self._make = make
        players = [make(where, name) for name, where in schedule.players.items()]
        self._games: dict[str, Engine] = {}
        self._running: dict[Future[MatchRecord], Fixture] = {}
        contests = tuple(self._contest(path, players, engine) for path in schedule.games)
        check_elsewhere(contests, [name for name, where in schedule.players.items() if is_address(where)])
        _make_folder(schedule.records)
        with ExitStack() as opened:
            self._store = opened.enter_context(Store(schedule.records / STORE))
            seed = schedule.seed
            if seed is None:
                kept = self._store.seed("seed")
                seed = seeds.draw() if kept is None else kept
            self.plan = Plan(
                contests,
                tuple(schedule.players),
                schedule.matches,
                seed,
                schedule.start_clock,
                schedule.play_clock,
                schedule.max_plies,
                schedule.format,
                schedule.rounds,
            )
            self._store.begin(self._identity())
            self.outcomes = {one.number: one for one in self._store.outcomes(self.plan.fixtures)}
            self._show_played()
            self._opened = opened.pop_all()
        self._announce()

    def __enter__(self) -> HostedTournament:
        """Return the tournament itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self._opened.close()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of the games."""
        return tuple(map(rule_text, self._games.values()))

    def results(self) -> Generator[Outcome, None, None]:
        """Play the remaining matches. Each outcome is in the store before it is yielded.

        If the iterator is closed, matches under way are aborted.
        """
        running = self._running
        with Monitor(self._hosted) as monitor:
            while True:
                for fixture in self._startable(list(running.values())):
                    running[self._begin(fixture, monitor)] = fixture
                if not running:
                    break
                self._announce()
                over, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in over:
                    yield self._stored(running.pop(future), future.result())
        self._announce(over=True)

    def _show_played(self) -> None:
        """Show spectators the last of the matches that were played before. Raises RecordError."""
        played = [fixture for fixture in self._known() if fixture.number in self.outcomes]
        for fixture in played[-self._hosted.keep :]:
            if (file := self._file(fixture)).exists():
                self._hosted.open(read_record(file))

    def _startable(self, running: list[Fixture]) -> Iterator[Fixture]:
        """Yield the matches that can begin now: players elsewhere play one match at a time."""
        room = self.schedule.at_once - len(running)
        busy = {player for fixture in running for player in self._elsewhere(fixture)}
        numbers = {fixture.number for fixture in running}
        # Interrupted matches come first: players elsewhere may still be busy with them.
        for fixture in sorted(self._known(), key=lambda one: not self._file(one).exists()):
            if room <= 0:
                return
            elsewhere = self._elsewhere(fixture)
            if fixture.number not in self.outcomes and fixture.number not in numbers and not elsewhere & busy:
                busy |= elsewhere
                room -= 1
                yield fixture

    def _elsewhere(self, fixture: Fixture) -> set[str]:
        return {player for player in fixture.players if is_address(self.schedule.players[player])}

    def _known(self) -> tuple[Fixture, ...]:
        return self.plan.fixtures(self._in_order())

    def _in_order(self) -> list[Outcome]:
        return [self.outcomes[number] for number in sorted(self.outcomes)]

    def _begin(self, fixture: Fixture, monitor: Monitor) -> Future[MatchRecord]:
        """Begin a match, continue it from its record, or return the record of one that is over."""
        file = self._file(fixture)
        record = read_record(file) if file.exists() else None
        if record is not None and record.seed != fixture.seed:
            raise RecordError(str(file), "the record of another match; move it away, or use another folder for records")
        if record is not None and record.over and record.result is not Result.ABORTED:
            kept: Future[MatchRecord] = Future()
            kept.set_result(record)
            self._hosted.open(record)
            return kept
        contest = fixture.contest
        players = dict(zip(contest.roles, fixture.lineup, strict=True))
        made = {role: self._make(self.schedule.players[name], name) for role, name in players.items()}
        settings = Settings(
            fixture.seed,
            self.schedule.max_plies,
            self.schedule.start_clock,
            self.schedule.play_clock,
            self.schedule.policy,
        )
        game = self._games[contest.name]
        if record is None:
            match = Match(game, made, settings, name=contest.name, deriving=monitor.deriving)
        else:
            match = Match.resume(game, made, settings, record, deriving=monitor.deriving)
        # Spectators know the players by their names in the tournament, not by those of their programs.
        own = zip(match.record.roles, match.record.player_names, strict=True)
        match.record = replace(match.record, players=tuple(players.get(role, name) for role, name in own))
        return monitor.play(match, file)

    def _stored(self, fixture: Fixture, record: MatchRecord) -> Outcome:
        found = outcome(fixture.number, record, fixture.contest.roles)
        self._store.add(fixture, found)
        self.outcomes[found.number] = found
        return found

    def _file(self, fixture: Fixture) -> Path:
        return self.schedule.records / f"match-{fixture.number:04d}.json"

    def _announce(self, *, over: bool = False) -> None:
        """Tell spectators how the tournament stands."""
        outcomes = self._in_order()
        known = self.plan.fixtures(outcomes)
        begun = self.outcomes.keys() | {fixture.number for fixture in self._running.values()}
        waiting = [fixture for fixture in known if fixture.number not in begun]
        fields = tournament_fields(self.plan, outcomes, {})
        self.bulletin.publish(
            **{name: fields[name] for name in _PUBLIC},
            games=[contest.name for contest in self.plan.contests],
            total=self.plan.total,
            over=over,
            round=known[-1].round,
            waiting=[
                {"match": fixture.number, "game": fixture.contest.name, "players": list(fixture.lineup)}
                for fixture in waiting[:_ANNOUNCED]
            ],
        )

    def _identity(self) -> dict[str, Any]:
        """Return the settings that must not change when a tournament continues, by key of the schedule.

        Players may have other addresses: only their names count.
        """
        found = dict(self.plan.identity())
        found["matches"] = found.pop("--games")
        found["games"] = found.pop("FILE")
        return {name.removeprefix("--").replace("-", "_"): value for name, value in found.items()} | {
            "policy": str(self.schedule.policy)
        }

    def _contest(
        self, path: Path, players: Iterable[object], engine: Callable[[Reasoner, Iterable[object]], Engine]
    ) -> Contest:
        reasoner = Reasoner.load(path)
        name = game_name(path)
        self._games[name] = engine(reasoner, players)
        return Contest(name, str(path.absolute()), digest_of(reasoner.rulesheet.source), player_roles(reasoner))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        clear_drafts(folder)
    except OSError as error:
        raise RecordError(str(folder), error.strerror or str(error)) from None
