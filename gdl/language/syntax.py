"""The syntax tree of KIF text: symbols, variables and groups, each with its location."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from gdl.errors import Location
from gdl.terms import name_key


@final
@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol, spelled as in the text."""

    text: str
    location: Location

    @property
    def key(self) -> str:
        """The key of the text; symbols with the same key are equal."""
        return name_key(self.text)

    def __str__(self) -> str:
        """Return the text."""
        return self.text


@final
@dataclass(frozen=True, slots=True)
class VariableSymbol:
    """A variable; `text` includes the question mark."""

    text: str
    location: Location

    @property
    def key(self) -> str:
        """The key of the text; variables of a statement with the same key are equal."""
        return name_key(self.text)

    def __str__(self) -> str:
        """Return the text."""
        return self.text


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Expressions in parentheses. `location` is the opening parenthesis, `end` the closing one."""

    items: tuple[Expression, ...]
    location: Location
    end: Location

    def __str__(self) -> str:
        """Return the KIF text on one line."""
        return f"({' '.join(map(str, self.items))})"


Expression = Symbol | VariableSymbol | Group


def leaves(expression: Expression) -> Iterator[Symbol | VariableSymbol]:
    """Yield every occurrence of a symbol or variable, in the order of the text."""
    if isinstance(expression, Group):
        for item in expression.items:
            yield from leaves(item)
    else:
        yield expression


def variables(expression: Expression) -> Iterator[VariableSymbol]:
    """Yield every occurrence of a variable, in the order of the text."""
    if isinstance(expression, VariableSymbol):
        yield expression
    elif isinstance(expression, Group):
        for item in expression.items:
            yield from variables(item)
