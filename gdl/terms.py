"""Terms: constants, variables and functions, as values.

A term prints as KIF and reads back equal (`gdl.parse_term`). Symbols are the same whatever their case, so
`Constant("Wolf") == Constant("wolf")`; each keeps the spelling that it was made with. Terms order by their text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Final, TypeVar, final

#: A state's `repr` shows at most so many facts.
_SHOWN: Final = 4


class _Term:
    """What the three kinds of term share: the KIF text, and equality by that text whatever its case."""

    __slots__ = ("_key", "text")

    text: str
    _key: str

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"terms are immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"terms are immutable: cannot delete {name}")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, _Term) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __lt__(self, other: _Term) -> bool:
        return self.text < other.text

    def __le__(self, other: _Term) -> bool:
        return self.text <= other.text

    def __gt__(self, other: _Term) -> bool:
        return self.text > other.text

    def __ge__(self, other: _Term) -> bool:
        return self.text >= other.text


@final
class Constant(_Term):
    """A symbol such as `wolf`, `c1` or `100`."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self._set("text", name)
        self._set("_key", name.lower())

    @property
    def name(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Constant({self.text!r})"

    def __reduce__(self) -> tuple[type[Constant], tuple[str]]:
        return Constant, (self.text,)


@final
class Variable(_Term):
    """A variable such as `?x`. `name` is `x`, `text` is `?x`."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        self._set("text", "?" + name)
        self._set("_key", "?" + name.lower())

    @property
    def name(self) -> str:
        return self.text[1:]

    def __repr__(self) -> str:
        return f"Variable({self.name!r})"

    def __reduce__(self) -> tuple[type[Variable], tuple[str]]:
        return Variable, (self.name,)


@final
class Function(_Term):
    """A function term such as `(move c4 c8 c4 c7)`: a name and one or more arguments."""

    __slots__ = ("args", "name")

    name: str
    args: tuple[Term, ...]

    def __init__(self, name: str, args: tuple[Term, ...]) -> None:
        if not args:
            raise ValueError(f"a function has at least one argument; use Constant({name!r})")
        self._set("name", name)
        self._set("args", tuple(args))
        text = f"({name} {' '.join(arg.text for arg in args)})"
        self._set("text", text)
        self._set("_key", text.lower())

    def __repr__(self) -> str:
        return f"Function({self.name!r}, {self.args!r})"

    def __reduce__(self) -> tuple[type[Function], tuple[str, tuple[Term, ...]]]:
        return Function, (self.name, self.args)


Term = Constant | Variable | Function

#: Sort key: a term's KIF text, as `str(term)` gives it.
term_text = attrgetter("text")

T = TypeVar("T")


def fold(term: Term, leaf: Callable[[Constant | Variable], T], node: Callable[[Function, list[T]], T]) -> T:
    """What `node` makes of a function and the results of its arguments, and `leaf` of everything else.

    It does not recurse, so terms may be nested as deeply as they like.
    """
    # Functions under way, each with its arguments' results so far; the first holds the result of the whole.
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
    """Every occurrence of a constant or variable, from left to right."""
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
