"""Read TOML values of the expected types; record an error at its location for each one that has another type."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Final

from gdl.errors import Location, Mistake, Source, TextError, nearest
from ggp.rules.conformance.expectations import ExpectationError
from ggp.rules.conformance.line_numbers import Entry, EntryLines


def parse(source: Source, error_class: type[TextError] = ExpectationError) -> dict[str, object]:
    """Return the table of a TOML text. Raises an error of the class if it is not TOML."""
    # read_source keeps bytes that are not UTF-8 as surrogates, which TOML does not allow.
    stray = re.search("[\udc80-\udcff]", source.text)
    if stray:
        before = source.text[: stray.start()]
        place = Location(source, before.count("\n") + 1, stray.start() - before.rfind("\n"))
        raise error_class([Mistake("not-utf-8", "this is not UTF-8 text", place)])
    try:
        return tomllib.loads(source.text)
    except ValueError as error:  # not only of tomllib: also of Python, for numbers of thousands of digits
        message, line, column = _split(str(error), source)
    except RecursionError:
        message, line, column = "arrays or tables are nested too deeply", 1, 1
    raise error_class([Mistake("not-toml", message, Location(source, line, column))])


def _split(message: str, source: Source) -> tuple[str, int, int]:
    """Split a message of tomllib into text, line and column; the position is in parentheses at the end."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    if found is None:
        return message, 1, 1
    if found[2] is None:
        return found[1] + " at the end of the file", max(1, len(source.text.rstrip("\n").split("\n"))), 1
    return found[1], int(found[2]), int(found[3])


#: Python refuses to write very large numbers, and nobody would read them.
_LARGE: Final = 10**40


class Document:
    """A TOML text being read. Errors are added to `mistakes`."""

    def __init__(self, source: Source, error_class: type[TextError] = ExpectationError) -> None:
        """Parse a text. Raises an error of the class if it is not TOML."""
        self.data = parse(source, error_class)
        self.places = EntryLines(source)
        self.mistakes: list[Mistake] = []

    def note(self, entry: Entry, code: str, message: str, key: str | None = None, text: str | None = None) -> None:
        """Record an error in a table, at a key or at a text in its value."""
        self.note_at(self.places.find(entry, key, text), entry, code, message, key)

    def note_at(self, place: Location, entry: Entry, code: str, message: str, key: str | None) -> None:
        """Record an error at a location."""
        where = ", ".join(part for part in (entry.label, key) if part)
        self.mistakes.append(Mistake(code, f"{where}: {message}" if where else message, place))

    def known_keys(self, entry: Entry, table: Mapping[str, object], known: Sequence[str]) -> None:
        """Record an error for every unknown key."""
        for key in table:
            if key not in known:
                near = nearest(key, known)
                hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
                place = self.places.find(entry, key, key)
                self.note_at(place, entry, "unknown-key", f"unknown key {key}; {hint}", None)

    def table(self, entry: Entry, key: str, value: object) -> dict[str, object]:
        """Return the value as a table; an empty one if it is not a table."""
        if isinstance(value, dict):
            return value
        self._wrong(entry, key, "a table", value)
        return {}

    def array(self, entry: Entry, key: str, value: object) -> list[object]:
        """Return the value as an array; an empty one if it is not an array."""
        if isinstance(value, list):
            return value
        self._wrong(entry, key, "an array", value)
        return []

    def string(self, entry: Entry, key: str, value: object) -> str | None:
        """Return the value as a string, or None if it is not a string."""
        if isinstance(value, str):
            return value
        self._wrong(entry, key, "a string", value)
        return None

    def strings(self, entry: Entry, key: str, value: object) -> list[str]:
        """Return the strings of an array."""
        strings = [self.string(entry, key, item) for item in self.array(entry, key, value)]
        return [string for string in strings if string is not None]

    def boolean(self, entry: Entry, key: str, value: object) -> bool | None:
        """Return the value as a boolean, or None if it is not a boolean."""
        if isinstance(value, bool):
            return value
        self._wrong(entry, key, "true or false", value)
        return None

    def integer(self, entry: Entry, key: str, value: object, least: int, most: int | None = None) -> int | None:
        """Return the value as a whole number within limits, or None if it is none."""
        if (
            isinstance(value, int)
            and not isinstance(value, bool)
            and least <= value <= (value if most is None else most)
        ):
            return value
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        self._wrong(entry, key, f"a whole number {limits}", value)
        return None

    def number(self, entry: Entry, key: str, value: object, least: float, most: float) -> float | None:
        """Return the value as a number within limits, or None if it is none."""
        if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
            return float(value)
        self._wrong(entry, key, f"a number from {least:g} to {most:g}", value)
        return None

    def choice(self, entry: Entry, key: str, value: object, known: Sequence[str]) -> str | None:
        """Return the value if it is one of the known strings, else None."""
        if isinstance(value, str) and value in known:
            return value
        near = nearest(value, known) if isinstance(value, str) else ()
        hint = f"; did you mean {near[0]}?" if near else ""
        self._wrong(entry, key, " or ".join(f'"{one}"' for one in known), value, hint)
        return None

    def _wrong(self, entry: Entry, key: str, expected: str, value: object, hint: str = "") -> None:
        self.note(entry, "wrong-type", f"expected {expected}, found {_described(value)}{hint}", key)


def _described(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the string "{value}"' if len(value) <= 60 else "a string"
    if isinstance(value, (list, dict)):
        return "an array" if isinstance(value, list) else "a table"
    if isinstance(value, int) and abs(value) >= _LARGE:
        return "a number of very many digits"
    return str(value)
