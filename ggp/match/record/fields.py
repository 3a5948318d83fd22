"""Typed looks into JSON objects of somebody else's making."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from ggp.match.record.errors import RecordError

T = TypeVar("T")
Default = TypeVar("Default")

_KINDS: Final = MappingProxyType(
    {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}
)


class Fields:
    """Typed looks into a JSON object. What is missing or of the wrong kind raises `RecordError`."""

    def __init__(self, fields: Mapping[str, Any], file: str) -> None:
        self._fields = fields
        self.file = file

    def required(self, name: str, kind: type[T]) -> T:
        if name not in self._fields:
            raise RecordError(self.file, f"{name} is missing")
        return self._checked(name, self._fields[name], kind)

    def optional(self, name: str, kind: type[T], default: Default) -> T | Default:
        value = self._fields.get(name)
        return default if value is None else self._checked(name, value, kind)

    def row(self, name: str, kind: type[T], default: tuple[T, ...] | None = None) -> tuple[T, ...]:
        entries = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(self._checked(name, entry, kind) for entry in entries)

    def rows(self, name: str, kind: type[T], default: tuple[()] | None = None) -> tuple[tuple[T, ...], ...]:
        rows = self.required(name, list) if default is None else self.optional(name, list, default)
        return tuple(tuple(self._checked(name, x, kind) for x in self._checked(name, row, list)) for row in rows)

    def goals(self) -> tuple[int | None, ...]:
        values = self.optional("goalValues", list, ())
        return tuple(None if value is None else self._checked("goalValues", value, int) for value in values)

    def _checked(self, name: str, value: Any, kind: type[T]) -> T:
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            with suppress(OverflowError):  # as an int, it is refused below
                value = float(value)
        whole = isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)
        if not whole or (isinstance(value, float) and not isfinite(value)):
            shown = json.dumps(value)
            shown = shown if len(shown) <= 40 else shown[:37] + "..."
            raise RecordError(self.file, f"{name}: {shown} is not {_KINDS[kind]}")
        return cast(T, value)
