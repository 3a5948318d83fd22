"""`openspiel`: Monte Carlo tree search by OpenSpiel's own C++ code, in those games that it has.

That is `MCTSBot` with plain UCT, one random playout a simulation and MCTS-Solver (Lanctot et al. 2019,
arXiv:1908.09453), as OpenSpiel comes: for each move it begins a new tree. It plays by OpenSpiel's rules;
`ggp.players.openspiel.translation` finds which game that is, and compares both at every ply. A game that OpenSpiel
has not, or has otherwise, is an error of its start.
"""

from __future__ import annotations

from itertools import product
from math import isfinite
from random import Random
from typing import Any, Final

from gdl.engine import Engine, State
from gdl.terms import Term
from ggp.players.clock import Deadline
from ggp.players.openspiel.games import load_clocked
from ggp.players.openspiel.translation import Follower, TranslationError, translation
from ggp.players.player import End, Start, Turn

#: The constant of UCT: of 0.5, 0.7, 1, 1.4, 2 and 3 the strongest against the others, by matches.
UCT_C: Final = 1.0

#: Simulations for a move where no clock runs.
SIMULATIONS: Final = 1000

#: With a clock it ends the search.
_NO_LIMIT: Final = 10**9

#: Its tree may take so much memory.
_MEGABYTES: Final = 2000

#: The search is to end so many seconds before the deadline, and a share of what is left, as the tree is taken down
#: then; earlier still by what it was too slow lately, on a machine that has other work to do. At most so large a share
#: of the time is kept back.
_MARGIN: Final = 0.003
_SHARE: Final = 0.005
_MOST: Final = 0.09

#: So many turns in a row may be missed.
_MISSED: Final = 2

#: What it was too slow counts by so much less at every move.
_FORGET: Final = 0.9


class OpenSpielPlayer:
    """Plays as OpenSpiel's `MCTSBot` does: as long as the play clock allows, or a number of simulations without one."""

    name = "openspiel"

    def __init__(self, uct_c: float = UCT_C, simulations: int = SIMULATIONS) -> None:
        self._uct_c = uct_c
        self._simulations = simulations
        self._begin: Start | None = None
        self._follower: Follower | None = None
        self._last: Turn | None = None
        self._random = Random(0)
        self._overrun = 0.0

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Raises TranslationError where OpenSpiel has not the game, MissingOpenSpielError where it is missing."""
        self._begin, self._follower, self._last = start, None, None
        self._random = Random(start.seed)
        self._overrun = 0.0
        load_clocked()
        self._follower = Follower(translation(start.game), start.game.roles)

    def move(self, turn: Turn) -> Term:
        """Raises TranslationError where OpenSpiel's game turns out to be another."""
        if self._begin is None or self._follower is None:
            raise TranslationError("not started")
        self._follow(turn)
        role = self._begin.game.roles.index(self._begin.role)
        if self._follower.mover != role:
            if len(turn.legal) > 1:
                raise TranslationError("both roles have a choice")
            return turn.legal[0]
        actions = self._follower.actions(turn.legal)
        if len(actions) == 1:
            return turn.legal[0]
        chosen = self._search(self._follower.state, turn.deadline)
        return next(move for move, action in actions.items() if action == chosen)

    def stop(self, end: End) -> None:
        """Raises TranslationError where the match has not ended as OpenSpiel's game does."""
        begin, follower, last = self._begin, self._follower, self._last
        self._begin = self._follower = self._last = None
        if end.result != "finished" or begin is None or follower is None or last is None or end.moves is None:
            return
        if end.ply != last.ply:
            return  # it missed the last turns
        _apply(begin, follower, last.state, end.moves)
        state = begin.game.next_state(last.state, end.moves)
        follower.check([begin.game.goal(state, role) for role in begin.game.roles])

    def _follow(self, turn: Turn) -> None:
        """Take over the joint moves that led here: those of turns that it missed, as it was late, are found again."""
        assert self._begin is not None
        assert self._follower is not None
        last, self._last = self._last, turn
        since = turn.ply - (last.ply if last else 0)
        if last is None:
            if since != 1:
                raise TranslationError(f"ply {turn.ply} follows ply 0")
            return
        game, state = self._begin.game, last.state
        way = _way(game, state, turn.state, since, turn.moves or ()) if since <= _MISSED + 1 else None
        if way is None:
            raise TranslationError(f"ply {turn.ply} follows ply {last.ply}")
        for moves in way:
            _apply(self._begin, self._follower, state, moves)
            state = game.next_state(state, moves)

    def _search(self, state: Any, deadline: Deadline) -> int:
        """The action that the search likes best."""
        pyspiel = load_clocked()
        left = deadline.left()
        timed = isfinite(left)
        seconds = left - min(_MARGIN + _SHARE * left + self._overrun, _MOST * left)
        bot = pyspiel.MCTSBot(
            state.get_game(),
            pyspiel.RandomRolloutEvaluator(1, self._random.getrandbits(31)),
            uct_c=self._uct_c,
            max_simulations=_NO_LIMIT if timed else self._simulations,
            max_memory_mb=_MEGABYTES,
            solve=True,
            seed=self._random.getrandbits(31),
            verbose=False,
            max_wall_clock_time=max(seconds, 0.001) if timed else -1.0,
        )
        action = int(bot.step(state))
        if timed:
            self._overrun = max(_FORGET * self._overrun, left - deadline.left() - seconds)
        return action


def _way(
    game: Engine, state: State | None, to: State | None, plies: int, last: tuple[Term, ...]
) -> list[tuple[Term, ...]] | None:
    """So many joint moves that lead from one state to another, of which the last one is known; None if none do."""
    if plies == 1:
        legal = all(move in game.legal_moves(state, role) for role, move in zip(game.roles, last, strict=True))
        return [last] if legal and game.next_state(state, last) == to else None
    for moves in product(*(game.legal_moves(state, role) for role in game.roles)):
        after = game.next_state(state, moves)
        if not game.is_terminal(after) and (way := _way(game, after, to, plies - 1, last)) is not None:
            return [moves, *way]
    return None


def _apply(begin: Start, follower: Follower, state: State | None, moves: tuple[Term, ...]) -> None:
    """Follow a joint move from a state."""
    follower.apply(moves, begin.game.legal_moves(state, begin.game.roles[follower.mover]))
