"""Monte Carlo tree search by one thread or several, which share a tree."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Final, final

import numpy as np

import ggp.players.mcts.growth as growth
import ggp.players.mcts.subtree as subtree
import ggp.players.mcts.tree_lookup as lookup
from gdl.engine import State
from gdl.simulator.seeds import derive
from gdl.terms import Term
from ggp.players.clock import NEVER, Deadline
from ggp.players.finishing import Candidates
from ggp.players.helpers import Helpers
from ggp.players.mcts.move_statistics import MoveStatistics, best_of, resisting, winning_alike
from ggp.players.mcts.options import Options
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
from ggp.players.mcts.worker import Worker
from ggp.players.mcts.world import States, World

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


@final
class Search:
    """A search from one state after another, which keeps the parts of the tree that it can reuse."""

    def __init__(self, world: World, seed: int = 0, options: Options | None = None) -> None:
        """Allocate the buffers for searching a world; the tree is made by the first `advance`."""
        self.world = world
        self.options = options or Options()
        self._seed = seed
        self._root_state: States | None = None
        self._trees: list[Tree] = []
        self._random = random.Random(seed)
        self._helpers = Helpers("mcts")
        self._workers = [Worker(world, self.options, 0, None)]
        for number in range(1, self.options.threads):
            twin = world.twin(number)
            if twin is not None:
                self._workers.append(Worker(twin, self.options, number, derive(seed, "thread", str(number))))

    @property
    def threads(self) -> int:
        """The number of threads."""
        return len(self._workers)

    @property
    def simulations(self) -> int:
        """The number of visits so far."""
        return sum(worker.simulations for worker in self._workers)

    @property
    def walks(self) -> int:
        """The number of walks from the root so far."""
        return sum(worker.walks for worker in self._workers)

    @property
    def playouts(self) -> int:
        """The number of playouts so far."""
        return sum(worker.playouts for worker in self._workers)

    def touch_memory(self, seconds: float) -> None:
        """Touch the trees' memory for at most this long: the system may be slow to provide it at the first access."""
        self._helpers.wait()
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
        self._helpers.wait()
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
        self._helpers.wait()
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
        assert self._root_state is not None
        for worker in self._workers:
            worker.warm_up(self._trees[0], self._root_state)
        self._keep(int(self._trees[0].counts[ROOT]), 1000)

    def _begin(self, row: States) -> None:
        world, options = self.world, self.options
        looked = world.look(row)
        branching = max(8.0, 1.5 * len(looked.moves))
        shape = world.words, world.moves, world.limits, world.nature
        several, shared = len(world.roles) > 1, self.threads > 1
        for number in range(2):
            seed = 2 * self._seed + number
            tree = new_tree(options.memory // 2, *shape, seed, branching, simultaneous=several, shared=shared)
            self._trees.append(tree)
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
            self._workers[0].look_ahead_of(tree, node)

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

        `glance` is the length of a step in seconds. `stop` is called from the threads of the search.
        """
        limit = inf if simulations is None else self.simulations + simulations
        helpers = self._helpers

        def over() -> bool:
            return (
                helpers.ended.is_set()
                or self.proven
                or (stop is not None and stop())
                or self._of_root(VISITS) >= _MOST_VISITS
                or self.simulations >= limit
            )

        own, *others = (partial(worker.run, self._trees[0], deadline, over, glance) for worker in self._workers)
        helpers.begin(others)
        try:
            own()
        finally:
            helpers.end(deadline.left())

    def _of_root(self, part: int) -> int:
        tree = self._trees[0]
        return int(tree.numbers[16 * int(tree.counts[ROOT]) + part])

    def _filled(self, tree: Tree) -> float:
        """Return the share of a tree's room that is taken, 0 to 1."""
        return float(max(LINE * tree.counts[LINES_USED] / len(tree.words), 2 * tree.counts[NODES] / len(tree.table)))

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
