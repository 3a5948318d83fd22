"""States: immutable sets of facts, grouped by relation for the engine, and presented as terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, final

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term


class _Game(Protocol):
    """The part of a game that its states use."""

    @property
    def rulesheet(self) -> Rulesheet: ...

    def facts(self, state: State) -> tuple[Term, ...]: ...

    def holds(self, fact: Term | str, state: State) -> bool: ...


@final
class State:
    """The facts that are true at one moment of a game.

    States are immutable, hashable, and iterate over their facts, sorted by text. `fact in state` takes a term or a KIF
    string. States are equal if they have the same facts and their games have the same rules.
    """

    __slots__ = ("_context", "_game", "_rows")

    def __init__(self, game: _Game, rows: tuple[frozenset[Any], ...]) -> None:
        """Store the rows of a game's fact relations. Use `Reasoner.state` to create a state from facts."""
        self._game = game
        # One set of rows for each of the game's fact relations, in their order.
        self._rows = rows
        # The relations derived from this state. The game drops them after it has moved on to many other states.
        self._context: Any = None

    def __iter__(self) -> Iterator[Term]:
        """Return an iterator over the facts, sorted by their text."""
        return iter(self._game.facts(self))

    def __len__(self) -> int:
        """Return the number of facts."""
        return sum(map(len, self._rows))

    def __contains__(self, fact: object) -> bool:
        """Return True if a fact, given as a term or KIF string, is true."""
        return isinstance(fact, (str, Term)) and self._game.holds(fact, self)

    def __eq__(self, other: object) -> bool:
        """Return True if both states have the same facts, and their games have the same rules."""
        if not isinstance(other, State):
            return NotImplemented
        # Rows mean the same in games with the same text, as after pickling.
        same_game = self._game is other._game or self._game.rulesheet.source.text == other._game.rulesheet.source.text
        return same_game and self._rows == other._rows

    def __hash__(self) -> int:
        """Return a hash of the facts."""
        return hash(self._rows)

    def __str__(self) -> str:
        """Return the facts as KIF, separated by blanks."""
        return " ".join(fact.text for fact in self)

    def __reduce__(self) -> tuple[type[State], tuple[_Game, tuple[frozenset[Any], ...]]]:
        """Pickle the state with its game."""
        return State, (self._game, self._rows)

    def __repr__(self) -> str:
        """Return a text with all facts."""
        return f"<State {self}>"

    def _repr_svg_(self) -> str | None:
        # Late, as only notebooks ask for it.
        from gdl.reasoner.drawing import state_svg

        return state_svg(self._game.rulesheet, self)
