"""The text below the boards: a legend of the glyphs, and the facts that belong to no board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from gdl.terms import Term, name_key
from ggp.board.model import Piece, View
from ggp.board.terminal.colours import DIM, Colours
from ggp.board.view import Layout
from ggp.board.words import grouped
from ggp.rules.report_text import printable

#: The approximate number of characters after which the list of a relation's facts is cut off.
_MAX_LISTED = 400
#: The largest number of cells listed for having several pieces.
_MAX_CROWDED = 12


def legend(layout: Layout, view: View, colours: Colours) -> list[Text]:
    """Explain the visible glyphs and marks, except glyphs that are the names themselves."""
    pieces: dict[tuple[str, str], Piece] = {}
    marks: set[str] = set()
    for cell in view.cells.values():
        pieces.update(
            {(name_key(piece.name), piece.glyph): piece for piece in cell.pieces if piece.glyph != piece.name}
        )
        marks.update(cell.marks)
    numbered = sorted(
        (p for p in pieces.values() if p.glyph.isdecimal()), key=lambda p: (len(p.glyph), p.glyph, p.name)
    )
    found = [_entry(piece, colours) for _, piece in sorted(pieces.items()) if not piece.glyph.isdecimal()]
    if len(numbered) > 2:
        ends = [_entry(piece, colours) for piece in (numbered[0], numbered[-1])]
        found.append(Text(" to ").join(ends))
    else:
        found += [_entry(piece, colours) for piece in numbered]
    found += [Text(f"{layer.mark} {printable(layer.name)}") for layer in layout.layers.values() if layer.mark in marks]
    return found


def _entry(piece: Piece, colours: Colours) -> Text:
    return Text.assemble((printable(piece.glyph), colours.piece(piece)), " ", printable(piece.name))


def crowded(layout: Layout, view: View) -> list[Text]:
    """List the cells whose contents do not all fit on the board."""
    found = []
    for place, cell in sorted(view.cells.items(), key=lambda item: (item[0].board, item[0].row, item[0].column)):
        if len(cell.pieces) > 1 or len(cell.marks) > 1:
            words = layout.boards[place.board].words(place.column, place.row, layout.roles)
            names = [piece.name for piece in cell.pieces] + list(cell.marks)
            found.append(Text(printable(f"{words}: {', '.join(names)}")))
    if len(found) > _MAX_CROWDED:
        found[_MAX_CROWDED:] = [Text(f"and {len(found) - _MAX_CROWDED} more", DIM)]
    return found


def listing(facts: Iterable[Term], colours: Colours) -> list[Text]:
    """List facts by relation, as in `captures north 0, south 2`; long lists are cut off."""
    found = []
    for note in grouped(facts):
        text = Text.assemble((printable(note.name), DIM))
        for number, row in enumerate(note.rows):
            if len(text) + len(row) > _MAX_LISTED:
                text.append(f" and {len(note.rows) - number} more", DIM)
                break
            text.append(", " if number else " ").append_text(_words(row, colours))
        found.append(text)
    return found


def _words(text: str, colours: Colours) -> Text:
    words = [Text(printable(word), colours.word(word)) for word in text.split(" ")]
    return Text(" ").join(words)


def columns_of(facts: Sequence[Term], colours: Colours, width: int) -> Iterator[Text]:
    """Yield lines with facts in columns, which are read from top to bottom."""
    if not facts:
        yield Text("no facts", DIM)
        return
    entries = [Text(printable(fact.text), colours.word(fact.text)) for fact in facts]
    pitch = max(entry.cell_len for entry in entries) + 3
    height = -(-len(entries) // max(1, (width + 3) // pitch))
    for row in range(height):
        line = Text()
        for number in range(row, len(entries), height):
            line.append(" " * ((number // height) * pitch - line.cell_len)).append_text(entries[number])
        yield line


def wrapped(entries: Sequence[Text], width: int) -> Iterator[Text]:
    """Yield lines of entries three spaces apart; an entry is broken only if it does not fit on a line of its own."""
    line = Text()
    for entry in entries:
        if line and line.cell_len + 3 + entry.cell_len > width:
            yield line
            line = Text()
        if entry.cell_len > width:
            *full, line = _broken(entry, width)
            yield from full
        else:
            line.append("   " if line else "").append_text(entry)
    if line:
        yield line


def _broken(entry: Text, width: int) -> list[Text]:
    lines = [Text()]
    for word in entry.split(" "):
        if lines[-1] and lines[-1].cell_len + 1 + word.cell_len > width:
            lines.append(Text("   "))
        lines[-1].append(" " if lines[-1] else "").append_text(word)
    return lines
