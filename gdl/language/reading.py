"""Reads a rule file as far as possible, and collects all mistakes for which it is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from gdl.errors import Location, Mistake, Source
from gdl.language.forms import Form, form_of, wrapping
from gdl.language.normalize import Normalizer
from gdl.language.parser import parse
from gdl.language.rules import Rule, Signature
from gdl.language.splitting import stratified, whole_text
from gdl.language.strata import Dependency, DependencyGraph
from gdl.language.syntax import Expression, Group, Symbol
from gdl.system.garbage import collection_paused

#: The relations that must not depend on the state, and those that must not depend on the moves.
_STATELESS: tuple[Signature, ...] = (("role", 1), ("init", 1), ("base", 1), ("input", 2))
_MOVELESS: tuple[Signature, ...] = (*_STATELESS, ("legal", 2), ("terminal", 0), ("goal", 2))

#: The maximum number of dependencies that a message lists.
_STEPS: Final = 12


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """The contents of a text, as far as it can be read.

    `rules_of` holds the flat rules of each statement: none if it is broken or can never fire. `whole` is False if the
    text cannot be parsed completely (for example, a parenthesis is missing), so that statements may be missing too.
    """

    source: Source
    statements: tuple[Expression, ...]
    rules_of: tuple[tuple[Rule, ...], ...] = field(repr=False)
    #: Maps the key of each symbol to its first spelling.
    spelling: dict[str, str] = field(repr=False)
    graph: DependencyGraph = field(repr=False)
    #: Equivalent rules in which no relation depends on its own negation.
    stratified_rules: Sequence[Rule] = field(repr=False)
    mistakes: tuple[Mistake, ...]
    whole: bool
    #: The cycles through negation between relations that are no mistakes, since no atom is in such a cycle.
    split_cycles: tuple[Mistake, ...] = field(default=(), repr=False)
    #: The form of a text that is not GDL: one mistake says so, and there are no statements.
    form: Form | None = field(default=None, repr=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All flat rules, in the order of the text."""
        return tuple(rule for rules in self.rules_of for rule in rules)


def read(source: Source) -> Reading:
    """Read a text as far as possible. Raises nothing: all mistakes are in the result's `mistakes`."""
    # Collections would take more than half of the time.
    with collection_paused:
        return _read(source)


def _read(source: Source) -> Reading:
    form = form_of(source)
    statements, mistakes = ((), []) if form is not None else parse(source)
    whole = not mistakes
    if whole and (form := form or wrapping(source, statements)) is not None:
        mistake = Mistake("foreign-file", form.message, form.location)
        return Reading(source, (), (), {}, DependencyGraph((), ()), (), (mistake,), whole=False, form=form)
    normalizer = Normalizer()
    rules_of = tuple(tuple(normalizer.rules(statement)) for statement in statements)
    rules = tuple(rule for found in rules_of for rule in found)
    mistakes += normalizer.mistakes
    graph = DependencyGraph(rules, normalizer.relations)
    stratified_rules, split_graph = stratified(rules, graph)
    refused = _cycles("negation-in-cycle", split_graph, source)
    mistakes += refused
    allowed = [] if refused or split_graph is graph else _cycles("split-negation", graph, source)
    mistakes += _misdependencies(graph, source)
    if whole:
        mistakes += _missing(statements, source)
    return Reading(
        source,
        statements,
        rules_of,
        normalizer.spelling,
        graph,
        stratified_rules,
        tuple(mistakes),
        whole,
        tuple(allowed),
    )


def statement_name(statement: Expression) -> str | None:
    """Return the name, in lower case, of the relation that a statement defines; None if it has none."""
    if isinstance(statement, Group) and statement.items:
        first = statement.items[0]
        if isinstance(first, Symbol) and first.key == "<=" and len(statement.items) > 1:
            return statement_name(statement.items[1])
        return first.key if isinstance(first, Symbol) else None
    return statement.key if isinstance(statement, Symbol) else None


def _missing(statements: Sequence[Expression], source: Source) -> Iterator[Mistake]:
    """Yield a mistake for each required relation that no statement defines.

    Looks at statements rather than rules, so that a broken rule is not reported as a missing one.
    """
    heads = {statement_name(statement) for statement in statements}
    place = Location(source, 1, 1)
    if not statements:
        yield Mistake("no-role", "there are no rules in this text", place)
        return
    if "role" not in heads:
        yield Mistake("no-role", "no role is declared; a game has at least one (role NAME)", place)
    if "terminal" not in heads:
        yield Mistake("no-terminal", "nothing says when the game is over; a game has a rule for terminal", place)


def _cycles(code: str, graph: DependencyGraph, source: Source) -> list[Mistake]:
    """Return a mistake for each component of a graph that negates one of its own relations."""
    found = []
    for cycle in graph.negative_cycles():
        # Steps without a location only lead from a split relation to one of its parts.
        steps = [dependency for dependency in cycle if dependency.literal.syntax is not None]
        message = f"negation in a cycle: {_steps(steps)}"
        found.append(Mistake(code, message, _place(cycle[0], source)))
    return found


def _misdependencies(graph: DependencyGraph, source: Source) -> Iterator[Mistake]:
    for target, heads in (((("true", 1)), _STATELESS), (("does", 2), _MOVELESS)):
        reached = graph.reaches([target])
        for head in heads:
            if head in reached:
                chain = graph.path(head, target)
                message = f"{head[0]} may not depend on {target[0]}: {_steps(chain)}"
                yield Mistake(f"depends-on-{target[0]}", message, _place(chain[0], source))


def _place(dependency: Dependency, source: Source) -> Location:
    syntax = dependency.literal.syntax
    return syntax.location if syntax is not None else Location(source, 1, 1)


def _steps(chain: Sequence[Dependency]) -> str:
    """Describe a chain of dependencies; of a long one, only its two ends."""
    if len(chain) <= _STEPS:
        return ", ".join(map(_step, chain))
    half = _STEPS // 2
    left_out = f"... ({len(chain) - 2 * half} more steps) ..."
    return ", ".join([*map(_step, chain[:half]), left_out, *map(_step, chain[-half:])])


def _step(dependency: Dependency) -> str:
    literal = dependency.literal
    negation = "not " if literal.negated else ""
    line = f" (line {literal.syntax.location.line})" if literal.syntax is not None else ""
    head, need = (whole_text(signature) for signature in (dependency.rule.head.signature, literal.atom.signature))
    return f"{head} needs {negation}{need}{line}"
