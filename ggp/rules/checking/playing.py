"""Play at random with the Reasoner and collect evidence about the properties of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, final

from gdl.engine import player_roles
from gdl.errors import GoalError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.rules.checking.bounded import Moves
from ggp.rules.conformance.playouts import Playouts, Violation, run_playouts

#: Playouts are cut off after this many plies.
MAX_PLIES: Final = 1_000

#: The number of playouts whose states are kept; they rule out claims before any proof is tried.
_KEPT: Final = 20


@final
@dataclass(slots=True)
class Played:
    """The results of some playouts. `wins` has, for each role, moves that lead to a goal of 100."""

    roles: tuple[str, ...]
    until: float
    playouts: int = 0
    finished: int = 0
    #: Playouts that were cut off; those neither finished nor cut off were stuck: a role had no legal move.
    cut: int = 0
    plies: int = 0
    longest: int = 0
    wins: dict[str, Moves] = field(default_factory=dict)
    #: Moves that lead to a state in which a role's goal is lower than before, or is not unique, and a message.
    falls: tuple[Moves, str] | None = None
    #: The goals of all roles at the ends of playouts, in the order of the roles.
    outcomes: Counter[tuple[int, ...]] = field(default_factory=Counter)
    traces: list[list[frozenset[Term]]] = field(default_factory=list)
    violations: tuple[Violation, ...] = ()
    _goals: dict[str, int] = field(default_factory=dict)
    _interrupted: bool = False

    @property
    def stuck(self) -> int:
        """The number of playouts that ended because a role had no legal move."""
        return self.playouts - self.finished - self.cut

    def see(self, game: Reasoner, state: State, moves: Sequence[tuple[Term, ...]], over: bool) -> bool:
        """Record a state of a playout; return True if there is time for more."""
        if not moves:
            self.playouts += 1
            self._goals = {}
            if len(self.traces) < _KEPT:
                self.traces.append([])
        if self.playouts <= len(self.traces):
            self.traces[self.playouts - 1].append(frozenset(state))
        self.plies += bool(moves)
        self.longest = max(self.longest, len(moves))
        self.finished += over
        for role in self.roles:
            self._look(game, state, role, tuple(moves), over)
        if over and len(self._goals) == len(self.roles):
            self.outcomes[tuple(self._goals[role] for role in self.roles)] += 1
        self._interrupted = not over and monotonic() >= self.until
        return not self._interrupted

    def end(self, found: Playouts) -> None:
        """Record the totals of all playouts. An interrupted one does not count, unless it was the only one."""
        self.violations = found.violations
        self.cut = found.cut
        if self._interrupted and self.playouts > 1:
            self.playouts -= 1
            self.cut -= 1

    def _look(self, game: Reasoner, state: State, role: str, moves: Moves, over: bool) -> None:
        if self.falls is not None and not over:
            return
        try:
            goal = game.goal(state, role)
        except GoalError as error:
            self.falls = self.falls or (moves, str(error).partition(": ")[2])
            self._goals.pop(role, None)
            return
        before = self._goals.get(role, goal)
        if goal < before and self.falls is None:
            self.falls = moves, f"the goal of {role} falls from {before} to {goal}"
        self._goals[role] = goal
        if over and goal == 100:
            self.wins.setdefault(role, moves)


def play(game: Reasoner, *, playouts: int, seconds: float, seed: int) -> Played:
    """Play at random: `playouts` playouts, or as many as begin within `seconds`, but at least one."""
    roles = player_roles(game)
    played = Played(roles, monotonic() + seconds)
    found = run_playouts(
        game,
        playouts=playouts,
        seed=seed,
        max_plies=MAX_PLIES,
        ends=True,
        tell=lambda _: None,
        watch=lambda state, moves, over: played.see(game, state, moves, over),
    )
    played.end(found)
    return played
