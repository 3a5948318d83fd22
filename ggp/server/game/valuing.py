"""What learned values are made of, in a game process: shades of a board and a list of facts, in a thread of its own."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gdl.errors import GdlError
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.joint_moves import role_named
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.board.drawing.scene import shaded
from ggp.players.learned_values.array_file import ArrayFileError
from ggp.players.learned_values.value import LearnedValue, read_value_for
from ggp.rules.position import same_apart_from_start
from ggp.rules.shipped_games import SUFFIX
from ggp.server.game.choosing import key_of
from ggp.server.game.table import Table
from ggp.server.messages import Parts

if TYPE_CHECKING:
    from ggp.learning.value_parts import ValueParts

#: The largest number of facts that are sent, and of states whose answers are kept.
_MOST_FACTS: Final = 12
_MOST_STATES: Final = 1000


class ValuingError(GdlError):
    """There are no values."""

    code = "no-values"


class Valuing:
    """The learned values of one game, from the file beside its rules. They are read again whenever the file changes.

    Games are opened while people wait, so the beginning of the file must say whether its values fit; the values
    themselves are read when somebody asks for them.
    """

    def __init__(self, table: Table, file: Path | None) -> None:
        """Take a file, if there is one whose header says that it fits the game."""
        self._table = table
        self._file: Path | None = None
        self._value: LearnedValue | None = None
        #: The file that the value is from, the time of its last change, and its size.
        self._version: tuple[Path, int, int] | None = None
        self._known: dict[tuple[Term, ...], Parts] = {}
        # The first answer loads much code, and other questions must not wait for it.
        self._thread = ThreadPoolExecutor(1, "valuing")
        self.use(file)

    def use(self, file: Path | None) -> None:
        """Take another file, or the same one anew, if there is one whose header says that it fits the game."""
        self._file = None
        if file is not None:
            with suppress(GdlError):
                self._checked(_read_for(file, self._table.game.rulesheet, header=True), file)
                self._file = file

    @property
    def fits(self) -> bool:
        """True if there are values for this game."""
        return self._file is not None

    def ask(self, state: State) -> Future[Parts]:
        """Find out what the value of a state is made of."""
        return self._thread.submit(self._answer, tuple(state))

    def _answer(self, facts: tuple[Term, ...]) -> Parts:
        from ggp.learning.value_parts import value_parts

        try:
            learned = self._read()
            found = self._known.get(facts)
            if found is None:
                if len(self._known) >= _MOST_STATES:
                    self._known.pop(next(iter(self._known)))
                found = self._known[facts] = drawn(self._table, value_parts(learned, facts, str(self._file)))
        except ArrayFileError as error:
            raise ValuingError(f"{self._file.name if self._file else 'no file'}: {error.reason}") from None
        return found

    def _read(self) -> LearnedValue:
        """Return the values, as they are in the file now. Raises GdlError without any that fit."""
        file = self._file
        if file is None:
            raise ValuingError("there are no learned values that fit the rules of this game")
        try:
            status = file.stat()
        except OSError as error:
            raise ArrayFileError(str(file), error.strerror or "it cannot be read") from None
        version = (file, status.st_mtime_ns, status.st_size)
        if self._value is None or version != self._version:
            self._known.clear()
            self._value, self._version = _read_for(file, self._table.game.rulesheet), version
        return self._checked(self._value, file)

    def _checked(self, value: LearnedValue, file: Path) -> LearnedValue:
        """Return a value if it suits the kind of game. Raises ArrayFileError."""
        if reason := value.unsuited(self._table.game):
            raise ArrayFileError(str(file), reason)
        return value


def _read_for(file: Path, rulesheet: Rulesheet, *, header: bool = False) -> LearnedValue:
    """Read values for a game, which may begin at another position than the one whose rules lie beside the file."""
    try:
        return read_value_for(file, rulesheet, header=header)
    except ArrayFileError:
        beside = file.with_suffix(SUFFIX)
        if not beside.is_file():
            raise
        rules = Rulesheet.load(beside)
        if not same_apart_from_start(rules, rulesheet):
            raise
        return read_value_for(file, rules, header=header)


def drawn(table: Table, parts: ValueParts) -> Parts:
    """Return what a value is made of in the form in which pages show it, in points of the first role.

    `roles` are that role, and the other one if its points are subtracted.
    `shades` are elements under the pieces, `cells` has the words for each cell, `facts` those that add or take most.
    """
    from ggp.learning.heat_map import heat_map

    shades = heat_map(table.layout, parts)
    roles = [role_named(parts.role, table.game.roles)] if parts.role else list(table.game.roles)
    return {
        "points": round(parts.value, 1) + 0.0,  # never -0.0
        "roles": roles,
        "shades": [one.data() for one in shaded(table.scene, shades)],
        "cells": {key_of(place): shade.about for place, shade in shades.items()},
        "facts": [[part.fact.text, round(part.adds, 1) + 0.0] for part in parts.parts[:_MOST_FACTS]],
        "more": max(0, len(parts.parts) - _MOST_FACTS),
    }
