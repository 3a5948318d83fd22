"""A game with its boards, and its positions in the form in which pages show them. Runs in a game process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from gdl.engine import hides_states, player_roles
from gdl.explanation.outline import outline
from gdl.language.parser import parse_term
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.board.drawing.elements import Element
from ggp.board.drawing.scene import picture, scene_of
from ggp.board.drawing.strokes import slides, steps, strokes
from ggp.board.drawing.svg import Frame, animated_svg
from ggp.board.finding.find import find_boards
from ggp.board.model import View
from ggp.board.view import lay
from ggp.board.wishes import Wishes, fulfil
from ggp.board.words import cell_words, content_words, grouped, thrown
from ggp.match.own_view import SeenBoards
from ggp.match.record import MatchRecord, state_facts
from ggp.players.player import Told
from ggp.rules.how_to_play import how_to_play
from ggp.rules.wording import listed
from ggp.server.game.ahead import facts_after
from ggp.server.game.choosing import Choosing, key_of
from ggp.server.game.reasons import end_of
from ggp.server.messages import After, Drawn, Game, Json, Position, Reason, Why

#: The largest numbers of a state's facts and an explanation's lines that are sent.
MOST_FACTS: Final = 2000
MOST_LINES: Final = 300

#: The most plies that an animation shows.
MOST_FRAMES: Final = 400

#: The largest number of plies whose percepts are kept.
_PERCEPTS: Final = 4096


class Table:
    """A game in the form in which pages show it."""

    def __init__(self, rules: str, name: str, wishes: Wishes, budget: DerivationBudget | None = None) -> None:
        """Read the rules and find their boards. Raises RulesheetError and DerivationLimitError."""
        self.game = Reasoner(rules, name, budget)
        self.layout = fulfil(find_boards(self.game, wishes.hands), wishes)
        self.scene = scene_of(self.layout, wishes.colours)
        self.choosing = Choosing(self.game, self.layout, self.scene)
        self._title, self._colours = wishes.title, wishes.colours
        self._seen = SeenBoards(self.game, self.layout)
        # A page asks for each ply of a match in turn, and each answer needs all percepts before it.
        self._percepts = lru_cache(_PERCEPTS)(self._percepts_of)

    def about(self) -> Game:
        """Return what never changes: the roles, and the boards without pieces."""
        scene = self.scene
        return {
            "title": self._title,
            "roles": list(player_roles(self.game)),
            "hidden": hides_states(self.game),
            "width": scene.width if self.layout.boards else 0,
            "height": scene.height if self.layout.boards else 0,
            "stacked": any(board.upright for board in self.layout.boards),
            "ground": _data(scene.ground),
            "middles": {key_of(place): middle for place, middle in scene.middles.items()},
            "labels": {key_of(place): cell_words(self.layout, place) for place in scene.middles},
            "colours": {role: scene.colours.role(role) for role in self.game.roles},
            "above": self._above(),
        }

    def _above(self) -> list[str]:
        """Return the roles whose pieces stand higher than those of others at the start, by a quarter of the board."""
        heights: dict[str, list[float]] = {}
        for place, cell in lay(self.layout, self.game.initial_state()).cells.items():
            for owner in {piece.owner for piece in cell.pieces if piece.owner in self.game.roles}:
                heights.setdefault(str(owner), []).append(self.scene.middles[place][1])
        means = {role: sum(found) / len(found) for role, found in heights.items()}
        lowest = max(means.values(), default=0.0)
        return [role for role, mean in means.items() if mean < lowest - self.scene.height / 4]

    def position(self, record: MatchRecord | None, ply: int) -> Position:
        """Return the position after a ply of a record; without a record, the initial position."""
        played = record.plies[ply - 1] if record is not None and ply else None
        errors = played.errors if played else (record.initial_errors if record else ())
        before = self.state(record, ply - 1) if played else None
        moves, counts = (played.moves, played.choices) if played else ((), ())
        return self.shown(self.state(record, ply), ply, moves, before, errors, counts)

    def own_position(self, record: MatchRecord | None, ply: int, role: str) -> Position:
        """Return what a role has seen after a ply of a record: the same for all states that it cannot tell apart."""
        told = self.told(record, ply, role) if record is not None else []
        view = lay(self.layout, self._seen.facts(role, told))
        drawn = picture(self.scene, view)
        errors = record.error_rows[ply] if record is not None else ()
        return {
            "ply": ply,
            "moves": [],
            "said": [],
            "errors": [error if one == role else "" for one, error in zip(self.game.roles, errors, strict=False)],
            "under": _data(drawn.under),
            "pieces": _data(drawn.pieces),
            "over": _data(drawn.over),
            "steps": [],
            "names": self.names(view),
            "notes": [],
            "facts": [],
            "counts": [],
            "goals": {},
            "told": [self._in_words(one) for one in told],
            **self.choosing.own_choices(self.state(record, ply), view, role),
        }

    def _in_words(self, told: Told) -> Json:
        move = "" if told.own_move is None else self.choosing.said(told.own_move)
        return {"move": move, "saw": [seen.text for seen in told.percepts]}

    def told(self, record: MatchRecord, ply: int, role: str) -> list[Told]:
        """Return what a role was told of each ply of a record up to one."""
        return [self._told(record, number, role) for number in range(1, ply + 1)]

    def _told(self, record: MatchRecord, ply: int, role: str) -> Told:
        """Return what a role was told of a ply."""
        before = record.plies[ply - 2].state if ply > 1 else record.initial_state
        moves = record.plies[ply - 1].moves
        return Told(None, parse_term(moves[self.game.roles.index(role)]), self._percepts(before, moves)[role])

    def shown(
        self,
        state: State,
        ply: int,
        moves: Sequence[str] = (),
        previous: State | None = None,
        errors: Sequence[str] = (),
        counts: Sequence[int] = (),
        *,
        chance: bool = False,
    ) -> Position:
        """Return a state as a page shows it, with the joint move that led to it from the previous one.

        With `chance`, the choices of the role `random` are among the choices.
        """
        view = lay(self.layout, state)
        before = None if previous is None else lay(self.layout, previous)
        last = strokes(self.layout, moves)
        if moves:
            view = lay(self.layout, state, moves, before)
        drawn = picture(self.scene, view, last, before)
        ways = [*steps(last)] or ([*slides(before, view)] if before is not None else [])
        return {
            "ply": ply,
            "moves": list(moves),
            "said": list(map(self.choosing.said, moves)),
            "errors": list(errors),
            "counts": list(counts),
            "told": [],
            "goals": {},
            "under": _data(drawn.under),
            "pieces": _data(drawn.pieces),
            "over": _data(drawn.over),
            "steps": [[key_of(start), key_of(end)] for start, end in ways],
            "names": self.names(view),
            "notes": [[note.name, list(note.rows)] for note in (*grouped(view.rest), *thrown(moves))],
            "facts": [fact.text for fact in islice(state, MOST_FACTS)],
            **self.choosing.choices(state, view, chance=chance),
        }

    def after(self, record: MatchRecord | None, ply: int, role: str, move: str) -> After:
        """Return the board after a move that is considered, as far as it is certain. Raises AheadError."""
        state = self.state(record, ply)
        facts, certain = facts_after(self.game, state, role, move)
        view = lay(self.layout, self.game.state(facts))
        drawn = picture(self.scene, view)
        return {
            "ply": ply,
            "certain": certain,
            "under": _data(drawn.under),
            "pieces": _data(drawn.pieces),
            "over": _data(drawn.over),
            "names": self.names(view),
        }

    def reason(self, record: MatchRecord | None, ply: int) -> Reason:
        """Return the cells from which the end and the goals follow, none if these are most, and the condition."""
        facts, words = end_of(self.game, self.state(record, ply), self._placed)
        cells = lay(self.layout, self.game.state(facts)).cells
        marked = [key_of(place) for place, cell in cells.items() if cell.pieces or cell.marks]
        return {"cells": marked if len(marked) <= len(self.scene.middles) // 2 else [], "because": words}

    def _placed(self, fact: Term) -> str:
        """Return what a fact puts where, such as `king on e8`; an empty text if that is on no board."""
        cells = lay(self.layout, (fact,)).cells
        words = [(content_words(self.layout, at, cell), cell_words(self.layout, at)) for at, cell in cells.items()]
        return listed([f"{what} is on {where}" for what, where in words if what])

    def film(self, record: MatchRecord | None) -> str:
        """Return a match as an animation, an SVG document; of a long one, the last plies."""
        last = 0 if record is None else len(record.plies)
        frames = [
            Frame(self.state(record, ply), record.plies[ply - 1].moves if record is not None and ply else None)
            for ply in range(max(0, last - MOST_FRAMES), last + 1)
        ]
        return animated_svg(self.layout, frames, title=self._title, colours=self._colours)

    def how_to_play(self) -> Json:
        """Return how to play the game in words, and its rules."""
        return {**how_to_play(self.game).data(), "rules": self.game.rulesheet.source.text}

    def explain(self, record: MatchRecord | None, ply: int, atom: str) -> Why:
        """Explain why an atom holds after a ply, or why not. Raises the errors of `Reasoner.explain`."""
        return self.explained(self.state(record, ply), atom)

    def explained(self, state: State, atom: str, moves: Sequence[Term] | None = None) -> Why:
        """Explain why an atom holds in a state, or why not. Raises the errors of `Reasoner.explain`.

        An atom that depends on moves needs a joint move.
        """
        explanation = self.game.explain(atom, state, moves)
        lines = list(islice(outline(explanation), MOST_LINES + 1))
        return {
            "holds": explanation.holds,
            "lines": [[one.branches, one.text, one.note, one.kind.value] for one in lines[:MOST_LINES]],
            "cut": len(lines) > MOST_LINES,
        }

    def _percepts_of(self, state: str, moves: tuple[str, ...]) -> Mapping[str, tuple[Term, ...]]:
        return self.game.percepts(self.game.state(state_facts(state)), moves)

    def state(self, record: MatchRecord | None, ply: int) -> State:
        """Return the state after a ply of a record; without a record, the initial state."""
        return self.game.initial_state() if record is None else self.game.state(record.facts(ply))

    def names(self, view: View) -> dict[str, str]:
        """Return what stands on each cell, in words."""
        return {
            key_of(place): content_words(self.layout, place, cell)
            for place, cell in view.cells.items()
            if cell.pieces or cell.marks
        }


def _data(elements: Iterable[Element]) -> list[Drawn]:
    return [one.data() for one in elements]
