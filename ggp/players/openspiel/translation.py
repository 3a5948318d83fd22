"""Moves of a rule file as actions of an OpenSpiel game, and back.

Both name a cell by coordinates, but count them from another corner or in another order: `(move 1 2 1 3)` is `a7a6`.
So a translation says for each argument of a move which token of an action's text it goes with, and by which shift or
reflection. Of all that turn the legal moves at the start into the legal actions, the first is taken with which random
playouts of both games go along side by side: as many moves at each ply, who is to move, the end, and the outcome.
What is not seen there is found out later: a `Follower` compares at every ply of a match.
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

#: Random playouts that a translation must go along with.
PLAYOUTS: Final = 10

#: Moves of more arguments are not translated: there are too many ways to order them.
_ARGUMENTS: Final = 5

_TOKEN: Final = re.compile(r"[A-Za-z]|\d+")
_NUMBER: Final = re.compile(r"(\d+)$")


class TranslationError(GdlError):
    """A rule file is no game of OpenSpiel's, or turned out not to be the one that it was taken for."""

    code = "openspiel-game"

    def __str__(self) -> str:
        return f"{self.code}: {self.args[0]}"


@dataclass(frozen=True, slots=True)
class Axis:
    """How an argument of a move is found in an action: token number `place`, times `sign`, plus `shift`."""

    place: int
    sign: int
    shift: int

    def of(self, tokens: Sequence[int]) -> int:
        return self.sign * tokens[self.place] + self.shift


@dataclass(frozen=True, slots=True)
class Translation:
    """The game of OpenSpiel's that a rule file is, the role that moves first, and an axis for each argument."""

    game: str
    first: str
    axes: tuple[Axis, ...]

    def actions(self, state: Any, legal: Sequence[Term]) -> dict[Term, int]:
        """The actions of the legal moves of who is to move. Raises TranslationError where they do not correspond."""
        actions = state.legal_actions()
        if len(actions) != len(legal):
            raise TranslationError(f"{len(legal)} legal moves, but {len(actions)} legal actions in {self.game}")
        if len(actions) == 1:  # also a pass, which has no coordinates
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
    """A match in OpenSpiel's game, kept beside the one by the rules."""

    def __init__(self, translation: Translation, roles: Sequence[str]) -> None:
        self._translation = translation
        self._roles = tuple(roles)
        self._first = self._roles.index(translation.first)
        self.state: Any = load().load_game(translation.game).new_initial_state()

    @property
    def mover(self) -> int:
        """The place of the role that is to move."""
        return self._first if self.state.current_player() == 0 else 1 - self._first

    def actions(self, legal: Sequence[Term]) -> dict[Term, int]:
        """The actions of the legal moves of who is to move. Raises TranslationError."""
        if self.state.is_terminal():
            raise TranslationError(f"the match goes on, but {self._translation.game} is over")
        return self._translation.actions(self.state, legal)

    def apply(self, moves: Sequence[Term], legal: Sequence[Term]) -> None:
        """Follow a joint move, given what was legal for who was to move. Raises TranslationError."""
        self.state.apply_action(self.actions(legal)[moves[self.mover]])

    def check(self, goals: Sequence[int]) -> None:
        """Compare the end of the match, by the goals of both roles. Raises TranslationError."""
        if not self.state.is_terminal():
            raise TranslationError(f"the match is over, but {self._translation.game} goes on")
        ours = (goals[self._first] - goals[1 - self._first]) / 100
        if (theirs := self.state.returns()[0]) != ours:
            raise TranslationError(f"the outcome is {ours:g}, but {theirs:g} in {self._translation.game}")


def translation(game: Engine, names: Iterable[str] = GAMES) -> Translation:
    """The game of OpenSpiel's that an engine plays, and its moves. Raises TranslationError, MissingOpenSpielError."""
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
            if _goes_along(game, candidate):
                return candidate
    raise TranslationError("no game of OpenSpiel's is known to have these moves")


def _goes_along(game: Engine, candidate: Translation) -> bool:
    """Whether random playouts are the same in both games."""
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
    """All ways in which the coordinates of these moves come from the tokens of these actions."""
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
    """How all values of an argument come from all values of a token: as they are, or reflected."""
    ours = sorted(move[argument] for move in moves)
    found = []
    for sign in (1, -1):
        theirs = sorted(sign * tokens[place] for tokens in actions)
        shift = ours[0] - theirs[0]
        if [value + shift for value in theirs] == ours:
            found.append(Axis(place, sign, shift))
    return found


def _tokens(text: str) -> tuple[int, ...]:
    """The letters and numbers in an action's text, letters as their place in the alphabet."""
    return tuple(int(token) if token.isdigit() else ord(token.lower()) - 96 for token in _TOKEN.findall(text))


def _coordinates(move: Term) -> tuple[int, ...]:
    """The arguments of a move as numbers: those that end in digits, or are single letters. Else there are none."""
    if not isinstance(move, Function):
        return ()
    numbers = [_number(argument) for argument in move.args]
    return tuple(number for number in numbers if number is not None) if None not in numbers else ()


def _number(argument: Term) -> int | None:
    if not isinstance(argument, Constant):
        return None
    if digits := _NUMBER.search(argument.text):
        return int(digits[1])
    return ord(argument.text.lower()) - 96 if len(argument.text) == 1 else None
