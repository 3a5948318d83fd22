"""Every name in a text: where it stands, what it names, and which others name the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, final

from gdl.checker.view import KEYWORDS, AtomSite, View
from gdl.errors import Location
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol

#: Keywords whose argument of that number is a fact of the state, and those where it is a move.
_FACTS: Final = {"true": 0, "next": 0, "init": 0, "base": 0}
_MOVES: Final = {"does": 1, "legal": 1, "input": 1}


class NameKind(StrEnum):
    """What a name can name."""

    KEYWORD = "keyword"
    RELATION = "relation"
    FACT = "fact"  # of the state: what true, next, init and base are about
    MOVE = "move"  # what legal, does and input are about
    TERM = "term"  # another constant or function
    VARIABLE = "variable"


#: What tells one name from another: a relation or a term with its arity, or a variable of one statement.
Key = tuple[str, str, int]


@final
@dataclass(frozen=True, slots=True)
class Name:
    """An occurrence of a name. `around` is the atom it stands in; `column` its argument, None for the atom's own name.

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
        return self.key[2]

    @property
    def defines(self) -> bool:
        """Whether what is named here is said to be: in a fact or the head of a rule."""
        return self.around.kind != "condition"

    @property
    def label(self) -> str:
        return self.text if self.kind is NameKind.VARIABLE else f"{self.text}/{self.arity}"


def names(view: View) -> tuple[Name, ...]:
    """All names of a text in its order; of what is broken, those that can be made out."""
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
        context = NameKind.TERM
        if _FACTS.get(word) == column:
            context = NameKind.FACT
        elif _MOVES.get(word) == column:
            context = NameKind.MOVE
        yield from _term(arg, context, atom, column)


def _term(item: Expression, kind: NameKind, atom: AtomSite, column: int) -> Iterator[Name]:
    if isinstance(item, VariableSymbol):
        key = ("variable", item.text.lower(), atom.statement)
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
