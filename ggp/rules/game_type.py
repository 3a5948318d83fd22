"""What kind of game some rules describe: how many play, in turns or at once, against each other, with chance or not.

    kind = game_kind(gdl.Simulator.load("games/classics/connect_four.kif"))
    print(kind.describe())        # two players, in turns, constant sum

Roles, chance and hidden states are read from the rules. The rest is what random playouts show; where the game is a
Simulator, it is also tried to prove it of every state, with what the compiler has proved before: `proved` says of what
that was possible. A kind that is not proved may be wrong about states that random play does not reach.
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

#: Playouts of a Reasoner, and the plies of each at most.
_PLAYOUTS: Final = 30
_PLIES: Final = 200

#: Playouts of a circuit side by side, the steps that they take at most, and how many inputs of gates in all.
_LANES: Final = 256
_STEPS: Final = 400
_LONGEST: Final = 2_000
_WORK: Final = 3_000_000

#: Players may choose at once in such a share of the states of a game that counts as one of turns.
_RARELY: Final = 0.05

#: Combinations of goal values, for so many of which a proof is tried.
_COMBINATIONS: Final = 400

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


@dataclass(slots=True)
class _Seen:
    """What playouts have shown: states, those in which several players chose; ends, the players' goals there."""

    states: int = 0
    together: int = 0
    ends: int = 0
    goals: set[tuple[int, ...]] = field(default_factory=set)

    def note(self, goals: tuple[int, ...]) -> None:
        """The goals of an end; -1 where there is none."""
        if min(goals, default=-1) >= 0:
            self.goals.add(goals)


def game_kind(game: Engine, *, seconds: float = 5.0, seed: int = 0) -> Kind:
    """The kind of a game, found within about so many seconds; the same seed gives the same kind if they are enough."""
    roles = tuple(game.roles)
    players = [number for number, role in enumerate(roles) if not is_nature(role)]
    compiled = _simulator(game)
    if compiled is None:
        seen = _sampled(game, players, seed, monotonic() + seconds)
    else:
        seen = _sampled_lanes(compiled._game, players, seed, seconds)
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
    return kind if compiled is None else replace(kind, proved=_proved(compiled._game, kind, players, goals))


def _simulator(game: Engine) -> Simulator | None:
    """The game if it is compiled."""
    from gdl.simulator.simulator import (
        Simulator,  # late, so that nothing of the compiler is loaded for a Reasoner's help text
    )

    return game if isinstance(game, Simulator) else None


def _opposed(goals: set[tuple[int, ...]]) -> bool:
    """Whether no end is better for every player than another one."""
    return not any(all(a > b for a, b in zip(first, second, strict=True)) for first, second in product(goals, goals))


def _sampled(game: Engine, players: Sequence[int], seed: int, until: float) -> _Seen:
    """What random playouts of any engine show."""
    random, seen = Random(seed), _Seen()
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


def _sampled_lanes(game: GameCircuit, players: Sequence[int], seed: int, seconds: float) -> _Seen:
    """What random playouts of a circuit show, many at a time."""
    from gdl.circuit.sampling import Playouts

    playouts = Playouts(game, _LANES, Random(seed))
    values, seen = playouts.lanes.values, _Seen()
    until, latest = monotonic() + seconds / 2, monotonic() + 2 * seconds
    cost = max(1, sum(map(len, game.circuit.fanins)))
    for step in range(_LONGEST):
        # Some ends must be seen, however long a game is.
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
            for goals in _goals_in(values, _goals_of(game, players), over):
                seen.note(goals)
        playouts.step()
    return seen


#: For a player, goal values with the literals that say that they hold.
_Goals = list[tuple[int, int]]


def _goals_of(game: GameCircuit, players: Sequence[int]) -> list[_Goals]:
    """The goals of each player; what is no whole number is -1."""
    found: list[_Goals] = []
    for number in players:
        own = [(value.text, literal) for (role, value), literal in game.goals.items() if role == number]
        found.append([(int(text) if text.isdecimal() else -1, literal) for text, literal in own])
    return found


def _goals_in(values: Sequence[int], goals: Sequence[_Goals], lanes: int) -> Iterator[tuple[int, ...]]:
    """The players' goals in some lanes: each combination that there is."""
    if not goals:
        yield ()
        return
    for value, literal in goals[0]:
        if held := lanes & values[literal]:
            for others in _goals_in(values, goals[1:], held):
                yield (value, *others)


def _proved(game: GameCircuit, kind: Kind, players: Sequence[int], goals: set[tuple[int, ...]]) -> frozenset[str]:
    """What of a kind holds in every state."""
    from gdl.circuit.proofs.claims import Claim

    if kind.players < 2:
        return frozenset()
    proved = set()
    extended = _Extended(game)
    if kind.turns:
        choosing = [extended.any_of(_chosen(game, number)) for number in players]
        if _holds(extended.game(), Claim("at most one", tuple(choosing)), terminal=False):
            proved.add(TURNS)
    every = _goals_of(game, players)
    if kind.constant_sum and game.one_goal.issuperset(players) and prod(map(len, every)) <= _COMBINATIONS:
        total = sum(next(iter(goals)))
        others = [combination for combination in product(*every) if sum(value for value, _ in combination) != total]
        wrong = tuple(extended.all_of([literal for _, literal in combination]) for combination in others)
        if _holds(extended.game(), Claim("none", wrong), terminal=True):
            proved.add(CONSTANT_SUM)
    return frozenset(proved)


def _chosen(game: GameCircuit, role: int) -> list[int]:
    """The literals of a role's moves that are legal, but for one that may be its only one.

    That is the one whose legality has the fewest others beside it: a move such as `noop`, which stands alone.
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
class _Extended:
    """A game with more gates: what is asked about it is an OR or an AND of its literals."""

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


def _holds(game: GameCircuit, claim: Claim, *, terminal: bool) -> bool:
    """Whether something is true of every state that is over, or of every one that is not. Needs clingo.

    It is if no state is an exception in which the known facts exclude each other; or none after a step from such a
    state, as the playouts have begun with the initial state.
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
