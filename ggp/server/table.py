"""A game with its boards, and its positions in the form in which pages show them. Runs in a game process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from gdl.engine import hides_states, is_nature, player_roles
from gdl.errors import GdlError
from gdl.explanation.outline import outline
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.board.clicks import Click, clicks
from ggp.board.drawing.elements import Element
from ggp.board.drawing.scene import picture, scene_of
from ggp.board.drawing.strokes import slides, steps, strokes
from ggp.board.finding.find import find_boards
from ggp.board.model import CellPlace, View
from ggp.board.notes import grouped
from ggp.board.view import lay
from ggp.board.wishes import Wishes, fulfil
from ggp.match.record import MatchRecord

#: The largest numbers of a role's legal moves, a state's facts and an explanation's lines that are sent.
MOST_MOVES: Final = 2000
MOST_FACTS: Final = 2000
MOST_LINES: Final = 300


class Table:
    """A game in the form in which pages show it."""

    def __init__(self, rules: str, name: str, wishes: Wishes, budget: DerivationBudget | None = None) -> None:
        """Read the rules and find their boards. Raises RulesheetError and DerivationLimitError."""
        self.game = Reasoner(rules, name, budget)
        self.layout = fulfil(find_boards(self.game), wishes)
        self.scene = scene_of(self.layout, wishes.colours)
        self._title = wishes.title

    def about(self) -> dict[str, Any]:
        """Return what never changes: the roles, and the boards without pieces."""
        scene = self.scene
        return {
            "title": self._title,
            "roles": list(player_roles(self.game)),
            "hidden": hides_states(self.game),
            "width": scene.width if self.layout.boards else 0,
            "height": scene.height if self.layout.boards else 0,
            "ground": _data(scene.ground),
            "middles": {_key(place): middle for place, middle in scene.middles.items()},
            "labels": {_key(place): self._label(place) for place in scene.middles},
            "colours": {role: scene.colours.role(role) for role in self.game.roles},
        }

    def position(self, record: MatchRecord | None, ply: int) -> dict[str, Any]:
        """Return the position after a ply of a record; without a record, the initial position."""
        state, view = self._state(record, ply)
        played = record.plies[ply - 1] if record is not None and ply else None
        moves = played.moves if played else ()
        before = self._view(record, ply - 1) if played else None
        last = strokes(self.layout, moves)
        if moves:
            view = lay(self.layout, state, moves, before)
        drawn = picture(self.scene, view, last, before)
        ways = [*steps(last)] or ([*slides(before, view)] if before is not None else [])
        return {
            "ply": ply,
            "moves": list(moves),
            "errors": list(played.errors if played else (record.initial_errors if record else ())),
            "under": _data(drawn.under),
            "pieces": _data(drawn.pieces),
            "over": _data(drawn.over),
            "steps": [[_key(start), _key(end)] for start, end in ways],
            "names": {
                _key(place): ", ".join([*(piece.name for piece in cell.pieces), *self._marks(cell.marks)])
                for place, cell in view.cells.items()
                if cell.pieces or cell.marks
            },
            "notes": [[note.name, list(note.rows)] for note in grouped(view.rest)],
            "facts": [fact.text for fact in islice(state, MOST_FACTS)],
            **self._choices(state, view),
        }

    def explain(self, record: MatchRecord | None, ply: int, atom: str) -> dict[str, Any]:
        """Explain why an atom holds after a ply, or why not. Raises the errors of `Reasoner.explain`."""
        state, _ = self._state(record, ply)
        explanation = self.game.explain(atom, state)
        lines = list(islice(outline(explanation), MOST_LINES + 1))
        return {
            "holds": explanation.holds,
            "lines": [[one.branches, one.text, one.note, one.kind.value] for one in lines[:MOST_LINES]],
            "cut": len(lines) > MOST_LINES,
        }

    def _state(self, record: MatchRecord | None, ply: int) -> tuple[State, View]:
        state = self.game.initial_state() if record is None else self.game.state(record.facts(ply))
        return state, lay(self.layout, state)

    def _view(self, record: MatchRecord | None, ply: int) -> View:
        return self._state(record, ply)[1]

    def _choices(self, state: State, view: View) -> dict[str, Any]:
        """Return each role's legal moves, and `terminal` if the game is over."""
        try:
            if self.game.is_terminal(state):
                return {"terminal": True, "choices": {}, "more": {}}
            legal = {role: self.game.legal_moves(state, role) for role in self.game.roles}
        except GdlError as error:
            return {"terminal": False, "choices": {}, "more": {}, "fault": str(error)}
        choices = {}
        for role, own in legal.items():
            if is_nature(role):
                continue
            others = {other: theirs[0] for other, theirs in legal.items() if other != role}
            after = partial(self._after, state, others, role)
            found = clicks(self.layout, view, own[:MOST_MOVES], after)
            choices[role] = [_choice(click) for click in found]
        more = {role: len(own) - MOST_MOVES for role, own in legal.items() if len(own) > MOST_MOVES}
        return {"terminal": False, "choices": choices, "more": more}

    def _after(self, state: State, others: Mapping[str, Term], role: str, move: Term) -> Iterable[Term]:
        return self.game.next_state(state, {**others, role: move})

    def _marks(self, marks: Sequence[str]) -> list[str]:
        names = {layer.mark: layer.name for layer in self.layout.layers.values() if layer.mark}
        return [names.get(mark, mark) for mark in marks]

    def _label(self, place: CellPlace) -> str:
        board = self.layout.boards[place.board]
        words = (board.title, board.columns[place.column], board.rows[place.row])
        return " ".join(filter(None, words))


def _choice(click: Click) -> dict[str, Any]:
    return {"move": click.move.text, "path": [sorted(map(_key, cells)) for cells in click.path]}


def _key(place: CellPlace) -> str:
    return f"{place.board},{place.column},{place.row}"


def _data(elements: Iterable[Element]) -> list[Any]:
    return [one.data() for one in elements]
