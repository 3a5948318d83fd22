"""Strong play: matches of the strongest player against itself, a skill ladder, and restricted players.

All players have a fixed number of simulations per move and no clock, so the same seed gives the same matches. They run
in several processes; when the time is up, the matches that are over count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from statistics import fmean
from typing import Final, final

import numpy as np

from gdl.errors import Source
from gdl.simulator.seeds import derive
from ggp.match.record import MatchRecord, from_json
from ggp.study.curves import Curve, curve_figures, curve_of
from ggp.study.figures import Figure, left_out, mean, within
from ggp.study.ladder import SEEN, Ladder, Rung, rung
from ggp.study.sample import NO_GOAL, Sample, figures_of
from ggp.tournament.outcome import points_of
from ggp.tournament.plan import lineup
from ggp.work.job import Done, Job, Lost, Note, Progress
from ggp.work.pool import open_executor

#: The module that a process runs.
_MODULE: Final = "ggp.study.match_process"


@final
@dataclass(frozen=True, slots=True)
class Task:
    """A match: `pair` are its two players, twice the same for one alone; `turn` counts their matches from 0."""

    pair: tuple[str, str]
    turn: int
    lineup: tuple[str, ...]
    seed: int


@final
@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played, as its process reports it; `goals` is empty if it was not finished."""

    task: Task
    goals: tuple[int | None, ...]
    choices: tuple[tuple[int, ...], ...]
    expected: tuple[tuple[float | None, ...], ...]
    narrow: tuple[float, ...]
    record: MatchRecord | None


@final
@dataclass(slots=True)
class StrongPlay:
    """The matches of strong play so far, for a game with these roles.

    The goals of two players add up to `total`; None if they do not. `players` are those of the ladder. `planned` is the
    number of all matches, of which `played` are over and `lost` have failed. `work` is the state of the processes that
    play them, once they have begun.
    """

    roles: tuple[str, ...]
    total: int | None
    players: Ladder = SEEN
    planned: int = 0
    played: dict[tuple[tuple[str, str], int], Played] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    work: Progress | None = None

    def watched(self) -> list[Played]:
        """Return the matches of the strongest player against itself, in the order of their numbers."""
        own = [(turn, match) for (pair, turn), match in self.played.items() if pair == self.players.itself]
        return [match for _, match in sorted(own, key=lambda entry: entry[0])]

    def curves(self) -> list[Curve]:
        """Return the curves of these matches."""
        return [
            curve_of(match.expected, match.goals or (None,) * len(self.roles), self.total) for match in self.watched()
        ]

    def figures(self) -> dict[str, Figure]:
        """Return the figures of these matches."""
        matches = self.watched()
        if not matches:
            return {}
        found = figures_of(_sample(self.roles, matches)) | curve_figures(self.curves())
        narrow = [fmean(match.narrow) for match in matches if match.narrow]
        found["narrowness"] = within(mean(np.array(narrow)), 0, 1) if narrow else left_out("no decision was evaluated")
        return found

    def ladder(self) -> list[Rung]:
        """Return the rungs of the ladder, from below."""
        return self._rungs(self.players.rungs)

    def restricted(self) -> list[Rung]:
        """Return the matches of the strongest player against restricted ones."""
        return self._rungs(self.players.handicaps)

    def _rungs(self, pairs: tuple[tuple[str, str], ...]) -> list[Rung]:
        found = []
        for pair in pairs:
            points = self._alone(pair) if len(self.roles) == 1 else self._points(pair)
            if points:
                found.append(rung(pair, points))
        return found

    def _points(self, pair: tuple[str, str]) -> list[float]:
        """Return the points of the first of two players in their matches.

        Matches come in twos, the second with exchanged roles: one alone would favour who had the better role.
        """
        own = {turn: match for (who, turn), match in self.played.items() if who == pair}
        return [_points(own[turn], pair) for turn in sorted(own) if turn ^ 1 in own]

    def _alone(self, pair: tuple[str, str]) -> list[float]:
        """Return the points of one player against another in a game of one role, by their goals in the same turns."""
        goals = [
            {turn: (match.goals or (None,))[0] for (own, turn), match in self.played.items() if own == (name, name)}
            for name in pair
        ]
        return [points_of(goals[0][turn], goals[1][turn]) for turn in sorted(goals[0].keys() & goals[1].keys())]


def tasks_of(players: Ladder, roles: int, matches: int, seed: int) -> list[Task]:
    """Return the matches of strong play, so ordered that all pairs have about as many at any time."""
    alone = [(name, name) for name in reversed(players.alone)]
    pairs = alone if roles == 1 else [players.itself, *players.pairs]
    found = []
    for turn in range(matches):
        for pair in pairs:
            # A game of one role begins alike for all players, so that their goals can be compared.
            who = () if roles == 1 else pair
            found.append(Task(pair, turn, lineup(pair, roles, turn), derive(seed, "strong play", *who, str(turn))))
    return found


def play_strongly(
    rules: Source,
    name: str,
    strong: StrongPlay,
    *,
    engine: str,
    matches: int,
    seed: int,
    max_plies: int,
    jobs: int | None,
    ray: str | None,
    until: float,
    note: Note = lambda _: None,
) -> Iterator[None]:
    """Play matches until all are over, or `until` (a time of `monotonic`) has passed; each is added to `strong`.

    `name` is that of the game, and `engine` that of the engine that runs it. `note` gets a line for each match that is
    played again. Yield at first, and whenever a match is over.
    """
    tasks = tasks_of(strong.players, len(strong.roles), matches, seed)
    strong.planned = len(tasks)

    def job(task: Task) -> Job:
        settings = {
            "name": name,
            "lineup": task.lineup,
            "seed": task.seed,
            "max_plies": max_plies,
            "engine": engine,
            "watched": task.pair == strong.players.itself,
        }
        return Job("watch", settings, rules, label=f"match {task.turn} of {name}, {' against '.join(task.lineup)}")

    yield
    with open_executor(_MODULE, jobs=jobs, ray=ray, note=note) as executor:
        strong.work = executor.progress
        for result in executor.run(tasks, job, until=until):
            if isinstance(result, Lost):
                strong.lost.append(f"{' against '.join(result.task.lineup)}: {result.reason}")
            else:
                strong.played[result.task.pair, result.task.turn] = _played(result)
            yield


def _played(done: Done[Task]) -> Played:
    answer = done.answer
    return Played(
        done.task,
        tuple(answer["goals"]),
        tuple(map(tuple, answer["choices"])),
        tuple(map(tuple, answer["expected"])),
        tuple(answer["narrow"]),
        None if answer["record"] is None else from_json(answer["record"], done.task.lineup[0]),
    )


def _points(match: Played, pair: tuple[str, str]) -> float:
    """Return the points of the first player of a pair: its mean goal is compared with the other's."""
    own, other = (
        [goal for who, goal in zip(match.task.lineup, match.goals, strict=False) if who == name and goal is not None]
        for name in pair
    )
    return points_of(fmean(own) if own else None, fmean(other) if other else None)


def _sample(roles: tuple[str, ...], matches: list[Played]) -> Sample:
    goals = [[NO_GOAL if goal is None else goal for goal in match.goals] or [NO_GOAL] * len(roles) for match in matches]
    return Sample(
        roles,
        np.array([len(match.choices) for match in matches], np.float64),
        np.array([bool(match.goals) for match in matches]),
        np.array(goals, np.int64),
        np.array([sum(map(prod, match.choices)) for match in matches], np.float64),
        np.array([sum(max(row) > 1 for row in match.choices) for match in matches], np.float64),
    )


def depth_of(strong: StrongPlay) -> int:
    """Return the number of rungs of the ladder that the stronger player wins significantly."""
    return sum(one.won for one in strong.ladder())
