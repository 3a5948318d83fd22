"""Typed access to JSON objects from outside, and the error for records that cannot be read or written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from gdl.errors import NamedFileError


class RecordError(NamedFileError):
    """A match record cannot be read or written."""

    code = "match-record"
    template = "{code}: {0}: {1}"


T = TypeVar("T")
Default = TypeVar("Default")

_KINDS: Final = MappingProxyType(
    {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}
)


class Fields:
    """Typed access to a JSON object. Missing fields and values of the wrong type raise `RecordError`."""

    def __init__(self, fields: Mapping[str, Any], file: str) -> None:
        """Read from `fields`; errors name `file`."""
        self._fields = fields
        self.file = file

    def required(self, name: str, kind: type[T]) -> T:
        """Return a field that must be present."""
        if name not in self._fields:
            raise RecordError(self.file, f"{name} is missing")
        return self._checked(name, self._fields[name], kind)

    def optional(self, name: str, kind: type[T], default: Default) -> T | Default:
        """Return a field, or the default if it is missing or null."""
        value = self._fields.get(name)
        return default if value is None else self._checked(name, value, kind)

    def row(self, name: str, kind: type[T], default: tuple[T, ...] | None = None) -> tuple[T, ...]:
        """Return a list of values; it must be present unless there is a default."""
        entries = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(self._checked(name, entry, kind) for entry in entries)

    def rows(self, name: str, kind: type[T], default: tuple[()] | None = None) -> tuple[tuple[T, ...], ...]:
        """Return a list of lists of values; it must be present unless there is a default."""
        rows = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(tuple(self._checked(name, x, kind) for x in self._checked(name, row, list)) for row in rows)

    def goals(self) -> tuple[int | None, ...]:
        """Return the goal values; empty if there are none."""
        values = self.optional("goalValues", list, ())
        return tuple(None if value is None else self._checked("goalValues", value, int) for value in values)

    def _checked(self, name: str, value: Any, kind: type[T]) -> T:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            with suppress(OverflowError):  # an int that is too large is refused below
                value = float(value)
        whole = isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
        if not whole or (isinstance(value, float) and not isfinite(value)):
            shown = json.dumps(value)
            shown = shown if len(shown) <= 40 else shown[:37] + "..."
            raise RecordError(self.file, f"{name}: {shown} is not {_KINDS[kind]}")
        return cast(T, value)
