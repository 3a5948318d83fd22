"""Rulesheets: the flat rules of a rule file, read and checked, and their dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gdl.errors import RulesheetError, Source
from gdl.language.parser import UNNAMED, read_source, source_given
from gdl.language.reading import read
from gdl.language.rules import Rule, Signature
from gdl.terms import Constant, Function, Term, fold, name_key


class Rulesheet:
    """The rules of one game: of a text (`str`), or of a file (`Path`).

    Raises RulesheetError with all mistakes of the text, and FileError.
    `rules` are flat and in the order of the text; `graph` holds their dependencies. `stratified_rules` are equivalent
    rules in which no relation depends on its own negation. `spelling` maps the key of each symbol to its first
    spelling in the text, which is the one used in output.
    """

    def __init__(self, rules: str | Path, name: str = UNNAMED) -> None:
        """Read and check the rules of a text; `name` appears in error messages."""
        self._read(source_given(rules, name))

    @classmethod
    def load(cls, path: str | Path) -> Rulesheet:
        """Read and check a rule file. Raises FileError, and RulesheetError."""
        return cls.of_source(read_source(path))

    @classmethod
    def of_source(cls, source: Source) -> Rulesheet:
        """The rules of a text that has been read. Raises RulesheetError."""
        rulesheet = cls.__new__(cls)
        rulesheet._read(source)
        return rulesheet

    def _read(self, source: Source) -> None:
        reading = read(source)
        if reading.mistakes:
            raise RulesheetError(reading.mistakes)
        self.source = source
        self.statements = reading.statements
        self.rules: tuple[Rule, ...] = reading.rules
        self.spelling: dict[str, str] = reading.spelling
        self.graph = reading.graph
        self.stratified_rules = reading.stratified_rules

    def __repr__(self) -> str:
        """Return the name and the number of rules."""
        return f"<Rulesheet {self.name}: {len(self.rules)} rule{'s' * (len(self.rules) != 1)}>"

    @property
    def name(self) -> str:
        """The origin of the rules: a path, or `<string>`."""
        return self.source.name

    def defining(self, signature: Signature) -> Iterator[Rule]:
        """Return an iterator over the rules whose head has this relation."""
        return (rule for rule in self.rules if rule.head.signature == signature)

    def respell(self, term: Term) -> Term:
        """Return the term with each symbol in the file's first spelling; unknown symbols are in lower case."""

        def spelled(name: str) -> str:
            return self.spelling.get(name_key(name), name_key(name))

        return fold(
            term,
            lambda leaf: Constant(spelled(leaf.name)) if isinstance(leaf, Constant) else leaf,
            lambda function, args: Function(spelled(function.name), tuple(args)),
        )

    def __reduce__(self) -> tuple[type[Rulesheet], tuple[str, str]]:
        """Pickle the rulesheet by its text and name."""
        return Rulesheet, (self.source.text, self.source.name)
