"""Terms: immutable constants, variables and functions.

A term prints as KIF and parses back to an equal term (`gdl.parse_term`). Symbols are case-insensitive, so
`Constant("Wolf") == Constant("wolf")`, but every term keeps its spelling. Terms are ordered by their text.

Names of rules are compared by their keys, and only `name_key` knows how to make a key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Final, TypeVar, final

#: The maximum number of facts in the `repr` of a state.
_SHOWN: Final = 4


def name_key(name: str) -> str:
    """Return the key of a name (or of KIF text): names with the same key are the same name, however spelled."""
    return name.lower()


class _Term:
    """Base of the three kinds of term: holds the KIF text, and the key by which it is compared."""

    __slots__ = ("key", "text")

    text: str
    key: str

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError."""
        raise AttributeError(f"terms are immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError."""
        raise AttributeError(f"terms are immutable: cannot delete {name}")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __str__(self) -> str:
        """Return the KIF text."""
        return self.text

    def __eq__(self, other: object) -> bool:
        """Return True if both texts are equal regardless of case."""
        return self.key == other.key if isinstance(other, _Term) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash that does not depend on case."""
        return hash(self.key)

    def __lt__(self, other: _Term) -> bool:
        """Compare the texts."""
        return self.text < other.text

    def __le__(self, other: _Term) -> bool:
        """Compare the texts."""
        return self.text <= other.text

    def __gt__(self, other: _Term) -> bool:
        """Compare the texts."""
        return self.text > other.text

    def __ge__(self, other: _Term) -> bool:
        """Compare the texts."""
        return self.text >= other.text


@final
class Constant(_Term):
    """A symbol such as `wolf`, `c1` or `100`."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        """Keep the name as it is spelled."""
        self._set("text", name)
        self._set("key", name_key(name))

    @property
    def name(self) -> str:
        """The same as `text`."""
        return self.text

    def __repr__(self) -> str:
        """Return a Python expression for the constant."""
        return f"Constant({self.text!r})"

    def __reduce__(self) -> tuple[type[Constant], tuple[str]]:
        """Pickle the constant by its name."""
        return Constant, (self.text,)


@final
class Variable(_Term):
    """A variable such as `?x`. `name` is `x`, `text` is `?x`."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        """Take the name without the question mark."""
        self._set("text", "?" + name)
        self._set("key", name_key(self.text))

    @property
    def name(self) -> str:
        """The text without the question mark."""
        return self.text[1:]

    def __repr__(self) -> str:
        """Return a Python expression for the variable."""
        return f"Variable({self.name!r})"

    def __reduce__(self) -> tuple[type[Variable], tuple[str]]:
        """Pickle the variable by its name."""
        return Variable, (self.name,)


@final
class Function(_Term):
    """A function term such as `(move c4 c8 c4 c7)`: a name and one or more arguments."""

    __slots__ = ("args", "name")

    name: str
    args: tuple[Term, ...]

    def __init__(self, name: str, args: tuple[Term, ...]) -> None:
        """Apply a name to arguments. Raise ValueError if there are none."""
        if not args:
            raise ValueError(f"a function has at least one argument; use Constant({name!r})")
        self._set("name", name)
        self._set("args", tuple(args))
        text = f"({name} {' '.join(arg.text for arg in args)})"
        self._set("text", text)
        self._set("key", name_key(text))

    def __repr__(self) -> str:
        """Return a Python expression for the function."""
        return f"Function({self.name!r}, {self.args!r})"

    def __reduce__(self) -> tuple[type[Function], tuple[str, tuple[Term, ...]]]:
        """Pickle the function by its name and arguments."""
        return Function, (self.name, self.args)


Term = Constant | Variable | Function


def shape_of(term: Term) -> tuple[str, int]:
    """Return the key of a term's name, and the number of its arguments."""
    return (name_key(term.name), len(term.args)) if isinstance(term, Function) else (term.key, 0)


#: Sort key: the KIF text of a term, the same as `str(term)`.
term_text = attrgetter("text")

T = TypeVar("T")


def fold(term: Term, leaf: Callable[[Constant | Variable], T], node: Callable[[Function, list[T]], T]) -> T:
    """Compute a value bottom-up: `leaf(part)` for constants and variables, `node(function, results)` for functions.

    `results` are the values of the function's arguments. The computation is iterative, so nesting is not limited by
    Python's recursion limit.
    """
    # The functions in progress, each with the results of its arguments so far. The first entry collects the final
    # result.
    open_functions: list[tuple[Function | None, list[T]]] = [(None, [])]
    pending: list[Term | None] = [term]
    while pending:
        part = pending.pop()
        if part is None:
            function, results = open_functions.pop()
            assert function is not None
            open_functions[-1][1].append(node(function, results))
        elif isinstance(part, Function):
            open_functions.append((part, []))
            pending.append(None)
            pending.extend(reversed(part.args))
        else:
            open_functions[-1][1].append(leaf(part))
    return open_functions[0][1][0]


def leaves(term: Term) -> Iterator[Constant | Variable]:
    """Yield every occurrence of a constant or variable, from left to right."""
    pending: list[Term] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Function):
            pending.extend(reversed(part.args))
        else:
            yield part


def abridged(facts: Sequence[Term]) -> str:
    """The number of some facts and the first few of them, for a `repr`."""
    count = f"{len(facts)} fact" + "s" * (len(facts) != 1)
    shown = " ".join(fact.text for fact in facts[:_SHOWN]) + " ..." * (len(facts) > _SHOWN)
    return f"{count}: {shown}" if facts else count
