"""A game as OpenSpiel's algorithms walk it: a tree of decisions and chance, without forced moves.

A joint move of the rules is split into nodes. First, the agents that have a choice decide: at a node of one agent, or,
in games where several may have a choice, at a node of all of them. Then chance has a node of its own, if it has a
choice. Nobody sees a decision before the whole joint move is done, so the order changes nothing. Joint moves in which
nobody has a choice are done at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Final, final

import numpy as np

from gdl.engine import is_nature
from gdl.errors import Source
from gdl.language.rulesheet import Rulesheet
from ggp.environments.game import MAX_PLIES, EnvironmentGame
from ggp.environments.length import longest
from ggp.environments.observations import observer_of
from ggp.environments.openspiel.parameters import Parameters
from ggp.environments.position import Position
from ggp.environments.rewards import Scale, rewards_of
from ggp.rules.game_type import CONSTANT_SUM, GameType, classify_game

#: The numbers of `pyspiel.PlayerId`. Agents are numbered from 0, without chance.
CHANCE: Final = -1
SIMULTANEOUS: Final = -2
TERMINAL: Final = -4

#: The number of games that are kept: OpenSpiel makes a game again whenever it reads or copies one.
_GAMES: Final = 16

#: The number of playouts that show whether the sum of goals is constant, if that is not proved.
_PLAYOUTS: Final = 512

#: Required by `Position.advance`, but never used, as chance's move is always given.
_NO_RANDOM: Final = np.random.default_rng(0)


#: The legal actions of each role.
Legal = dict[int, tuple[int, ...]]


class TreeError(ValueError):
    """The game is not of the declared type."""


@final
class Tree:
    """A game with its type and its nodes. Use `tree_of`, which keeps trees."""

    def __init__(self, parameters: Parameters, source: Source) -> None:
        """Compile the rules and determine the type of the game. Raises what `EnvironmentGame` raises, and TreeError."""
        self.parameters = parameters
        self.digest: Final = sha256(source.text.encode(errors="surrogateescape")).hexdigest()
        self.game = game = EnvironmentGame(Rulesheet.of_source(source))
        if not game.agents:
            raise TreeError(f"{game.name}: no role is left for an agent")
        simulator = game.simulator
        self.observer = observer_of(game, parameters.observation)
        kind = _classified(game)
        self.simultaneous: Final = parameters.simultaneous or not kind.turns
        shared = kind.total if kind.constant_sum and not parameters.general_sum else None
        self.rewards = rewards_of(simulator, Scale.UNIT, kind)
        if shared is not None and len(game.agents) == 2:
            self.rewards = rewards_of(simulator, Scale.CENTERED, kind)
        #: The sum of utilities, if it is the same at every end.
        self.utility_sum: float | None = None
        if shared is not None:
            self.utility_sum = len(game.agents) * self.rewards.of(shared / len(game.agents))
        proved = longest(simulator)
        #: The largest number of plies; a match that is not over by then is cut.
        self.max_plies: int = parameters.max_plies or proved or MAX_PLIES
        if proved:
            self.max_plies = min(self.max_plies, proved)
        #: True if matches may be cut.
        self.cuts: bool = proved is None or proved > self.max_plies
        #: The number of the role that stands for chance.
        self.nature: int | None = next((i for i, role in enumerate(game.roles) if is_nature(role)), None)
        moves = () if self.nature is None else simulator.all_moves(game.roles[self.nature])
        #: The number of moves of chance; 0 if it never has a choice.
        self.outcomes: int = len(moves) if len(moves) > 1 else 0
        self._texts = tuple(simulator.rulesheet.respell(move).text for move in game.actions)
        self.root = Node(self, None, (), *self.settled(Position(game)), {})

    def text(self, action: int) -> str:
        """Return the move of an action, as the rules spell it."""
        return self._texts[action]

    def action_of(self, outcome: int) -> int:
        """Return the action of an outcome of chance, which is the number of chance's move."""
        assert self.nature is not None
        return int(self.game.actions_of[self.nature][outcome])

    def settled(self, position: Position) -> tuple[tuple[Position, ...], Legal]:
        """Return a position with those to which forced moves lead from there, and what is legal in the last one."""
        passed = [position]
        while not self.is_over(position):
            legal = {role: position.legal(role) for role in range(len(self.game.roles))}
            if any(len(actions) > 1 for actions in legal.values()):
                return tuple(passed), legal
            position = _after(position, {role: actions[0] for role, actions in legal.items()})
            passed.append(position)
        return tuple(passed), {}

    def is_over(self, position: Position) -> bool:
        """Return True if no move follows a position."""
        return position.is_terminal or position.plies >= self.max_plies

    def child(self, node: Node, choice: tuple[int, ...], actions: Mapping[int, int]) -> Node:
        """Return the node after a joint move."""
        return Node(self, node, choice, *self.settled(_after(node.position, actions)), {})


def _classified(game: EnvironmentGame) -> GameType:
    """Return the type of a game. A constant sum that is not proved must be that of further playouts, too."""
    simulator = game.simulator
    kind = classify_game(simulator)
    if kind.total is None or CONSTANT_SUM in kind.proved:
        return kind
    states = simulator.arrays.pack([simulator.initial_state()] * _PLAYOUTS)
    goals = simulator.arrays.playouts(states)[:, list(game.agents)]
    same = (goals >= 0).all() and (goals.sum(axis=1) == kind.total).all()
    return kind if same else replace(kind, constant_sum=False, total=None)


def _after(position: Position, actions: Mapping[int, int]) -> Position:
    """Return the position after a joint move; the given one is kept."""
    after = Position(position.game, position.state)
    after.plies = position.plies
    after.advance(actions, _NO_RANDOM)
    return after


@final
class Node:
    """One node of a game's tree. Nodes never change, so that copies of a state share them."""

    __slots__ = ("by_role", "choice", "chosen", "legal", "outcomes", "parent", "passed", "player", "tree")

    def __init__(
        self,
        tree: Tree,
        parent: Node | None,
        choice: tuple[int, ...],
        passed: tuple[Position, ...],
        legal: Legal,
        chosen: dict[int, int],
    ) -> None:
        """Take the choice that led here from `parent`, the positions passed since then, and what is legal now.

        `chosen` has the actions of all agents, by role, if only the choice of chance is missing from a joint move;
        then no position has been passed.
        """
        self.tree = tree
        self.parent = parent
        self.choice = choice
        self.passed = passed
        self.chosen = chosen
        #: The legal actions of each role; none after the end.
        self.by_role = legal
        #: The legal actions of each agent; those of chance.
        self.legal = tuple(legal.get(agent, ()) for agent in tree.game.agents)
        self.outcomes = () if tree.nature is None else legal.get(tree.nature, ())
        self.player = self._player() if legal else TERMINAL

    def _player(self) -> int:
        deciding = [] if self.chosen else [i for i, legal in enumerate(self.legal) if len(legal) > 1]
        if not deciding:
            return CHANCE
        if self.tree.simultaneous:
            return SIMULTANEOUS
        if len(deciding) > 1:
            names = " and ".join(self.tree.game.agent_roles[i] for i in deciding)
            raise TreeError(
                f"{self.tree.game.name}: {names} have a choice in the same state, which was not seen before; "
                "load the game with simultaneous=True"
            )
        return deciding[0]

    @property
    def position(self) -> Position:
        """The position in which this node's choice is made."""
        node = self
        while not node.passed:
            assert node.parent is not None
            node = node.parent
        return node.passed[-1]

    def chance(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance, all equally likely."""
        tree = self.tree
        assert tree.nature is not None
        numbers = tree.game.moves_of[tree.nature]
        share = 1 / len(self.outcomes)
        return sorted((int(numbers[action]), share) for action in self.outcomes)

    def after(self, choice: Sequence[int]) -> Node:
        """Return the node after a choice: of an agent, of all agents, or of chance. Raises ValueError."""
        tree, agents = self.tree, self.tree.game.agents
        if self.player == TERMINAL:
            raise ValueError("the game is over")
        if self.player == CHANCE:
            assert tree.nature is not None
            actions = self.chosen or {agent: legal[0] for agent, legal in zip(agents, self.legal, strict=True)}
            outcome = _checked(choice[0], [number for number, _ in self.chance()], "an outcome of chance")
            return tree.child(self, tuple(choice), {**actions, tree.nature: tree.action_of(outcome)})
        if self.player == SIMULTANEOUS:
            taken = dict(zip(agents, choice, strict=True))
        else:
            taken = {agent: legal[0] for agent, legal in zip(agents, self.legal, strict=True)}
            taken[agents[self.player]] = choice[0]
        for agent, legal in zip(agents, self.legal, strict=True):
            _checked(taken[agent], legal, f"a legal action of {tree.game.roles[agent]}")
        if len(self.outcomes) > 1:
            return Node(tree, self, tuple(choice), (), self.by_role, taken)
        if tree.nature is not None:
            taken[tree.nature] = self.outcomes[0]
        return tree.child(self, tuple(choice), taken)

    def returns(self) -> list[float]:
        """Return the utilities; zeros before the end. Raises GoalError, and TreeError if they have another sum."""
        tree, count = self.tree, len(self.tree.game.agents)
        if self.player != TERMINAL:
            return [0.0] * count
        if not self.position.is_terminal:
            return [(tree.utility_sum or 0.0) / count] * count
        found = [tree.rewards.of(goal) for goal in self.position.goals().values()]
        if tree.utility_sum is not None and abs(sum(found) - tree.utility_sum) > 1e-9:
            raise TreeError(
                f"{tree.game.name}: the goals have another sum than at all ends seen before; "
                "load the game with general_sum=True"
            )
        return found

    def path(self) -> Iterator[Node]:
        """Yield this node and those before it, up to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def seen(self) -> list[Position]:
        """Return all positions from the initial one to this node's."""
        return [position for node in reversed(list(self.path())) for position in node.passed]

    def seen_since_choice(self, agent: int) -> list[Position]:
        """Return the positions since an agent last had a choice, the latest first; all of them if it never had one."""
        found: list[Position] = []
        for node in self.path():
            found += reversed(node.passed)
            before = node.parent
            if before is not None and before.player in (agent, SIMULTANEOUS) and len(before.legal[agent]) > 1:
                break
        return found

    def __deepcopy__(self, _memo: object) -> Node:
        """Return the node itself."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the choices that lead here."""
        choices = tuple(node.choice for node in self.path())[-2::-1]
        return _restored, (self.tree.parameters, self.tree.digest, choices)


def _checked(action: int, legal: Sequence[int], what: str) -> int:
    if action not in legal:
        raise ValueError(f"{action} is not {what}: there are {', '.join(map(str, legal))}")
    return action


def _restored(parameters: Parameters, digest: str, choices: Sequence[tuple[int, ...]]) -> Node:
    """Return the node after some choices from the root. Raises ValueError if the rules have changed."""
    tree = tree_of(parameters)
    if tree.digest != digest:
        raise ValueError(f"{tree.game.name}: the rules have changed since the state was saved")
    node = tree.root
    for choice in choices:
        node = node.after(choice)
    return node


def tree_of(parameters: Parameters) -> Tree:
    """Return the tree of a game, the same one as long as its rules are the same."""
    source = parameters.source()
    return _kept(parameters, source.name, source.text)


@lru_cache(_GAMES)
def _kept(parameters: Parameters, name: str, text: str) -> Tree:
    return Tree(parameters, Source(name, text))
