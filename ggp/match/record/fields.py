"""Typed access to JSON objects from outside, and the error for records that cannot be read or written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from gdl.errors import NamedFileError


class RecordError(NamedFileError):
    """A match record cannot be read or written."""

    code = "match-record"
    template = "{code}: {0}: {1}"


#: Numbers whose amount is larger are refused, unless a field has narrower limits: no count, time or seed is.
_LARGEST: Final = float(2**64)

#: The longest part of a wrong value that an error quotes.
_LONGEST: Final = 40

T = TypeVar("T")
Default = TypeVar("Default")

_KINDS: Final = MappingProxyType(
    {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}
)


class Fields:
    """Typed access to a JSON object. Missing fields, and values of the wrong type or out of range, raise an error."""

    def __init__(self, fields: Any, file: str, error: type[NamedFileError] = RecordError) -> None:
        """Read from `fields`; errors are of a class, and name `file`."""
        if not isinstance(fields, dict):
            raise error(file, "not a JSON object")
        self._fields: Mapping[str, Any] = fields
        self._error = error
        self.file = file

    def required(self, name: str, kind: type[T], least: float = -_LARGEST, most: float = _LARGEST) -> T:
        """Return a field that must be present; a number must be within limits."""
        if name not in self._fields:
            raise self._error(self.file, f"{name} is missing")
        return self._checked(name, self._fields[name], kind, least, most)

    def optional(
        self, name: str, kind: type[T], default: Default, least: float = -_LARGEST, most: float = _LARGEST
    ) -> T | Default:
        """Return a field, or the default if it is missing or null."""
        value = self._fields.get(name)
        return default if value is None else self._checked(name, value, kind, least, most)

    def row(self, name: str, kind: type[T], default: tuple[T, ...] | None = None) -> tuple[T, ...]:
        """Return a list of values; it must be present unless there is a default."""
        entries = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(self._checked(name, entry, kind) for entry in entries)

    def rows(self, name: str, kind: type[T], default: tuple[()] | None = None) -> tuple[tuple[T, ...], ...]:
        """Return a list of lists of values; it must be present unless there is a default."""
        rows = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(tuple(self._checked(name, x, kind) for x in self._checked(name, row, list)) for row in rows)

    def goals(
        self, name: str = "goalValues", least: float = -_LARGEST, most: float = _LARGEST
    ) -> tuple[int | None, ...]:
        """Return the goal values; empty if there are none."""
        values = self.optional(name, list, ())
        return tuple(None if value is None else self._checked(name, value, int, least, most) for value in values)

    def part(self, name: str) -> Fields:
        """Return an object, which must be present."""
        return Fields(self._fields.get(name), f"{self.file}: {name}", self._error)

    def parts(self, name: str) -> tuple[Fields, ...]:
        """Return a list of objects, which must be present."""
        return tuple(Fields(entry, f"{self.file}: {name}", self._error) for entry in self.required(name, list))

    def _checked(self, name: str, value: Any, kind: type[T], least: float = -_LARGEST, most: float = _LARGEST) -> T:
        if kind is float and type(value) is int and abs(value) <= _LARGEST:
            value = float(value)
        whole = isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
        if not whole or (isinstance(value, float) and not isfinite(value)):
            raise self._error(self.file, f"{name}: {_shown(value)} is not {_KINDS[kind]}")
        if kind in (int, float) and not least <= value <= most:
            raise self._error(self.file, f"{name}: {_shown(value)} is not from {least:,.15g} to {most:,.15g}")
        return cast(T, value)


def _shown(value: Any) -> str:
    """Return the beginning of a value as JSON. Lists and objects, which may be nested deeply, are only named."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    shown = json.dumps(value)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 3]}..."
