"""Make moves at the board: the parts of each move, which a person clicks one after the other.

A move that names cells is clicked on these cells, in its order, and one that names a thing in the role's hand first on
that. Any other move is clicked by its effect: if a piece changes its place, on one of its cells and then on one that it
enters; if pieces appear, on their cells. What cells do not tell apart, words beside the board do: the kind of piece
that appears, a direction, or the whole move, such as `pass`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from gdl.errors import GdlError
from gdl.terms import Function, Term, leaves
from ggp.board.drawing.strokes import Change, changes
from ggp.board.leaves import Leaves, flatten
from ggp.board.model import CellPlace, View
from ggp.board.view import Layout, hand_of, lay, leaves_of, places_in

#: Seconds spent on looking at the effects of moves.
_PATIENCE: Final = 0.5

#: Moves without cells that are listed as one word each; of more, each argument is chosen on its own.
_LISTED: Final = 6

#: The most parts of a move that puts several pieces on the board.
_MOST_PUT: Final = 8

#: Return the state after a move.
After = Callable[[Term], Iterable[Term]]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a move: a click on any of some cells, on a word beside the board, or on both.

    A word without cells may have a `slot`, the name of what it is chosen for. The cells of a `lane` mean the same as
    the others, but are only on the way there, such as those above the one into which a disc falls.
    """

    cells: frozenset[CellPlace] = frozenset()
    word: str = ""
    slot: str = ""
    lane: frozenset[CellPlace] = frozenset()


@dataclass(frozen=True, slots=True)
class Click:
    """A legal move and its parts, which tell it from all other legal moves."""

    move: Term
    parts: tuple[Part, ...] = ()

    @property
    def path(self) -> tuple[frozenset[CellPlace], ...]:
        """The cells that are clicked for it, in order."""
        return tuple(part.cells for part in self.parts if part.cells)


def clicks(
    layout: Layout,
    view: View,
    legal: Sequence[Term],
    after: After | None,
    role: str = "",
    lanes: Mapping[Term, CellPlace] | None = None,
) -> tuple[Click, ...]:
    """Return a role's legal moves with their parts; `after` may be None if effects are hidden from the role.

    Only with the name of the role are things in its hand clicked. `lanes` are cells in whose columns, or rows, moves
    are made whose effects are hidden (`lanes_of`).

    Computing the effects of moves that name no cells takes time; once it is used up, the remaining ones are words.
    """
    hand = hand_of(layout, view, role)
    found: list[Click] = []
    unnamed: list[Term] = []
    for move in legal:
        named = tuple(places_in(layout, move))
        named = tuple(dict.fromkeys((*_held(hand, move, cells=bool(named)), *named)))
        found.append(Click(move, tuple(Part(frozenset((place,))) for place in named)))
        if not named:
            unnamed.append(move)
    if len(legal) > 1 and layout.boards and unnamed:
        if after is not None:
            effects = _effects(layout, view, unnamed, after)
        else:
            effects = {move: (Part(frozenset((lanes[move],))),) for move in unnamed if lanes and move in lanes}
        found = [Click(click.move, click.parts or effects.get(click.move, ())) for click in found]
        found = _laned(layout, found, set(effects))
    return tuple(_told_apart(found) if len(found) > 1 else found)


def lanes_of(layout: Layout, view: View, legal: Sequence[Term], after: After) -> dict[Term, CellPlace]:
    """Return the cell on which each move puts a piece, if all moves do so in columns of their own, or in rows."""
    moves = [move for move in legal if not any(places_in(layout, move))]
    parts = _effects(layout, view, moves, after) if len(moves) > 1 else {}
    single = [Click(move, own) for move, own in parts.items() if len(own) == 1]
    laned = {click.move for click in _laned(layout, single, set(parts)) if click.parts[0].lane}
    return {click.move: next(iter(click.path[0])) for click in single if click.move in laned}


def _held(hand: Mapping[Leaves, CellPlace], move: Term, *, cells: bool) -> Iterator[CellPlace]:
    """Yield where the first thing of a hand is that a move names; numbers may also be those of the `cells` it names."""
    leaves = leaves_of(move) if hand else ()
    for at in range(len(leaves)):
        for thing, place in hand.items():
            if leaves[at : at + len(thing)] == thing and not (cells and thing[0].isdecimal()):
                yield place
                return


# ------------------------------------------------------------------------------------------ effects


def _effects(layout: Layout, view: View, moves: Sequence[Term], after: After) -> dict[Term, tuple[Part, ...]]:
    """Return the parts of moves by what they change on the board, for those that change it in a simple way."""
    until = time.monotonic() + _PATIENCE
    found: dict[Term, tuple[Change, ...]] = {}
    for move in moves:
        if time.monotonic() > until:
            break
        try:
            found[move] = changes(view, lay(layout, after(move)))
        except GdlError:
            continue
    # What every move changes in the same way is not its own effect, but that of what others do.
    seen = Counter(change for own in found.values() for change in own)
    common = {change for change, times in seen.items() if times == len(found) > 1}
    own = {move: [change for change in all_ if change not in common] for move, all_ in found.items()}
    parts = {move: parts for move, changed in own.items() if (parts := _by_effect(changed))}
    for _, group in groupby(sorted(own, key=name_of), name_of):
        same = list(group)
        # Moves of one name are all made alike, but for some that change nothing: nobody sees why one is clicked and
        # another one is a word.
        if any(own[move] and move not in parts for move in same) or 2 * sum(move in parts for move in same) < len(same):
            parts = {move: found for move, found in parts.items() if move not in same}
            parts |= _put_together({move: own[move] for move in same})
    return parts


def _put_together(found: Mapping[Term, Sequence[Change]]) -> dict[Term, tuple[Part, ...]]:
    """Return the parts of moves that put several pieces on the same cells: one for cells that always have the same one.

    None are returned if this does not tell all moves apart.
    """
    puts = [
        {place: change.piece.name for change in own for place in change.entered}
        for own in found.values()
        if not any(change.left for change in own)
    ]
    if len(puts) < len(found) or any(put.keys() != puts[0].keys() for put in puts):
        return {}
    together: dict[tuple[str, ...], set[CellPlace]] = {}
    for place in sorted(puts[0], key=lambda place: (place.board, place.row, place.column)):
        together.setdefault(tuple(put[place] for put in puts), set()).add(place)
    varying = {names: frozenset(cells) for names, cells in together.items() if len(set(names)) > 1}
    parts = [tuple(Part(cells, names[at]) for names, cells in varying.items()) for at in range(len(puts))]
    if len(varying) > _MOST_PUT or len(set(parts)) < len(parts):
        return {}
    return dict(zip(found, parts, strict=True))


def _by_effect(found: Sequence[Change]) -> tuple[Part, ...]:
    moved = [change for change in found if change.left and change.entered]
    if len(moved) == 1 and (len(found) == 1 or _single(moved[0])):
        # A piece of several cells is clicked on any of them; others may be on the board more than once.
        start = moved[0].before if moved[0].piece.joined else moved[0].left
        return Part(start), Part(moved[0].entered)
    if len(found) == 1 and not found[0].left and len(found[0].entered) == 1:
        return (Part(found[0].entered),)
    return ()


def _single(change: Change) -> bool:
    """Return True if one piece goes from one cell to another."""
    return len(change.left) == len(change.entered) == 1


def _laned(layout: Layout, found: Sequence[Click], moves: set[Term]) -> list[Click]:
    """Let some moves be clicked anywhere in their column, or row, if each of them puts one piece into its own."""
    puts = {click.move: next(iter(click.path[0])) for click in found if click.move in moves and _puts_one(click)}
    if len(puts) < 2:
        return list(found)
    for line in (_column, _row):
        lines = {move: line(place) for move, place in puts.items()}
        if len(set(lines.values())) == len(puts):
            break
    else:
        return list(found)
    taken = {cell for click in found for part in click.parts for cell in part.cells}
    cells: dict[tuple[int, int], set[CellPlace]] = {}
    for number, board in enumerate(layout.boards):
        for column, row in board.cells:
            place = CellPlace(number, column, row)
            cells.setdefault(line(place), set()).add(place)
    return [
        Click(click.move, (replace(click.parts[0], lane=frozenset(cells[lines[click.move]] - taken)),))
        if click.move in lines
        else click
        for click in found
    ]


def _puts_one(click: Click) -> bool:
    return len(click.parts) == 1 and len(click.parts[0].cells) == 1


def _column(place: CellPlace) -> tuple[int, int]:
    return place.board, place.column


def _row(place: CellPlace) -> tuple[int, int]:
    return place.board, place.row


# ------------------------------------------------------------------------------------------ words


def _told_apart(found: Sequence[Click]) -> Iterator[Click]:
    """Yield moves with words in their last parts where their cells do not tell them from each other."""
    same: dict[tuple[Part, ...], list[Term]] = {}
    for click in found:
        same.setdefault(click.parts, []).append(click.move)
    beginnings = {parts[:end] for parts in same for end in range(len(parts))}
    worded: dict[Term, tuple[Part, ...]] = {}
    for parts, moves in same.items():
        if not parts:
            worded |= _in_words(moves)
        elif len(moves) > 1 or parts in beginnings:
            words = _telling(moves)
            for move in moves:
                word = f"{parts[-1].word} {words[move]}".strip()
                worded[move] = (*parts[:-1], replace(parts[-1], word=word))
    for click in found:
        yield Click(click.move, worded.get(click.move, click.parts))


def _telling(moves: Sequence[Term]) -> dict[Term, str]:
    """Return what tells moves on the same cells from each other: their names, or the arguments that differ."""
    by_name = [(name, list(same)) for name, same in groupby(sorted(moves, key=name_of), name_of)]
    found: dict[Term, str] = {}
    for name, same in by_name:
        differing = _differing(same)
        for move in same:
            words = [name[0]] if len(by_name) > 1 or not differing else []
            found[move] = " ".join([*words, *(arguments_of(move)[at] for at in differing)])
    return found


def _in_words(moves: Sequence[Term]) -> dict[Term, tuple[Part, ...]]:
    """Return the parts of moves without cells: one word, or one for each argument if there are many."""
    found: dict[Term, tuple[Part, ...]] = {}
    for name, group in groupby(sorted(moves, key=name_of), name_of):
        same = list(group)
        differing = _differing(same)
        if len(differing) == 1 and len(same) > 1:
            found |= {move: (Part(word=arguments_of(move)[differing[0]], slot=name[0]),) for move in same}
        elif len(same) <= _LISTED:
            found |= {move: (Part(word=_words(move)),) for move in same}
        else:
            slots = {at: f"{name[0]} {number}" for number, at in enumerate(differing, 1)}
            for move in same:
                arguments = arguments_of(move)
                found[move] = tuple(Part(word=arguments[at], slot=slot) for at, slot in slots.items())
    return found


def _differing(moves: Sequence[Term]) -> list[int]:
    """Return the arguments, by their numbers among all constants, that differ among moves of one name."""
    rows = [arguments_of(move) for move in moves]
    return [at for at, column in enumerate(zip(*rows, strict=True)) if len(set(column)) > 1]


def name_of(move: Term) -> tuple[str, str]:
    """Return the name of a move, and its shape: moves of one shape have the same number of arguments."""
    return (move.name if isinstance(move, Function) else move.text), flatten(move)[0]


def arguments_of(move: Term) -> list[str]:
    """Return the constants in a move."""
    return [leaf.text for leaf in leaves(move)] if isinstance(move, Function) else []


def _words(move: Term) -> str:
    return " ".join([name_of(move)[0], *arguments_of(move)])
