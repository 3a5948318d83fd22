"""The extensive form of a game: every line of play from a position on, and what each player knows at each decision.

In one ply, chance chooses first, then one player after the other; none of them sees the choices of that ply. An
information set has the decisions that a player cannot tell apart: those that follow the same own moves and percepts.
Without rules for `sees`, players see all moves of the plies before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.engine import hides_states, is_nature
from gdl.errors import NoLegalMoveError
from ggp.solver.budget import SolverBudget
from ggp.solver.errors import NotSolvableError, without_move

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.engine import Engine
    from gdl.terms import Term

#: In `Tree.player`: a chance node, and an end.
CHANCE: Final = -1
END: Final = -2

#: The number of plies that a line of play may have.
_LONGEST: Final = 1_000

#: The estimated size of a node, and of what is kept about a state, in bytes.
_NODE: Final = 350
_STATE: Final = 2_500

#: The number of plies played between two looks at the clock.
_STRIDE: Final = 1_000

#: What a role has seen after a ply: percepts, or the other roles' moves as pairs of role and move.
Seen = tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class InformationSet:
    """The decisions that a player cannot tell apart, and the legal moves there.

    A slot stands for a move in an information set; the slots of a player are numbered from 1 on. `first` is the slot of
    the first move, and `before` is the slot of the player's last choice before; 0 if there was none. `memory` has what
    the player knows, ply by ply: its move, or None if there was no choice, and what it saw after that.
    """

    player: int
    moves: tuple[Term, ...]
    first: int
    before: int
    memory: tuple[tuple[Term | None, Seen], ...]

    def text(self) -> str:
        """Return what the player knows in one line."""
        known = []
        for move, seen in self.memory:
            known += [] if move is None else [move.text]
            known += [f"sees {', '.join(seen)}"] if seen else []
        return "; ".join(known) or "nothing yet"


@final
@dataclass(frozen=True, slots=True)
class Tree:
    """All lines of play. Nodes are numbered so that parents come before their children; the root is 0."""

    #: The roles other than `random`.
    players: tuple[str, ...]
    #: (nodes,): the player that chooses, `CHANCE` or `END`.
    player: NDArray[np.int32]
    #: (nodes,): grows from parents to children, and is the same for all nodes of an information set.
    level: NDArray[np.int32]
    #: (nodes,): the parent; 0 for the root.
    parent: NDArray[np.int32]
    #: (nodes,): the slot of the parent's player that leads here; 0 below chance and for the root.
    slot: NDArray[np.int32]
    #: (nodes,): the probability with which chance leads from the parent to this node; 1 for other parents.
    chance: NDArray[np.float64]
    #: (ends,): the nodes at which the game is over.
    ends: NDArray[np.int32]
    #: (ends, players): the players' goals there.
    goals: NDArray[np.float64]
    #: (ends, players): the last slot of each player on the way; 0 if it had no choice.
    last: NDArray[np.int32]
    #: For each player, its information sets, in the order of plies.
    sets: tuple[tuple[InformationSet, ...], ...]
    #: True if the players see percepts only, not all moves.
    hidden: bool
    #: The number of states that can be reached.
    states: int

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.player)


@final
@dataclass(slots=True)
class _Place:
    """The goals of a state at an end; else its legal moves, and what follows joint moves."""

    goals: tuple[int, ...] | None
    #: For chance and then for each player.
    legal: tuple[tuple[Term, ...], ...]
    after: dict[tuple[int, ...], tuple[Any, tuple[Seen, ...]]]


def build_tree(game: Engine, root: Any, budget: SolverBudget) -> Tree:
    """Return all lines of play from a state on.

    Raises NotSolvableError if there are more than time and memory allow, if a line is too long, if a role cannot move,
    or if a player cannot know its legal moves; and GoalError if a goal is missing.
    """
    return _Builder(game, budget).build(root)


class _Builder:
    """The nodes and information sets that were found so far."""

    def __init__(self, game: Engine, budget: SolverBudget) -> None:
        self._game, self._budget = game, budget
        self._hidden = hides_states(game)
        self._players = [number for number, role in enumerate(game.roles) if not is_nature(role)]
        nature = [number for number, role in enumerate(game.roles) if is_nature(role)]
        #: The roles in the order in which they choose within a ply, chance first if it has a part.
        self._order = [*nature, *self._players]
        self._natures = len(nature)
        self._places: dict[Any, _Place] = {}
        self._joint_moves = self._plies = 0
        self._nodes: list[tuple[int, int, int, int, float]] = []
        self._ends: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
        # What players know: for each piece of knowledge, the one before, the role's own move, and what was seen.
        count = len(self._players)
        self._known: list[dict[Any, int]] = [{} for _ in range(count)]
        self._memory: list[list[tuple[int, Term | None, Seen]]] = [[(-1, None, ())] for _ in range(count)]
        self._last: list[list[int]] = [[0] for _ in range(count)]
        self._sets: list[dict[int, InformationSet]] = [{} for _ in range(count)]
        self._slots = [1] * count

    def build(self, root: Any) -> Tree:
        frontier: list[tuple[Any, tuple[int, ...], int, int, float]] = [(root, (0,) * len(self._players), 0, 0, 1.0)]
        ply = 0
        while frontier:
            if ply > _LONGEST:
                raise NotSolvableError(f"a line of play may have more than {_LONGEST:,} plies")
            following: list[tuple[Any, tuple[int, ...], int, int, float]] = []
            for item in frontier:
                self._play(ply, *item, following)
                self._check()
            frontier = following
            ply += 1
        player, level, parent, slot, chance = zip(*self._nodes, strict=True)
        ends, goals, last = zip(*self._ends, strict=True)
        return Tree(
            players=tuple(self._game.roles[number] for number in self._players),
            player=np.array(player, np.int32),
            level=np.array(level, np.int32),
            parent=np.array(parent, np.int32),
            slot=np.array(slot, np.int32),
            chance=np.array(chance, np.float64),
            ends=np.array(ends, np.int32),
            goals=np.array(goals, np.float64),
            last=np.array(last, np.int32),
            sets=tuple(tuple(own.values()) for own in self._sets),
            hidden=self._hidden,
            states=len(self._places),
        )

    def _play(
        self, ply: int, state: Any, knows: tuple[int, ...], parent: int, slot: int, chance: float, following: list[Any]
    ) -> None:
        """Add the nodes of one ply after a state, and what follows to a list."""
        place = self._places.get(state) or self._visit(state)
        level = ply * (len(self._order) + 1)
        if place.goals is not None:
            node = self._add(END, level, parent, slot, chance)
            self._ends.append((node, place.goals, tuple(self._last[i][knows[i]] for i in range(len(knows)))))
            return
        lines: list[tuple[int, int, float, tuple[int, ...]]] = [(parent, slot, chance, ())]
        firsts = [0] * len(knows)
        for stage, moves in enumerate(place.legal):
            if len(moves) == 1:
                lines = [(*line[:3], (*line[3], 0)) for line in lines]
                continue
            player = stage - self._natures
            if player >= 0:
                firsts[player] = self._set(player, knows[player], moves).first
            reached = []
            for above, by, odds, chosen in lines:
                node = self._add(max(player, CHANCE), level + stage, above, by, odds)
                for i in range(len(moves)):
                    below = (node, 0, 1 / len(moves)) if player < 0 else (node, firsts[player] + i, 1.0)
                    reached.append((*below, (*chosen, i)))
            lines = reached
        for above, by, odds, chosen in lines:
            after, seen = place.after.get(chosen) or self._joint(state, place, chosen)
            now = tuple(
                self._learn(i, knows[i], place.legal[self._natures + i], firsts[i], chosen[self._natures + i], seen[i])
                for i in range(len(knows))
            )
            following.append((after, now, above, by, odds))

    def _visit(self, state: Any) -> _Place:
        game = self._game
        if game.is_terminal(state):
            place = _Place(tuple(game.goal(state, game.roles[number]) for number in self._players), (), {})
        else:
            legal = []
            for number in self._order:
                try:
                    legal.append(game.legal_moves(state, game.roles[number]))
                except NoLegalMoveError:
                    raise without_move(game.roles[number], " ".join(fact.text for fact in state)) from None
            place = _Place(None, tuple(legal), {})
        self._places[state] = place
        return place

    def _joint(self, state: Any, place: _Place, chosen: tuple[int, ...]) -> tuple[Any, tuple[Seen, ...]]:
        """Play a joint move: return the state after it, and what each player sees."""
        game = self._game
        moves = dict(zip(self._order, (own[i] for own, i in zip(place.legal, chosen, strict=True)), strict=True))
        joint = [moves[number] for number in range(len(game.roles))]
        seen: tuple[Seen, ...]
        if self._hidden:
            percepts = game.percepts(state, joint)  # type: ignore[attr-defined]
            seen = tuple(tuple(term.text for term in percepts[game.roles[number]]) for number in self._players)
        else:
            open_moves = {
                number: f"{game.roles[number]} {moves[number].text}"
                for number, own in zip(self._order, place.legal, strict=True)
                if len(own) > 1
            }
            seen = tuple(tuple(text for n, text in open_moves.items() if n != number) for number in self._players)
        found = game.next_state(state, joint), seen
        place.after[chosen] = found
        self._joint_moves += 1
        return found

    def _set(self, player: int, knows: int, moves: tuple[Term, ...]) -> InformationSet:
        """Return the information set of a player who knows this and has these moves."""
        found = self._sets[player].get(knows)
        if found is None:
            memory = []
            at = knows
            while at:
                at, move, seen = self._memory[player][at]
                memory.append((move, seen))
            memory.reverse()
            first, before = self._slots[player], self._last[player][knows]
            found = InformationSet(player, moves, first, before, tuple(memory))
            self._sets[player][knows] = found
            self._slots[player] += len(moves)
        elif found.moves != moves:
            role = self._game.roles[self._players[player]]
            one, other = (" ".join(move.text for move in some) for some in (found.moves, moves))
            raise NotSolvableError(
                f"{role} cannot know its legal moves: when it knows this: {found.text()}, they are {one}, or {other}"
            )
        return found

    def _learn(self, player: int, knows: int, moves: tuple[Term, ...], first: int, chosen: int, seen: Seen) -> int:
        """Return what a player knows after a ply."""
        move = moves[chosen] if len(moves) > 1 else None
        key = (knows, chosen if move is not None else -1, seen)
        number = self._known[player].get(key)
        if number is None:
            number = self._known[player][key] = len(self._memory[player])
            self._memory[player].append((knows, move, seen))
            self._last[player].append(first + chosen if move is not None else self._last[player][knows])
        return number

    def _add(self, player: int, level: int, parent: int, slot: int, chance: float) -> int:
        self._nodes.append((player, level, parent, slot, chance))
        return len(self._nodes) - 1

    def _check(self) -> None:
        """Raise NotSolvableError if time or memory are used up."""
        self._plies += 1
        if self._plies % _STRIDE:
            return
        count = f"{len(self._nodes):,} nodes"
        self._budget.progress(f"building the game tree: {count}")
        if _NODE * max(len(self._nodes), self._plies) + _STATE * self._joint_moves > self._budget.memory:
            raise NotSolvableError(f"the game tree has more than {count}, too many for the memory limit (--memory)")
        if self._budget.left <= 0:
            raise NotSolvableError(f"the game tree has more than {count}, too many for the time limit (--time)")


def edges_by_level(tree: Tree) -> list[NDArray[np.intp]]:
    """Return the nodes other than the root in groups with parents of the same level, from the root down."""
    nodes = np.arange(1, tree.nodes)
    above = tree.level[tree.parent[nodes]]
    order = np.argsort(above, kind="stable")
    return np.split(nodes[order], np.flatnonzero(np.diff(above[order])) + 1) if len(nodes) else []
