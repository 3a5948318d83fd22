"""What kind of game some rules describe: how many play, in turns or at once, against each other, with chance or not.

    kind = game_kind(gdl.Simulator.load("games/classics/connect_four.kif"))
    print(kind.describe())        # two players, in turns, constant sum

Roles, chance and hidden states are read from the rules. The rest is what random playouts show; where the game is a
Simulator, it is also tried to prove it of every state, with what the compiler has proved before: `proved` says of what
that was possible. A kind that is not proved may be wrong about states that random play does not reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, final

from gdl.circuit.analysis.playouts import Seen, observed
from gdl.engine import Engine, hides_states, is_nature
from gdl.errors import GdlError, GoalError

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit
    from gdl.simulator.simulator import Simulator

#: Playouts of a Reasoner, and the plies of each at most.
_PLAYOUTS: Final = 30
_PLIES: Final = 200

#: Players may choose at once in such a share of the states of a game that counts as one of turns.
_RARELY: Final = 0.05

#: Names of what may be proved.
TURNS: Final = "turns"
CONSTANT_SUM: Final = "constant sum"


@final
@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a game.

    `players`: roles without `random`. `turns`: in no state that is not over do two players have more than one legal
    move each; `together` is in what share of the states of playouts they have. `constant_sum`: the players' goals add
    up to the same at every end (False for one player). `opposed`: no end was better for every player than another one,
    so that they have nothing to gain together. `chance`: there is the role `random`. `hidden`: players see percepts,
    not states. `proved`: which of `TURNS` and `CONSTANT_SUM` hold for sure. `ends`: how many ends of playouts were
    seen; without any, nothing is known of goals. `plies`: how long a random playout is, about; infinite without ends.
    """

    roles: tuple[str, ...]
    players: int
    turns: bool
    together: float
    constant_sum: bool
    opposed: bool
    chance: bool
    hidden: bool
    proved: frozenset[str] = frozenset()
    ends: int = 0
    plies: float = inf

    @property
    def single(self) -> bool:
        """Whether one player plays alone, without chance."""
        return self.players == 1 and not self.chance

    @property
    def duel(self) -> bool:
        """Whether two players take turns, but for few states, with everything in sight and no chance."""
        return self.players == 2 and self.together <= _RARELY and not self.chance and not self.hidden

    def describe(self) -> str:
        """One line: what kind it is, and what of it is only what playouts show."""
        counted = {0: "no player", 1: "one player", 2: "two players"}.get(self.players, f"{self.players} players")
        parts = [counted]
        if self.players > 1:
            parts.append(self._sure(TURNS, "in turns") if self.turns else f"at once in {self.together:.1%} of states")
            if not self.ends:
                parts.append("goals unknown")
            elif self.constant_sum:
                parts.append(self._sure(CONSTANT_SUM, "constant sum"))
            else:
                parts.append("opposed (as far as seen)" if self.opposed else "not constant sum")
        parts += ["with chance"] * self.chance + ["hidden states"] * self.hidden
        return ", ".join(parts)

    def _sure(self, what: str, text: str) -> str:
        return text if what in self.proved else f"{text} (as far as seen)"


def game_kind(game: Engine, *, seconds: float = 5.0, seed: int = 0) -> Kind:
    """The kind of a game, found within about so many seconds; the same seed gives the same kind if they are enough."""
    roles = tuple(game.roles)
    players = [number for number, role in enumerate(roles) if not is_nature(role)]
    compiled = _simulator(game)
    if compiled is None:
        seen = _sampled(game, players, seed, monotonic() + seconds)
    else:
        seen = observed(compiled.circuit, players, seed, seconds)
    goals = seen.goals
    kind = Kind(
        roles=roles,
        players=len(players),
        turns=not seen.together,
        together=seen.together / max(1, seen.states),
        constant_sum=len(players) > 1 and len({sum(goal) for goal in goals}) == 1,
        opposed=len(players) > 1 and bool(goals) and _opposed(goals),
        chance=len(players) < len(roles),
        hidden=hides_states(game),
        ends=seen.ends,
        plies=seen.states / seen.ends if seen.ends else inf,
    )
    return kind if compiled is None else replace(kind, proved=_proved(compiled.circuit, kind, players, goals))


def _simulator(game: Engine) -> Simulator | None:
    """The game if it is compiled."""
    from gdl.simulator.simulator import (
        Simulator,  # late, so that nothing of the compiler is loaded for a Reasoner's help text
    )

    return game if isinstance(game, Simulator) else None


def _opposed(goals: set[tuple[int, ...]]) -> bool:
    """Whether no end is better for every player than another one."""
    return not any(all(a > b for a, b in zip(first, second, strict=True)) for first, second in product(goals, goals))


def _sampled(game: Engine, players: Sequence[int], seed: int, until: float) -> Seen:
    """What random playouts of any engine show."""
    random, seen = Random(seed), Seen()
    for _ in range(_PLAYOUTS):
        state: Any = game.initial_state()
        for _ in range(_PLIES):
            if monotonic() > until and seen.ends:
                return seen
            if game.is_terminal(state):
                seen.ends += 1
                seen.note(tuple(_goal(game, state, game.roles[number]) for number in players))
                break
            try:
                legal = [game.legal_moves(state, role) for role in game.roles]
                state = game.next_state(state, [random.choice(moves) for moves in legal])
            except (GdlError, IndexError):  # a state in which nobody can go on
                break
            seen.states += 1
            seen.together += sum(len(legal[number]) > 1 for number in players) > 1
    return seen


def _goal(game: Engine, state: Any, role: str) -> int:
    try:
        return game.goal(state, role)
    except GoalError:
        return -1


def _proved(circuit: GameCircuit, kind: Kind, players: Sequence[int], goals: set[tuple[int, ...]]) -> frozenset[str]:
    """The properties of a kind that hold in every state. Needs clingo."""
    from gdl.circuit.analysis.theorems import add_up, take_turns

    proved = set()
    if kind.players > 1 and kind.turns and take_turns(circuit, players):
        proved.add(TURNS)
    if kind.constant_sum and add_up(circuit, players, sum(next(iter(goals)))):
        proved.add(CONSTANT_SUM)
    return frozenset(proved)
