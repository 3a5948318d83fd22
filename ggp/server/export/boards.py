"""Describes the drawings of a game as data: what each fact puts on the boards, and what each move means there.

A page without a server cannot ask `ggp.board`. But a game has a fixed list of facts and moves, so what is known about
each of them alone is found out beforehand. What depends on several facts is left to `static/offline/drawing.js`, which
does the same as `ggp.board.view.lay` and `ggp.board.drawing.scene.picture`, and to `choosing.js` beside it, which does
that of `ggp.board.clicks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from gdl.circuit.game import GameCircuit
from gdl.engine import Engine
from gdl.terms import Function, Term, name_key
from ggp.board.clicks import arguments_of, name_of
from ggp.board.drawing.elements import Element
from ggp.board.drawing.scene import Scene
from ggp.board.drawing.strokes import strokes
from ggp.board.images import image_id
from ggp.board.kinds.hands import Hands
from ggp.board.leaves import flatten, pick
from ggp.board.model import CellPlace, Layer, Piece
from ggp.board.view import leaves_of, places_in
from ggp.board.words import ANGLES, IDLE, thrown
from ggp.match.known_hands import KnownHands
from ggp.match.own_view import cell_of
from ggp.players.player import Told
from ggp.server.game.choosing import Choosing, key_of

Json = dict[str, Any]


def drawing_data(scene: Scene, game: GameCircuit, rules: Engine, choosing: Choosing) -> Json:
    """Return what a page needs to draw the states of a game, and to let people choose moves."""
    return {**_Data(scene, game, rules).all(), "words": _words(game, choosing)}


def _words(game: GameCircuit, choosing: Choosing) -> Json:
    """Return moves in words, and what `static/offline/choosing.js` needs to put their parts into words."""
    lanes = choosing.lanes
    return {
        "moves": [
            {
                "said": choosing.said(move),
                "name": name_of(move)[0],
                "shape": name_of(move)[1],
                "words": arguments_of(move),
            }
            for _, move in game.moves
        ],
        "looks": {word: choosing.look(word) for word in choosing.pieces},
        "lanes": [[number, key_of(lanes[move])] for number, (_, move) in enumerate(game.moves) if move in lanes],
        "idle": sorted(IDLE),
        "angles": dict(ANGLES),
    }


@final
class _Data:
    """The data under construction: cells and pieces are numbered."""

    def __init__(self, scene: Scene, game: GameCircuit, rules: Engine) -> None:
        self.scene = scene
        self.game = game
        self.layout = scene.layout
        known = {*scene.middles, *(place for layer in self.layout.layers.values() for place in layer.places.values())}
        self.places = sorted(known, key=lambda place: (place.board, place.row, place.column))
        self.place_numbers = {place: number for number, place in enumerate(self.places)}
        self.pieces: dict[Piece, int] = {}
        self.looks: dict[int, Json] = {}
        #: What facts do, and what percepts would do if they were facts.
        self.facts = [self._fact(fact) for fact in (*game.facts, *(percept for _, percept in game.sees))]
        self.hands = KnownHands(rules, self.layout)

    def all(self) -> Json:
        layout, scene = self.layout, self.scene
        hands = [self._hand(layer) for layer in layout.layers.values() if layout.holds(layer)]
        found = []
        for _, move in self.game.moves:
            ways = [[self.place_numbers[one] for one in stroke.places] for stroke in strokes(layout, [move])]
            named = [self.place_numbers[place] for place in places_in(layout, move)]
            found.append([named, ways, *([list(leaves_of(move))] if hands else [])])
        return {
            "places": [[place.board, place.column, place.row] for place in self.places],
            "middles": [scene.middles.get(place) for place in self.places],
            "cells": sum(len(board.cells) for board in layout.boards if not board.holds),
            "boards": len(layout.boards),
            "named": [self._highlight(place) for place in self.places],
            "marks": {layer.mark: layer.name for layer in layout.layers.values() if layer.mark},
            "sizes": [list(layout.boards[place.board].size(place.column, place.row)) for place in self.places],
            "rows": {str(number): self._rows(number) for number in self._hands()},
            "pieces": [self._piece(piece, number) for piece, number in self.pieces.items()],
            "facts": self.facts,
            "percepts": self._percepts(),
            "moves": found,
            "dice": {
                str(number): [[note.name, list(note.rows)] for note in dice]
                for number, (_, move) in enumerate(self.game.moves)
                if (dice := list(thrown([move])))
            },
            "hands": hands,
        }

    def _percepts(self) -> Json:
        """Return what percepts tell: the cells of facts and percepts, and what a role surely holds after each."""
        layout, known = self.layout, {fact: number for number, fact in enumerate(self.game.facts)}
        shapes = {shape for shape, layer in layout.layers.items() if not layout.holds(layer)}
        dealt = []
        for role, percept in self.game.sees:
            own = self.game.roles[role].text
            held = self.hands.facts(own, [Told(None, None, (percept,))])
            # What others hold may have changed unseen.
            dealt.append([known[fact] for fact in held if fact in known and self._holder(fact) == name_key(own)])
        return {
            "about": [self._cell(fact) for fact in self.game.facts],
            "cells": [self._cell(percept) for _, percept in self.game.sees],
            "shows": any(flatten(percept)[0] in shapes for _, percept in self.game.sees),
            "dealt": dealt,
        }

    def _cell(self, fact: Term) -> str | None:
        found = cell_of(self.layout, fact)
        return None if found is None else f"{found[0]} {self.place_numbers[found[1]]}"

    def _holder(self, fact: Term) -> str:
        """Return the role that a fact about a hand names, if it names one."""
        shape, leaves = flatten(fact)
        return " ".join(pick(leaves, self.layout.layers[shape].key))

    def _hands(self) -> list[int]:
        return [number for number, board in enumerate(self.layout.boards) if isinstance(board, Hands)]

    def _fact(self, fact: Term) -> list[Any]:
        """Return what a fact does: its kind, what belongs to that, and two texts for it as a note."""
        layout = self.layout
        shape, leaves = flatten(fact)
        layer = layout.layers.get(shape)
        words = (
            [fact.name, " ".join(arg.text for arg in fact.args)] if isinstance(fact, Function) else [fact.text, None]
        )
        if layer is None:
            return ["rest", 0, 0, *words]
        place, piece = layer.places.get(pick(leaves, layer.key)), layer.pieces.get(pick(leaves, layer.content))
        if layer.board is not None and piece is not None and not isinstance(layout.boards[layer.board], Hands):
            number = self._number(piece, CellPlace(layer.board, 0, 0))
            if place is None:  # it stands on something else
                return ["on", leaves[layer.key[-1]], number, *words]
            return ["stacked", self.place_numbers[place], number, *words]
        if place is None:
            return ["rest", 0, 0, *words]
        if layer.board is None and layer.mark:
            return ["mark", self.place_numbers[place], layer.mark, *words]
        if piece is None:
            return ["rest", 0, 0, *words]
        if piece.blank:
            return ["blank", 0, 0, *words]
        kind = "piece" if layer.board is None else "held"
        return [kind, self.place_numbers[place], self._number(piece, place), *words]

    def _number(self, piece: Piece, place: CellPlace) -> int:
        """Return the number of a piece, and keep what it looks like on a cell."""
        number = self.pieces.setdefault(piece, len(self.pieces))
        looks = self.looks.setdefault(number, {})
        looks[f"{self.place_numbers.get(place, -1)}"] = self._look(piece, place)
        return number

    def _look(self, piece: Piece, place: CellPlace) -> list[Any]:
        board = self.layout.boards[place.board]
        drawn: Sequence[Element] = [] if piece.joined else board.look(piece, place.column, place.row)
        return [[one.data() for one in drawn], board.piece_words(piece, place.column, place.row)]

    def _piece(self, piece: Piece, number: int) -> Json:
        looks = self.looks[number]
        alike = all(look == next(iter(looks.values())) for look in looks.values())
        found: Json = {
            "name": piece.name,
            "key": name_key(piece.name),
            "owned": piece.owner is not None,
            "colour": self.scene.colours.piece(piece),
            "look": next(iter(looks.values())),
        }
        if not alike:
            found["looks"] = looks
        if piece.shape == "tile":
            found["tile"] = True
        if piece.joined:
            found["joined"] = [piece.glyph, f"#{image_id(piece.image)}" if piece.image else ""]
        if piece.width:
            found["wide"] = True
        if piece.held:
            found["held"] = piece.held
            found["count"] = piece.count
        return found

    def _highlight(self, place: CellPlace) -> list[Any] | None:
        if place not in self.scene.middles:
            return None
        board = self.layout.boards[place.board]
        x, y = self.scene.middles[place]
        return board.highlight(place.column, place.row, x, y, 0.0, class_="named").data()

    def _rows(self, number: int) -> Json:
        """Return the cells for what a role holds, by the first of them."""
        board = self.layout.boards[number]
        found: Json = {}
        first = 0
        for row in range(len(board.rows)):
            if board.rows[row]:
                first = row
            cells = [CellPlace(number, column, row) for column in range(len(board.columns))]
            found.setdefault(str(self.place_numbers[CellPlace(number, 0, first)]), []).extend(
                self.place_numbers[cell] for cell in cells
            )
        return found

    def _hand(self, layer: Layer) -> Json:
        """Return the names of things in hands, by role: see `ggp.board.view.hand_of`."""
        by_role: Json = {}
        for role in self.layout.roles:
            owner = (name_key(role),)[: len(layer.key)]
            by_role[role] = {
                str(self.pieces[piece]): list(content[len(owner) :][: -1 if piece.count else None])
                for content, piece in layer.pieces.items()
                if content[: len(owner)] == owner and piece in self.pieces
            }
        return {"boards": sorted({place.board for place in layer.places.values()}), "names": by_role}
