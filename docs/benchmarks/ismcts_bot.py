"""OpenSpiel's information set Monte Carlo tree search as players, to compare with: it needs `ggp[openspiel]`.

    ggp tournament kuhn_poker --players ismcts,docs/benchmarks/ismcts_bot.py:Kuhn --games 100 \\
        --start-clock 5 --play-clock 1 --jobs 1 --seed 1

There are `Kuhn` for kuhn_poker, `Leduc` for leduc_poker and `Phantom` for kriegspiel_tic_tac_toe, which OpenSpiel calls
phantom_ttt with `obstype=reveal-numturns`. The first two run OpenSpiel's C++ `ISMCTSBot`. It cannot sample states of
the third game, so this runs OpenSpiel's bot in Python, with samples from here.

A bot searches from an OpenSpiel state that agrees with what its role did and saw, and uses nothing else of it. Its
constant of UCT is the highest utility of the game. Everything else is as OpenSpiel has it by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import Any, ClassVar

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

#: Seconds of the clock that are not used.
MARGIN = 0.03

#: The number of states that are sampled for a move, and of the attempts to find one.
POOL = 200
ATTEMPTS = 20_000

#: The share of the time for which the bot in Python gets simulations, as it has no clock.
SHARE = 0.75

CARDS = ("jack", "queen", "king")


@dataclass(frozen=True)
class Step:
    """A ply: the player's own move and the percepts, as KIF text."""

    move: str
    percepts: tuple[str, ...]


def step(told: Any) -> Step:
    """Return what a role was told of a ply."""
    return Step(told.own_move.text, tuple(sorted(one.text for one in told.percepts)))


class Bot:
    """The base class of the bots. `ACTIONS` maps moves to the numbers that OpenSpiel gives them."""

    game: ClassVar[str]
    ACTIONS: ClassVar[dict[str, int]]

    def start(self, start: Any, deadline: Any) -> None:  # noqa: ARG002
        """Load the game."""
        self.role = start.role
        self.seat = start.game.roles.index(start.role)
        self.seed = start.seed % 2**31
        self.random = Random(self.seed)
        self.spiel = pyspiel.load_game(self.game)
        self.steps = [step(told) for told in start.past]

    def move(self, turn: Any) -> str:
        """Search until shortly before the deadline, and return a move."""
        if len(self.steps) < turn.ply - 1:
            self.steps.append(step(turn))
        legal = [move.text for move in turn.legal]
        if len(legal) == 1:
            return legal[0]
        state = self.state()
        wanted = {self.action(text): text for text in legal}
        assert state.current_player() == self.seat
        assert sorted(wanted) == state.legal_actions(), (wanted, str(state))
        return wanted[self.choose(state, turn.deadline.left() - MARGIN)]

    def stop(self, end: Any) -> None:
        """Nothing is left to do."""

    def choose(self, state: Any, seconds: float) -> int:
        """Return the action that the C++ bot prefers after some seconds."""
        self.seed += 1
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        bot = pyspiel.ISMCTSBot(
            self.seed, evaluator, self.spiel.max_utility(), 10**9, max_wall_clock_time=max(0.001, seconds)
        )
        return int(bot.step(state))

    def action(self, move: str) -> int:
        """Return the number of a move."""
        return self.ACTIONS[move]

    def state(self) -> Any:
        """Return an OpenSpiel state that agrees with the steps so far."""
        raise NotImplementedError

    def deeds(self) -> Iterator[str]:
        """Yield the moves of both players, which all see, and the cards that are laid open."""
        for step in self.steps[1:]:
            if step.move != "noop":
                yield step.move
            for percept in step.percepts:
                yield percept.strip("()").split()[-1]


class Kuhn(Bot):
    """OpenSpiel's bot for kuhn_poker."""

    name = "openspiel_ismcts"
    game = "kuhn_poker"
    ACTIONS: ClassVar[dict[str, int]] = {"check": 0, "fold": 0, "bet": 1, "call": 1}

    def state(self) -> Any:
        """Return a state in which the other has any other card."""
        own = CARDS.index(self.steps[0].percepts[0])
        return dealt(self.spiel, self.seat, own, (own + 1) % 3, [self.ACTIONS[deed] for deed in self.deeds()])


class Leduc(Bot):
    """OpenSpiel's bot for leduc_poker."""

    name = "openspiel_ismcts"
    game = "leduc_poker"
    ACTIONS: ClassVar[dict[str, int]] = {"fold": 0, "check": 1, "call": 1, "raise": 2}

    def state(self) -> Any:
        """Return a state in which the other has some card; suits do not matter."""
        own = 2 * CARDS.index(self.steps[0].percepts[0])
        deeds = list(self.deeds())
        board = next((2 * CARDS.index(deed) for deed in deeds if deed in CARDS), None)
        board = None if board is None else board + (board == own)
        other = next(card for card in range(6) if card not in (own, board))
        actions = [board if deed in CARDS else self.ACTIONS[deed] for deed in deeds]
        return dealt(self.spiel, self.seat, own, other, actions)


def dealt(game: Any, seat: int, own: int, other: int, actions: list[Any]) -> Any:
    """Return the state after cards were dealt and some actions were made."""
    state = game.new_initial_state()
    for action in (*((own, other) if seat == 0 else (other, own)), *actions):
        state.apply_action(action)
    return state


class Phantom(Bot):
    """OpenSpiel's bot for kriegspiel_tic_tac_toe."""

    name = "openspiel_ismcts"
    game = "phantom_ttt(obstype=reveal-numturns)"

    def action(self, move: str) -> int:
        """Return the number of a cell."""
        row, column = map(int, move.strip("()").split()[1:])
        return 3 * (row - 1) + column - 1

    def start(self, start: Any, deadline: Any) -> None:
        """Load the game, and find out how fast the bot is."""
        super().start(start, deadline)
        self.rate = 100.0
        self.pool = [(self.spiel.new_initial_state(), 1.0)]
        self.choose(self.pool[0][0], 0.5)

    def choose(self, state: Any, seconds: float) -> int:
        """Return the action that the Python bot prefers after as many simulations as fit into some seconds."""
        states, weights = zip(*self.pool, strict=True)
        began = monotonic()
        count = max(10, round(SHARE * seconds * self.rate))
        random = np.random.RandomState(self.seed)
        bot = ismcts.ISMCTSBot(self.spiel, mcts.RandomRolloutEvaluator(1, random), 1.0, count, random_state=random)
        bot.set_resampler(lambda _, __: self.random.choices(states, weights)[0].clone())
        action = int(bot.step(state))
        self.seed += 1
        self.rate = count / (monotonic() - began)
        return action

    def state(self) -> Any:
        """Return a state that agrees with the steps; they are sampled once for a move."""
        self.pool = self.samples()
        return self.pool[0][0]

    def samples(self) -> list[tuple[Any, float]]:
        """Return states that agree with the steps, each after random tries of the other, with their weights."""
        found: list[tuple[Any, float]] = []
        for _ in range(ATTEMPTS):
            state, weight = self.replayed()
            if weight:
                found.append((state, weight))
            if len(found) == POOL:
                break
        return found

    def replayed(self) -> tuple[Any, float]:
        """Return a state after random tries of the other, and its weight: 0 if it does not agree with the steps.

        All know whether a try succeeded, since then it is the other's turn; so only such tries are drawn.
        """
        state, weight, marks = self.spiel.new_initial_state(), 1.0, set[int]()
        for step in self.steps:
            if step.move == "noop":
                succeeds = "your_turn" in step.percepts
                legal = state.legal_actions()
                fitting = [cell for cell in legal if (cell in marks) != succeeds]
                if not fitting:
                    return state, 0.0
                weight *= len(fitting) / len(legal)
                state.apply_action(self.random.choice(fitting))
            else:
                cell = self.action(step.move)
                succeeds = any(percept.endswith(f" {self.role})") for percept in step.percepts)
                state.apply_action(cell)
                if succeeds:
                    marks.add(cell)
                if not state.is_terminal() and (state.current_player() != self.seat) != succeeds:
                    return state, 0.0
            if state.is_terminal():
                return state, 0.0  # but the match goes on
        return state, weight
