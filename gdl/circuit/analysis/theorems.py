"""Proofs that players take turns, or that their goals add up to a constant. They need clingo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Final, final

from gdl.circuit.analysis.playouts import goals_of
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover
from gdl.circuit.sampling import Lanes

#: The largest number of combinations of goal values for which a proof is tried.
_COMBINATIONS: Final = 400


def take_turns(game: GameCircuit, players: Sequence[int]) -> bool:
    """Return True if it is proved that only one of some roles has a choice in any state that is not terminal."""
    extended = _Extended(game)
    choosing = tuple(extended.any_of(_chosen(game, number)) for number in players)
    return holds(extended.game(), Claim("at most one", choosing), terminal=False)


def add_up(game: GameCircuit, players: Sequence[int], total: int) -> bool:
    """Return True if it is proved that the goals of some roles add up to a total in every terminal state."""
    every = goals_of(game, players)
    if not game.one_goal.issuperset(players) or prod(map(len, every)) > _COMBINATIONS:
        return False
    extended = _Extended(game)
    others = [combination for combination in product(*every) if sum(value for value, _ in combination) != total]
    wrong = tuple(extended.all_of([literal for _, literal in combination]) for combination in others)
    return holds(extended.game(), Claim("none", wrong), terminal=True)


def _chosen(game: GameCircuit, role: int) -> list[int]:
    """Return the literals that make a role's moves legal, except for a move such as `noop` that may be its only one.

    That is a move whose name no other move of the role has.
    """
    moves = game.moves_of(role)
    names: dict[str, list[int]] = {}
    for number in moves:
        term = game.moves[number][1]
        names.setdefault(getattr(term, "name", term.text), []).append(number)
    alone = min(names.values(), key=len, default=[])
    passing = alone[0] if len(alone) == 1 else -1
    return [game.legal[number] for number in moves if number != passing]


@final
class _Extended:
    """A game with further gates, so that claims can be made about ORs and ANDs of its literals."""

    def __init__(self, game: GameCircuit) -> None:
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


def holds(game: GameCircuit, claim: Claim, *, terminal: bool) -> bool:
    """Return True if a claim is proved of every terminal state, or of every state that is not terminal. Needs clingo.

    It is proved if no state that satisfies the known claims breaks it; or if the initial state does not, and no step
    from such a state leads to one that does.
    """
    known = [Claim("some" if holds else "none", (game.fact(number),)) for number, holds in game.constants.items()]
    for group in game.circuit.laws.groups:
        if group.nodes[0] <= len(game.facts):  # the other groups are of moves
            literals = tuple(2 * node for node in group.nodes)
            known += [Claim("at most one", literals), *[Claim("some", literals)] * group.exact]
    for step in (False, True):
        if step and _broken_at_first(game, claim, terminal=terminal):
            return False
        prover = Prover(game, known, (), [claim], step=step, ending=True, effort=Effort())
        try:
            found = prover.counterexample([claim], (), terminal=terminal)
        except OutOfTime:
            continue
        if not isinstance(found, Counterexample):
            return True
    return False


def _broken_at_first(game: GameCircuit, claim: Claim, *, terminal: bool) -> bool:
    lane = Lanes(game, 1, [game.terminal, *claim.literals])
    lane.set_facts([int(holds) for holds in game.init])
    return lane.read([game.terminal]) == [int(terminal)] and claim.broken(lane.values, lane.full) != 0
