"""The matches of a tournament, derived from its settings alone, so that an interrupted tournament can continue.

In games with several roles, each pair of players plays the same number of matches. One player gets the first half of
the roles and the other the rest. In the next match they swap, and after every two matches the halves are shifted by one
role. So after an even number of matches, both players have had each role equally often. A game with one role is played
by each player alone, and matches with the same number use the same seed for all players.
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
    """A tournament is impossible."""

    code = "tournament"

    def __str__(self) -> str:
        """Return the code and the reason."""
        return f"{self.code}: {self.args[0]}"


@dataclass(frozen=True, slots=True)
class Contest:
    """A game of a tournament: `roles` are the roles of players, `digest` identifies the rules.

    `engine` names the engine that runs the matches; `note` says why it is not the compiled one.
    """

    name: str
    path: str
    digest: str
    roles: tuple[str, ...]
    engine: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match: `lineup` has the players in role order. `number` counts all matches of the tournament, from 0.

    `players` are the two that meet, or the one that plays alone. `turn` counts their matches in this game, from 0.
    """

    number: int
    contest: Contest
    players: tuple[str, ...]
    turn: int
    lineup: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Task:
    """A match to play; `lineup` has the names of the players in role order."""

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
    """The settings of a tournament: `games` is the number of matches per pair and game; clocks are in seconds.

    Raises PlanError for impossible tournaments, and ValueError for invalid clocks and limits.
    """

    contests: tuple[Contest, ...]
    players: tuple[str, ...]
    games: int
    seed: int
    start_clock: float | None = None
    play_clock: float | None = None
    max_plies: int = 500

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

    @property
    def timed(self) -> bool:
        """True if there is a clock."""
        return self.start_clock is not None or self.play_clock is not None

    def identity(self) -> Mapping[str, Any]:
        """Return the settings that must not change when a tournament continues, by option, as JSON values."""
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
        """Return all matches in starting order: every pair in every game once, then all of them again, and so on."""
        return tuple(self._fixtures())

    def task(self, fixture: Fixture) -> Task:
        """Return the task that a process gets for a match."""
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
