"""What can go wrong, each with a code, a place in the text and the line with a caret under it.

`GdlError` is the root. Mistakes in a text (a rule file, a term, a query) are collected before the text is
refused: `TextError.mistakes` has them all. What goes wrong in play (an illegal move, a missing goal) is a
`PlayError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

#: Of a longer line only so many characters are shown.
_WINDOW = 120


@dataclass(frozen=True, slots=True)
class Source:
    """A text and where it came from: `name` is a path, or `<string>` and the like."""

    name: str
    text: str = field(repr=False)

    def line(self, number: int) -> str:
        """The line with this number, counted from 1, without its end."""
        lines = self.text.split("\n")
        return lines[number - 1] if 1 <= number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Location:
    """A stretch of one line of a source: line and column count from 1, `width` in characters."""

    source: Source = field(repr=False)
    line: int
    column: int
    width: int = 1

    @property
    def file(self) -> str:
        return self.source.name

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def __contains__(self, other: Location) -> bool:
        """Whether another stretch lies within this one."""
        inside = self.column <= other.column and other.column + other.width <= self.column + self.width
        return self.source is other.source and self.line == other.line and inside

    def excerpt(self) -> str:
        """The source line, and under it a caret line that marks the stretch; of a long line, what is around it."""
        line = self.source.line(self.line)
        start = max(0, self.column - 1 - _WINDOW // 2) if len(line) > _WINDOW else 0
        end = start + _WINDOW
        shown = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line[start:end])
        # A tab stays a tab in the caret line, so that both lines shift alike.
        margin = "".join("\t" if character == "\t" else " " for character in line[start : self.column - 1])
        carets = "^" * max(1, min(self.width, len(line[:end]) - self.column + 1))
        before, after = "..." * (start > 0), "..." * (len(line) > end)
        return f"    {before}{shown}{after}\n    {' ' * len(before)}{margin}{carets}"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a text: a stable code such as `unsafe-variable`, a sentence, and its place."""

    code: str
    message: str
    location: Location

    def __str__(self) -> str:
        return f"{self.location}: {self.code}: {self.message}\n{self.location.excerpt()}"


class GdlError(Exception):
    """Anything that this package refuses. `str()` of it is written for the person who has to mend it."""

    code: str = "error"
    file: str | None = None
    line: int | None = None
    column: int | None = None


#: A text with more mistakes than this prints only so many; `TextError.mistakes` has them all.
_SHOWN = 20


class TextError(GdlError):
    """A text was refused. `mistakes` holds all that were found, in the order of the text, at least one."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        order = sorted(mistakes, key=lambda m: (m.location.line, m.location.column, m.code))
        self.mistakes: tuple[Mistake, ...] = tuple(dict.fromkeys(order))
        first = self.mistakes[0]
        self.code = first.code
        self.file = first.location.file
        self.line = first.location.line
        self.column = first.location.column
        super().__init__(first.message)

    def __str__(self) -> str:
        count = len(self.mistakes)
        blocks = [str(mistake) for mistake in self.mistakes[:_SHOWN]]
        if count > 1:
            shown = f", the first {_SHOWN} shown" if count > _SHOWN else ""
            blocks.append(f"{self.file}: {count} mistakes{shown}")
        return "\n".join(blocks)

    def __reduce__(self) -> tuple[type[TextError], tuple[tuple[Mistake, ...]]]:
        return type(self), (self.mistakes,)


class RulesheetError(TextError):
    """A rule file was refused."""


class TermError(TextError):
    """A term, a move or a query pattern was refused."""


class FileError(GdlError):
    """A rule file cannot be read."""

    code = "unreadable-file"

    def __init__(self, file: str, reason: str) -> None:
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


class DivergenceError(GdlError):
    """The rules derive facts without end (terms that grow for ever): `relations` names those that grow."""

    code = "endless-derivation"

    def __init__(self, relations: Sequence[str]) -> None:
        self.relations = tuple(relations)
        super().__init__(tuple(relations))

    def __str__(self) -> str:
        return f"{self.code}: the rules for {', '.join(self.relations)} go on deriving larger and larger terms"


#: What a budget for grounding is called in a sentence.
_BUDGETS = {"seconds": "more seconds", "rules": "more ground rules", "memory": "more memory"}


class GroundingError(GdlError):
    """The rules of a file cannot be grounded.

    `budget` names the budget that was exceeded: seconds, rules or memory; None where clingo cannot be run, and `reason`
    says why. `relations` are those with most ground rules when it was exceeded, each with their number.
    """

    code = "not-grounded"

    def __init__(
        self, file: str, budget: str | None, relations: Sequence[tuple[str, int]] = (), reason: str | None = None
    ) -> None:
        self.file = file
        self.budget = budget
        self.relations = tuple(relations)
        self.reason = reason
        super().__init__(file, budget, self.relations, reason)

    def __str__(self) -> str:
        if self.budget is None:
            return f"{self.file}: {self.code}: clingo cannot ground the rules: {self.reason}"
        sizes = " and ".join(f"{relation} ({count:,} ground rules so far)" for relation, count in self.relations)
        explosion = f"; what explodes is {sizes}" if sizes else ""
        return f"{self.file}: {self.code}: grounding needs {_BUDGETS[self.budget]} than allowed{explosion}"


class MakingError(GdlError):
    """The process that made a circuit has ended without one."""

    code = "process-died"

    def __init__(self, file: str, status: int) -> None:
        self.file = file
        self.status = status
        super().__init__(file, status)

    def __str__(self) -> str:
        return f"{self.file}: {self.code}: the process that compiles the rules has ended with status {self.status}"


class CircuitSizeError(GdlError):
    """The circuit of a rule file is too large for machine code, where only that will do."""

    code = "circuit-too-large"

    def __init__(self, file: str, limit: int) -> None:
        self.file = file
        self.limit = limit
        super().__init__(file, limit)

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.code}: its circuit has more than {self.limit:,} operations, and is interpreted: "
            "it has no kernels; playouts, batches and single states work"
        )


class PlayError(GdlError):
    """The rules and a state or a move do not fit together."""


def nearest(word: str, words: Sequence[str], count: int = 1, cutoff: float = 0.6) -> list[str]:
    """The words that are spelled most like this one, at most `count`."""
    from difflib import get_close_matches  # here, as it is needed only where something is wrong

    return get_close_matches(word, words, n=count, cutoff=cutoff)


def _listing(legal: Sequence[str], wanted: str, limit: int = 12) -> str:
    """All legal moves when they are few, else those spelled most like the one that was asked for."""
    if not legal:
        return "it has no legal move"
    if len(legal) <= limit:
        return "legal: " + ", ".join(legal)
    near = nearest(wanted, legal, 5, 0.0)
    return f"nearest of {len(legal)} legal moves: " + ", ".join(near)


class IllegalMoveError(PlayError):
    """A role was given a move that is not legal for it. `legal` holds the moves that are, as KIF."""

    code = "illegal-move"

    def __init__(self, role: str, move: str, legal: Sequence[str]) -> None:
        self.role = role
        self.move = move
        self.legal = tuple(legal)
        super().__init__(role, move, tuple(legal))

    def __str__(self) -> str:
        return f"{self.code}: {self.move} is not legal for {self.role}; {_listing(self.legal, self.move)}"


class NoLegalMoveError(PlayError):
    """A role has no legal move in a state that is not terminal."""

    code = "no-legal-move"

    def __init__(self, role: str) -> None:
        self.role = role
        super().__init__(role)

    def __str__(self) -> str:
        return f"{self.code}: {self.role} has no legal move, and the state is not terminal"


class GoalError(PlayError):
    """A role has no goal value, several, or one that is not a whole number. `values` holds them as KIF."""

    code = "goal-value"

    def __init__(self, role: str, values: Sequence[str]) -> None:
        self.role = role
        self.values = tuple(values)
        super().__init__(role, tuple(values))

    def __str__(self) -> str:
        if not self.values:
            return f"{self.code}: {self.role} has no goal value in this state"
        if len(self.values) > 1:
            return f"{self.code}: {self.role} has several goal values in this state: {', '.join(self.values)}"
        return f"{self.code}: the goal value of {self.role} is not a whole number: {self.values[0]}"


class UnknownRoleError(PlayError):
    """A role was named that the rules do not have."""

    code = "unknown-role"

    def __init__(self, role: str, roles: Sequence[str]) -> None:
        self.role = role
        self.roles = tuple(roles)
        super().__init__(role, tuple(roles))

    def __str__(self) -> str:
        near = nearest(self.role, self.roles)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"{self.code}: no role {self.role}; the roles are {', '.join(self.roles)}{hint}"


class UnknownRelationError(PlayError):
    """A query asks for a relation that the rules do not have."""

    code = "unknown-relation"

    def __init__(self, relation: str, relations: Sequence[str]) -> None:
        self.relation = relation
        self.relations = tuple(relations)
        super().__init__(relation, tuple(relations))

    def __str__(self) -> str:
        near = nearest(self.relation, self.relations, 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        advice = "" if hint else "; facts are asked for as (true ...)"
        return f"{self.code}: the rules have no relation {self.relation}{hint}{advice}"


class UnreachableStateError(PlayError):
    """A state was given that cannot be reached, and that the compiled simulator cannot play."""

    code = "unreachable-state"

    def __init__(self, message: str) -> None:
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.code}: {self.args[0]}; the Reasoner plays from any facts"


class JointMoveError(PlayError):
    """A joint move does not name exactly one move for every role."""

    code = "joint-move"

    def __init__(self, message: str) -> None:
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.code}: {self.args[0]}"
