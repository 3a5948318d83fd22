"""The standings of a tournament, for each game and for all games.

`scoring` says what a match is worth. Matches with one role, which players play alone, are compared one by one with
those of each other player. A match without goals is also counted as `unfinished`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import fmean

from ggp.match.conduct import Conduct
from ggp.tournament.format import Format
from ggp.tournament.outcome import Outcome, goal_of, points_of
from ggp.tournament.plan import Fixture, Plan
from ggp.tournament.ratings import Rating, Score, ratings, wilson


@dataclass(frozen=True, slots=True)
class Line:
    """A player's line in a table: the number of its matches, and its wins, draws and losses against others.

    `goal` is the mean of its goals, None if there are none. `byes` counts matches of Swiss rounds in which it had no
    opponent; in the table of one game, only those of that game. `rating` is None without other players to compare with.
    """

    player: str
    matches: int
    wins: int
    draws: int
    losses: int
    unfinished: int
    goal: float | None
    rating: Rating | None
    conduct: Conduct
    byes: int = 0

    @property
    def points(self) -> float:
        """The points: 1 for a win, half for a draw, and 1 for each match that a bye stands for."""
        return self.wins + self.draws / 2 + self.byes


@dataclass(frozen=True, slots=True)
class Pair:
    """The score of one player against another: `points` of `games`."""

    player: str
    other: str
    points: float
    games: int

    @property
    def share(self) -> float:
        """The first player's share of the points."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share."""
        return wilson(self.points, self.games)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its lines, best first, and the pairs that have met, in the order of the players."""

    name: str
    lines: tuple[Line, ...]
    pairs: tuple[Pair, ...]


@dataclass(slots=True)
class _Sums:
    """The sums for one player."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    unfinished: int = 0
    goals: list[float] = field(default_factory=list)
    conduct: Conduct = field(default_factory=Conduct)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """Two players in one game, and their goals."""

    players: tuple[str, str]
    goals: tuple[float | None, float | None]

    @property
    def points(self) -> float:
        """The points of the first player."""
        return points_of(*self.goals)


def tables(plan: Plan, outcomes: Sequence[Outcome]) -> list[Table]:
    """Return a table for each game with matches and, if there are several, one for all games.

    The lines of a round robin are ordered by rating, those of a Swiss tournament by points, then by rating.
    """
    fixtures = plan.fixtures(outcomes)
    by_game: dict[str, list[tuple[Fixture, Outcome]]] = {contest.name: [] for contest in plan.contests}
    for outcome in outcomes:
        fixture = fixtures[outcome.number]
        by_game[fixture.contest.name].append((fixture, outcome))
    byes = plan.byes(fixtures)
    each = {player: number // len(plan.contests) for player, number in byes.items()}
    found = [_table(name, plan, played, each) for name, played in by_game.items() if played]
    if len(found) > 1:
        found.append(_table("all games", plan, [match for played in by_game.values() for match in played], byes))
    return found


def _table(name: str, plan: Plan, played: Sequence[tuple[Fixture, Outcome]], byes: Mapping[str, int]) -> Table:
    players = plan.players
    sums = {player: _Sums() for player in players}
    for fixture, outcome in played:
        for player in fixture.players:
            _add(sums[player], player, fixture, outcome)
    scores: dict[tuple[str, str], list[float]] = {}
    for meeting in _meetings(players, played):
        points = meeting.points
        scores.setdefault(meeting.players, []).append(points)
        for player, own in zip(meeting.players, (points, 1 - points), strict=True):
            sums[player].wins += own == 1
            sums[player].draws += own == 0.5
            sums[player].losses += own == 0
    pairs = tuple(Pair(*pair, sum(points), len(points)) for pair, points in scores.items())
    rated: Mapping[str, Rating] = {}
    if pairs:
        met = [player for player in players if any(player in pair for pair in scores)]
        rated = ratings(met, [Score(pair.player, pair.other, pair.points, pair.games) for pair in pairs])
    lines = [_line(player, sums[player], rated.get(player), byes[player]) for player in players]
    lines.sort(key=lambda line: (-(line.rating.elo if line.rating else 0.0), -(line.goal or 0.0)))
    if plan.format is Format.SWISS:
        lines.sort(key=lambda line: -line.points)
    return Table(name, tuple(lines), tuple(sorted(pairs, key=lambda pair: _order(players, pair))))


def _order(players: Sequence[str], pair: Pair) -> tuple[int, int]:
    return players.index(pair.player), players.index(pair.other)


def _add(sums: _Sums, player: str, fixture: Fixture, outcome: Outcome) -> None:
    """Add a match to a player's sums, except for wins, draws and losses."""
    sums.matches += 1
    sums.unfinished += not outcome.goals
    goal = goal_of(player, fixture, outcome)
    if goal is not None:
        sums.goals.append(goal)
    for name, conduct in zip(fixture.lineup, outcome.conduct, strict=True):
        if name == player:
            sums.conduct += conduct


def _meetings(players: Sequence[str], played: Sequence[tuple[Fixture, Outcome]]) -> Iterable[_Meeting]:
    """Yield the meetings of players: in a match, or by comparing the matches with the same number of solo players."""
    alone: dict[tuple[str, int], dict[str, float | None]] = {}
    for fixture, outcome in played:
        if len(fixture.players) == 2:
            one, other = fixture.players
            yield _Meeting((one, other), (goal_of(one, fixture, outcome), goal_of(other, fixture, outcome)))
        else:
            (player,) = fixture.players
            goals = alone.setdefault((fixture.contest.name, fixture.turn), {})
            goals[player] = goal_of(player, fixture, outcome)
    for goals in alone.values():
        for one, other in combinations([player for player in players if player in goals], 2):
            yield _Meeting((one, other), (goals[one], goals[other]))


def _line(player: str, sums: _Sums, rating: Rating | None, byes: int) -> Line:
    return Line(
        player=player,
        matches=sums.matches,
        wins=sums.wins,
        draws=sums.draws,
        losses=sums.losses,
        unfinished=sums.unfinished,
        goal=fmean(sums.goals) if sums.goals else None,
        rating=rating,
        conduct=replace(sums.conduct, seconds=round(sums.conduct.seconds, 6)),
        byes=byes,
    )
