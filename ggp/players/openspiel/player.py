"""The player `openspiel`: Monte Carlo tree search by OpenSpiel's own C++ code, for the games that OpenSpiel has.

It runs OpenSpiel's `MCTSBot` with plain UCT, one random playout per simulation and MCTS-Solver (Lanctot et al. 2019,
arXiv:1908.09453), as it is distributed; each move starts with a new tree. It plays by OpenSpiel's rules:
`ggp.players.openspiel.translation` identifies the game, and compares both versions at every ply. If OpenSpiel does not
have the game, or has it with different rules, `start` raises an error.
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

#: The exploration constant of UCT: the strongest of 0.5, 0.7, 1, 1.4, 2 and 3 in matches against each other.
UCT_C: Final = 1.0

#: Simulations per move if no clock is running.
SIMULATIONS: Final = 1000

#: The limit of simulations if a clock ends the search.
_NO_LIMIT: Final = 10**9

#: The memory limit of the tree, in MB.
_MEGABYTES: Final = 2000

#: The search ends this many seconds before the deadline, plus this share of the time left, because freeing the tree
#: takes time. On a busy machine it ends earlier still, by its recent overrun. At most the share `_MOST` of the time
#: left is held in reserve.
_MARGIN: Final = 0.003
_SHARE: Final = 0.005
_MOST: Final = 0.09

#: The most turns in a row that may be missed.
_MISSED: Final = 2

#: The remembered overrun is multiplied by this factor at every move.
_FORGET: Final = 0.9


class OpenSpielPlayer:
    """Plays the moves of OpenSpiel's `MCTSBot`, which searches as long as the play clock allows."""

    name = "openspiel"

    def __init__(self, uct_c: float = UCT_C, simulations: int = SIMULATIONS) -> None:
        """Take the exploration constant, and the number of simulations per move if no clock is running."""
        self._uct_c = uct_c
        self._simulations = simulations
        self._begin: Start | None = None
        self._follower: Follower | None = None
        self._last: Turn | None = None
        self._random = Random(0)
        self._overrun = 0.0

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Identify the game, and follow the plies of a match that is resumed.

        Raises TranslationError if OpenSpiel does not have the game, MissingOpenSpielError.
        """
        self._begin, self._follower, self._last = start, None, None
        self._random = Random(start.seed)
        self._overrun = 0.0
        load_clocked()
        self._follower = Follower(translation(start.game), start.game.roles)
        state = start.game.initial_state()
        # The last joint move comes with the first turn.
        for moves in [told.moves or () for told in start.past[:-1]]:
            _apply(start, self._follower, state, moves)
            state = start.game.next_state(state, moves)
        if start.past:
            self._last = Turn(len(start.past), state, ())

    def move(self, turn: Turn) -> Term:
        """Return the move that OpenSpiel chooses. Raises TranslationError if its game turns out to be different."""
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
        """Compare the ends of both games. Raises TranslationError if they differ."""
        begin, follower, last = self._begin, self._follower, self._last
        self._begin = self._follower = self._last = None
        if end.result != "finished" or begin is None or follower is None or last is None or end.moves is None:
            return
        if end.ply != last.ply:
            return  # the last turns were missed
        _apply(begin, follower, last.state, end.moves)
        state = begin.game.next_state(last.state, end.moves)
        follower.check([begin.game.goal(state, role) for role in begin.game.roles])

    def _follow(self, turn: Turn) -> None:
        """Follow the joint moves that led here; those of turns missed by being late are reconstructed."""
        assert self._begin is not None
        assert self._follower is not None
        last, self._last = self._last, turn
        since = turn.ply - (last.ply if last else 0)
        if last is None:
            if since != 1:
                raise TranslationError(f"ply {turn.ply} follows ply 0")
            return
        game, state = self._begin.game, last.state
        missed = _moves_between(game, state, turn.state, since, turn.moves or ()) if since <= _MISSED + 1 else None
        if missed is None:
            raise TranslationError(f"ply {turn.ply} follows ply {last.ply}")
        for moves in missed:
            _apply(self._begin, self._follower, state, moves)
            state = game.next_state(state, moves)

    def _search(self, state: Any, deadline: Deadline) -> int:
        """Return the best action by OpenSpiel's search."""
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


def _moves_between(
    game: Engine, state: State | None, to: State | None, plies: int, last: tuple[Term, ...]
) -> list[tuple[Term, ...]] | None:
    """Return `plies` joint moves that lead from one state to another, ending with `last`; None if there are none."""
    if plies == 1:
        legal = all(move in game.legal_moves(state, role) for role, move in zip(game.roles, last, strict=True))
        return [last] if legal and game.next_state(state, last) == to else None
    for moves in product(*(game.legal_moves(state, role) for role in game.roles)):
        after = game.next_state(state, moves)
        if not game.is_terminal(after) and (rest := _moves_between(game, after, to, plies - 1, last)) is not None:
            return [moves, *rest]
    return None


def _apply(begin: Start, follower: Follower, state: State | None, moves: tuple[Term, ...]) -> None:
    """Follow a joint move from a state."""
    follower.apply(moves, begin.game.legal_moves(state, begin.game.roles[follower.mover]))
