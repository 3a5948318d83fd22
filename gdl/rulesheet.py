"""A rule file, read and checked: its flat rules and their dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gdl.errors import Location, Mistake, RulesheetError, Source
from gdl.normalize import Normalizer
from gdl.parser import parse, read_source, source_of
from gdl.rules import Rule, Signature
from gdl.splitting import stratified, whole_text
from gdl.strata import Dependency, DependencyGraph
from gdl.syntax import Expression, Group, Symbol
from gdl.terms import Constant, Function, Term, fold

#: What may not depend on the state, and what may not depend on the moves.
_STATELESS: tuple[Signature, ...] = (("role", 1), ("init", 1), ("base", 1), ("input", 2))
_MOVELESS: tuple[Signature, ...] = (*_STATELESS, ("legal", 2), ("terminal", 0), ("goal", 2))


class Rulesheet:
    """The rules of one game. Raises RulesheetError with all mistakes of the text.

    `rules` are flat and in the order of the text; `graph` holds their dependencies; `stratified_rules` say the same
    without negation in cycles of relations; `spelling` maps each symbol without its case to its first spelling,
    which is how every term of the game is printed.
    """

    def __init__(self, text: str, name: str = "<string>") -> None:
        self._read(source_of(text, name))

    @classmethod
    def load(cls, path: str | Path) -> Rulesheet:
        """The rules of a file. Raises FileError too."""
        rulesheet = cls.__new__(cls)
        rulesheet._read(read_source(path))
        return rulesheet

    def _read(self, source: Source) -> None:
        self.source = source
        self.statements, mistakes = parse(source)
        normalizer = Normalizer()
        self.rules: tuple[Rule, ...] = tuple(
            rule for statement in self.statements for rule in normalizer.rules(statement)
        )
        self.spelling: dict[str, str] = normalizer.spelling
        whole = not mistakes
        mistakes += normalizer.mistakes
        self.graph = DependencyGraph(self.rules)
        self.stratified_rules, graph = stratified(self.rules, self.graph)
        mistakes += self._cycles(graph)
        mistakes += self._misdependencies()
        if whole:
            mistakes += self._missing()
        if mistakes:
            raise RulesheetError(mistakes)

    @property
    def name(self) -> str:
        """Where the rules came from: a path, or `<string>`."""
        return self.source.name

    def defining(self, signature: Signature) -> Iterator[Rule]:
        """The rules whose head has this relation."""
        return (rule for rule in self.rules if rule.head.signature == signature)

    def respell(self, term: Term) -> Term:
        """The term with each symbol in the file's first spelling; those that it does not have in lower case."""

        def spelled(name: str) -> str:
            return self.spelling.get(name.lower(), name.lower())

        return fold(
            term,
            lambda leaf: Constant(spelled(leaf.name)) if isinstance(leaf, Constant) else leaf,
            lambda function, args: Function(spelled(function.name), tuple(args)),
        )

    def __reduce__(self) -> tuple[type[Rulesheet], tuple[str, str]]:
        return Rulesheet, (self.source.text, self.source.name)

    def _missing(self) -> Iterator[Mistake]:
        """What every game has. Looked for in the statements, as a broken rule is not a missing one."""
        heads = {statement_name(statement) for statement in self.statements}
        place = Location(self.source, 1, 1)
        if not self.statements:
            yield Mistake("no-role", "there are no rules in this text", place)
            return
        if "role" not in heads:
            yield Mistake("no-role", "no role is declared; a game has at least one (role NAME)", place)
        if "terminal" not in heads:
            yield Mistake("no-terminal", "nothing says when the game is over; a game has a rule for terminal", place)

    def _cycles(self, graph: DependencyGraph) -> Iterator[Mistake]:
        for cycle in graph.negative_cycles():
            # A step without a place in the text only leads from a relation to a part of it.
            steps = [dependency for dependency in cycle if dependency.literal.syntax is not None]
            message = "negation in a cycle: " + ", ".join(map(_step, steps))
            yield Mistake("negation-in-cycle", message, self._place(cycle[0]))

    def _misdependencies(self) -> Iterator[Mistake]:
        for target, heads in (((("true", 1)), _STATELESS), (("does", 2), _MOVELESS)):
            reached = self.graph.reaches([target])
            for head in heads:
                if head in reached:
                    chain = self.graph.path(head, target)
                    message = f"{head[0]} may not depend on {target[0]}: " + ", ".join(map(_step, chain))
                    yield Mistake(f"depends-on-{target[0]}", message, self._place(chain[0]))

    def _place(self, dependency: Dependency) -> Location:
        syntax = dependency.literal.syntax
        return syntax.location if syntax is not None else Location(self.source, 1, 1)


def statement_name(statement: Expression) -> str | None:
    """The name of the relation that a statement is about, without its case."""
    if isinstance(statement, Group) and statement.items:
        first = statement.items[0]
        if isinstance(first, Symbol) and first.key == "<=" and len(statement.items) > 1:
            return statement_name(statement.items[1])
        return first.key if isinstance(first, Symbol) else None
    return statement.key if isinstance(statement, Symbol) else None


def _step(dependency: Dependency) -> str:
    literal = dependency.literal
    negation = "not " if literal.negated else ""
    line = f" (line {literal.syntax.location.line})" if literal.syntax is not None else ""
    head, need = (whole_text(signature) for signature in (dependency.rule.head.signature, literal.atom.signature))
    return f"{head} needs {negation}{need}{line}"
