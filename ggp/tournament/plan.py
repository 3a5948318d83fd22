"""Which matches a tournament has: all from its settings, so that one that was broken off can go on.

In games of several roles each pair of players has the same number of matches. One of the two gets the first half of
the roles and the other the rest; in the next match they change, and after every two matches the halves are shifted by
one role. So after an even number of matches each of the two has had each role equally often. A game of one role is
played by each player alone, each match with the same seed for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from gdl.errors import GdlError
from gdl.simulator.seeds import derive
from ggp.match.settings import Settings


class PlanError(GdlError):
    """A tournament that cannot be."""

    code = "tournament"

    def __str__(self) -> str:
        return f"{self.code}: {self.args[0]}"


@dataclass(frozen=True, slots=True)
class Contest:
    """A game of a tournament: `roles` are those that players take, `digest` tells its rules from others.

    `engine` is which one runs the matches, `note` why it is not the compiled one.
    """

    name: str
    path: str
    digest: str
    roles: tuple[str, ...]
    engine: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match: `lineup` are the players in the order of the roles. `number` counts from 0 in the whole tournament.

    `players` are the two that meet, or the one that plays alone; `turn` counts their matches in this game.
    """

    number: int
    contest: Contest
    players: tuple[str, ...]
    turn: int
    lineup: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Task:
    """A match to play: `lineup` are the names of the players in the order of the roles."""

    number: int
    path: str
    name: str
    lineup: tuple[str, ...]
    seed: int
    max_plies: int
    start_clock: float | None
    play_clock: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament's settings: `games` is the number of matches of each pair in each game; clocks are in seconds.

    Raises PlanError for what is no tournament, and ValueError for clocks and limits without sense.
    """

    contests: tuple[Contest, ...]
    players: tuple[str, ...]
    games: int
    seed: int
    start_clock: float | None = None
    play_clock: float | None = None
    max_plies: int = 500

    def __post_init__(self) -> None:
        Settings(self.seed, self.max_plies, self.start_clock, self.play_clock)
        if twice := _twice(self.players):
            raise PlanError(f"{twice} is named twice among the players")
        if twice := _twice([contest.name for contest in self.contests]):
            raise PlanError(f"two games are called {twice}")
        if not self.players:
            raise PlanError("no players")
        for contest in self.contests:
            if not contest.roles:
                raise PlanError(f"{contest.name} has no role that a player could take")
            if len(contest.roles) > 1 and len(self.players) < 2:
                raise PlanError(f"{contest.name} has {len(contest.roles)} roles, which takes two players at least")
        if self.games < 1:
            raise PlanError(f"{self.games} games")

    @property
    def timed(self) -> bool:
        return self.start_clock is not None or self.play_clock is not None

    def identity(self) -> Mapping[str, Any]:
        """What has to be the same for a tournament to go on, by the names of the options, as JSON has it."""
        return {
            "FILE": [[contest.name, contest.digest] for contest in self.contests],
            "--players": list(self.players),
            "--games": self.games,
            "--start-clock": self.start_clock,
            "--play-clock": self.play_clock,
            "--max-plies": self.max_plies,
            "--seed": self.seed,
        }

    def fixtures(self) -> tuple[Fixture, ...]:
        """All matches, in the order in which they begin: every pair in every game once, then once more."""
        return tuple(self._fixtures())

    def task(self, fixture: Fixture) -> Task:
        """What a process is told to play."""
        contest = fixture.contest
        return Task(
            number=fixture.number,
            path=contest.path,
            name=contest.name,
            lineup=fixture.lineup,
            seed=fixture.seed,
            max_plies=self.max_plies,
            start_clock=self.start_clock,
            play_clock=self.play_clock,
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


def lineup(players: Sequence[str], roles: int, turn: int) -> tuple[str, ...]:
    """Who of one or two players has which role in their match number `turn`, from 0."""
    shift, swapped = divmod(turn, 2)
    half = (roles + 1) // 2
    pattern = (((place + shift) % roles >= half) ^ bool(swapped) for place in range(roles))
    return tuple(players[second and len(players) - 1] for second in pattern)


def split_players(text: str) -> tuple[str, ...]:
    """The names between commas; commas within brackets belong to a name. Raises PlanError."""
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
        raise PlanError(f"--players {text!r}: a name is missing between two commas")
    if twice := _twice(found):
        raise PlanError(f"{twice} is named twice among the players")
    return found


def _twice(names: Sequence[str]) -> str:
    """The first name that comes twice; empty if none does."""
    return next((name for place, name in enumerate(names) if name in names[:place]), "")
