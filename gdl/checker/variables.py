"""Checks variables that occur only once in their rule, and constants that are probably meant as variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import digits
from typing import Final, final

from gdl.checker.diagnostic import Diagnostic
from gdl.checker.rewrite import respelled
from gdl.checker.suggestions import did_you_mean
from gdl.checker.view import View
from gdl.language.normalize import CONNECTIVES
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables

#: The place of an argument: the name of its relation or function, their number of arguments, and its index.
_Place = tuple[str, int, int]

#: What joins conditions; their arguments are no terms.
_JOINING: Final = frozenset(CONNECTIVES) - {"distinct"}


def singletons(view: View) -> Iterator[Diagnostic]:
    """Report variables that occur only once in their rule, including those that may be misspelled.

    Variables that begin with `?_` are not reported.
    """
    for statement, rules in zip(view.reading.statements, view.reading.rules_of, strict=True):
        found = list(variables(statement))
        counts = Counter(variable.key for variable in found)
        for number, variable in enumerate(found):
            if rules and counts[variable.key] == 1 and not variable.text.startswith("?_"):
                message = f"{variable} occurs only once in its rule"
                if meant := _misspelled(view, found, number, counts):
                    advice = f"{did_you_mean(meant)} If not, start it with ?_"
                    fix = respelled(view, [variable], meant)
                    yield Diagnostic("misspelled-variable", message + advice, variable.location, fix=fix)
                else:
                    advice = "; if that is intended, start it with ?_"
                    yield Diagnostic("singleton-variable", message + advice, variable.location)


def _misspelled(view: View, found: Sequence[VariableSymbol], number: int, counts: Mapping[str, int]) -> str | None:
    """Return what one of the variables of a rule may have been meant to be, given how often each of them occurs."""

    def others() -> set[str]:
        # If two similar variables occur once each, the second is reported as misspelled.
        return {one.text for at, one in enumerate(found) if at < number or counts[one.key] > 1}

    return variable_meant(view, found[number].text, others)


def variable_meant(view: View, text: str, others: Callable[[], Collection[str]]) -> str | None:
    """Return the variable that this one may be a misspelling of, or None."""
    return view.suggestions.nearest(text, others, _may_be_a_slip)


def _may_be_a_slip(text: str, other: str) -> bool:
    # Short names such as ?x and ?y are always similar; ?here and ?there are both words; ?row and ?row2, or ?anyX and
    # ?anyY, are series. Two swapped letters are a slip even in a short name such as ?rwo.
    swapped = len(text) == 4 and sorted(text) == sorted(other) and text[:2] == other[:2]
    alike = len(text) > 4 and text[:2] == other[:2] and abs(len(text) - len(other)) <= 1
    return swapped or (alike and text[:-1] != other[:-1] and text.strip(digits) != other.strip(digits))


def constants_like_variables(view: View) -> Iterator[Diagnostic]:
    """Report constants that lack the question mark of a variable of their rule, as `x` in `(<= (p ?x x) (q ?x))`.

    A constant that also stands in a fact, or in a rule without such a variable, is meant. So is one in a place where
    other constants stand but never the variable: in `(<= (next (box ?x ?y x)) ...)`, x is a mark if the marks of other
    boxes are constants, too.
    """
    usual = _Usual()
    doubtful: list[tuple[Expression, _Place, Symbol]] = []
    for statement in view.reading.statements:
        own = {variable.key for variable in variables(statement)}
        for place, leaf in _arguments(statement):
            if isinstance(leaf, Symbol) and f"?{leaf.key}" in own:
                doubtful.append((statement, place, leaf))
            else:
                usual.add(place, leaf)
    unsafe = {
        (one.location.line, one.location.column) for one in view.reading.mistakes if one.code == "unsafe-variable"
    }
    for statement, place, constant in doubtful:
        same = [one for one in variables(statement) if one.key == f"?{constant.key}"]
        loose = any((one.location.line, one.location.column) in unsafe for one in same)
        if constant.key not in usual.constants and (loose or not usual.marks(place, constant)):
            variable = same[0].text
            message = f"{constant} is a constant, spelled like the variable {variable} of its rule"
            fix = respelled(view, [constant], variable)
            yield Diagnostic("constant-like-variable", message + did_you_mean(variable), constant.location, fix=fix)


@final
@dataclass(slots=True)
class _Usual:
    """The constants that are meant as such, and the constants and variables in each place."""

    constants: set[str] = field(default_factory=set)
    places: dict[_Place, set[str]] = field(default_factory=dict)

    def add(self, place: _Place, leaf: Symbol | VariableSymbol) -> None:
        """Note a constant that no variable of its rule is spelled like, or a variable."""
        if isinstance(leaf, Symbol):
            self.constants.add(leaf.key)
        self.places.setdefault(place, set()).add(leaf.key)

    def marks(self, place: _Place, constant: Symbol) -> bool:
        """Return True if constants usually stand in a place, but the variable spelled like this one never does."""
        found = self.places.get(place, set())
        constants = [key for key in found if not key.startswith("?")]
        return place[0] != "distinct" and bool(constants) and f"?{constant.key}" not in found


def _arguments(statement: Expression) -> Iterator[tuple[_Place, Symbol | VariableSymbol]]:
    """Yield the constants and variables of a statement with their places."""
    stack = [statement]
    while stack:
        match stack.pop():
            case Group(items=(Symbol(key=key), *args)):
                for index, arg in enumerate(args):
                    if isinstance(arg, Group):
                        stack.append(arg)
                    elif key not in _JOINING:
                        yield (key, len(args), index), arg
