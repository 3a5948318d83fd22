"""Legal moves as pages show them: their parts, which are clicked at the board, and their words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Final, final

from gdl.engine import is_nature
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.board.clicks import After, Click, Part, clicks, lanes_of
from ggp.board.drawing.elements import group
from ggp.board.drawing.looks import look_of
from ggp.board.drawing.scene import Scene
from ggp.board.model import CellPlace, Piece, View
from ggp.board.view import Layout, lay
from ggp.board.words import angles_of, move_words, spaced
from ggp.server import messages as to

#: The largest number of a role's legal moves that are sent.
MOST_MOVES: Final = 2000


@final
class Choosing:
    """The legal moves of one game."""

    def __init__(self, game: Reasoner, layout: Layout, scene: Scene) -> None:
        """Choose on the boards of a layout."""
        self._game = game
        self._layout = layout
        self._scene = scene
        #: The pieces by their kinds.
        self.pieces: dict[str, Piece] = {
            piece.kind: piece for layer in layout.layers.values() for piece in layer.pieces.values() if not piece.blank
        }

    def choices(self, state: State, view: View, *, chance: bool) -> to.Choices:
        """Return each role's legal moves, and `terminal` if the game is over."""
        try:
            if self._game.is_terminal(state):
                return _nothing(terminal=True)
            legal = {role: self._game.legal_moves(state, role) for role in self._game.roles}
        except GdlError as error:
            return {**_nothing(), "fault": str(error)}
        found = {
            role: clicks(self._layout, view, own[:MOST_MOVES], self._after(state, legal, role), role)
            for role, own in legal.items()
            if chance or not is_nature(role)
        }
        return self._shown(found, legal)

    def own_choices(self, state: State, view: View, role: str) -> to.Choices:
        """Return a role's legal moves, without looking at what they lead to, which the role does not see."""
        try:
            if self._game.is_terminal(state):
                return _nothing(terminal=True)
            legal = self._game.legal_moves(state, role)
        except GdlError:
            return {**_nothing(), "fault": "the rules fail here"}
        found = clicks(self._layout, view, legal[:MOST_MOVES], None, role, self.lanes)
        return self._shown({role: found}, {role: legal})

    def said(self, move: Term | str) -> str:
        """Return a move in words."""
        return move_words(self._layout, move, self._lane_names)

    def _shown(self, found: Mapping[str, Sequence[Click]], legal: Mapping[str, Sequence[Term]]) -> to.Choices:
        words = {part.word for own in found.values() for click in own for part in click.parts if part.word}
        return {
            "terminal": False,
            "choices": {role: [self._choice(click) for click in own] for role, own in found.items()},
            "words": self._words(words),
            "more": {role: len(legal[role]) - MOST_MOVES for role in found if len(legal[role]) > MOST_MOVES},
        }

    def _choice(self, click: Click) -> to.Choice:
        return {"move": click.move.text, "label": self.said(click.move), "parts": list(map(_part, click.parts))}

    def _words(self, words: Collection[str]) -> dict[str, to.Word]:
        angles = angles_of(words)
        found: dict[str, to.Word] = {word: {"text": spaced(word)} for word in sorted(words)}
        for word, shown in found.items():
            if word in self.pieces:
                shown["look"] = self.look(word)
            elif word in angles:
                shown["angle"] = angles[word]
        return found

    def look(self, word: str) -> to.Drawn:
        """Return a drawing of the piece that a word names."""
        piece = self.pieces[word]
        return group(look_of(piece), class_=f"piece c-{self._scene.colours.piece(piece)}").data()

    def _after(self, state: State, legal: Mapping[str, Sequence[Term]], role: str) -> After:
        others = {other: theirs[0] for other, theirs in legal.items() if other != role}
        return partial(_next, self._game, state, others, role)

    # Lanes

    @cached_property
    def lanes(self) -> Mapping[Term, CellPlace]:
        """The cell of each move that puts a piece into a column or row of its own, as the initial state shows."""
        state, found = self._game.initial_state(), dict[Term, CellPlace]()
        try:
            view = lay(self._layout, state)
            legal = {role: self._game.legal_moves(state, role) for role in self._game.roles}
        except GdlError:
            return {}
        for role, own in legal.items():
            if not is_nature(role) and len(own) > 1:
                found |= lanes_of(self._layout, view, own[:MOST_MOVES], self._after(state, legal, role))
        return found

    @cached_property
    def _lane_names(self) -> Mapping[str, str]:
        """The name of the column or row of each of these moves."""
        columns = {place.column for place in self.lanes.values()}
        found = {}
        for move, place in self.lanes.items():
            signs = self._layout.boards[place.board].signs(list)
            found[move.text] = signs[0][place.column] if len(columns) > 1 else signs[1][place.row]
        return found


def _nothing(*, terminal: bool = False) -> to.Choices:
    return {"terminal": terminal, "choices": {}, "words": {}, "more": {}}


def _next(game: Reasoner, state: State, others: Mapping[str, Term], role: str, move: Term) -> Iterable[Term]:
    return game.next_state(state, {**others, role: move})


def _part(part: Part) -> to.Part:
    found: to.Part = {"cells": sorted(map(key_of, part.cells))}
    if part.word:
        found["word"] = part.word
    if part.slot:
        found["slot"] = part.slot
    if part.lane:
        found["lane"] = sorted(map(key_of, part.lane))
    return found


def key_of(place: CellPlace) -> str:
    """Return the key of a cell, as pages have it."""
    return f"{place.board},{place.column},{place.row}"
