"""Monte Carlo tree search in batches of leaves: select, insert, play out, back up."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from math import inf
from typing import Final, final

import numpy as np

import ggp.players.mcts.backup as backup
import ggp.players.mcts.growth as growth
import ggp.players.mcts.selection as selection
import ggp.players.mcts.subtree as subtree
import ggp.players.mcts.tree_lookup as lookup
from gdl.engine import State
from gdl.terms import Term
from ggp.players.clock import NEVER, Deadline
from ggp.players.finishing import Candidates
from ggp.players.mcts.move_statistics import MoveStatistics, best_of, resisting, winning_alike
from ggp.players.mcts.options import Options
from ggp.players.mcts.signatures import Paths, Requests
from ggp.players.mcts.tree import (
    LINE,
    LINES_USED,
    MAX_OUTCOMES,
    MOVER,
    NODES,
    OUTCOMES,
    PROOF,
    ROOT,
    SEVERAL,
    VISITS,
    Edge,
    Node,
    Tree,
    new_tree,
)
from ggp.players.mcts.world import OutOfTimeError, States, Values, World
from ggp.players.step_time import StepTime

#: The longest path, in steps.
LONGEST_PATH: Final = 200

#: When the root advances, a tree filled to this share is pruned to the nodes that can still be reached. Pruning may
#: take this share of the time left, at an estimated number of seconds per node.
_FULL: Final = 0.5
_KEEPING: Final = 0.2
_PER_NODE: Final = 3e-6

#: The size of a page of memory, in bytes, and the number of parts in which a tree's memory is touched.
_PAGE: Final = 4096
_PARTS: Final = 256

#: The limit of the root's visits, which are 32-bit integers.
_MOST_VISITS: Final = 2**30

#: A round takes at most this share of the time left, or the time of this number of visits if that is longer.
_PART: Final = 0.1
_FEW: Final = 256

#: The weight of the latest round in the moving average of visits per path.
_LATELY: Final = 0.2

#: The most states examined together when looking ahead for terminal states.
_CHILDREN: Final = 1 << 15


@final
class Search:
    """A search from one state after another, which keeps the parts of the tree that it can reuse."""

    def __init__(self, world: World, seed: int = 0, options: Options | None = None) -> None:
        """Allocate the buffers for searching a world; the tree is made by the first `advance`."""
        self.world = world
        self.options = options or Options()
        self._seed = seed
        #: Counts so far: visits, walks from the root, and playouts.
        self.simulations = 0
        self.walks = 0
        self.playouts = 0
        self._times = StepTime()
        self._root_state: States | None = None
        self._trees: list[Tree] = []
        self._random = random.Random(seed)
        self._buffers()

    def _buffers(self) -> None:
        options, roles = self.options, len(self.world.roles)
        batch = self._most = options.leaves
        deep = (batch, LONGEST_PATH)
        shapes = (deep, deep, (*deep, roles), deep, deep, batch, batch, batch)
        self._paths = Paths(*(np.empty(shape, np.int32) for shape in shapes))
        self._requests = Requests(
            np.empty(batch, np.int32),
            np.empty((batch, self.world.words), np.uint64),
            np.empty((batch, roles), np.int32),
            np.full(batch, -1, np.int32),
            np.empty(batch, np.bool_),
        )
        self._outcome = np.empty(batch, np.int32)
        self._made = np.empty((batch, 2), np.int32)
        self._children = (
            np.empty(_CHILDREN, np.int32),
            np.empty((_CHILDREN, self.world.words), np.uint64),
            np.empty((_CHILDREN, roles), np.int32),
        )
        #: The values of requests, and the number of visits that each stands for.
        self._values = (np.empty((batch, roles), np.float32), np.ones(batch, np.int32))
        self._visits_each = 1.0
        #: Visits per second in the last round.
        self._pace = inf
        expand = options.lookahead and options.expand
        prior = options.prior if expand else 0.0
        parameters = [options.exploration, options.unvisited, options.patience, prior, options.prior_exploration]
        self._parameters = np.array(parameters, np.float64)
        self._trying = (expand, prior > 0)

    def touch_memory(self, seconds: float) -> None:
        """Touch the trees' memory for at most this long: the system may be slow to provide it at the first access."""
        end = time.monotonic() + seconds
        for tree in self._trees:
            memory = tree.words.view(np.uint8)
            for part in range(_PARTS):
                if time.monotonic() > end:
                    return
                # Write to the page without changing it.
                memory[len(memory) * part // _PARTS : len(memory) * (part + 1) // _PARTS : _PAGE] |= np.uint8(0)

    # The root

    def advance(self, state: State, deadline: Deadline = NEVER, *, prune: bool = True) -> None:
        """Make this state the root. Its part of the tree is kept, as far as time permits.

        Without `prune`, which takes time, a full tree stays full.
        """
        row = self.world.state(state)
        if self._root_state is not None and (row == self._root_state).all():
            return
        # There is no valid root until this has succeeded.
        self._root_state = None
        if self.world.full:
            self.world.forget()
            row = self.world.state(state)
            if self._trees:
                self._clear(self._trees[0])
        self._find_root(row, deadline, prune=prune)
        self._root_state = row

    def forget(self) -> None:
        """Forget the tree, but not what is known of the speed of steps."""
        self._root_state = None
        if self._trees:
            self._clear(self._trees[0])

    def _find_root(self, row: States, deadline: Deadline, *, prune: bool) -> None:
        if not self._trees:
            self._begin(row)
            return
        tree = self._trees[0]
        node = int(lookup.find(tree, row, 0))
        if node < 0 or not self.options.keep:
            self._clear(self._trees[0])
            self._add_root(row)
            return
        if not prune or self._filled(tree) < _FULL:
            tree.counts[ROOT] = node
        else:
            self._keep(node, min(2**31 - 1, max(1.0, _KEEPING * deadline.left() / _PER_NODE)))

    def _keep(self, node: int, most: float) -> None:
        """Make a node the root, and keep at most this many of the nodes that can be reached from it."""
        tree = self._trees[0]
        self._trees.reverse()
        self._clear(self._trees[0])
        subtree.move_subtree(tree, self._trees[0], node, int(most))

    def warm_up(self) -> None:
        """Load all code. Call this after `advance`. Compiling takes some seconds, the first time ever."""
        tree = self._trees[0]
        states = self._root_state
        assert states is not None
        looked = self.world.look(states)
        selection.select(tree, 0, self._parameters, self._requests, self._paths)
        growth.insert(tree, 0, self._requests, states, looked, self._outcome, self._made)
        growth.list_children(tree, self._made, 0, *self._children)
        ends = (looked.terminal, looked.goals)
        growth.note_children(tree, 0, self._children[0], ends, self._trying, self._made, 0, self._outcome, self._values)
        growth.give_up(tree, 0, self._requests)
        backup.back_up(tree, 0, self._paths, self._outcome, self._values)
        self._keep(int(tree.counts[ROOT]), 1000)
        self.world.playouts(states[: len(states) * (not looked.terminal[0])], 1)

    def _begin(self, row: States) -> None:
        world, options = self.world, self.options
        looked = world.look(row)
        branching = max(8.0, 1.5 * len(looked.moves))
        shape = world.words, world.moves, world.limits, world.nature
        for number in range(2):
            seed = 2 * self._seed + number
            self._trees.append(
                new_tree(options.memory // 2, *shape, seed, branching, simultaneous=len(world.roles) > 1)
            )
        self._add_root(row)

    def _clear(self, tree: Tree) -> None:
        """Empty a tree."""
        tree.counts[:] = 0
        tree.table.fill(-1)
        tree.joint_table.fill(-1)
        tree.worth.fill(0)

    def _add_root(self, row: States) -> None:
        tree = self._trees[0]
        looked = self.world.look(row)
        place = int(lookup.find(tree, row, 0))
        node = growth.add_node(tree, -1 - place, row, 0, looked.offsets, looked.moves)
        tree.counts[ROOT] = node
        if looked.terminal[0]:
            tree.outcomes[0] = looked.goals[0]
            tree.counts[OUTCOMES] = 1
            tree.numbers[16 * node + PROOF] = 0
        elif self.options.lookahead:
            self._made[0] = (node, 0)
            self._look_ahead(tree, 1)

    @property
    def tree(self) -> Tree:
        """The tree being searched."""
        return self._trees[0]

    @property
    def nodes(self) -> int:
        """The number of nodes in the tree."""
        return int(self._trees[0].counts[NODES])

    @property
    def proven(self) -> bool:
        """True if the root's outcome is proven."""
        return self._of_root(PROOF) >= 0

    # The search

    def run(
        self,
        *,
        deadline: Deadline = NEVER,
        simulations: int | None = None,
        stop: Callable[[], bool] | None = None,
        glance: float = inf,
    ) -> None:
        """Search until the deadline, or for this many more simulations, or until the root is proven or `stop()`.

        `glance` is the length of a step in seconds.
        """
        begun = self.simulations
        self._times.begin()
        while not self.proven and not (stop is not None and stop()) and self._visits() < _MOST_VISITS:
            left = deadline.left()
            if left <= 1.2 * self._times.slowest or (
                simulations is not None and self.simulations - begun >= simulations
            ):
                return
            start = time.monotonic()
            self.world.deadline = deadline
            try:
                before = self.simulations
                self.step(min(left, glance / _PART))
                took = max(time.monotonic() - start, 1e-6)
                self._pace = (self.simulations - before) / took
            except BaseException as error:
                # Whatever goes wrong, no edge may be left waiting for an answer.
                growth.give_up(self._trees[0], self._most, self._requests)
                if isinstance(error, OutOfTimeError):
                    return
                raise
            finally:
                self.world.deadline = NEVER
            self._times.add(time.monotonic() - start)

    def _visits(self) -> int:
        return self._of_root(VISITS)

    def _of_root(self, part: int) -> int:
        tree = self._trees[0]
        return int(tree.numbers[16 * int(tree.counts[ROOT]) + part])

    def _filled(self, tree: Tree) -> float:
        """Return the share of a tree's room that is taken, 0 to 1."""
        return float(max(LINE * tree.counts[LINES_USED] / len(tree.words), 2 * tree.counts[NODES] / len(tree.table)))

    def step(self, left: float = inf) -> None:
        """Search one batch of leaves, sized to take only a part of the seconds left."""
        tree, options = self._trees[0], self.options
        share = self._visits() * options.leaves_share
        batch = min(share, _CHILDREN, max(_PART * left * self._pace, _FEW)) / self._visits_each
        batch = max(1, min(self._most, int(batch)))
        # Clear the requests of the previous round, which may have been given up.
        self._requests.links.fill(-1)
        self._values[1].fill(1)
        count = int(selection.select(tree, batch, self._parameters, self._requests, self._paths))
        if count:
            self._evaluate(tree, count)
        visits = int(backup.back_up(tree, batch, self._paths, self._outcome, self._values))
        self._visits_each += _LATELY * (visits / batch - self._visits_each)
        self.walks += batch
        self.simulations += visits

    def _evaluate(self, tree: Tree, count: int) -> None:
        world, options = self.world, self.options
        states, moves = self._requests.states[:count], self._requests.moves[:count]
        again = moves[:, 0] < 0
        if again.any():
            states[~again] = world.move(states[~again], moves[~again])
        else:
            states = world.move(states, moves)
        looked = world.look(states)
        outcome = self._outcome
        new = int(growth.insert(tree, count, self._requests, states, looked, outcome, self._made))
        if new and options.lookahead:
            self._look_ahead(tree, new)
        goals, weights = self._values
        unknown = np.flatnonzero((outcome[:count] < 0) & ~looked.terminal & (weights[:count] == 1))
        goals[np.flatnonzero(looked.terminal)] = looked.goals[looked.terminal]
        if len(unknown):
            goals[unknown] = self._played(states[unknown], options.playouts)

    def _played(self, states: States, least: int) -> Values:
        """Return the mean goals of at least this many playouts from each state; more if lanes would be idle."""
        lanes = -(-len(states) * least // self.world.together) * self.world.together
        each = lanes // len(states)
        self.playouts += each * len(states)
        return self.world.playouts(states, each)

    def _look_ahead(self, tree: Tree, new: int) -> None:
        """Find the moves of new nodes that end the game, and try the others if `expand` is set."""
        edges, states, moves = self._children
        count = int(growth.list_children(tree, self._made, new, edges, states, moves))
        if count == 0:
            return
        states = self.world.move(states[:count], moves[:count])
        terminal, goals = self.world.ends(states)
        if self._trying[0] and not terminal.all():
            goals[~terminal] = self._played(states[~terminal], 1)
        if self._trying[0] or terminal.any():
            ends = (terminal, goals)
            growth.note_children(tree, count, edges, ends, self._trying, self._made, new, self._outcome, self._values)

    # The results

    def statistics(self, role: int) -> list[MoveStatistics]:
        """Return the statistics of a role's moves at the root, most visited first."""
        tree = self._trees[0]
        root = Node(tree, int(tree.counts[ROOT]))
        edges = root.edges(role) or [Edge(0.0, 0, -1, -1, root.only_move(role))] * root.choices[role]
        found = (self._move_statistics(tree, edge, role) for edge in edges)
        return sorted(found, key=lambda move: (move.visits, move.goal), reverse=True)

    def _move_statistics(self, tree: Tree, edge: Edge, role: int) -> MoveStatistics:
        term = self.world.term(edge.move)
        if edge.proof >= 0:
            goal = float(tree.outcomes[edge.proof % MAX_OUTCOMES, role])
            return MoveStatistics(term, edge.visits, 100 * goal, True, edge.proof // MAX_OUTCOMES)
        goal = edge.value / edge.visits if edge.visits else 0.0
        return MoveStatistics(term, edge.visits, 100 * goal, False, 0)

    def best_move(self, role: int) -> Term:
        """Return the move to play: one that is proven best, or else the most visited one.

        With the option `mix`, a move that is made at the same time as others' is drawn in proportion to visits.
        """
        together = self.options.mix and self._of_root(MOVER) == SEVERAL
        highest = 100 * float(self._trees[0].limits[1, role])
        return best_of(self.statistics(role), highest, self._random if together else None)

    def resisting(self, role: int) -> Candidates | None:
        """Return the moves of a role that are equally good where it cannot force more, or where all seem to lose."""
        lowest, highest = (100 * float(limit) for limit in self._trees[0].limits[:, role])
        return resisting(self.statistics(role), lowest, highest)

    def known(self, state: State, role: int) -> tuple[float, int] | None:
        """Return the goal that is proved for a role in a state, 0 to 1, and the plies until then; None if none is."""
        tree = self._trees[0]
        node = int(lookup.find(tree, self.world.state(state), 0))
        proof = Node(tree, node).proof if node >= 0 else -1
        return None if proof < 0 else (float(tree.outcomes[proof % MAX_OUTCOMES, role]), proof // MAX_OUTCOMES)

    def soonest_win(self, role: int, left: float) -> Term | None:
        """Return the move that seems to win soonest, if several seem to win for sure; `left` seconds are left."""
        tree = self._trees[0]
        lowest, highest = (100 * float(limit) for limit in tree.limits[:, role])
        # The first one is the one to play if there is no time to compare them.
        alike = winning_alike(self.statistics(role), lowest, highest)
        root = Node(tree, int(tree.counts[ROOT]))
        if not alike or root.mover != role:
            return None
        numbers = {self.world.term(edge.move): edge.move for edge in root.edges(role)}
        moves = np.array([[root.only_move(one) for one in range(len(root.choices))]] * len(alike), np.int32)
        moves[:, role] = [numbers[move.move] for move in alike]
        found = self.world.soonest(self.world.move(np.repeat(root.state[None], len(alike), axis=0), moves), role, left)
        return alike[found].move
