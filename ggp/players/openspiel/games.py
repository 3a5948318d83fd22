"""OpenSpiel as a peer: identify a rule file as one of its games, and run random playouts in its C++ code.

The games of OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453; PyPI `open_spiel`, module `pyspiel`) are written by hand
in C++. A rule file is recognized not by its name but by the game itself: both trees must have the same counts down to
some depth, and random playouts of both must agree in length and outcome.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import product
from math import sqrt
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any, Final, Protocol, final

from gdl.engine import Engine
from gdl.errors import GdlError

if TYPE_CHECKING:
    from gdl import Simulator

#: OpenSpiel's games, in its notation, that correspond to known rule files.
#:
#: Games that are only similar are left out. Public rule files of checkers end after 60 or 101 plies, or are drawn after
#: 20 plies without a capture or a man's move, whereas OpenSpiel draws after 40 without a capture. Those of lines of
#: action and chess end after 49 and 200 plies. In gomoku, six in a row do not win. In amazons, moving and shooting are
#: a single move. In dots and boxes, neither the counts of moves nor the lengths of playouts would show whether
#: completing a box grants another turn.
GAMES: Final = (
    "tic_tac_toe",
    "connect_four",
    "connect_four(rows=6,columns=8)",
    "connect_four(rows=6,columns=9)",
    "breakthrough",
    "othello",
    "hex(board_size=9)",
)

#: The oldest version supported, with which all of these were tested; 1.6 has connect four in one size only.
OLDEST: Final = "1.6.9"

#: Levels of the game tree are compared up to this number of moves in total; the first level is always compared.
TREE_MOVES: Final = 5000

#: The total number of plies after which sampling OpenSpiel's playouts ends.
SAMPLE_PLIES: Final = 300_000

#: The number of playouts they are compared with: of a Simulator, or of an engine that runs them one by one.
FAST_SAMPLE: Final = 100_000
OWN_SAMPLE: Final = 100

#: Two games are considered different if their means differ by more than this many standard errors.
ERRORS: Final = 4.0


class MissingOpenSpielError(GdlError):
    """OpenSpiel is not installed, or too old."""

    code = "no-openspiel"
    template = f"{{code}}: {{0}}; `pip install 'open_spiel>={OLDEST}'` installs it"

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        self.reason = reason
        super().__init__(reason)


class Tree(Protocol):
    """A game of two players as a tree of states."""

    def root(self) -> Any:
        """Return the initial state."""
        ...

    def moves(self, state: Any, /) -> Sequence[Any]:
        """Return the joint moves in a state that is not terminal."""
        ...

    def child(self, state: Any, move: Any, /) -> Any:
        """Return the state after a joint move."""
        ...

    def outcome(self, state: Any, /) -> float | None:
        """Return the outcome for the first player, -1 to 1; None if the state is not terminal."""
        ...

    def key(self, state: Any, /) -> Hashable:
        """Return a key that is the same for states of one depth with the same continuations."""
        ...


@final
class RuleTree:
    """The tree of a game of two roles that take turns."""

    def __init__(self, game: Engine, first: str, second: str) -> None:
        """Take a game and its roles, the one that moves first at the front."""
        self._game = game
        self._first = first
        self._second = second

    @classmethod
    def of(cls, game: Engine) -> RuleTree | None:
        """Return the tree of a game; None unless the game has two roles, only one of which has a choice at first."""
        start = game.initial_state()
        if len(game.roles) != 2 or game.is_terminal(start):
            return None
        first, second = sorted(game.roles, key=lambda role: -len(game.legal_moves(start, role)))
        in_turn = len(game.legal_moves(start, second)) == 1 < len(game.legal_moves(start, first))
        return cls(game, first, second) if in_turn else None

    def root(self) -> Any:
        """Return the initial state."""
        return self._game.initial_state()

    def moves(self, state: Any) -> Sequence[Any]:
        """Return the joint moves in a state that is not terminal."""
        return list(product(*(self._game.legal_moves(state, role) for role in self._game.roles)))

    def child(self, state: Any, move: Any) -> Any:
        """Return the state after a joint move."""
        return self._game.next_state(state, move)

    def outcome(self, state: Any) -> float | None:
        """Return the outcome for the role that moves first, -1 to 1; None if the state is not terminal."""
        if not self._game.is_terminal(state):
            return None
        return (self._game.goal(state, self._first) - self._game.goal(state, self._second)) / 100

    def key(self, state: Hashable) -> Hashable:
        """Return the state itself."""
        return state

    def fast_sample(self, simulator: Simulator, *, longest: int) -> Sample | None:
        """Return the result of `sample`, computed by a Simulator of the game, but without deviations."""
        result = simulator.playouts(FAST_SAMPLE, max_plies=longest)
        if result.cut:
            return None
        outcome = (result.goals[self._first] - result.goals[self._second]) / 100
        return Sample(result.playouts, result.mean_length, outcome)


@final
class SpielTree:
    """The tree of a deterministic OpenSpiel game."""

    def __init__(self, game: Any) -> None:
        """Take a game as `pyspiel.load_game` returns it."""
        self._game = game

    def root(self) -> Any:
        """Return the initial state."""
        return self._game.new_initial_state()

    def moves(self, state: Any) -> Sequence[Any]:
        """Return the legal actions in a state that is not terminal."""
        return state.legal_actions()  # type: ignore[no-any-return]

    def child(self, state: Any, move: Any) -> Any:
        """Return the state after an action."""
        return state.child(move)

    def outcome(self, state: Any) -> float | None:
        """Return the outcome for the first player, -1 to 1; None if the state is not terminal."""
        return float(state.returns()[0]) if state.is_terminal() else None

    def key(self, state: Any) -> Hashable:
        """Return the state's text."""
        return str(state)


@dataclass(frozen=True, slots=True)
class Level:
    """All move sequences of one length: their number, the number that end the game, and the sum of their outcomes."""

    paths: int
    ended: int
    outcomes: float


def levels(tree: Tree, most: int = TREE_MOVES) -> Iterator[Level]:
    """Yield the levels of a tree from the top: the first one, and further ones up to `most` moves in total.

    A state reached by several paths is expanded only once.
    """
    states: list[tuple[Any, int]] = [(tree.root(), 1)]
    made = 0
    while states:
        moves = [tree.moves(state) for state, _ in states]
        made += sum(map(len, moves))
        if made > most and len(states) > 1:
            return
        paths = ended = 0
        outcomes = 0.0
        below: dict[Hashable, tuple[Any, int]] = {}
        for (state, ways), choices in zip(states, moves, strict=True):
            paths += ways * len(choices)
            for child in (tree.child(state, move) for move in choices):
                outcome = tree.outcome(child)
                if outcome is None:
                    key = tree.key(child)
                    _, others = below.get(key, (child, 0))
                    below[key] = child, others + ways
                else:
                    ended += ways
                    outcomes += ways * outcome
        yield Level(paths, ended, outcomes)
        states = list(below.values())


@dataclass(frozen=True, slots=True)
class Sample:
    """Random playouts: mean length in plies and mean outcome for the first player, with standard deviations."""

    playouts: int
    length: float
    outcome: float
    length_deviation: float = 0.0
    outcome_deviation: float = 0.0

    def fits(self, peer: Sample) -> bool:
        """Return True if the means agree within `ERRORS` standard errors, by the deviations of the peer's playouts."""
        errors = ERRORS * sqrt(1 / self.playouts + 1 / peer.playouts)
        return (
            abs(self.length - peer.length) <= errors * peer.length_deviation + 1e-9
            and abs(self.outcome - peer.outcome) <= errors * peer.outcome_deviation + 1e-9
        )


def sample(tree: Tree, playouts: int, *, seed: int, longest: int) -> Sample | None:
    """Run playouts of uniformly random moves; return None if one has more than `longest` plies."""
    generator = random.Random(seed)
    lengths: list[int] = []
    outcomes: list[float] = []
    for _ in range(playouts):
        state = tree.root()
        plies = 0
        while (outcome := tree.outcome(state)) is None:
            if plies == longest:
                return None
            state = tree.child(state, generator.choice(tree.moves(state)))
            plies += 1
        lengths.append(plies)
        outcomes.append(outcome)
    return Sample(playouts, fmean(lengths), fmean(outcomes), pstdev(lengths), pstdev(outcomes))


@final
class Rollouts:
    """Random playouts of an OpenSpiel game by its own C++ code.

    A search by `MCTSBot` with a single simulation evaluates only the given state, and a `RandomRolloutEvaluator`
    evaluates it by a number of playouts; no Python code runs in between. With more simulations, most playouts would
    begin one move later.
    """

    def __init__(self, name: str) -> None:
        """Load a game by its OpenSpiel name and run a first playout. Raises MissingOpenSpielError."""
        self._pyspiel = load()
        began = time.perf_counter()
        self.name = name
        self._game = self._pyspiel.load_game(name)
        self.outcome(1, seed=0)
        #: The wall time of loading the game and running a first playout, in seconds.
        self.setup_seconds = time.perf_counter() - began
        self.tree = SpielTree(self._game)

    @property
    def longest(self) -> int:
        """The greatest possible length of a playout, in plies."""
        return int(self._game.max_game_length())

    @cached_property
    def sample(self) -> Sample:
        """Random playouts by two random bots, to measure lengths, which the search does not report."""
        bots = [self._pyspiel.make_uniform_random_bot(player, player + 1) for player in range(2)]
        lengths: list[int] = []
        outcomes: list[float] = []
        plies = 0
        while plies < SAMPLE_PLIES:
            state = self._game.new_initial_state()
            outcomes.append(self._pyspiel.evaluate_bots(state, bots, 0)[0])
            lengths.append(state.move_number())
            plies += lengths[-1]
        return Sample(len(lengths), fmean(lengths), fmean(outcomes), pstdev(lengths), pstdev(outcomes))

    def outcome(self, playouts: int, seed: int) -> float:
        """Run playouts from the initial state; return the mean outcome for the first player, -1 to 1."""
        bot = self._pyspiel.MCTSBot(
            self._game,
            self._pyspiel.RandomRolloutEvaluator(playouts, seed),
            uct_c=1.0,
            max_simulations=1,
            max_memory_mb=1,
            solve=False,
            seed=seed,
            verbose=False,
        )
        return float(bot.mcts_search(self._game.new_initial_state()).total_reward)


def find(game: Engine, simulator: Simulator | None = None, names: Sequence[str] = GAMES) -> Rollouts | None:
    """Return the OpenSpiel game that an engine plays; None if it is none of `names`.

    The numbers of moves and ends and the outcomes in the upper levels of the game tree are compared, then the mean
    length and the mean outcome of random playouts, run by a Simulator of the game if there is one. Rules that differ
    only in rare cases are not distinguished. Raises MissingOpenSpielError, and the engine's errors about the rules.
    """
    load()
    ours = RuleTree.of(game)
    if ours is None:
        return None
    choices = len(ours.moves(ours.root()))
    for name in names:
        peer = Rollouts(name)
        if len(peer.tree.moves(peer.tree.root())) != choices or not _same_levels(ours, peer.tree):
            continue
        if simulator is not None:
            own = ours.fast_sample(simulator, longest=peer.longest)
        else:
            own = sample(ours, OWN_SAMPLE, seed=0, longest=peer.longest)
        if own is not None and own.fits(peer.sample):
            return peer
    return None


def _same_levels(ours: Tree, theirs: Tree) -> bool:
    """Return True if two trees have equal levels, as far as both are expanded."""
    return all(one == other for one, other in zip(levels(ours), levels(theirs), strict=False))


def load() -> Any:
    """Return the module `pyspiel`. Raises MissingOpenSpielError."""
    try:
        module = import_module("pyspiel")
    except ImportError as error:
        raise MissingOpenSpielError(f"OpenSpiel cannot be imported ({error})") from None
    if _numbers(module.__version__) < _numbers(OLDEST):
        raise MissingOpenSpielError(f"OpenSpiel {module.__version__} is too old")
    return module


def load_clocked() -> Any:
    """Return the module `pyspiel` if its `MCTSBot` supports a time limit. Raises MissingOpenSpielError otherwise."""
    module = load()
    if "max_wall_clock_time" not in (module.MCTSBot.__init__.__doc__ or ""):
        raise MissingOpenSpielError(f"OpenSpiel {module.__version__} is too old: its MCTSBot has no time limit")
    return module


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
