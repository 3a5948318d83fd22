"""Recompute the facts about the states of a proof that follow from the rules, by the Simulator or the Reasoner."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Protocol, final

import numpy as np

from gdl.language.parser import parse_term
from ggp.solver.byrules import row_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gdl import Reasoner, Simulator

#: In `Said.mover`: several roles have a choice, or one has no legal move.
ODD: Final = -2


class UnknownFactError(Exception):
    """The proof has a fact that the game does not have, or no bit for a fact of the game."""


@final
@dataclass(frozen=True, slots=True)
class Said:
    """The consequences of the rules in some states."""

    #: (states,), bool
    terminal: NDArray[np.bool_]
    #: (states, roles), int64: the goals in terminal states; -1 unless there is exactly one value.
    goals: NDArray[np.int64]
    #: (states,), int64: the role that has a choice, 0 if none has, or ODD.
    mover: NDArray[np.int64]
    #: (edges,): the predecessors, sorted, as indices of the states; and the successors, as rows of the proof's bits.
    parents: NDArray[np.int64]
    children: NDArray[np.uint64]


class Rules(Protocol):
    """An engine that evaluates states of a proof."""

    def say(self, states: NDArray[np.uint64]) -> Said:
        """Evaluate states, given as rows of the proof's bits. Raises UnknownFactError."""
        ...


@final
class CompiledRules:
    """Evaluation by the Simulator, many states at once."""

    def __init__(self, simulator: Simulator, facts: Sequence[str], words: int) -> None:
        """Match the facts of the proof with those of the game. Raises UnknownFactError."""
        self._simulator, self._arrays = simulator, simulator.arrays
        own = {fact.text: number for number, fact in enumerate(simulator.all_facts)}
        if not set(facts) <= own.keys() or len(set(facts)) < len(facts):
            raise UnknownFactError("facts that the game does not have")
        self._places = np.array([own[fact] for fact in facts], np.int64)
        self._words = words
        self._same = list(self._places) == list(range(self._arrays.state_words * 64))[: len(facts)]
        self._same = self._same and words == self._arrays.state_words and len(facts) == len(own)

    def say(self, states: NDArray[np.uint64]) -> Said:
        """Evaluate states, given as rows of the proof's bits. Raises UnknownFactError."""
        arrays = self._arrays
        rows = states if self._same else self._there(states)
        looked = arrays.look(rows)
        terminal = (looked[:, 0] & np.uint64(1)) != 0
        counts = np.stack(
            [
                np.bitwise_count(looked[:, first : first + words]).sum(axis=1, dtype=np.int64)
                for first, words in zip(arrays.legal_words, arrays.move_words, strict=True)
            ],
            axis=1,
        )
        mover = np.where(counts > 1, np.arange(counts.shape[1]), 0).max(axis=1)
        mover[((counts > 1).sum(axis=1) > 1) | (counts == 0).any(axis=1)] = ODD
        parents, moves = arrays.joint_moves(looked)
        children = arrays.move(rows[parents], moves)
        goals = arrays.goal_values(looked).astype(np.int64)
        return Said(terminal, goals, mover, parents, children if self._same else self._back(children))

    def _there(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return rows of the proof's bits as rows of the Simulator's."""
        bits = _bits(states)
        out = np.zeros((len(states), 64 * self._arrays.state_words), np.uint8)
        out[:, self._places] = bits[:, : len(self._places)]
        return _packed(out)

    def _back(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        bits = _bits(states)
        out = np.zeros((len(states), 64 * self._words), np.uint8)
        out[:, : len(self._places)] = bits[:, self._places]
        if not np.array_equal(bits.sum(axis=1, dtype=np.int64), out.sum(axis=1, dtype=np.int64)):
            raise UnknownFactError("states with facts that the proof does not know")
        return _packed(out)


@final
class ReasonedRules:
    """Evaluation by the Reasoner, one state at a time."""

    def __init__(self, reasoner: Reasoner, facts: Sequence[str], words: int) -> None:
        """Parse the facts of the proof. Raises TermError."""
        self._reasoner, self._words = reasoner, words
        self._facts = [parse_term(fact) for fact in facts]
        self._numbers = {fact.text: number for number, fact in enumerate(self._facts)}

    def state(self, row: NDArray[np.uint64]) -> Any:
        """Return the Reasoner's state for a row of bits. Raises UnknownFactError."""
        bits = _bits(row[None])[0]
        if bits[len(self._facts) :].any():
            raise UnknownFactError("bits without a fact")
        return self._reasoner.state([self._facts[place] for place in np.flatnonzero(bits)])

    def row(self, state: Any) -> NDArray[np.uint64]:
        """Return the row of bits for a state of the Reasoner. Raises UnknownFactError."""
        row = row_of(state, self._numbers, self._words)
        if row is None:
            raise UnknownFactError("states with facts that the proof does not know")
        return row

    def say(self, states: NDArray[np.uint64]) -> Said:
        """Evaluate states, given as rows of the proof's bits. Raises UnknownFactError."""
        from gdl.errors import GoalError, NoLegalMoveError

        game = self._reasoner
        terminal = np.zeros(len(states), np.bool_)
        goals = np.full((len(states), len(game.roles)), -1, np.int64)
        mover = np.zeros(len(states), np.int64)
        parents, children = [], [np.empty((0, self._words), np.uint64)]
        for place, row in enumerate(states):
            state = self.state(row)
            terminal[place] = game.is_terminal(state)
            if terminal[place]:
                for role, name in enumerate(game.roles):
                    try:
                        goals[place, role] = game.goal(state, name)
                    except GoalError:
                        goals[place, role] = -1
                continue
            try:
                legal = [game.legal_moves(state, role) for role in game.roles]
            except NoLegalMoveError:
                mover[place] = ODD
                continue
            choosing = [role for role, moves in enumerate(legal) if len(moves) > 1]
            mover[place] = (choosing or [0])[0] if len(choosing) < 2 else ODD
            for moves in product(*legal):
                parents.append(place)
                children.append(self.row(game.next_state(state, moves))[None])
        return Said(terminal, goals, mover, np.array(parents, np.int64), np.concatenate(children))


def _bits(rows: NDArray[np.uint64]) -> NDArray[np.uint8]:
    return np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")


def _packed(bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
