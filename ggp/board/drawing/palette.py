"""The colours of drawn boards, light and dark: one for each role, and one for each number in a puzzle.

Roles named after a colour get that colour; the others get colours that no role is named after. Every colour has a body,
an outline, and an ink whose contrast to the body is at least 4.5 to 1 (WCAG 2.1, success criterion 1.4.3). The body or
the outline has a contrast of at least 3 to 1 to every ground (1.4.11). Both hold in both themes and for eyes that lack
one kind of cones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gdl.terms import name_key
from ggp.board.model import Piece
from ggp.board.vocabulary import colour_word


@dataclass(frozen=True, slots=True)
class Paint:
    """The CSS colours of a piece; `night` is its outline in the dark theme.

    Lines in charts have the colour `day` in the light theme, that of the body if it is empty, and `night` in the dark.
    """

    body: str
    outline: str
    ink: str
    night: str
    day: str = ""


#: Bodies are the same in both themes: pieces have colours of their own.
PAINTS: Final[Mapping[str, Paint]] = {
    "white": Paint("#fbf8f0", "#6f6a5e", "#2b2a27", "#b9b2a2", "#857f70"),
    "black": Paint("#1b1d20", "#8b9099", "#f6f4ee", "#c3c8d0"),
    "red": Paint("#b93a32", "#7c211b", "#ffffff", "#f2a29b"),
    "blue": Paint("#2c66ab", "#1a4273", "#ffffff", "#9cc4f5"),
    "green": Paint("#2f7747", "#1b4c2c", "#ffffff", "#97d3aa"),
    "yellow": Paint("#e8bd3f", "#8f6d0c", "#2b2a27", "#8f6d0c", "#8f6d0c"),
    "orange": Paint("#ae5117", "#7d380c", "#ffffff", "#f3b184"),
    "purple": Paint("#7a4f9f", "#4f2f6b", "#ffffff", "#cfb0e8"),
    "pink": Paint("#d98aa9", "#94476a", "#2b2a27", "#f6cfdf", "#94476a"),
    "teal": Paint("#1f7580", "#104a52", "#ffffff", "#8fd3dc"),
    "brown": Paint("#7a563a", "#4c3422", "#ffffff", "#d3b296"),
    "grey": Paint("#6d717a", "#464950", "#ffffff", "#c7cad1"),
}
#: Colours for roles that are not named after one, in order of use.
_FREE: Final = ("blue", "orange", "green", "purple", "teal", "red", "brown", "pink")
_NOBODY: Final = "grey"


class Colours:
    """The names of the colours in one game."""

    def __init__(self, roles: Sequence[str], chosen: Mapping[str, str] | None = None) -> None:
        """Assign colours to roles; `chosen` ones, by role or piece, take precedence."""
        self._chosen = {name_key(name): colour for name, colour in (chosen or {}).items()}
        names = [name_key(role) for role in roles]
        called = {name: colour for name in names if (colour := self._chosen.get(name) or colour_word(name))}
        free = [colour for colour in _FREE if colour not in called.values()] or list(_FREE)
        nameless = [name for name in names if name not in called]
        self._roles = {**called, **{name: free[number % len(free)] for number, name in enumerate(nameless)}}
        self._alone = len(names) == 1

    def role(self, role: str) -> str:
        """Return the colour of a role."""
        return self._roles.get(name_key(role), _NOBODY)

    def piece(self, piece: Piece) -> str:
        """Return the colour of a piece: the chosen one, its owner's, the one in its name, or one for its number."""
        chosen = self._chosen.get(name_key(piece.kind))
        if chosen:
            return chosen
        if piece.owner is not None:
            return self.role(piece.owner)
        for word in (piece.colour, *name_key(piece.kind).replace("_", " ").split()):
            if colour := colour_word(word):
                return colour
        if piece.glyph.isdecimal() and (self._alone or piece.joined):
            return _FREE[int(piece.glyph[-3:]) % len(_FREE)]
        return _NOBODY


#: Everything but the pieces: the class, the property, the colour in the light and in the dark theme.
SURFACES: Final = (
    ("paper", "fill", "#ffffff", "#191b1f"),
    ("cell", "fill", "#f1ece1", "#565b65"),
    ("cell.odd", "fill", "#ded5c3", "#474b54"),
    ("cell", "stroke", "#c2b8a3", "#2c2f35"),
    ("label", "fill", "#6b6558", "#a5a9b1"),
    ("title", "fill", "#38342c", "#dfe1e5"),
    ("note", "fill", "#4a463d", "#c9ccd2"),
    ("spot", "fill", "#38342c", "#dfe1e5"),
    ("link", "stroke", "#857f70", "#8b9099"),
    ("named", "fill", "#f3cf62", "#6a5a12"),
    ("first-gains", "fill", "#b7d8fd", "#1c4aa8"),
    ("first-gains", "stroke", "#2563cc", "#84b6ff"),
    ("second-gains", "fill", "#f6c788", "#804300"),
    ("second-gains", "stroke", "#ad5500", "#ffab45"),
    ("arrow", "stroke", "#9a5b00", "#ffc95c"),
    ("head", "fill", "#9a5b00", "#ffc95c"),
    ("mark", "stroke", "#0b6b57", "#58d6b8"),
    ("marksign", "fill", "#0b6b57", "#58d6b8"),
)

_SHAPES: Final = """\
.cell{stroke-width:1}
.cell.slot,.cell.gap{stroke-width:0}
.cell.gap{fill-opacity:0}
.link{stroke-width:3;stroke-linecap:round}
.label,.title,.note,.ink,.marksign{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
.label{font-size:13px}
.title{font-size:15px;font-weight:600}
.note{font-size:15px}
.ink{font-weight:650;text-anchor:middle;dominant-baseline:central}
.body,.badge{stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}
.piece .flat{stroke-width:0}
.ring{fill:none;stroke-width:1;opacity:.55}
.arrow{fill:none;stroke-width:4.5;stroke-linecap:round;opacity:.85}
.head{opacity:.85}
.mark{fill:none;stroke-width:3}
.marksign{font-size:13px;font-weight:700;text-anchor:middle}
.first-gains,.second-gains{stroke-width:3}
"""


def style(theme: str = "auto") -> str:
    """Return the style sheet of drawings: `light`, `dark`, or `auto`, which follows the reader's preference."""
    paints = "".join(_paint_rules(name, paint) for name, paint in PAINTS.items())
    night = "".join(f".c-{name} .body,.c-{name} .badge{{stroke:{paint.night}}}\n" for name, paint in PAINTS.items())
    light, dark = (
        "".join(f".{name}{{{prop}:{colours[which]}}}\n" for name, prop, *colours in SURFACES) for which in (0, 1)
    )
    if theme == "auto":
        return f"{_SHAPES}{light}{paints}@media (prefers-color-scheme:dark){{\n{dark}{night}}}\n"
    return _SHAPES + (dark + paints + night if theme == "dark" else light + paints)


def _paint_rules(name: str, paint: Paint) -> str:
    body = f".c-{name} .body,.c-{name} .badge{{fill:{paint.body};stroke:{paint.outline}}}"
    lines = f".c-{name} .ring,.c-{name} .line{{stroke:{paint.ink};fill:none}}"
    return f"{body}{lines}.c-{name} .ink,.c-{name} .pip{{fill:{paint.ink}}}\n"


def chips() -> str:
    """Return style rules for colours next to boards on a page.

    `p-NAME` fills, `i-NAME` is for text on that, and `s-NAME` draws lines and their dots.
    """
    rules = (
        f".p-{name}{{background:{paint.body};border-color:{paint.outline}}}.i-{name}{{color:{paint.ink}}}"
        f".s-{name}{{stroke:{paint.day or paint.body}}}.dot.s-{name}{{fill:{paint.body};stroke-width:1.5}}\n"
        for name, paint in PAINTS.items()
    )
    night = "".join(
        f".p-{name}{{border-color:{paint.night}}}.s-{name}{{stroke:{paint.night}}}\n" for name, paint in PAINTS.items()
    )
    return f"{''.join(rules)}@media (prefers-color-scheme:dark){{\n{night}}}\n"
