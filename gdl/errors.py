"""The exceptions of this package.

`GdlError` is the base class. Mistakes in a text (a rule file, a term, a query) are collected before the text is
refused: `TextError.mistakes` has all of them, each with a code, a location and an excerpt of the source line. Errors
during play, such as an illegal move or a missing goal, are `PlayError`s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

#: The longest excerpt of a source line, in characters.
_WINDOW = 120

#: The longest message about a mistake or a file, in characters: these may quote anything.
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its origin: `name` is a path, or a placeholder such as `<string>`."""

    name: str
    text: str = field(repr=False)
    #: The lines of the text, once one of them has been asked for.
    _lines: list[str] = field(init=False, repr=False, compare=False, default_factory=list)

    def line(self, number: int) -> str:
        """Return a line by its number, counted from 1, without the line ending; "" if there is no such line."""
        if not self._lines:
            self._lines.extend(self.text.split("\n"))
        return self._lines[number - 1] if 1 <= number <= len(self._lines) else ""


@dataclass(frozen=True, slots=True)
class Location:
    """A range of characters in one line of a source. Lines and columns count from 1; `width` is in characters."""

    source: Source = field(repr=False)
    line: int
    column: int
    width: int = 1

    @property
    def file(self) -> str:
        """The name of the source."""
        return self.source.name

    def __str__(self) -> str:
        """Return `file:line:column`."""
        return f"{self.file}:{self.line}:{self.column}"

    def __contains__(self, other: Location) -> bool:
        """Return True if another location lies within this one."""
        inside = self.column <= other.column and other.column + other.width <= self.column + self.width
        return self.source is other.source and self.line == other.line and inside

    def excerpt(self) -> str:
        """Return the source line and a line of carets that marks the location; long lines are cut on both sides."""
        line = self.source.line(self.line)
        start = max(0, self.column - 1 - _WINDOW // 2) if len(line) > _WINDOW else 0
        end = start + _WINDOW
        shown = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line[start:end])
        # Tabs are kept in the caret line, so that both lines are indented alike.
        margin = "".join("\t" if character == "\t" else " " for character in line[start : self.column - 1])
        carets = "^" * max(1, min(self.width, len(line[:end]) - self.column + 1))
        before, after = "..." * (start > 0), "..." * (len(line) > end)
        return f"    {before}{shown}{after}\n    {' ' * len(before)}{margin}{carets}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a text: a stable code such as `unsafe-variable`, a message and a location."""

    code: str
    message: str
    location: Location

    def __post_init__(self) -> None:
        """Cut a long message."""
        object.__setattr__(self, "message", _cut(self.message))

    def __str__(self) -> str:
        """Return the location, code and message, followed by the excerpt."""
        return f"{self.location}: {self.code}: {self.message}\n{self.location.excerpt()}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class GdlError(Exception):
    """Base class of all errors that this package raises for bad input.

    `str(error)` is written for the person who has to correct the input. `file`, `line` and `column` are None where the
    error has no location.
    """

    code: str = "error"
    #: What `str` returns: a format of the arguments and the code; by default, the arguments as they are.
    template: ClassVar[str] = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return the message."""
        return self.template.format(*self.args, code=self.code) if self.template else super().__str__()


class NamedFileError(GdlError):
    """Base class of errors about a whole file: its name, and the reason."""

    template = "{0}: {code}: {1}"

    def __init__(self, file: str, reason: str) -> None:
        """Keep the name of the file and the reason."""
        self.file = file
        self.reason = _cut(reason)
        super().__init__(file, self.reason)


#: The number of mistakes that `str(TextError)` shows; `TextError.mistakes` has all of them.
_SHOWN = 20


class TextError(GdlError):
    """A text was refused. `mistakes` holds one or more mistakes, in the order of the text."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        """Sort the mistakes, drop duplicates, and take the code and location from the first."""
        order = sorted(mistakes, key=lambda m: (m.location.line, m.location.column, m.code))
        self.mistakes: tuple[Mistake, ...] = tuple(dict.fromkeys(order))
        first = self.mistakes[0]
        self.code = first.code
        self.file = first.location.file
        self.line = first.location.line
        self.column = first.location.column
        super().__init__(first.message)

    def __str__(self) -> str:
        """Return the mistakes with their excerpts, and their number if there are several."""
        count = len(self.mistakes)
        blocks = [str(mistake) for mistake in self.mistakes[:_SHOWN]]
        if count > 1:
            shown = f", the first {_SHOWN} shown" if count > _SHOWN else ""
            blocks.append(f"{self.file}: {count} mistakes{shown}")
        return "\n".join(blocks)

    def __reduce__(self) -> tuple[type[TextError], tuple[tuple[Mistake, ...]]]:
        """Pickle the error by its mistakes."""
        return type(self), (self.mistakes,)


class RulesheetError(TextError):
    """A rule file was refused."""


class TermError(TextError):
    """A term, a move or a query pattern was refused."""


class FileError(NamedFileError):
    """A rule file cannot be read."""

    code = "unreadable-file"
    template = "{0}: {1}"


#: The limits on derivations, as phrased in messages.
_LIMITS = {
    "seconds": "takes more than {:g} seconds of processor time",
    "rows": "takes more than {:,} rows",
    "memory": "takes more than {} of memory",
    "names": "builds a term of more than {:,} names",
    "depth": "builds a term with more than {:,} levels",
    "stack": "nests terms or rules too deeply for Python's stack",
}


class DerivationLimitError(GdlError):
    """A question to a Reasoner exceeds its `DerivationBudget`.

    `limit` names the limit, "seconds", "rows", "memory", "names" or "depth", and `amount` is its value. If the process
    itself has no more to give, it is "memory" or "stack", and `amount` is 0. `relation` was being derived by the rule
    at `location`; both are None if the terms of an answer were being made.
    """

    code = "derivation-limit"

    def __init__(
        self, limit: str, amount: float, relation: str | None = None, location: Location | None = None
    ) -> None:
        """Name the limit, and where it was exceeded."""
        self.limit = limit
        self.amount = amount
        self.relation = relation
        self.location = location
        if location is not None:
            self.file = location.file
            self.line = location.line
            self.column = location.column
        super().__init__(limit, amount, relation, location)

    @property
    def reason(self) -> str:
        """The message without its location and code."""
        subject = f"deriving {self.relation or 'an answer'}"
        if self.limit == "memory" and not self.amount:
            return f"{subject} takes more memory than this process may use"
        amount = f"{self.amount / 2**20:,.0f} MiB" if self.limit == "memory" else self.amount
        return f"{subject} {_LIMITS[self.limit].format(amount)}"

    def __str__(self) -> str:
        """Return the location of the rule, the code, the relation and the limit, followed by an excerpt."""
        message = f"{self.code}: {self.reason}"
        return f"{self.location}: {message}\n{self.location.excerpt()}" if self.location is not None else message


class PlayError(GdlError):
    """Base class of errors during play: a state, move or query does not fit the rules."""


def nearest(word: str, words: Sequence[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return the words that are spelled most like this one, at most `count`."""
    from difflib import get_close_matches  # imported late: only error messages need it

    return get_close_matches(word, words, n=count, cutoff=cutoff)


def _listing(legal: Sequence[str], wanted: str, limit: int = 12) -> str:
    """List all legal moves if there are at most `limit`, else those spelled most like the wanted one."""
    if not legal:
        return "it has no legal move"
    if len(legal) <= limit:
        return "legal: " + ", ".join(legal)
    near = nearest(wanted, legal, 5, 0.0)
    return f"nearest of {len(legal)} legal moves: " + ", ".join(near)


class IllegalMoveError(PlayError):
    """A role was given a move that is not legal for it. `legal` holds the legal moves as KIF text."""

    code = "illegal-move"

    def __init__(self, role: str, move: str, legal: Sequence[str]) -> None:
        """Name the role, the illegal move and the legal ones, as KIF text."""
        self.role = role
        self.move = move
        self.legal = tuple(legal)
        super().__init__(role, move, tuple(legal))

    def __str__(self) -> str:
        """Return the code, the move, and the legal moves or the nearest of them."""
        return f"{self.code}: {self.move} is not legal for {self.role}; {_listing(self.legal, self.move)}"


class NoLegalMoveError(PlayError):
    """A role has no legal move in a state that is not terminal."""

    code = "no-legal-move"
    template = "{code}: {0} has no legal move, and the state is not terminal"

    def __init__(self, role: str) -> None:
        """Name the role."""
        self.role = role
        super().__init__(role)


class GoalError(PlayError):
    """A role has not exactly one goal value, a whole number from 0 to 100. `values` holds what it has, as KIF text."""

    code = "goal-value"

    def __init__(self, role: str, values: Sequence[str]) -> None:
        """Name the role and the goal values that were derived for it, as KIF text."""
        self.role = role
        self.values = tuple(values)
        super().__init__(role, tuple(values))

    def __str__(self) -> str:
        """Return the code, the role, and what is wrong with the values."""
        if not self.values:
            return f"{self.code}: {self.role} has no goal value in this state"
        if len(self.values) > 1:
            return f"{self.code}: {self.role} has several goal values in this state: {', '.join(self.values)}"
        return f"{self.code}: the goal value of {self.role} is not a whole number from 0 to 100: {self.values[0]}"


class UnknownRoleError(PlayError):
    """The rules have no role of this name."""

    code = "unknown-role"

    def __init__(self, role: str, roles: Sequence[str]) -> None:
        """Name the unknown role and the roles of the game."""
        self.role = role
        self.roles = tuple(roles)
        super().__init__(role, tuple(roles))

    def __str__(self) -> str:
        """Return the code, the roles of the game, and the nearest one as a suggestion."""
        near = nearest(self.role, self.roles)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"{self.code}: no role {self.role}; the roles are {', '.join(self.roles)}{hint}"


class UnknownRelationError(PlayError):
    """A query asks for a relation that the rules do not have."""

    code = "unknown-relation"

    def __init__(self, relation: str, relations: Sequence[str]) -> None:
        """Name the unknown relation and the relations of the game."""
        self.relation = relation
        self.relations = tuple(relations)
        super().__init__(relation, tuple(relations))

    def __str__(self) -> str:
        """Return the code, the relation, and suggestions."""
        near = nearest(self.relation, self.relations, 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        advice = "" if hint else "; to ask for a fact, write (true ...)"
        return f"{self.code}: the rules have no relation {self.relation}{hint}{advice}"


class UnreachableStateError(PlayError):
    """The simulator was given a state that cannot be reached, and that it therefore cannot represent."""

    code = "unreachable-state"
    template = "{code}: {0}; the Reasoner plays from any facts"


class JointMoveError(PlayError):
    """A joint move does not name exactly one move for every role."""

    code = "joint-move"
    template = "{code}: {0}"
