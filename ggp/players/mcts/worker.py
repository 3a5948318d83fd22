"""One thread of a search: its buffers, and its rounds of select, insert, play out and back up."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf, sqrt
from typing import Final, final

import numpy as np

import ggp.players.mcts.backup as backup
import ggp.players.mcts.growth as growth
import ggp.players.mcts.lane_loops as loops
import ggp.players.mcts.selection as selection
from ggp.players.clock import NEVER, Deadline, StepTime
from ggp.players.mcts.options import Options
from ggp.players.mcts.signatures import Paths, Requests
from ggp.players.mcts.tree import ROOT, VISITS, Tree
from ggp.players.mcts.world import OutOfTimeError, States, Values, World

#: The longest path, in steps.
LONGEST_PATH: Final = 200

#: A round takes at most this share of the time left, or the time of this number of visits if that is longer.
_PART: Final = 0.1
_FEW: Final = 256

#: The weight of the latest round in the moving average of visits per path.
_LATELY: Final = 0.2

#: The most states examined together when looking ahead for terminal states.
_CHILDREN: Final = 1 << 15


@final
class Worker:
    """The belongings of one thread of a search. The tree is shared by all of them."""

    def __init__(self, world: World, options: Options, number: int, seed: int | None) -> None:
        """Allocate the buffers. The first worker has the number 0, and draws from the random numbers of the tree."""
        self._world = world
        self._options = options
        self._random = None if seed is None else np.array([seed | 1], np.uint64)
        #: Counts so far: visits, walks from the root, and playouts.
        self.simulations = 0
        self.walks = 0
        self.playouts = 0
        self._times = StepTime()
        roles = len(world.roles)
        batch = self._most = options.leaves
        deep = (batch, LONGEST_PATH)
        shapes = (deep, deep, (*deep, roles), deep, deep, batch, batch, batch)
        self._paths = Paths(*(np.empty(shape, np.int32) for shape in shapes))
        self._requests = Requests(
            np.empty(batch, np.int32),
            np.empty((batch, world.words), np.uint64),
            np.empty((batch, roles), np.int32),
            np.full(batch, -1, np.int32),
            np.empty(batch, np.bool_),
            np.array([number * batch], np.int64),
        )
        self._outcome = np.empty(batch, np.int32)
        self._made = np.empty((batch, 2), np.int32)
        self._children = (
            np.empty(_CHILDREN, np.int32),
            np.empty((_CHILDREN, world.words), np.uint64),
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

    def warm_up(self, tree: Tree, states: States) -> None:
        """Load all code, given the state of the root."""
        looked = self._world.look(states)
        selection.select(tree, 0, self._parameters, self._requests, self._paths)
        growth.insert(tree, 0, self._requests, states, looked, self._outcome, self._made)
        growth.list_children(tree, self._made, 0, *self._children)
        ends = (looked.terminal, looked.goals)
        growth.note_children(tree, 0, self._children[0], ends, self._trying, self._made, 0, self._outcome, self._values)
        growth.give_up(tree, 0, self._requests)
        backup.back_up(tree, 0, self._paths, self._outcome, self._values)
        self._world.playouts(states[: len(states) * (not looked.terminal[0])], 1)

    def run(self, tree: Tree, deadline: Deadline, over: Callable[[], bool], glance: float) -> None:
        """Search until the deadline, or until `over()`. `glance` is the length of a step in seconds."""
        if self._random is not None:
            tree = tree._replace(random=self._random)
        self._times.begin()
        while not over():
            left = deadline.left()
            if left <= 1.2 * self._times.slowest:
                return
            start = time.monotonic()
            self._world.deadline = deadline
            try:
                before = self.simulations
                self.step(tree, min(left, glance / _PART))
                took = max(time.monotonic() - start, 1e-6)
                self._pace = (self.simulations - before) / took
            except BaseException as error:
                # Whatever goes wrong, no edge may be left waiting for an answer.
                growth.give_up(tree, self._most, self._requests)
                if isinstance(error, OutOfTimeError):
                    return
                raise
            finally:
                self._world.deadline = NEVER
            self._times.add(time.monotonic() - start)

    def step(self, tree: Tree, left: float = inf) -> None:
        """Search one batch of leaves, sized to take only a part of the seconds left."""
        options = self._options
        # With more leaves under way in all threads together, each visit is worth less; with fewer in each of them, a
        # visit takes longer, as rounds are small. This is the middle.
        share = int(tree.numbers[16 * int(tree.counts[ROOT]) + VISITS]) * options.leaves_share / sqrt(options.threads)
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
        world, options = self._world, self._options
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
        loops.put_rows(looked.goals.compress(looked.terminal, axis=0), looked.terminal, goals)
        unknown = (outcome[:count] < 0) & ~looked.terminal & (weights[:count] == 1)
        if unknown.any():
            loops.put_rows(self._played(states.compress(unknown, axis=0), options.playouts), unknown, goals)

    def _played(self, states: States, least: int) -> Values:
        """Return the mean goals of at least this many playouts from each state; more if lanes would be idle."""
        lanes = -(-len(states) * least // self._world.together) * self._world.together
        each = lanes // len(states)
        self.playouts += each * len(states)
        return self._world.playouts(states, each)

    def look_ahead_of(self, tree: Tree, node: int) -> None:
        """Look one ply ahead of a node."""
        self._made[0] = (node, 0)
        self._look_ahead(tree, 1)

    def _look_ahead(self, tree: Tree, new: int) -> None:
        """Find the moves of new nodes that end the game, and try the others if `expand` is set."""
        edges, states, moves = self._children
        count = int(growth.list_children(tree, self._made, new, edges, states, moves))
        if count == 0:
            return
        states = self._world.move(states[:count], moves[:count])
        terminal, goals = self._world.ends(states)
        if self._trying[0] and not terminal.any():
            goals = self._played(states, 1)
        elif self._trying[0] and not terminal.all():
            loops.put_rows(self._played(states.compress(~terminal, axis=0), 1), ~terminal, goals)
        if self._trying[0] or terminal.any():
            ends = (terminal, goals)
            growth.note_children(tree, count, edges, ends, self._trying, self._made, new, self._outcome, self._values)
