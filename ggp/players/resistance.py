"""Resist: of several moves with the same sure goal, find the one that others are most likely to answer wrongly.

    resistance = Resistance("black", seed)
    resistance.saw(turn)                                        # each turn of the match
    found = resistance.choose(world, state, candidates, deadline, work)
    found.move, found.note                                      # "lost by force; 1 reply of 9 keeps it"

Others are taken for searches of a few simulations; how many is fitted to their moves so far. A move is worth what it is
expected to bring if they answer like that, by a longer search of what follows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import product
from math import log, prod
from typing import TYPE_CHECKING, Final, final

from ggp.players.clock import NEVER, Deadline
from ggp.players.finishing import Candidates
from ggp.players.player import UNKNOWN, Turn

if TYPE_CHECKING:
    from gdl.engine import State
    from gdl.simulator.packed_state import PackedState
    from gdl.terms import Term
    from ggp.players.mcts.tree import Node
    from ggp.players.mcts.world import LanesWorld

#: The simulations that others may be taken for, and the number of them before anything is known.
_STRENGTHS: Final = (16, 64, 256, 1024, 4096)
_USUAL: Final = 256

#: A search of what follows an answer is longer than that by this factor.
_LONGER: Final = 2

#: The share of the time or of the work for counting the replies that keep what others have.
_COUNTING: Final = 0.1

#: The latest joint moves from which the strength of others is found, and the least probability of a move.
_KEPT: Final = 8
_RARE: Final = 0.02

#: Answers with a smaller share are left out, and if several roles choose at once, each keeps at most this many.
_SELDOM: Final = 0.05
_MOST: Final = 3

#: The most plies of others before the role chooses again.
_DEEPEST: Final = 3

#: The most rounds after the first one, each with another sample of what others do.
_ROUNDS: Final = 5

#: Leaves of a search selected together, as a share of its visits, and the bytes for its tree.
_LEAVES: Final = 0.2
_MEMORY: Final = 1 << 24

#: What a ply more until a proved end is worth, at most in all.
_LATER: Final = 0.0005
_LATEST: Final = 0.02

#: The probability that others find a move that keeps what they have.
_FIND: Final = 0.9

#: Differences of what moves are worth that say nothing, as a share of the best hope.
_NOISE: Final = 0.2

#: The largest number of moves that are compared.
_COMPARED: Final = 8

#: Goals, from 0 to 1, that differ by less are equal.
_EQUAL: Final = 1e-5

#: Returns the goal of the role that is proved in a state, 0 to 1, and the plies until then; None if there is none.
Known = Callable[["PackedState"], "tuple[float, int] | None"]


@final
@dataclass(frozen=True, slots=True)
class Resisting:
    """The move that was chosen, and a remark for spectators."""

    move: Term
    note: str


class _OverError(Exception):
    """There is no time for another search."""


@final
class Resistance:
    """Chooses the moves of one role of a match where it cannot force more. Not thread-safe."""

    def __init__(self, role: str, seed: int) -> None:
        """Begin without any moves of others."""
        self._role, self._seed = role, seed
        self._seen: deque[tuple[State, tuple[Term, ...]]] = deque(maxlen=_KEPT)
        self._before: State | None = None
        self._others: Others | None = None

    def saw(self, turn: Turn) -> None:
        """Take note of the joint move that led to a turn, and of the state."""
        if turn.moves is not None and self._before is not None:
            self._seen.append((self._before, turn.moves))
        self._before = turn.state

    def choose(
        self,
        world: LanesWorld,
        state: State,
        candidates: Candidates,
        deadline: Deadline,
        work: int | None,
        known: Known = lambda _: None,
    ) -> Resisting:
        """Return the move that is expected to bring most. `work` limits the simulations."""
        if self._others is None or self._others.world is not world:
            self._others = Others(world, self._role, self._seed)
        return self._others.compared(state, candidates, self._seen, deadline, work, known)


@final
class Others:
    """The model of the other roles: a search of the same kind, with few simulations."""

    def __init__(self, world: LanesWorld, role: str, seed: int) -> None:
        """Make the search."""
        from ggp.players.mcts.options import Options
        from ggp.players.mcts.search import Search

        self.world = world
        self._game, self._me = world.simulator, world.roles.index(role)
        self._search = Search(world, seed, Options(memory=_MEMORY, leaves_share=_LEAVES))
        #: The logarithm of the probability of the moves that were seen, for each strength.
        self._odds = [-abs(log(strength / _USUAL)) / 4 for strength in _STRENGTHS]
        self._deadline, self._last = NEVER, 1 << 62
        self._known: Known = lambda _: None
        self._assumed = _USUAL

    @property
    def strength(self) -> int:
        """The simulations that others are taken for."""
        return _STRENGTHS[self._odds.index(max(self._odds))]

    def compared(
        self,
        state: State,
        candidates: Candidates,
        seen: MutableSequence[tuple[State, tuple[Term, ...]]],
        deadline: Deadline,
        work: int | None,
        known: Known = lambda _: None,
    ) -> Resisting:
        """Return the best of some moves; the first one if there is no time to compare them. Takes from `seen`."""
        game, search, moves = self._game, self._search, candidates.moves[:_COMPARED]
        packed = game.state(state)
        self._known = known
        counting = _COUNTING * deadline.left() if deadline.at is not None else 0.0
        last = 1 << 62 if work is None else search.simulations + work
        self._deadline, self._last = deadline.earlier(counting), last - (0 if work is None else int(_COUNTING * work))
        samples: list[list[float]] = [[] for _ in moves]
        left = list(range(len(moves)))
        try:
            while seen:
                self._fit(game.state(seen[0][0]), seen[0][1])
                del seen[0]
            for strength in reversed(_STRENGTHS[: _STRENGTHS.index(self.strength) + 1]):
                self._assumed = strength
                for number in left:
                    samples[number] = [self._worth(packed, moves[number], candidates.floor)]
                # If others like that would win whatever is done, only weaker ones matter.
                if max(samples)[0] > candidates.floor + _LATEST:
                    break
            for _ in range(_ROUNDS):
                left.sort(key=lambda number: -sum(samples[number]) / len(samples[number]))
                left = left[: max(2, len(left) // 2)]
                for number in left:
                    samples[number].append(self._worth(packed, moves[number], candidates.floor))
        except _OverError:
            left = [number for number in left if samples[number]] or left[:1]
        means = [sum(samples[number]) / max(1, len(samples[number])) for number in left]
        # Noise must not decide against the move that would be made without a comparison.
        least = max(means) - _NOISE * max(0.0, max(means) - candidates.floor)
        best = moves[min(number for number, mean in zip(left, means, strict=True) if mean >= least)]
        self._deadline, self._last = deadline, last
        counted = self._counted(packed, best, candidates.floor)
        return Resisting(best, "; ".join(filter(None, (candidates.verdict, counted))))

    def _fit(self, state: PackedState, moves: Sequence[Term]) -> None:
        """Find out from a joint move how strong others are."""
        root = self._looked(state, 0)
        nature, others = self.world.nature, []
        for role, count in enumerate(root.choices):
            if count > 1 and role not in (self._me, nature):
                others.append(role)
        odds = list(self._odds)
        for place, strength in enumerate(_STRENGTHS if others else ()):
            self._looked(state, strength)
            odds[place] += sum(log(max(_RARE, self._shares(role).get(moves[role], 0.0))) for role in others)
        self._odds = odds

    def _looked(self, state: PackedState, simulations: int, *, whole: bool = True) -> Node:
        """Search from a state, and return the root. Raises _OverError if there is no time for the whole search."""
        from ggp.players.mcts.tree import ROOT, Node

        search, begun = self._search, self._search.simulations
        search.forget()
        search.advance(state)
        search.run(deadline=self._deadline, simulations=min(simulations, max(0, self._last - begun)))
        if whole and search.simulations - begun < simulations and not search.proven:
            raise _OverError
        return Node(search.tree, int(search.tree.counts[ROOT]))

    def _shares(self, role: int) -> dict[Term, float]:
        """Return the probabilities of a role's moves at the root of the last search."""
        found = self._search.statistics(role)
        if role == self.world.nature:
            return dict.fromkeys((one.move for one in found), 1 / len(found))
        best = self._search.best_move(role)
        if any(one.proven and one.move == best for one in found):
            return {best: 1.0}
        # A search plays the move that it has visited most; which one that is varies if others have nearly as many.
        weights = {one.move: float(one.visits) ** 2 for one in found}
        total = sum(weights.values())
        return {move: weight / total for move, weight in weights.items() if weight >= _SELDOM * total} or {best: 1.0}

    def _worth(self, state: PackedState, move: Term, sure: float) -> float:
        """Return what a move is expected to bring, 0 to 1."""
        return sum(share * self._value(after, sure, 0) for share, after in self._following(state, move))

    def _value(self, state: PackedState, sure: float, plies: int) -> float:
        root = self._looked(state, 0)
        if root.proof >= 0 or root.choices[self._me] > 1 or plies >= _DEEPEST:
            return self._hope(state, sure)
        return sum(share * self._value(after, sure, plies + 1) for share, after in self._following(state, None))

    def _following(self, state: PackedState, move: Term | None) -> list[tuple[float, PackedState]]:
        """Return the states after a move of the role, None for its only one, with their probabilities."""
        root = self._looked(state, 0)
        choosing = [role for role, count in enumerate(root.choices) if count > 1 and role != self._me]
        if choosing:
            self._looked(state, self._assumed)
        shares = []
        for role in range(len(root.choices)):
            only = self._search.statistics(role)[0].move if move is None or role != self._me else move
            shares.append(self._shares(role) if role in choosing else {only: 1.0})
        if len(choosing) > 1:
            shares = [dict(sorted(one.items(), key=lambda own: -own[1])[:_MOST]) for one in shares]
        joint = [(prod(share for _, share in moves), moves) for moves in product(*(one.items() for one in shares))]
        total = sum(share for share, _ in joint)
        return [(share / total, self._game.next_state(state, [own for own, _ in moves])) for share, moves in joint]

    def _hope(self, state: PackedState, sure: float) -> float:
        """Return what the role hopes for in a state: what is proved, late before soon, or else what playouts say."""
        from ggp.players.mcts.tree import MAX_OUTCOMES

        goal, plies = self._known(state) or (None, None)
        if goal is not None and goal > sure + _EQUAL:
            return goal
        root = self._looked(state, _LONGER * self._assumed)
        if root.proof >= 0:
            goal = self._proved(root.proof)
            # What such a search proves, others do not miss.
            return goal if goal > sure + _EQUAL else sure + min(_LATER * (root.proof // MAX_OUTCOMES), _LATEST)
        edges = [edge for edge in root.edges(self._me) if edge.visits]
        best = max(edges, key=lambda edge: edge.visits, default=None)
        looks = UNKNOWN if best is None else best.value / best.visits
        if plies is not None:
            looks = sure + (looks - sure) * (1 - _FIND ** (plies / 2))
        return max(sure, looks)

    def _proved(self, proof: int) -> float:
        from ggp.players.mcts.tree import MAX_OUTCOMES

        return float(self._search.tree.outcomes[proof % MAX_OUTCOMES, self._me])

    def _counted(self, state: PackedState, move: Term, sure: float) -> str:
        """Say how many replies to a move keep what others have; empty if that is not known."""
        try:
            ((_, after),) = self._following(state, move)
            replies = self._replies(after)
            goals = [self._known_goal(reply) for reply in replies]
        except (_OverError, ValueError):  # others choose at the same time
            return ""
        keeping = sum(goal is None or goal <= sure + _EQUAL for goal in goals)
        unclear = None in goals
        if not goals or keeping == len(goals):
            return "" if unclear or not goals else "every reply keeps it"
        verb = "1 reply of {} keeps it" if keeping == 1 else f"{keeping} replies of {{}} keep it"
        return ("at most " if unclear else "") + verb.format(len(goals))

    def _replies(self, state: PackedState) -> list[PackedState]:
        """Return the states after each move of the only other role that chooses in a state; empty if there is none."""
        root = self._looked(state, 0)
        if root.proof >= 0 or root.mover in (-1, self._me, self.world.nature) or root.choices[root.mover] < 2:
            return []
        moves = [[one.move for one in self._search.statistics(role)] for role in range(len(root.choices))]
        return [self._game.next_state(state, joint) for joint in product(*(set(own) for own in moves))]

    def _known_goal(self, state: PackedState) -> float | None:
        """Return the goal that the role is proved to get from a state; None if none is."""
        known = self._known(state)
        if known is not None:
            return known[0]
        proof = self._looked(state, _LONGER * self._assumed, whole=False).proof
        return self._proved(proof) if proof >= 0 else None
