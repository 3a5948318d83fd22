"""Engines that evaluate stratified rules, brought to one form: rules in, each relation's rows out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import gdl.reasoner.forward
from gdl.language.normalize import Normalizer
from gdl.language.parser import parse, parse_terms, source_of
from gdl.language.rules import Condition, Distinct, Rule, Signature, signature_text
from gdl.reasoner.budget import DerivationBudget, Meter
from gdl.reasoner.forward import Context, Program, rows_of
from gdl.reasoner.matching import Terms
from gdl.reasoner.python_code import Value, row_of
from gdl.terms import Constant, Function, Term, Variable
from support.naive import Model

#: The rows of input relations.
Given = Mapping[Signature, Iterable[tuple[Term, ...]]]


def relations_of(rules: Iterable[Rule]) -> list[Signature]:
    """The relations that occur in some rules."""
    return list({s: None for r in rules for s in (r.head.signature, *(lit.atom.signature for lit in r.literals()))})


def assert_same(found: Model, expected: Model) -> None:
    """Check that two models have the same rows; if not, the relations that differ are shown."""
    relations = {s: (found.get(s, set()), expected.get(s, set())) for s in {**found, **expected}}
    differing = {s: {"found": one, "expected": other} for s, (one, other) in relations.items() if one != other}
    assert not differing


def semi_naive(rules: list[Rule]) -> Model:
    """The rows that a `Program` derives from nothing."""
    (model,) = semi_naive_each(rules, [{}])
    return model


def semi_naive_each(
    rules: list[Rule], givens: Sequence[Given], questions: Sequence[Signature] = (), *, others: bool = True
) -> list[Model]:
    """The rows that one `Program` derives from those given for its inputs, in one context after another.

    It is asked for `questions` first, in their order, then for all other relations if `others` are wanted too.
    """
    inputs = {relation for given in givens for relation in given}
    relations = list(dict.fromkeys([*questions, *(relations_of(rules) if others else ()), *inputs]))
    program = Program(rules, inputs)
    models = []
    for given in givens:
        context = program.context({signature_text(s): _table(s, given.get(s, ())) for s in inputs})
        models.append({s: set(_rows(context.rows(s), s)) for s in relations})
        program.learn([context])
    return models


def _table(relation: Signature, rows: Iterable[tuple[Term, ...]]) -> set[Value] | bool:
    return {row_of(row) for row in rows} if relation[1] else bool(list(rows))


def _rows(table: Any, relation: Signature) -> Iterator[tuple[Term, ...]]:
    terms = Terms(Meter(DerivationBudget()))
    return (tuple(terms[value] for value in row) for row in rows_of(table, relation[1]))


@contextmanager
def limits(rows: int) -> Iterator[None]:
    """Relations with more rows than this count as large, and are read key by key."""
    with (
        patch.object(gdl.reasoner.forward, "_STATIC_LIMIT", rows),
        patch.object(gdl.reasoner.forward, "_DYNAMIC_LIMIT", rows),
    ):
        yield


@contextmanager
def derivations() -> Iterator[list[str]]:
    """Notes every table that is put into a context: what was derived, in order."""
    noted: list[str] = []

    def note(context: Context, text: str, table: Any) -> None:
        noted.append(text)
        dict.__setitem__(context, text, table)

    with patch.object(Context, "__setitem__", note, create=True):
        yield noted


def flat_rules(text: str) -> list[Rule]:
    """The flat rules of a text, which need not be a game."""
    statements, mistakes = parse(source_of(text, "test.kif"))
    normalizer = Normalizer()
    rules = [rule for statement in statements for rule in normalizer.rules(statement)]
    mistakes += normalizer.mistakes
    assert not mistakes, str(mistakes[0])
    return rules


def answer(text: str, name: str, **given: str) -> list[str]:
    """The rows that rules derive of the relation of that name, one text a row, sorted.

    `given` are inputs with their rows, such as `at="(1 2) (2 3)"`.
    """
    rows = {read: [_row(term) for term in parse_terms(rows)] for read, rows in given.items()}
    inputs = {(read, len(some[0]) if some else 1): some for read, some in rows.items()}
    (model,) = semi_naive_each(flat_rules(text), [inputs])
    (relation,) = [s for s in model if s[0] == name]
    return shown(model[relation])


def _row(term: Term) -> tuple[Term, ...]:
    """`(1 2)` as the row of 1 and 2, `1` as that of 1."""
    return (Constant(term.name), *term.args) if isinstance(term, Function) else (term,)


def shown(rows: Iterable[tuple[Term, ...]]) -> list[str]:
    return sorted(" ".join(term.text for term in row) for row in rows)


class ClingoText:
    """Rules as clingo reads them. Its identifiers are numbered; `names` maps them back."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._known: dict[tuple[str, str], str] = {}

    def identifier(self, kind: str, name: str) -> str:
        known = self._known.setdefault((kind, name.lower()), f"{kind}{len(self._known)}")
        self.names[known] = name
        return known

    def term(self, term: Term) -> str:
        if isinstance(term, Variable):
            return self.identifier("V", term.name)
        if isinstance(term, Constant):
            return self.identifier("c", term.name)
        return self.atom("f", term.name, term.args)

    def atom(self, kind: str, name: str, args: tuple[Term, ...]) -> str:
        return self.identifier(kind, name) + (f"({','.join(map(self.term, args))})" if args else "")

    def condition(self, condition: Condition) -> str:
        if isinstance(condition, Distinct):
            return f"{self.term(condition.left)} != {self.term(condition.right)}"
        return ("not " if condition.negated else "") + self.atom("r", condition.atom.name, condition.atom.args)

    def rule(self, rule: Rule) -> str:
        return f"{self.atom('r', rule.head.name, rule.head.args)} :- {'; '.join(map(self.condition, rule.body))}."


def clingo(rules: list[Rule]) -> Model:
    """The stable model as clingo finds it; stratified rules have exactly one."""
    import clingo as asp

    text = ClingoText()
    control = asp.Control(["0", "--warn=none"])
    control.add("base", [], "\n".join(map(text.rule, rules)))
    control.ground([("base", [])])
    models: list[Model] = []

    def term(symbol: asp.Symbol) -> Term:
        name = text.names[symbol.name]
        return Function(name, tuple(map(term, symbol.arguments))) if symbol.arguments else Constant(name)

    def keep(found: asp.Model) -> None:
        model: Model = {}
        for symbol in found.symbols(atoms=True):
            relation = text.names[symbol.name].lower(), len(symbol.arguments)
            model.setdefault(relation, set()).add(tuple(map(term, symbol.arguments)))
        models.append(model)

    control.solve(on_model=keep)
    (only,) = models
    return only
