"""The facts that are on no board as lines below it: with the counters of roles in their colours, and dice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from gdl.terms import name_key
from ggp.board.drawing.elements import Element, element, group
from ggp.board.drawing.icons import pips
from ggp.board.drawing.palette import Colours
from ggp.board.words import Note, is_dice

#: The height of a line, and the width of a character.
LINE: Final = 26.0
_CHARACTER: Final = 7.9
#: The most characters in a counter, and the size of a die.
_LONG: Final = 4
_DIE: Final = 20.0


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a line: a text, a die, or a role with its colour and, if there is one, its counter."""

    text: str
    role: str | None = None
    counter: str = ""
    die: bool = False

    @property
    def width(self) -> float:
        """The width of the part, with the gap behind it."""
        if self.die:
            return _DIE + 6
        return _CHARACTER * (len(self.text) + 1) + (_badge(self.counter) + 5 if self.role is not None else 0)


def note_lines(notes: Iterable[Note], roles: Sequence[str], room: float) -> Iterator[list[Part]]:
    """Yield notes as lines that fit into the room there is."""
    known = {name_key(role): role for role in roles}
    for note in notes:
        rows = list(note.rows)
        parts: list[Part] = []
        if is_dice(note):
            parts = [Part(note.name), *(Part(pips, die=True) for row in rows for pips in row.split())]
        elif rows and all(any(name_key(word) in known for word in row.split()) for row in rows):
            parts = [Part(note.name), *(part for row in rows for part in _row(row, known))]
        if not parts or max(part.width for part in parts) > room:
            yield from ([Part(line)] for line in wrap(note.text, max(20, int(room / _CHARACTER))))
            continue
        line: list[Part] = []
        for part in parts:
            if line and sum(one.width for one in line) + part.width > room:
                yield line
                line = []
            line.append(part)
        yield line


def _row(row: str, known: dict[str, str]) -> Iterator[Part]:
    """Yield what a fact says about roles: each has its colour, and the counter if there is one."""
    words = row.split()
    named = [word for word in words if name_key(word) in known]
    others = [word for word in words if word not in named]
    counted = len(named) == len(others) == 1 and len(others[0]) <= _LONG and any(map(str.isdecimal, others[0]))
    counter = others[0] if counted else ""
    for word in named:
        yield Part(word, known[name_key(word)], counter)
    if others and not counter:
        yield Part(" ".join(others))


def drawn_line(parts: Iterable[Part], colours: Colours, x: float, y: float) -> Iterator[Element]:
    """Yield the elements of a line whose text stands on `y`."""
    for part in parts:
        if part.die:
            yield _die(int(part.text), x, y - 5)
        else:
            room = 0.0
            if part.role is not None:
                width = _badge(part.counter)
                room = width + 5
                shown = [element("rect", class_="badge", x=x, y=y - 15, width=width, height=20, rx=10)]
                if part.counter:
                    shown.append(element("text", part.counter, class_="ink", x=x + width / 2, y=y - 4.5, font_size=13))
                yield group(shown, class_=f"counter c-{colours.role(part.role)}")
            yield element("text", part.text, class_="note", x=x + room, y=y)
        x += part.width


def _badge(text: str) -> float:
    return 20.0 if len(text) < 2 else 12.0 + 8.0 * len(text)


def _die(number: int, x: float, y: float) -> Element:
    half, step = _DIE / 2, _DIE / 4
    return group(
        [
            element("title", str(number)),
            element("rect", class_="badge", x=x, y=y - half, width=_DIE, height=_DIE, rx=4),
            *(
                element("circle", class_="pip", cx=x + half + dx * step, cy=y + dy * step, r=2)
                for dx, dy in pips(number)
            ),
        ],
        class_="counter c-white",
    )
