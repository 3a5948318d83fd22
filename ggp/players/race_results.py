"""Results of races between searches, which are kept from match to match of a game, and the choice that follows.

    results = RaceResults.kept(simulator, budget, learned)
    results = results.after("alphabeta", "mcts", 100, 0)
    results.best("mcts")                    # the candidate that has proved to be the best
    results.choice("mcts")                  # the one to play with
    results.rival("mcts")                   # the one to race against it next; None if the race is decided
    results.keep(simulator, budget, learned)

A candidate takes the place of the best one so far when it leads by a few matches, and drops out when it is a few
matches behind. A smaller lead is enough to play with it until the race is decided. `alphabeta` and `mcts` differ most,
so leads of two or three tell which one is better. The ways of `mcts` are often about equal, and of two equal searches,
one soon leads by two or three. So they need larger leads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from gdl.simulator.cache import fingerprint

if TYPE_CHECKING:
    from gdl.simulator.cache import Cache
    from gdl.simulator.simulator import Simulator

#: The candidates, and the options with which `mcts` searches in its ways: it tries all moves of a new node, or one by
#: one in any order, or in an order that depends on what the same moves are worth elsewhere in the tree.
CANDIDATES: Final[Mapping[str, Mapping[str, Any]]] = {
    "alphabeta": {},
    "mcts": {},
    "mcts(expand=0)": {"expand": False},
    "mcts(expand=0,unvisited=0.5)": {"expand": False, "unvisited": 0.5},
}


class _Leads(NamedTuple):
    """The leads that matter between a candidate and the best one so far, in matches.

    With a lead of `better`, it takes the place of the best one, and it drops out if it is `worse` matches behind. With
    a lead of `ahead`, it is the one to play with until the race is decided.
    """

    better: int
    worse: int
    ahead: int


#: The leads between ways of `mcts`; between `mcts` and `alphabeta`, which gains more from the time that moves have in a
#: match than the race shows; and between `alphabeta` and another way of `mcts`.
_WAYS: Final = _Leads(5, 4, 3)
_DUEL: Final = _Leads(3, 3, 2)
_BEHIND: Final = _Leads(3, 2, 2)

#: The most matches between two candidates.
_MOST: Final = 24

#: Results are forgotten if moves had less than this share of the time that they have now, or if `alphabeta` has learned
#: from this many times as many states since.
_TIME: Final = 0.4
_STATES: Final = 4.0

#: The name of the entry in the cache.
_ENTRY: Final = "race.json"


@final
@dataclass(frozen=True, slots=True)
class Standing:
    """Matches between two searches: those that the first one has won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.won + self.drawn + self.lost

    @property
    def lead(self) -> int:
        """The matches that the first one has won, less those that it has lost."""
        return self.won - self.lost

    @property
    def reversed(self) -> Standing:
        """The same matches, seen by the second search."""
        return Standing(self.lost, self.drawn, self.won)

    def after(self, first: float, second: float) -> Standing:
        """Return the standing after another match, which ended with these goals."""
        if first == second:
            return replace(self, drawn=self.drawn + 1)
        return replace(self, won=self.won + 1) if first > second else replace(self, lost=self.lost + 1)

    def __str__(self) -> str:
        """Return the points, where a draw counts half, and the matches: `7.5-2.5 in 10 matches`."""
        points = self.won + self.drawn / 2
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        return f"{points:g}-{self.matches - points:g} in {matches}"


@final
@dataclass(frozen=True, slots=True)
class RaceResults:
    """The standings between pairs of candidates; `duel` says whether `alphabeta` is one of them."""

    standings: Mapping[tuple[str, str], Standing] = field(default_factory=dict)
    duel: bool = True

    @property
    def _names(self) -> list[str]:
        return [name for name in CANDIDATES if self.duel or name != "alphabeta"]

    def between(self, first: str, second: str) -> Standing:
        """Return the standing between two candidates."""
        known = self.standings.get((first, second))
        return known or self.standings.get((second, first), Standing()).reversed

    def after(self, first: str, second: str, goal: float, other: float) -> RaceResults:
        """Return the results after another match, which ended with these goals."""
        standing = self.between(first, second).after(goal, other)
        kept = {pair: one for pair, one in self.standings.items() if pair != (second, first)}
        return replace(self, standings={**kept, (first, second): standing})

    def choice(self, favourite: str) -> str:
        """Return the candidate to play with: one that is ahead, or the favourite. The race may go on."""
        return self._best(favourite, lambda leads: leads.ahead)

    def best(self, favourite: str) -> str:
        """Return the candidate that has proved to be the best; the favourite if none has."""
        return self._best(favourite, lambda leads: leads.better)

    def _best(self, favourite: str, least: Callable[[_Leads], int]) -> str:
        best, passed = favourite, {favourite}
        while True:
            leads = {name: self.between(name, best).lead for name in self._names if name not in passed}
            ahead = [name for name, lead in leads.items() if lead >= least(_leads(name, best))]
            if not ahead:
                return best
            best = max(ahead, key=lambda name: leads[name])
            passed.add(best)

    def rival(self, best: str) -> str | None:
        """Return the candidate to race against the best one; None if no match would change much.

        Several take turns, in pairs of matches: each may be much better, and there may be time for few matches.
        """
        rivals = {}
        for name in self._names:
            if name == best:
                continue
            standing, leads = self.between(name, best), _leads(name, best)
            if -leads.worse < standing.lead < leads.better and standing.matches < _MOST:
                rivals[name] = standing.matches // 2
        return min(rivals, key=lambda name: rivals[name], default=None)

    def open(self, favourite: str) -> bool:
        """Return True if more matches may change what is best."""
        return self.rival(self.best(favourite)) is not None

    def reason(self, best: str) -> str:
        """Return the standings of a candidate in words; empty if there are none."""
        rivals = [(name, self.between(best, name)) for name in self._names if name != best]
        return ", ".join(f"{standing} against {name}" for name, standing in rivals if standing.matches)

    @classmethod
    def kept(cls, simulator: Simulator, budget: float, learned: int, duel: bool = True) -> RaceResults:
        """Return the results that were kept for a game; none if they say little about what a race would show now.

        `budget` is the time for a move in seconds, and `learned` the number of states that `alphabeta` learned from.
        """
        content = _entries(simulator).read(_ENTRY)
        if content is None:
            return cls(duel=duel)
        fields: dict[str, Any] = json.loads(content)
        if fields["budget"] < _TIME * budget:
            return cls(duel=duel)
        old = learned >= _STATES * max(1, fields["learned"])
        listed = [(first, second, Standing(*numbers)) for first, second, *numbers in fields["standings"]]
        standings = {(one, two): standing for one, two, standing in listed if not (old and "alphabeta" in (one, two))}
        return cls(standings, duel)

    def keep(self, simulator: Simulator, budget: float, learned: int) -> None:
        """Keep the results for the next match of the game, with the same numbers as for `kept`."""
        listed = [[*pair, one.won, one.drawn, one.lost] for pair, one in self.standings.items()]
        fields = {"budget": budget, "learned": learned, "standings": listed}
        _entries(simulator).write(_ENTRY, json.dumps(fields).encode())


def _leads(name: str, best: str) -> _Leads:
    """Return the leads that matter between a candidate and the best one so far."""
    if "alphabeta" not in (name, best):
        return _WAYS
    return _DUEL if name in ("alphabeta", "mcts") else _BEHIND


def _entries(simulator: Simulator) -> Cache:
    return simulator.entries("race", players_version())


@cache
def players_version() -> str:
    """Return a hash of the code of players, since what is learned of one version says little about another."""
    return fingerprint(Path(__file__).parent)
