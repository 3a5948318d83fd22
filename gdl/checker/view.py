"""A text as the checks see it: all its atoms, connectives and terms, with their locations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, final

from gdl.checker.consequences import Consequences, consequences
from gdl.checker.domains import Domains
from gdl.checker.suggestions import Suggestions
from gdl.errors import Location
from gdl.language.edits import Offsets
from gdl.language.normalize import CONNECTIVES, KEYWORD_ARITY
from gdl.language.reading import Reading
from gdl.language.rules import Signature
from gdl.language.syntax import Expression, Group, Symbol, variables

#: All reserved words of the language.
KEYWORDS: Final = frozenset((*KEYWORD_ARITY, *CONNECTIVES))

#: The relations that players and engines query.
TARGETS: Final = frozenset(("role", "init", "next", "legal", "goal", "terminal", "sees", "base", "input"))


@final
@dataclass(frozen=True, slots=True)
class AtomSite:
    """An occurrence of an atom in the text: a fact, the head of a rule, or a condition.

    `statement` is the index of its statement.
    """

    statement: int
    kind: Literal["fact", "head", "condition"]
    item: Expression
    name: Symbol
    args: tuple[Expression, ...]

    @property
    def signature(self) -> Signature:
        """The key of the name, and the number of arguments."""
        return self.name.key, len(self.args)


@final
@dataclass(frozen=True, slots=True)
class ConnectiveSite:
    """An occurrence of `not`, `and`, `or` or `distinct` in a body.

    `parent` is the connective around it, or None at the top of the body.
    """

    statement: int
    item: Group
    name: Symbol
    args: tuple[Expression, ...]
    parent: ConnectiveSite | None


@final
@dataclass(frozen=True, slots=True)
class TermSite:
    """An occurrence of a constant or function in the text."""

    item: Expression
    name: Symbol
    args: tuple[Expression, ...]


@final
@dataclass(slots=True)
class View:
    """The contents of a text that has been read; broken parts are left out."""

    reading: Reading
    offsets: Offsets = field(init=False)
    atoms: list[AtomSite] = field(init=False, default_factory=list)
    connectives: list[ConnectiveSite] = field(init=False, default_factory=list)
    terms: list[TermSite] = field(init=False, default_factory=list)
    suggestions: Suggestions = field(init=False)
    _domains: Domains | None = field(init=False, default=None)
    _following: Consequences | None = field(init=False, default=None)
    _variables: dict[int, dict[str, str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Collect the atoms, connectives and terms of all statements."""
        self.offsets = Offsets(self.reading.source)
        self.suggestions = Suggestions(self.reading.spelling)
        for number, statement in enumerate(self.reading.statements):
            self._statement(number, statement)

    def place(self, expression: Expression) -> Location:
        """Return the location of an expression, up to the end of its first line."""
        return self.offsets.location(*self.offsets.span(expression))

    def name(self, signature: Signature) -> str:
        """Return a signature as text, in the file's first spelling: `openStretch/5`."""
        return f"{self.reading.spelling.get(signature[0], signature[0])}/{signature[1]}"

    def text(self, expression: Expression) -> str:
        """Return the text of an expression as it is written."""
        start, end = self.offsets.span(expression)
        return self.reading.source.text[start:end]

    def variables(self, statement: Expression) -> Mapping[str, str]:
        """Return the variables of a statement by their keys, in their first spelling."""
        known = self._variables.get(id(statement))
        if known is None:
            known = self._variables[id(statement)] = {}
            for variable in variables(statement):
                known.setdefault(variable.key, variable.text)
        return known

    def heads(self) -> Iterator[AtomSite]:
        """Return an iterator over the facts and the heads of rules."""
        return (atom for atom in self.atoms if atom.kind != "condition")

    def conditions(self) -> Iterator[AtomSite]:
        """Return an iterator over the conditions."""
        return (atom for atom in self.atoms if atom.kind == "condition")

    @property
    def refused(self) -> bool:
        """True if the text is refused.

        In that case, whatever seems impossible may only be due to the broken parts.
        """
        return bool(self.reading.mistakes) or not self.reading.whole

    @property
    def domains(self) -> Domains:
        """The values that the relations can have; empty if the text is refused."""
        if self._domains is None:
            self._domains = Domains(() if self.refused else self.reading.rules)
        return self._domains

    @property
    def following(self) -> Consequences:
        """The rules that never fire only because others do not; empty if the text is refused."""
        if self._following is None:
            self._following = consequences(() if self.refused else self.reading.rules_of, self.domains)
        return self._following

    def _statement(self, number: int, statement: Expression) -> None:
        match statement:
            case Group(items=(Symbol(key="<="), head, *body)):
                self._atom(number, "head", head)
                for item in body:
                    self._condition(number, item, None)
            case _:
                self._atom(number, "fact", statement)

    def _condition(self, number: int, item: Expression, parent: ConnectiveSite | None) -> None:
        match item:
            case Group(items=(Symbol() as name, *args)) if name.key in CONNECTIVES:
                site = ConnectiveSite(number, item, name, tuple(args), parent)
                self.connectives.append(site)
                for arg in args:
                    if name.key == "distinct":
                        self._term(arg)
                    else:
                        self._condition(number, arg, site)
            case _:
                self._atom(number, "condition", item)

    def _atom(self, number: int, kind: Literal["fact", "head", "condition"], item: Expression) -> None:
        items = item.items if isinstance(item, Group) else (item,)
        match items:
            case (Symbol() as name, *args) if name.key not in CONNECTIVES:
                self.atoms.append(AtomSite(number, kind, item, name, tuple(args)))
                for arg in args:
                    self._term(arg)
            case _:
                pass

    def _term(self, item: Expression) -> None:
        items = item.items if isinstance(item, Group) else (item,)
        match items:
            case (Symbol() as name, *args):
                self.terms.append(TermSite(item, name, tuple(args)))
                for arg in args:
                    self._term(arg)
            case _:
                pass
