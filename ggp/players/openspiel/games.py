"""OpenSpiel as a peer: which of its games a rule file is, and how fast its C++ code plays that game at random.

OpenSpiel (Lanctot et al. 2019, arXiv:1908.09453; PyPI `open_spiel`, module `pyspiel`) has its games written by hand
in C++. Whether a rule file is one of them is not told by its name but by the game itself: the tree of all moves down
to some depth is counted in both, and random playouts of both must last as long and end as well.
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

#: OpenSpiel's games, as it writes them, that rule files have been found to be.
#:
#: Not among them are games that only look alike. Public files of checkers end after 60 or 101 plies, or are drawn after
#: 20 without a capture or a man's move, where OpenSpiel draws after 40 without a capture. Lines of action and chess end
#: after 49 and 200 plies. In gomoku six in a row do not win. Amazons moves and shoots at once. Of dots and
#: boxes neither the counts of moves nor the lengths of playouts would tell whether a box gives another turn.
GAMES: Final = (
    "tic_tac_toe",
    "connect_four",
    "connect_four(rows=6,columns=8)",
    "connect_four(rows=6,columns=9)",
    "breakthrough",
    "othello",
    "hex(board_size=9)",
)

#: All of them were tried with this version; 1.6 has connect four in one size only.
OLDEST: Final = "1.6.9"

#: Levels of the tree of all moves are compared as long as no more than so many moves are made, the first in any case.
TREE_MOVES: Final = 5000

#: OpenSpiel's playouts, for how long they last, go on until they have so many plies in all.
SAMPLE_PLIES: Final = 300_000

#: With them are compared so many of a Simulator, or of an engine that plays one after the other.
FAST_SAMPLE: Final = 100_000
OWN_SAMPLE: Final = 100

#: Means that are further apart than so many standard errors are of two games.
ERRORS: Final = 4.0


class MissingOpenSpielError(GdlError):
    """OpenSpiel is not installed, or too old."""

    code = "no-openspiel"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}; `pip install 'open_spiel>={OLDEST}'` installs it"


class Tree(Protocol):
    """A game of two players as a tree of states."""

    def root(self) -> Any: ...

    def moves(self, state: Any, /) -> Sequence[Any]:
        """The joint moves in a state that is not terminal."""
        ...

    def child(self, state: Any, move: Any, /) -> Any: ...

    def outcome(self, state: Any, /) -> float | None:
        """What the game is worth to who moves first, -1 to 1; None if the state is not terminal."""
        ...

    def key(self, state: Any, /) -> Hashable:
        """The same for states of one depth from which the game goes on alike."""
        ...


@final
class RuleTree:
    """A game of two roles, of which one alone has a choice at the start, as a tree."""

    def __init__(self, game: Engine, first: str, second: str) -> None:
        self._game = game
        self._first = first
        self._second = second

    @classmethod
    def of(cls, game: Engine) -> RuleTree | None:
        """The tree of a game; None if it is not one of two roles that move in turn."""
        start = game.initial_state()
        if len(game.roles) != 2 or game.is_terminal(start):
            return None
        first, second = sorted(game.roles, key=lambda role: -len(game.legal_moves(start, role)))
        in_turn = len(game.legal_moves(start, second)) == 1 < len(game.legal_moves(start, first))
        return cls(game, first, second) if in_turn else None

    def root(self) -> Any:
        return self._game.initial_state()

    def moves(self, state: Any) -> Sequence[Any]:
        return list(product(*(self._game.legal_moves(state, role) for role in self._game.roles)))

    def child(self, state: Any, move: Any) -> Any:
        return self._game.next_state(state, move)

    def outcome(self, state: Any) -> float | None:
        if not self._game.is_terminal(state):
            return None
        return (self._game.goal(state, self._first) - self._game.goal(state, self._second)) / 100

    def key(self, state: Hashable) -> Hashable:
        return state

    def fast_sample(self, simulator: Simulator, *, longest: int) -> Sample | None:
        """What `sample` gives, from a Simulator of the game."""
        result = simulator.playouts(FAST_SAMPLE, max_plies=longest)
        if result.cut:
            return None
        outcome = (result.goals[self._first] - result.goals[self._second]) / 100
        return Sample(result.playouts, result.mean_length, outcome)


@final
class SpielTree:
    """A deterministic game of OpenSpiel as a tree."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def root(self) -> Any:
        return self._game.new_initial_state()

    def moves(self, state: Any) -> Sequence[Any]:
        return state.legal_actions()  # type: ignore[no-any-return]

    def child(self, state: Any, move: Any) -> Any:
        return state.child(move)

    def outcome(self, state: Any) -> float | None:
        return float(state.returns()[0]) if state.is_terminal() else None

    def key(self, state: Any) -> Hashable:
        return str(state)


@dataclass(frozen=True, slots=True)
class Level:
    """All sequences of so many joint moves: their number, how many end the game, and the sum of their outcomes."""

    paths: int
    ended: int
    outcomes: float


def levels(tree: Tree, most: int = TREE_MOVES) -> Iterator[Level]:
    """The levels of a tree from the top: the first, and more as long as at most so many moves are made in all.

    States that are reached by several paths are looked at once.
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
    """Random playouts: the mean length in plies and the mean outcome for who moves first, with standard deviations."""

    playouts: int
    length: float
    outcome: float
    length_deviation: float = 0.0
    outcome_deviation: float = 0.0

    def fits(self, peer: Sample) -> bool:
        """Whether the means differ by no more than is likely, given the deviations of the peer's playouts."""
        errors = ERRORS * sqrt(1 / self.playouts + 1 / peer.playouts)
        return (
            abs(self.length - peer.length) <= errors * peer.length_deviation + 1e-9
            and abs(self.outcome - peer.outcome) <= errors * peer.outcome_deviation + 1e-9
        )


def sample(tree: Tree, playouts: int, *, seed: int, longest: int) -> Sample | None:
    """So many playouts of uniformly random moves; None if one has more plies than the longest that there may be."""
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
    """Random playouts of a game of OpenSpiel by its own C++ code.

    A search by `MCTSBot` with one simulation evaluates the state that it is given and nothing else, and a
    `RandomRolloutEvaluator` evaluates it by so many playouts from it: no Python runs in between. More simulations
    would begin most playouts one move later.
    """

    def __init__(self, name: str) -> None:
        self._pyspiel = load()
        began = time.perf_counter()
        self.name = name
        self._game = self._pyspiel.load_game(name)
        self.outcome(1, seed=0)
        #: Seconds that loading the game and a first playout took, by the clock.
        self.setup_seconds = time.perf_counter() - began
        self.tree = SpielTree(self._game)

    @property
    def longest(self) -> int:
        """No playout has more plies."""
        return int(self._game.max_game_length())

    @cached_property
    def sample(self) -> Sample:
        """Random playouts for how long they last, by two random bots: the search does not tell."""
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
        """Playouts from the initial state: the mean of what they were worth to who moves first, -1 to 1."""
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
    """The game of OpenSpiel that an engine plays; None where it is none of these.

    Compared are the moves, the ends and the outcomes in the upper levels of the tree of all moves, then the mean length
    and the mean outcome of random playouts, by a Simulator of the game if there is one. So rules that differ in what
    happens rarely are not told apart. Raises MissingOpenSpielError, and what is wrong with the rules.
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
    """Whether two trees have equal levels, as far as both are looked at."""
    return all(one == other for one, other in zip(levels(ours), levels(theirs), strict=False))


def load() -> Any:
    """The module `pyspiel`. Raises MissingOpenSpielError."""
    try:
        module = import_module("pyspiel")
    except ImportError as error:
        raise MissingOpenSpielError(f"OpenSpiel cannot be imported ({error})") from None
    if _numbers(module.__version__) < _numbers(OLDEST):
        raise MissingOpenSpielError(f"OpenSpiel {module.__version__} is too old")
    return module


def load_clocked() -> Any:
    """The module `pyspiel`, of a version in which `MCTSBot` can be given a time. Raises MissingOpenSpielError."""
    module = load()
    if "max_wall_clock_time" not in (module.MCTSBot.__init__.__doc__ or ""):
        raise MissingOpenSpielError(f"OpenSpiel {module.__version__} is too old: its MCTSBot has no clock")
    return module


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
