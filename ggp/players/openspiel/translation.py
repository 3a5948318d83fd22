"""Translate the moves of a rule file to the actions of an OpenSpiel game, and back.

Both name a cell by coordinates, but count them from different corners or in a different order: `(move 1 2 1 3)` is
`a7a6`. So a translation assigns to each argument of a move a token of the action's text, with a shift or a reflection.
Many translations may map the legal moves at the start to the legal actions. The first one is taken with which random
playouts of both games agree in the number of moves at each ply, the role to move, the end and the outcome. Differences
that do not show there are found later, as a `Follower` compares both games at every ply of a match.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, Final, final

from gdl.engine import Engine
from gdl.errors import GdlError
from gdl.terms import Constant, Function, Term
from ggp.players.openspiel.games import GAMES, load

#: The number of random playouts with which a translation is tested.
PLAYOUTS: Final = 10

#: Moves with more arguments are not translated: there are too many ways to order them.
_ARGUMENTS: Final = 5

_TOKEN: Final = re.compile(r"[A-Za-z]|\d+")
_NUMBER: Final = re.compile(r"(\d+)$")


class TranslationError(GdlError):
    """A rule file matches no OpenSpiel game, or turned out to differ from the one that it was identified as."""

    code = "openspiel-game"
    template = "{code}: {0}"


@dataclass(frozen=True, slots=True)
class Axis:
    """The source of a move's argument in an action: token number `place`, times `sign`, plus `shift`."""

    place: int
    sign: int
    shift: int

    def of(self, tokens: Sequence[int]) -> int:
        """Return the argument's value, given the tokens of an action."""
        return self.sign * tokens[self.place] + self.shift


@dataclass(frozen=True, slots=True)
class Translation:
    """The OpenSpiel game of a rule file, the role that moves first, and an axis for each argument of its moves."""

    game: str
    first: str
    axes: tuple[Axis, ...]

    def actions(self, state: Any, legal: Sequence[Term]) -> dict[Term, int]:
        """Return the mover's legal moves with their actions. Raises TranslationError if they do not correspond."""
        actions = state.legal_actions()
        if len(actions) != len(legal):
            raise TranslationError(f"{len(legal)} legal moves, but {len(actions)} legal actions in {self.game}")
        if len(actions) == 1:  # it may be a pass, which has no coordinates
            return {legal[0]: actions[0]}
        by_place = {}
        for action in actions:
            tokens = _tokens(state.action_to_string(state.current_player(), action))
            if max((axis.place for axis in self.axes), default=0) < len(tokens):
                by_place[tuple(axis.of(tokens) for axis in self.axes)] = action
        found = {move: by_place.get(_coordinates(move)) for move in legal}
        if len(by_place) != len(actions) or None in found.values() or len(set(found.values())) != len(actions):
            raise TranslationError(f"the legal moves do not correspond to the legal actions in {self.game}")
        return {move: action for move, action in found.items() if action is not None}


@final
class Follower:
    """Follows a match in OpenSpiel's version of the game."""

    def __init__(self, translation: Translation, roles: Sequence[str]) -> None:
        """Start from the initial state of the translation's game, for these roles of the rules."""
        self._translation = translation
        self._roles = tuple(roles)
        self._first = self._roles.index(translation.first)
        self.state: Any = load().load_game(translation.game).new_initial_state()

    @property
    def mover(self) -> int:
        """The number of the role to move."""
        return self._first if self.state.current_player() == 0 else 1 - self._first

    def actions(self, legal: Sequence[Term]) -> dict[Term, int]:
        """Return the mover's legal moves with their actions. Raises TranslationError."""
        if self.state.is_terminal():
            raise TranslationError(f"the match goes on, but {self._translation.game} is over")
        return self._translation.actions(self.state, legal)

    def apply(self, moves: Sequence[Term], legal: Sequence[Term]) -> None:
        """Follow a joint move, given the mover's legal moves. Raises TranslationError."""
        self.state.apply_action(self.actions(legal)[moves[self.mover]])

    def check(self, goals: Sequence[int]) -> None:
        """Compare the end of the match by the goals of both roles. Raises TranslationError if it differs."""
        if not self.state.is_terminal():
            raise TranslationError(f"the match is over, but {self._translation.game} goes on")
        ours = (goals[self._first] - goals[1 - self._first]) / 100
        if (theirs := self.state.returns()[0]) != ours:
            raise TranslationError(f"the outcome is {ours:g}, but {theirs:g} in {self._translation.game}")


def translation(game: Engine, names: Iterable[str] = GAMES) -> Translation:
    """Find the OpenSpiel game that an engine plays, and translate its moves.

    Raises TranslationError if there is none, and MissingOpenSpielError.
    """
    pyspiel = load()
    start = game.initial_state()
    if len(game.roles) != 2 or game.is_terminal(start):
        raise TranslationError("not a game of two roles")
    first = max(game.roles, key=lambda role: len(game.legal_moves(start, role)))
    legal = game.legal_moves(start, first)
    for name in names:
        state = pyspiel.load_game(name).new_initial_state()
        actions = state.legal_actions()
        if len(actions) != len(legal):
            continue
        texts = [state.action_to_string(state.current_player(), action) for action in actions]
        for axes in _axes(list(map(_coordinates, legal)), list(map(_tokens, texts))):
            candidate = Translation(name, first, axes)
            if _agrees(game, candidate):
                return candidate
    raise TranslationError("no known OpenSpiel game has these moves")


def _agrees(game: Engine, candidate: Translation) -> bool:
    """Return True if random playouts agree in both games."""
    generator = random.Random(0)
    for _ in range(PLAYOUTS):
        state = game.initial_state()
        follower = Follower(candidate, game.roles)
        try:
            while not game.is_terminal(state):
                choices = [game.legal_moves(state, role) for role in game.roles]
                if len(choices[1 - follower.mover]) != 1:
                    return False
                moves = [generator.choice(legal) for legal in choices]
                follower.apply(moves, choices[follower.mover])
                state = game.next_state(state, moves)
            follower.check([game.goal(state, role) for role in game.roles])
        except TranslationError:
            return False
    return True


def _axes(moves: Sequence[tuple[int, ...]], actions: Sequence[tuple[int, ...]]) -> Iterator[tuple[Axis, ...]]:
    """Yield all ways to derive the coordinates of these moves from the tokens of these actions."""
    size = len(moves[0])
    width = min(map(len, actions))
    if not 0 < size <= _ARGUMENTS or any(len(move) != size for move in moves):
        return
    goal = sorted(moves)
    for places in permutations(range(width), size):
        choices = [_fits(moves, actions, argument, place) for argument, place in enumerate(places)]
        for axes in product(*choices):  # none where an argument has no choice
            if sorted(tuple(axis.of(tokens) for axis in axes) for tokens in actions) == goal:
                yield axes


def _fits(
    moves: Sequence[tuple[int, ...]], actions: Sequence[tuple[int, ...]], argument: int, place: int
) -> list[Axis]:
    """Return the axes that map all values of a token to all values of an argument: shifted, or reflected."""
    ours = sorted(move[argument] for move in moves)
    found = []
    for sign in (1, -1):
        theirs = sorted(sign * tokens[place] for tokens in actions)
        shift = ours[0] - theirs[0]
        if [value + shift for value in theirs] == ours:
            found.append(Axis(place, sign, shift))
    return found


def _tokens(text: str) -> tuple[int, ...]:
    """Return the letters and numbers in an action's text, with letters as their positions in the alphabet."""
    return tuple(int(token) if token.isdigit() else ord(token.lower()) - 96 for token in _TOKEN.findall(text))


def _coordinates(move: Term) -> tuple[int, ...]:
    """Return the arguments of a move as numbers, from final digits or single letters; empty if one is neither."""
    if not isinstance(move, Function):
        return ()
    numbers = [_number(argument) for argument in move.args]
    return tuple(number for number in numbers if number is not None) if None not in numbers else ()


def _number(argument: Term) -> int | None:
    if not isinstance(argument, Constant):
        return None
    if digits := _NUMBER.search(argument.text):
        return int(digits[1])
    return ord(argument.key) - 96 if len(argument.text) == 1 else None
