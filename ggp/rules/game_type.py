"""Determine the kind of game that rules describe: its players, turns, conflict, chance and hidden states.

    kind = classify_game(gdl.compile("games/classics/connect_four.kif"))
    print(kind.describe())        # two players, in turns, constant sum

Roles, chance and hidden states are read from the rules. The rest is observed in random playouts. If the game is a
Simulator, proofs for all states are also tried, with the help of what the compiler has proved before: `proved` lists
the properties for which they succeeded. Without a proof, a property may fail in states that random play does not reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import inf, prod
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import Engine, hides_states, is_nature
from gdl.errors import GdlError, GoalError

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit
    from gdl.circuit.proofs.claims import Claim
    from gdl.simulator.simulator import Simulator

#: The number of playouts by a Reasoner, and the largest number of plies of each.
_PLAYOUTS: Final = 30
_PLIES: Final = 200

#: For a circuit: the number of parallel playouts, their usual and largest number of steps, and of gate inputs in all.
_LANES: Final = 256
_STEPS: Final = 400
_LONGEST: Final = 2_000
_WORK: Final = 3_000_000

#: The largest share of states in which several players may choose at once, in a game that counts as one of turns.
_RARELY: Final = 0.05

#: The largest number of combinations of goal values for which a proof is tried.
_COMBINATIONS: Final = 400

#: The names of properties that may be proved.
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


@dataclass(slots=True)
class _Observations:
    """Observations in playouts: states, those in which several players chose, ends, and the players' goals there."""

    states: int = 0
    together: int = 0
    ends: int = 0
    goals: set[tuple[int, ...]] = field(default_factory=set)

    def note(self, goals: tuple[int, ...]) -> None:
        """Record the goals at an end; -1 stands for a missing goal."""
        if min(goals, default=-1) >= 0:
            self.goals.add(goals)


def classify_game(game: Engine, *, seconds: float = 5.0, seed: int = 0) -> GameType:
    """Return the kind of a game within about `seconds`; the same seed gives the same kind if the time is enough."""
    roles = tuple(game.roles)
    players = [number for number, role in enumerate(roles) if not is_nature(role)]
    compiled = _as_simulator(game)
    if compiled is None:
        seen = _observe_playouts(game, players, seed, monotonic() + seconds)
    else:
        seen = _observe_lanes(compiled._game, players, seed, seconds)
    goals = seen.goals
    kind = GameType(
        roles=roles,
        players=len(players),
        turns=not seen.together,
        together=seen.together / max(1, seen.states),
        constant_sum=len(players) > 1 and len({sum(goal) for goal in goals}) == 1,
        opposed=len(players) > 1 and bool(goals) and _are_opposed(goals),
        chance=len(players) < len(roles),
        hidden=hides_states(game),
        ends=seen.ends,
        plies=seen.states / seen.ends if seen.ends else inf,
    )
    return kind if compiled is None else replace(kind, proved=_prove_traits(compiled._game, kind, players, goals))


def _as_simulator(game: Engine) -> Simulator | None:
    """Return the game if it is compiled, otherwise None."""
    from gdl.simulator.simulator import (
        Simulator,  # imported late, so that the help text of a Reasoner does not load the compiler
    )

    return game if isinstance(game, Simulator) else None


def _are_opposed(goals: set[tuple[int, ...]]) -> bool:
    """Return True if no end is better for every player than another one."""
    return not any(all(a > b for a, b in zip(first, second, strict=True)) for first, second in product(goals, goals))


def _observe_playouts(game: Engine, players: Sequence[int], seed: int, until: float) -> _Observations:
    """Observe random playouts of any engine."""
    random, seen = Random(seed), _Observations()
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


def _observe_lanes(game: GameCircuit, players: Sequence[int], seed: int, seconds: float) -> _Observations:
    """Observe random playouts of a circuit, many at a time."""
    from gdl.circuit.sampling import Playouts

    playouts = Playouts(game, _LANES, Random(seed))
    values, seen = playouts.lanes.values, _Observations()
    until, latest = monotonic() + seconds / 2, monotonic() + 2 * seconds
    cost = max(1, sum(map(len, game.circuit.fanins)))
    for step in range(_LONGEST):
        # Continue until some ends have been seen, however long the game is.
        if seen.ends and (step > min(_STEPS, _WORK // cost) or monotonic() > until):
            break
        if monotonic() > latest:
            break
        over = values[game.terminal]
        choosing = together = 0
        for number in players:
            one = two = 0
            for move in game.moves_of(number):
                legal = values[game.legal[move]] & ~over
                two |= one & legal
                one |= legal
            together |= choosing & two
            choosing |= two
        seen.states += _LANES - over.bit_count()
        seen.together += together.bit_count()
        if over:
            seen.ends += over.bit_count()
            for goals in _goal_combinations(values, _goal_literals(game, players), over):
                seen.note(goals)
        playouts.step()
    return seen


#: A player's goal values, with the literals that hold when the player has them.
_Goals = list[tuple[int, int]]


def _goal_literals(game: GameCircuit, players: Sequence[int]) -> list[_Goals]:
    """Return the goals of each player; values that are not whole numbers become -1."""
    found: list[_Goals] = []
    for number in players:
        own = [(value.text, literal) for (role, value), literal in game.goals.items() if role == number]
        found.append([(int(text) if text.isdecimal() else -1, literal) for text, literal in own])
    return found


def _goal_combinations(values: Sequence[int], goals: Sequence[_Goals], lanes: int) -> Iterator[tuple[int, ...]]:
    """Yield each combination of the players' goals that occurs in some lanes."""
    if not goals:
        yield ()
        return
    for value, literal in goals[0]:
        if held := lanes & values[literal]:
            for others in _goal_combinations(values, goals[1:], held):
                yield (value, *others)


def _prove_traits(
    game: GameCircuit, kind: GameType, players: Sequence[int], goals: set[tuple[int, ...]]
) -> frozenset[str]:
    """Return the properties of a kind that are proved for every state."""
    from gdl.circuit.proofs.claims import Claim

    if kind.players < 2:
        return frozenset()
    proved = set()
    extended = _ExtendedGame(game)
    if kind.turns:
        choosing = [extended.any_of(_choosing_literals(game, number)) for number in players]
        if _is_proved(extended.game(), Claim("at most one", tuple(choosing)), terminal=False):
            proved.add(TURNS)
    every = _goal_literals(game, players)
    if kind.constant_sum and game.one_goal.issuperset(players) and prod(map(len, every)) <= _COMBINATIONS:
        total = sum(next(iter(goals)))
        others = [combination for combination in product(*every) if sum(value for value, _ in combination) != total]
        wrong = tuple(extended.all_of([literal for _, literal in combination]) for combination in others)
        if _is_proved(extended.game(), Claim("none", wrong), terminal=True):
            proved.add(CONSTANT_SUM)
    return frozenset(proved)


def _choosing_literals(game: GameCircuit, role: int) -> list[int]:
    """Return the literals of a role's moves being legal, except for one that may be its only move.

    The exception is a move whose name no other move has, such as `noop`.
    """
    moves = game.moves_of(role)
    names: dict[str, list[int]] = {}
    for number in moves:
        term = game.moves[number][1]
        names.setdefault(getattr(term, "name", term.text), []).append(number)
    alone = min(names.values(), key=len)
    passing = alone[0] if len(alone) == 1 else -1
    return [game.legal[number] for number in moves if number != passing]


@final
class _ExtendedGame:
    """A game with additional gates, so that proofs can be about ORs and ANDs of its literals."""

    def __init__(self, game: GameCircuit) -> None:
        from gdl.circuit.gates import Circuit

        self._game = game
        self._circuit = Circuit(game.circuit.inputs, game.circuit.laws)
        self._circuit.fanins = list(game.circuit.fanins)
        self._circuit.loops = list(game.circuit.loops)

    def any_of(self, literals: Sequence[int]) -> int:
        return self._circuit.or_(literals)

    def all_of(self, literals: Sequence[int]) -> int:
        return self._circuit.and_(literals)

    def game(self) -> GameCircuit:
        return replace(self._game, circuit=self._circuit)


def _is_proved(game: GameCircuit, claim: Claim, *, terminal: bool) -> bool:
    """Return True if a claim is proved for every terminal state, or for every other state. Needs clingo.

    It is proved if there is no counterexample among the states in which the known facts exclude each other, or else
    none after a step from such a state; for the initial state, the playouts have confirmed it.
    """
    from gdl.circuit.proofs.claims import Claim
    from gdl.circuit.proofs.effort import Effort
    from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover

    known = [Claim("some" if holds else "none", (game.fact(number),)) for number, holds in game.constants.items()]
    for group in game.circuit.laws.groups:
        if group.nodes[0] <= len(game.facts):  # the others are of moves
            literals = tuple(2 * node for node in group.nodes)
            known += [Claim("at most one", literals), *[Claim("some", literals)] * group.exact]
    for step in (False, True):
        prover = Prover(game, known, (), [claim], step=step, ending=True, effort=Effort())
        try:
            found = prover.counterexample([claim], (), terminal=terminal)
        except OutOfTime:
            continue
        if not isinstance(found, Counterexample):
            return True
    return False
