"""The syntax tree of KIF text: symbols, variables and groups, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from gdl.errors import Location


@final
@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol, spelled as in the text."""

    text: str
    location: Location

    @property
    def key(self) -> str:
        """What makes two symbols the same: the spelling without its case."""
        return self.text.lower()

    def __str__(self) -> str:
        return self.text


@final
@dataclass(frozen=True, slots=True)
class VariableSymbol:
    """A variable; `text` includes the question mark."""

    text: str
    location: Location

    def __str__(self) -> str:
        return self.text


@final
@dataclass(frozen=True, slots=True)
class Group:
    """Expressions in parentheses. `location` is the opening parenthesis, `end` the closing one."""

    items: tuple[Expression, ...]
    location: Location
    end: Location

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.items))})"


Expression = Symbol | VariableSymbol | Group


def variables(expression: Expression) -> Iterator[VariableSymbol]:
    """Every occurrence of a variable, in the order of the text."""
    if isinstance(expression, VariableSymbol):
        yield expression
    elif isinstance(expression, Group):
        for item in expression.items:
            yield from variables(item)
