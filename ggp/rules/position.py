"""Positions as text: the facts of a state, in rules that begin there.

    rulesheet = at_position(rulesheet, source_of("(true (cell 1 1 x)) (true (control o))", "--position"))

A game that begins at another position is a game of its own: everything that works on rules works on it, and its record
can be replayed, because the record contains its rules. The statements about `init` are replaced; all others keep their
places in the text, so that messages name the lines of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from gdl.errors import Location, Mistake, Source, TermError, nearest
from gdl.language.parser import parse, read_source, source_of, term_of
from gdl.language.reading import statement_name
from gdl.language.rulesheet import Rulesheet
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables
from gdl.reasoner.reasoner import Reasoner
from gdl.terms import Term, name_key

#: The relations about facts, with a fact as their only argument.
_ABOUT_FACTS: Final = frozenset({"init", "next", "true", "base"})

#: The number of facts that are suggested for a name that no fact has.
_SUGGESTED: Final = 3

#: The most names that are listed if none is similar.
_LISTED: Final = 12


def position_text(facts: Iterable[Term]) -> str:
    """Return facts as the text of a position, one per line."""
    return "".join(f"(true {fact.text})\n" for fact in facts)


def load_at(path: Path, position: str = "") -> Reasoner:
    """Return the game in a rule file, from a position on if one is given: as text, or the path of a file with it.

    Raises FileError, RulesheetError, TermError.
    """
    return begun_at(Rulesheet.load(path), position)


def begun_at(rulesheet: Rulesheet, position: str = "") -> Reasoner:
    """Return a game, from a position on if one is given, as in `load_at`. Raises FileError, TermError."""
    if not position:
        return Reasoner(rulesheet)
    given = source_of(position, "--position") if "(" in position else read_source(position)
    return Reasoner(at_position(rulesheet, given))


def at_position(rulesheet: Rulesheet, position: Source) -> Rulesheet:
    """Return the rules of the game that begins at a position. Raises TermError for a text that is not a position."""
    facts = _facts(rulesheet, position)
    text = _without_init(rulesheet)
    begin = "" if text.endswith("\n") or not text else "\n"
    return Rulesheet.of_source(Source(rulesheet.name, text + begin + "".join(f"(init {fact})\n" for fact in facts)))


def same_apart_from_start(one: Rulesheet, other: Rulesheet) -> bool:
    """Return True if rules differ in nothing but the position at which the game begins."""
    return _apart_from_start(one) == _apart_from_start(other)


def _apart_from_start(rulesheet: Rulesheet) -> list[str]:
    return [name_key(str(rule)) for rule in rulesheet.rules if rule.head.signature[0] != "init"]


def _facts(rulesheet: Rulesheet, position: Source) -> list[Expression]:
    expressions, mistakes = parse(position)
    known = _known_names(rulesheet.statements)
    facts = []
    for expression in expressions:
        found = list(_mistakes(expression, known))
        mistakes += found
        if not found and isinstance(expression, Group):
            facts.append(expression.items[1])
    if not expressions and not mistakes:
        mistakes.append(
            Mistake("not-an-atom", "expected the facts of a position: (true FACT) ...", Location(position, 1, 1))
        )
    if mistakes:
        raise TermError(mistakes)
    return facts


def _mistakes(expression: Expression, known: frozenset[tuple[str, int]] | None) -> Iterator[Mistake]:
    """Yield what is wrong with a fact. `known` has the names and numbers of arguments of all facts; None for any."""
    place = expression.location
    head = expression.items[0] if isinstance(expression, Group) and expression.items else None
    if not isinstance(expression, Group) or not isinstance(head, Symbol) or head.key != "true":
        yield Mistake("not-an-atom", f"expected a fact of the position, (true FACT), not {expression}", place)
    elif len(expression.items) != 2:
        yield Mistake("keyword-arity", f"true has one argument, a fact, not {len(expression.items) - 1}", place)
    else:
        fact = expression.items[1]
        if term_of(fact) is None:
            yield Mistake("not-a-term", f"{fact} is not a term", fact.location)
            return
        for variable in variables(fact):
            yield Mistake("variable-in-fact", f"a fact of a position has no variables: {variable}", variable.location)
        if known is not None and (name := _name(fact)) not in known:
            yield Mistake("undefined-relation", _unknown(fact, name, known), fact.location)


def _unknown(fact: Expression, name: tuple[str, int] | None, known: frozenset[tuple[str, int]]) -> str:
    word, arguments = name or (str(fact), 0)
    counts = sorted(count for other, count in known if other == word)
    if counts:
        expected = " or ".join(map(str, counts))
        return f"{word} has {expected} argument{'s' * (expected != '1')} in this game, not {arguments}"
    names = sorted({other for other, _ in known})
    near = nearest(word, names, _SUGGESTED)
    more = f"; did you mean {', '.join(near)}?" if near else f"; its facts are called {', '.join(names[:_LISTED])}"
    return f"no fact of this game is called {word}{more}"


def _known_names(statements: Sequence[Expression]) -> frozenset[tuple[str, int]] | None:
    """Return the names of facts in the rules, with their numbers of arguments; None if a variable stands for a fact."""
    found: set[tuple[str, int]] = set()
    open_ = list(statements)
    while open_:
        one = open_.pop()
        if not isinstance(one, Group):
            continue
        head = one.items[0] if one.items else None
        if isinstance(head, Symbol) and head.key in _ABOUT_FACTS and len(one.items) == 2:
            fact = one.items[1]
            if isinstance(fact, VariableSymbol) and head.key in ("init", "next"):
                return None
            name = _name(fact)
            if name is not None:
                found.add(name)
        open_ += one.items
    return frozenset(found)


def _name(fact: Expression) -> tuple[str, int] | None:
    if isinstance(fact, Symbol):
        return fact.key, 0
    if isinstance(fact, Group) and fact.items and isinstance(fact.items[0], Symbol):
        return fact.items[0].key, len(fact.items) - 1
    return None


def _without_init(rulesheet: Rulesheet) -> str:
    """Return the text of the rules with blanks in place of the statements about `init`."""
    text = rulesheet.source.text
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(place: Location) -> int:
        return starts[place.line - 1] + place.column - 1

    parts, at = [], 0
    for statement in rulesheet.statements:
        if statement_name(statement) == "init" and isinstance(statement, Group):
            begin, end = offset(statement.location), offset(statement.end) + 1
            parts += [text[at:begin], "".join(c if c == "\n" else " " for c in text[begin:end])]
            at = end
    return "".join([*parts, text[at:]])
