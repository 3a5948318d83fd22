"""The matches of a tournament, derived from its settings and outcomes, so that an interrupted tournament can continue.

In games with several roles, each pair of players plays the same number of matches. One player gets the first half of
the roles and the other the rest. In the next match they swap, and after every two matches the halves are shifted by one
role. So after an even number of matches, both players have had each role equally often. A game with one role is played
by each player alone, and matches with the same number use the same seed for all players.

In the format `swiss`, the pairs of a round depend on the outcomes of earlier rounds, and on nothing else: with the same
outcomes, the rounds are the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import TYPE_CHECKING, Any, Final

from gdl.errors import GdlError, Source
from gdl.simulator.seeds import derive
from ggp.match.settings import Settings
from ggp.tournament.format import Format
from ggp.tournament.outcome import goal_of, points_of
from ggp.tournament.swiss import Card, draw_round, most_rounds

if TYPE_CHECKING:
    from ggp.tournament.outcome import Outcome


#: The most matches of a tournament, all of which are listed before it begins.
MOST_MATCHES: Final = 100_000


class PlanError(GdlError):
    """A tournament is impossible."""

    code = "tournament"
    template = "{code}: {0}"


@dataclass(frozen=True, slots=True)
class Contest:
    """A game of a tournament: `roles` are the roles of players, `digest` identifies the rules.

    `engine` names the engine that runs the matches; `note` says why it is not the compiled one. `text` is that of the
    rules, for whoever plays them elsewhere.
    """

    name: str
    path: str
    digest: str
    roles: tuple[str, ...]
    engine: str = ""
    note: str = ""
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match: `lineup` has the players in role order. `number` counts all matches of the tournament, from 0.

    `players` are the two that meet, or the one that plays alone. `turn` counts their matches in this game, from 0.
    `round` is the round of a Swiss tournament, from 1; in other formats it is 0.
    """

    number: int
    contest: Contest
    players: tuple[str, ...]
    turn: int
    lineup: tuple[str, ...]
    seed: int
    round: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A match to play; `lineup` has the names of the players in role order.

    `name` is that of the game, and `engine` that of the engine that has to run it, by default the fastest one.
    """

    number: int
    rules: Source
    name: str
    lineup: tuple[str, ...]
    seed: int
    max_plies: int
    start_clock: float | None
    play_clock: float | None
    engine: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a tournament: `games` is the number of matches per pair and game; clocks are in seconds.

    `rounds` is the number of rounds of a Swiss tournament, in which a pair plays its matches within one round.
    Raises PlanError for impossible tournaments, and ValueError for invalid clocks and limits.
    """

    contests: tuple[Contest, ...]
    players: tuple[str, ...]
    games: int
    seed: int
    start_clock: float | None = None
    play_clock: float | None = None
    max_plies: int = 500
    format: Format = Format.ROUND_ROBIN
    rounds: int = 0

    def __post_init__(self) -> None:
        """Check the settings."""
        Settings(self.seed, self.max_plies, self.start_clock, self.play_clock)
        if twice := _twice(self.players):
            raise PlanError(f"{twice} is named twice among the players")
        if twice := _twice([contest.name for contest in self.contests]):
            raise PlanError(f"two games are called {twice}")
        if not self.players:
            raise PlanError("no players")
        for contest in self.contests:
            if not contest.roles:
                raise PlanError(f"{contest.name} has no role for a player")
            if len(contest.roles) > 1 and len(self.players) < 2:
                raise PlanError(f"{contest.name} has {len(contest.roles)} roles and needs at least two players")
        if self.games < 1:
            raise PlanError(f"the number of games must be positive, not {self.games}")
        self._check_rounds()
        if self.total > MOST_MATCHES:
            raise PlanError(f"a tournament has at most {MOST_MATCHES:,} matches, not {self.total:,}")

    def _check_rounds(self) -> None:
        if self.format is not Format.SWISS:
            if self.rounds:
                raise PlanError(f"only the format {Format.SWISS} has a number of rounds")
            return
        for contest in self.contests:
            if len(contest.roles) < 2:
                raise PlanError(f"{contest.name} has one role; the format {Format.SWISS} needs games of two or more")
        most = most_rounds(len(self.players))
        if not 1 <= self.rounds <= most:
            raise PlanError(
                f"the number of rounds of {len(self.players)} players must be from 1 to {most}, not {self.rounds}; "
                f"in the format {Format.ROUND_ROBIN} all of them meet"
            )

    @property
    def timed(self) -> bool:
        """True if there is a clock."""
        return self.start_clock is not None or self.play_clock is not None

    def identity(self) -> Mapping[str, Any]:
        """Return the settings that must not change when a tournament continues, by option, as JSON values."""
        swiss = {"--format": str(self.format), "--rounds": self.rounds} if self.format is Format.SWISS else {}
        return {
            **swiss,
            "FILE": [[contest.name, contest.digest] for contest in self.contests],
            "--players": list(self.players),
            "--games": self.games,
            "--start-clock": self.start_clock,
            "--play-clock": self.play_clock,
            "--max-plies": self.max_plies,
            "--seed": self.seed,
        }

    @property
    def total(self) -> int:
        """The number of matches in the whole tournament."""
        pairs = len(self.players) * (len(self.players) - 1) // 2
        if self.format is Format.SWISS:
            return len(self.players) // 2 * self.rounds * len(self.contests) * self.games
        return self.games * sum(pairs if len(contest.roles) > 1 else len(self.players) for contest in self.contests)

    def fixtures(self, outcomes: Sequence[Outcome] = ()) -> tuple[Fixture, ...]:
        """Return all matches that are known after some outcomes, in starting order.

        In a round robin, these are all matches: every pair in every game once, then all of them again, and so on. In a
        Swiss tournament, they are those of all rounds that are complete, and of the next one.
        """
        if self.format is Format.SWISS:
            return tuple(self._rounds({outcome.number: outcome for outcome in outcomes}))
        return tuple(self._fixtures())

    def byes(self, fixtures: Sequence[Fixture]) -> Mapping[str, int]:
        """Return the number of matches that players are credited with, as they had no opponent in a round."""
        drawn: dict[int, set[str]] = {}
        for fixture in fixtures:
            if fixture.round:
                drawn.setdefault(fixture.round, set()).update(fixture.players)
        each = self.games * len(self.contests)
        return {player: each * sum(player not in there for there in drawn.values()) for player in self.players}

    def task(self, fixture: Fixture) -> Task:
        """Return the task that a process gets for a match."""
        contest = fixture.contest
        return Task(
            number=fixture.number,
            rules=Source(contest.path, contest.text),
            name=contest.name,
            lineup=fixture.lineup,
            seed=fixture.seed,
            max_plies=self.max_plies,
            start_clock=self.start_clock,
            play_clock=self.play_clock,
            engine=contest.engine,
        )

    def _fixtures(self) -> Iterator[Fixture]:
        number = 0
        for turn in range(self.games):
            for contest in self.contests:
                size = min(len(contest.roles), 2)
                for players in combinations(self.players, size):
                    alike = () if size == 1 else players
                    seed = derive(self.seed, contest.digest, *alike, str(turn))
                    yield Fixture(number, contest, players, turn, lineup(players, len(contest.roles), turn), seed)
                    number += 1

    def _rounds(self, outcomes: Mapping[int, Outcome]) -> Iterator[Fixture]:
        """Yield the matches of Swiss rounds, up to the first round that is not complete."""
        cards = {player: Card() for player in self.players}
        numbers = count()
        for number in range(1, self.rounds + 1):
            drawn = draw_round(self.players, cards)
            fixtures = [
                self._paired(next(numbers), number, contest, pair, turn)
                for turn in range(self.games)
                for contest in self.contests
                for pair in drawn.pairs
            ]
            yield from fixtures
            if not all(fixture.number in outcomes for fixture in fixtures):
                return
            for fixture in fixtures:
                _mark(cards, fixture, outcomes[fixture.number])
            if drawn.bye is not None:
                cards[drawn.bye].byes += 1
                cards[drawn.bye].points += self.games * len(self.contests)

    def _paired(self, number: int, round_: int, contest: Contest, pair: tuple[str, str], turn: int) -> Fixture:
        seed = derive(self.seed, contest.digest, *pair, str(round_), str(turn))
        return Fixture(number, contest, pair, turn, lineup(pair, len(contest.roles), turn), seed, round_)


def check_elsewhere(contests: Iterable[Contest], elsewhere: Sequence[str]) -> None:
    """Refuse games in which a player elsewhere would need several roles of one match. Raises PlanError."""
    for contest in contests:
        if elsewhere and len(contest.roles) > 2:
            raise PlanError(
                f"{contest.name} has {len(contest.roles)} roles, which two players share; players at addresses, "
                f"such as {elsewhere[0]}, can only have one role of a match"
            )


def _mark(cards: Mapping[str, Card], fixture: Fixture, outcome: Outcome) -> None:
    """Add a match to the cards of its two players."""
    first, second = fixture.players
    goals = [goal_of(player, fixture, outcome) for player in (first, second)]
    points = points_of(*goals)
    for player, other, own in ((first, second, points), (second, first, 1 - points)):
        cards[player].points += own
        cards[player].met.add(other)
        cards[player].lean += 1 if fixture.lineup[0] == player else -1


def lineup(players: Sequence[str], roles: int, turn: int) -> tuple[str, ...]:
    """Return the player of each role in match `turn`, from 0, of one or two players."""
    shift, swapped = divmod(turn, 2)
    half = (roles + 1) // 2
    pattern = (((place + shift) % roles >= half) ^ bool(swapped) for place in range(roles))
    return tuple(players[second and len(players) - 1] for second in pattern)


def split_players(text: str) -> tuple[str, ...]:
    """Split names at commas, except for commas within brackets. Raises PlanError."""
    names = [""]
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    found = tuple(name.strip() for name in names)
    if not all(found):
        raise PlanError(f"--players {text!r}: a name is missing")
    if twice := _twice(found):
        raise PlanError(f"{twice} is named twice among the players")
    return found


def _twice(names: Sequence[str]) -> str:
    """Return the first name that occurs twice; empty if there is none."""
    return next((name for place, name in enumerate(names) if name in names[:place]), "")
