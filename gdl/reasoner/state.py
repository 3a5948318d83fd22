"""States: immutable sets of facts, grouped by relation for the engine, seen as terms from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, final

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term


class _Game(Protocol):
    """What a state asks of the game that it belongs to."""

    @property
    def rulesheet(self) -> Rulesheet: ...

    def facts(self, state: State) -> tuple[Term, ...]: ...

    def holds(self, fact: Term | str, state: State) -> bool: ...


@final
class State:
    """The facts that are true at one moment of a game. Hashable; iterates over its facts, sorted by their text.

    `fact in state` takes a term or a KIF string. States are equal if their games have the same rules and the same facts
    are true.
    """

    __slots__ = ("_context", "_game", "_rows")

    def __init__(self, game: _Game, rows: tuple[frozenset[Any], ...]) -> None:
        self._game = game
        # One set of rows for each of the game's fact relations, in their order.
        self._rows = rows
        # What has been derived from this state. The game drops it again when it has looked at many others.
        self._context: Any = None

    def __iter__(self) -> Iterator[Term]:
        return iter(self._game.facts(self))

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def __contains__(self, fact: object) -> bool:
        return isinstance(fact, (str, Term)) and self._game.holds(fact, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        # Of games with the same text, as after pickling, rows mean the same.
        same_game = self._game is other._game or self._game.rulesheet.source.text == other._game.rulesheet.source.text
        return same_game and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    def __str__(self) -> str:
        return " ".join(fact.text for fact in self)

    def __reduce__(self) -> tuple[type[State], tuple[_Game, tuple[frozenset[Any], ...]]]:
        return State, (self._game, self._rows)

    def __repr__(self) -> str:
        return f"<State {self}>"

    def _repr_svg_(self) -> str | None:
        # Late, as only notebooks ask for it.
        from gdl.reasoner.drawing import state_svg

        return state_svg(self._game.rulesheet, self)
