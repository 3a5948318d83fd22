"""Every name in a text: its location, its meaning, and the other names with the same meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, final

from gdl.checker.view import KEYWORDS, AtomSite, View
from gdl.errors import Location
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol

#: The number of the argument that is a fact of the state, or a move, by keyword.
_FACTS: Final = {"true": 0, "next": 0, "init": 0, "base": 0}
_MOVES: Final = {"does": 1, "legal": 1, "input": 1}


class NameKind(StrEnum):
    """The kinds of things that names stand for."""

    KEYWORD = "keyword"
    RELATION = "relation"
    FACT = "fact"  # of the state: an argument of true, next, init and base
    MOVE = "move"  # an argument of legal, does and input
    TERM = "term"  # another constant or function
    VARIABLE = "variable"


#: The identity of a name: a relation or a term with its arity, or a variable of one statement.
Key = tuple[str, str, int]


@final
@dataclass(frozen=True, slots=True)
class Name:
    """An occurrence of a name in the atom `around`, within argument `column`; None for the atom's own name.

    Facts, moves and other terms of one name and arity are the same, as rules hand them on to each other.
    """

    text: str
    kind: NameKind
    key: Key
    location: Location
    statement: int
    around: AtomSite
    column: int | None = None

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return self.key[2]

    @property
    def defines(self) -> bool:
        """True if this occurrence is part of a definition: in a fact or in the head of a rule."""
        return self.around.kind != "condition"

    @property
    def label(self) -> str:
        """The name with its arity, as in `cell/3`; just the text of a variable."""
        return self.text if self.kind is NameKind.VARIABLE else f"{self.text}/{self.arity}"


def names(view: View) -> tuple[Name, ...]:
    """Return all names of a text in order; of broken statements, those that can be made out."""
    found = [name for atom in view.atoms for name in _atom(atom)]
    for connective in view.connectives:
        if connective.name.key == "distinct":
            found += _distinct(connective.statement, connective.item, connective.name, connective.args)
        else:
            found.append(_keyword(connective.statement, connective.item, connective.name))
    return tuple(sorted(found, key=lambda name: (name.location.line, name.location.column)))


def _atom(atom: AtomSite) -> Iterator[Name]:
    word = atom.name.key
    kind = NameKind.KEYWORD if word in KEYWORDS else NameKind.RELATION
    yield Name(atom.name.text, kind, ("relation", word, len(atom.args)), atom.name.location, atom.statement, atom)
    for column, arg in enumerate(atom.args):
        context = (
            NameKind.FACT
            if _FACTS.get(word) == column
            else NameKind.MOVE
            if _MOVES.get(word) == column
            else NameKind.TERM
        )
        yield from _term(arg, context, atom, column)


def _term(item: Expression, kind: NameKind, atom: AtomSite, column: int) -> Iterator[Name]:
    if isinstance(item, VariableSymbol):
        key = ("variable", item.key, atom.statement)
        yield Name(item.text, NameKind.VARIABLE, key, item.location, atom.statement, atom, column)
        return
    name, args = (item.items[0], item.items[1:]) if isinstance(item, Group) and item.items else (item, ())
    if isinstance(name, Symbol):
        yield Name(name.text, kind, ("term", name.key, len(args)), name.location, atom.statement, atom, column)
    for arg in args:
        yield from _term(arg, NameKind.TERM, atom, column)


def _distinct(statement: int, item: Group, name: Symbol, args: tuple[Expression, ...]) -> Iterator[Name]:
    site = AtomSite(statement, "condition", item, name, args)
    yield _keyword(statement, item, name)
    for column, arg in enumerate(args):
        yield from _term(arg, NameKind.TERM, site, column)


def _keyword(statement: int, item: Group, name: Symbol) -> Name:
    site = AtomSite(statement, "condition", item, name, ())
    return Name(name.text, NameKind.KEYWORD, ("relation", name.key, -1), name.location, statement, site)
