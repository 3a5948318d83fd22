"""Check a proof independently: each claim is compared with the claims about the next states.

Nothing is used except the rules. If every state's claims follow from those of the states after it, then, by induction
over distances and over values from the best down, each role can force the values that are claimed for it. Nor can it
force more: if no more is claimed in a state, the others can stay in states in which no more is claimed, for ever if
necessary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.codegen.array_types import I64_1, U64_1, U64_2
from gdl.codegen.compiled_functions import compiled
from gdl.errors import GdlError
from gdl.simulator.hashing import row_hashes, same_row
from ggp.solver.budget import Progress
from ggp.solver.goals import highest_goals
from ggp.solver.rule_checks import ODD, CompiledRules, ReasonedRules, Rules, Said, UnknownFactError
from ggp.solver.worth import Sure, Worth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl import Reasoner, Simulator
    from ggp.solver.proof import Proof

#: The number of states that are checked together.
_BATCH: Final = 1 << 14

#: The number of states that are also checked by the Reasoner.
_SAMPLE: Final = 100


class WrongProofError(Exception):
    """A claim of the proof does not follow; the text describes it."""


@final
@dataclass(frozen=True, slots=True)
class Checked:
    """A correct proof: the values of its states, and the number of states also checked by the Reasoner."""

    worth: Worth
    states: int
    by_reasoner: int


def verify(proof: Proof, reasoner: Reasoner, simulator: Simulator | None, progress: Progress) -> Checked:
    """Check a whole proof; without a Simulator, by the Reasoner alone. Raises WrongProofError."""
    checker = _Checker(proof, reasoner, simulator, progress)
    try:
        return checker.run()
    except UnknownFactError as error:
        raise WrongProofError(f"there are {error}") from None


class _Checker:
    def __init__(self, proof: Proof, reasoner: Reasoner, simulator: Simulator | None, progress: Progress) -> None:
        self._proof, self._reasoner, self._progress = proof, reasoner, progress
        self._simulator = simulator
        words = proof.states.shape[1]
        if proof.roles != reasoner.roles:
            raise WrongProofError(f"it is about the roles {_cut(', '.join(proof.roles))}")
        try:
            self._by_reasoner = ReasonedRules(reasoner, proof.facts, words)
            self._rules: Rules = (
                self._by_reasoner if simulator is None else CompiledRules(simulator, proof.facts, words)
            )
        except (UnknownFactError, GdlError) as error:
            raise WrongProofError(f"there are {error}") from None
        self._lookup = Lookup(proof.states)
        self._reached = np.zeros(len(proof.states), np.bool_)
        self._outcomes: set[tuple[int, ...]] = set()

    def run(self) -> Checked:
        proof = self._proof
        states = len(proof.states)
        self._check_values()
        self._check_root()
        self._refuse(self._lookup.find(proof.states) != np.arange(states), 0, "appears twice")
        for begin in range(0, states, _BATCH):
            end = min(states, begin + _BATCH)
            self._check_batch(begin, end)
            self._progress(f"{end:,} of {states:,} states checked")
        self._reached[0] = True
        self._refuse(~self._reached, 0, "does not follow any of the states before it")
        asked = states
        if self._simulator is not None:
            asked = self._check_sample()
        return Checked(self._worth(), states, asked)

    def _check_values(self) -> None:
        proof = self._proof
        for values, rank in zip(proof.values, proof.rank, strict=True):
            if list(values) != sorted(set(values)) or rank.min() < -1 or rank.max() >= len(values):
                raise WrongProofError("its values are not in ascending order, or its ranks are out of range")
            if values and not 0 <= values[0] <= values[-1] <= 100:
                raise WrongProofError("its values are not goal values, from 0 to 100")

    def _check_root(self) -> None:
        """Check that the first state is the one after the moves."""
        game = self._reasoner
        state = game.initial_state()
        try:
            for joint in self._proof.moves:
                if game.is_terminal(state):
                    raise WrongProofError("its moves continue after the end of the game")
                state = game.next_state(state, joint)
        except GdlError as error:
            raise WrongProofError(f"its moves cannot be played: {error}") from None
        if not np.array_equal(self._by_reasoner.row(state), self._proof.states[0]):
            raise WrongProofError("its first state is not the one that its moves lead to")

    def _check_batch(self, begin: int, end: int) -> None:
        """Check all claims about some states."""
        said = self._rules.say(self._proof.states[begin:end])
        going = ~said.terminal
        self._refuse(going & (said.mover == ODD), begin, "has several roles with a choice, or one without a move")
        children = self._lookup.find(said.children)
        missing = np.zeros(end - begin, np.bool_)
        missing[said.parents[children < 0]] = True
        self._refuse(missing, begin, "has a next state that the proof does not have")
        self._reached[children[children > said.parents + begin]] = True
        self._check_ends(said, begin)
        if going.any():
            for role in range(len(self._proof.roles)):
                self._check_role(said, children, np.flatnonzero(going), role, begin)

    def _check_ends(self, said: Said, begin: int) -> None:
        """Check that each role has its goal in terminal states, in 0 plies."""
        proof = self._proof
        over = said.terminal
        for goals in np.unique(said.goals[over], axis=0):
            self._outcomes.add(tuple(map(int, goals)))
        for role, values in enumerate(proof.values):
            rank, distance = (array[role, begin : begin + len(over)] for array in (proof.rank, proof.distance))
            claimed = np.array([*values, -1])[rank]
            wrong = (rank < 0) | (claimed != said.goals[:, role]) | (distance != 0)
            self._refuse(over & wrong, begin, f"is terminal with another goal of {proof.roles[role]} than claimed")

    def _check_role(self, said: Said, children: Any, going: Any, role: int, begin: int) -> None:
        """Check the claims about one role in states that are not terminal."""
        proof = self._proof
        name = proof.roles[role]
        starts = np.searchsorted(said.parents, going)
        own = said.mover[going] == role
        rank, distance = proof.rank[role][begin + going], proof.distance[role][begin + going]
        after = proof.rank[role][children]
        expected = np.where(own, np.maximum.reduceat(after, starts), np.minimum.reduceat(after, starts))
        self._refuse_some(going[rank > expected], begin, f"claims more for {name} than can be forced")
        self._refuse_some(going[rank < expected], begin, f"claims less for {name} than can be forced")
        # Among next states with the same value, the role chooses the nearest end, the others the farthest.
        same = after == np.repeat(rank, np.diff(np.append(starts, len(after))))
        plies = proof.distance[role][children].astype(np.int64)
        nearest = np.minimum.reduceat(np.where(same, plies, np.iinfo(np.int64).max - 1), starts)
        farthest = np.maximum.reduceat(np.where(same, plies, -2), starts)
        expected = np.where(rank < 0, -1, np.where(own, nearest, farthest) + 1)
        self._refuse_some(going[distance != expected], begin, f"has a wrong number of plies for {name}")

    def _check_sample(self) -> int:
        """Check some states also by the Reasoner; return their number."""
        states = self._proof.states
        chosen = np.unique(np.linspace(0, len(states) - 1, _SAMPLE).astype(np.int64))
        rows = np.ascontiguousarray(states[chosen])
        self._progress(f"{len(chosen)} states by the Reasoner")
        first, second = self._rules.say(rows), self._by_reasoner.say(rows)
        over = second.terminal
        different = (first.terminal != over) | (over & (first.goals != second.goals).any(axis=1))
        different |= ~over & (first.mover != second.mover)
        for place in range(len(chosen)):
            one, other = (_sorted(said.children[said.parents == place]) for said in (first, second))
            different[place] |= not over[place] and not np.array_equal(one, other)
        for place in np.flatnonzero(different)[:1]:
            raise WrongProofError(f"the engines do not agree on state {chosen[place]:,}: {self._text(chosen[place])}")
        return len(chosen)

    def _refuse(self, wrong: Any, begin: int, what: str) -> None:
        """Raise WrongProofError for the first state of a mask, if there is one."""
        self._refuse_some(np.flatnonzero(wrong), begin, what)

    def _refuse_some(self, places: Any, begin: int, what: str) -> None:
        for place in places[:1]:
            number = begin + int(place)
            raise WrongProofError(f"state {number:,} {what}: {self._text(number)}")

    def _text(self, number: int) -> str:
        proof = self._proof
        bits = np.unpackbits(proof.states[number].view(np.uint8), bitorder="little")[: len(proof.facts)]
        text = " ".join(proof.facts[place] for place in np.flatnonzero(bits))
        return _cut(text)

    def _worth(self) -> Worth:
        proof = self._proof
        outcomes = tuple(sorted(self._outcomes))
        top = highest_goals(self._simulator, outcomes, len(proof.roles))
        sure = tuple(Sure(*claims) for claims in zip(proof.values, proof.rank, proof.distance, strict=True))
        return Worth(proof.roles, outcomes, top, sure)


def _cut(text: str) -> str:
    return text if len(text) < 400 else text[:400] + " ..."


def _sorted(rows: Any) -> Any:
    """Return rows in an order that does not depend on the given order."""
    return rows[np.lexsort(rows.T)]


@compiled
def _find(
    states: U64_2, keys: U64_1, order: I64_1, starts: I64_1, shift: int, rows: U64_2, wanted: U64_1, numbers: I64_1
) -> None:
    """Write the number of each row among the states to `numbers`, -1 if it is none of them.

    `starts` has the position of the first key for each value of the leading bits.
    """
    for i in range(len(rows)):
        numbers[i] = -1
        part = np.int64(wanted[i] >> np.uint64(shift))
        for place in range(starts[part], starts[part + 1]):
            if keys[place] != wanted[i]:
                continue
            number = order[place]
            if same_row(states, number, rows, i, rows.shape[1]):
                numbers[i] = number
                break


@final
class Lookup:
    """An index of states by their bits."""

    def __init__(self, states: NDArray[np.uint64]) -> None:
        """Sort the states by their hashes."""
        self._states = states
        keys = row_hashes(states)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        bits = max(1, len(states).bit_length())
        self._shift = 64 - bits
        parts = (self._keys >> np.uint64(self._shift)).astype(np.int64)
        self._starts = np.searchsorted(parts, np.arange((1 << bits) + 1)).astype(np.int64)

    def find(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the number of each row, -1 if it is none of the states."""
        rows = np.require(rows, np.uint64, ["C", "W"])
        wanted = row_hashes(rows)
        numbers = np.empty(len(rows), np.int64)
        _find(self._states, self._keys, self._order, self._starts, self._shift, rows, wanted, numbers)
        return numbers
