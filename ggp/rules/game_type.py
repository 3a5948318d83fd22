"""Determine the kind of game that rules describe: its players, turns, conflict, chance and hidden states.

    kind = classify_game(gdl.Simulator.load("games/classics/connect_four.kif"))
    print(kind.describe())        # two players, in turns, constant sum

Roles, chance and hidden states are read from the rules. The rest is observed in random playouts. If the game is a
Simulator, proofs for all states are also tried, with the help of what the compiler has proved before: `proved` lists
the properties for which they succeeded. Without a proof, a property may fail in states that random play does not reach.
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
from gdl.simulator.seeds import checked_seed

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit
    from gdl.simulator.simulator import Simulator

#: The number of playouts by a Reasoner, and the largest number of plies of each.
_PLAYOUTS: Final = 30
_PLIES: Final = 200

#: Players may choose at once in such a share of the states of a game that counts as one of turns.
_RARELY: Final = 0.05

#: Names of what may be proved.
TURNS: Final = "turns"
CONSTANT_SUM: Final = "constant sum"


@final
@dataclass(frozen=True, slots=True)
class GameType:
    """The kind of a game.

    - `players`: the number of roles other than `random`.
    - `turns`: True if in no state before the end, two players have more than one legal move each.
    - `together`: the share of the states of playouts in which they have.
    - `constant_sum`: True if the players' goals have the same sum at every end (False for one player).
    - `opposed`: True if no end was better for every player than another one, so that they cannot gain together.
    - `chance`: True if there is a role `random`.
    - `hidden`: True if players see percepts, not states.
    - `proved`: those of `TURNS` and `CONSTANT_SUM` that are proved.
    - `ends`: the number of ends of playouts that were seen; without any, nothing is known about goals.
    - `total`: the sum of the players' goals if it is constant, else None.
    - `plies`: the approximate length of a random playout; infinite without ends.
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
    total: int | None = None

    @property
    def single(self) -> bool:
        """True if one player plays alone, without chance."""
        return self.players == 1 and not self.chance

    @property
    def duel(self) -> bool:
        """True if two players take turns, apart from few states, with full information and without chance."""
        return self.players == 2 and self.together <= _RARELY and not self.chance and not self.hidden

    def describe(self) -> str:
        """Describe the kind in one line, and mark what was only observed in playouts."""
        counted = {0: "no player", 1: "one player", 2: "two players"}.get(self.players, f"{self.players} players")
        parts = [counted]
        if self.players > 1:
            at_once = f"at once in {self.together:.1%} of states"
            parts.append(self._with_reserve(TURNS, "in turns") if self.turns else at_once)
            if not self.ends:
                parts.append("goals unknown")
            elif self.constant_sum:
                parts.append(self._with_reserve(CONSTANT_SUM, "constant sum"))
            else:
                parts.append("opposed (as far as seen)" if self.opposed else "not constant sum")
        parts += ["with chance"] * self.chance + ["hidden states"] * self.hidden
        return ", ".join(parts)

    def _with_reserve(self, what: str, text: str) -> str:
        return text if what in self.proved else f"{text} (as far as seen)"


def classify_game(game: Engine, *, seconds: float = 5.0, seed: int = 0, prove: bool = True) -> GameType:
    """Return the type of a game, found within about `seconds`. With enough time, the same seed gives the same type.

    Without `prove`, nothing is proved, which saves time.
    """
    seed = checked_seed(seed)
    roles = tuple(game.roles)
    players = [number for number, role in enumerate(roles) if not is_nature(role)]
    compiled = _as_simulator(game)
    if compiled is None:
        seen = _observe_playouts(game, players, seed, monotonic() + seconds)
    else:
        seen = observed(compiled.circuit, players, seed, seconds)
    goals = seen.goals
    sums = {sum(goal) for goal in goals}
    constant_sum = len(players) > 1 and len(sums) == 1
    kind = GameType(
        roles=roles,
        players=len(players),
        turns=not seen.together,
        together=seen.together / max(1, seen.states),
        constant_sum=constant_sum,
        opposed=len(players) > 1 and bool(goals) and _are_opposed(goals),
        chance=len(players) < len(roles),
        hidden=hides_states(game),
        ends=seen.ends,
        plies=seen.states / seen.ends if seen.ends else inf,
        total=next(iter(sums)) if constant_sum else None,
    )
    if compiled is None or not prove:
        return kind
    return replace(kind, proved=_prove_traits(compiled.circuit, kind, players, goals))


def _as_simulator(game: Engine) -> Simulator | None:
    """Return the game if it is compiled, otherwise None."""
    from gdl.simulator.simulator import (
        Simulator,  # imported late, so that the help text of a Reasoner does not load the compiler
    )

    return game if isinstance(game, Simulator) else None


def _are_opposed(goals: set[tuple[int, ...]]) -> bool:
    """Return True if no end is better for every player than another one."""
    return not any(all(a > b for a, b in zip(first, second, strict=True)) for first, second in product(goals, goals))


def _observe_playouts(game: Engine, players: Sequence[int], seed: int, until: float) -> Seen:
    """Return what random playouts of any engine show."""
    random, seen = Random(seed), Seen()
    for _ in range(_PLAYOUTS):
        state: Any = game.initial_state()
        for _ in range(_PLIES):
            if monotonic() > until and seen.ends:
                return seen
            if game.is_terminal(state):
                seen.ends += 1
                seen.note(tuple(_goal_or_none(game, state, game.roles[number]) for number in players))
                break
            try:
                legal = [game.legal_moves(state, role) for role in game.roles]
                state = game.next_state(state, [random.choice(moves) for moves in legal])
            except (GdlError, IndexError):  # the playout cannot go on from this state
                break
            seen.states += 1
            seen.together += sum(len(legal[number]) > 1 for number in players) > 1
    return seen


def _goal_or_none(game: Engine, state: Any, role: str) -> int:
    try:
        return game.goal(state, role)
    except GoalError:
        return -1


def _prove_traits(
    circuit: GameCircuit, kind: GameType, players: Sequence[int], goals: set[tuple[int, ...]]
) -> frozenset[str]:
    """Return the traits of a game that hold in every state. Needs clingo."""
    from gdl.circuit.analysis.theorems import add_up, take_turns

    proved = set()
    if kind.players > 1 and kind.turns and take_turns(circuit, players):
        proved.add(TURNS)
    if kind.constant_sum and add_up(circuit, players, sum(next(iter(goals)))):
        proved.add(CONSTANT_SUM)
    return frozenset(proved)
