"""Parts of rules in words: the names of the rules themselves in quotation marks, joined by templates.

Variables are in capitals: `(not (wins ?role))` becomes `not “wins ROLE”`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gdl.checker.domains import Domain
from gdl.language.rules import Condition, Distinct
from gdl.terms import Constant, Function, Term, Variable

#: The largest number of values of an argument that are listed.
_VALUES: Final = 8

#: The largest number of conditions of a rule that are listed.
_CONDITIONS: Final = 8


def in_words(term: Term) -> str:
    """Return a term as words: `cell X 8 white_pawn`. Nested terms are in parentheses."""
    if isinstance(term, Function):
        return " ".join(
            (term.name, *(f"({in_words(a)})" if isinstance(a, Function) else in_words(a) for a in term.args))
        )
    return variable_name(term) if isinstance(term, Variable) else term.text


def variable_name(variable: Variable) -> str:
    """Return the name of a variable in capitals, without its question mark."""
    return variable.text.lstrip("?").upper()


def condition_in_words(condition: Condition) -> str:
    """Return a condition of a rule as words."""
    if isinstance(condition, Distinct):
        return f"{in_words(condition.left)} is not {in_words(condition.right)}"
    atom = condition.atom
    name, arity = atom.signature
    if (name, arity) == ("terminal", 0):
        return "the match goes on" if condition.negated else "the match is over"
    if (name, arity) == ("true", 1):
        words = quoted(in_words(atom.args[0]))
    elif (name, arity) == ("does", 2):
        words = f"{in_words(atom.args[0])} plays {quoted(in_words(atom.args[1]))}"
    elif (name, arity) == ("legal", 2):
        words = f"{in_words(atom.args[0])} can play {quoted(in_words(atom.args[1]))}"
    elif (name, arity) == ("role", 1):
        words = f"{in_words(atom.args[0])} is a role"
    else:
        words = quoted(in_words(Function(atom.name, atom.args)) if atom.args else atom.name)
    return f"not {words}" if condition.negated else words


def conditions_in_words(body: Iterable[Condition]) -> str:
    """Return the conditions of a rule, joined; `always` without any."""
    words = [condition_in_words(condition) for condition in body]
    if len(words) > _CONDITIONS:
        words = [*words[:_CONDITIONS], f"{len(words) - _CONDITIONS} more conditions"]
    return " and ".join(words) or "always"


def quoted(text: str) -> str:
    """Return a text in quotation marks."""
    return f"“{text}”"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Return words with commas, and a word before the last one."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def values_in_words(domain: Domain, spelled: dict[str, str]) -> str:
    """Return the possible values of an argument: `within 1 to 8`, `a, b or c`, `one of 40, such as a, b, c`."""
    if domain.anything or domain.functions:
        return "any term"
    values = sorted(domain.constants, key=lambda name: (len(name), name))
    if len(values) > 2 and all(value.isdecimal() and value.isascii() for value in values):
        numbers = sorted(map(int, values))
        if numbers == list(range(numbers[0], numbers[-1] + 1)):
            return f"within {numbers[0]} to {numbers[-1]}"  # the rules may allow fewer
    texts = [Constant(spelled.get(value, value)).text for value in values]
    if len(texts) > _VALUES:
        return f"one of {len(texts)}, such as {', '.join(texts[:3])}"
    return listed(texts, "or")
