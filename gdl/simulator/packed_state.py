"""States of the compiled simulator: one bit for each fact that the game can hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, final

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term


class _Game(Protocol):
    """What a state asks of the game that it belongs to."""

    @property
    def source_text(self) -> str: ...

    @property
    def rulesheet(self) -> Rulesheet: ...

    def facts(self, state: PackedState) -> tuple[Term, ...]: ...

    def holds(self, fact: Term | str, state: PackedState) -> bool: ...


@final
class PackedState:
    """The facts that are true at one moment of a game. Hashable; iterates over its facts, sorted by their text.

    `bits` has the bit of fact number `i` (in the order of `Simulator.all_facts`) in byte `i // 8`, at place `i % 8`;
    its length is a multiple of 8 bytes. `fact in state` takes a term or a KIF string. States are equal if their games
    have the same rules and the same facts are true.
    """

    __slots__ = ("_game", "_seen", "bits")

    def __init__(self, game: _Game, bits: bytes) -> None:
        self._game = game
        self.bits = bits
        # What the game has found out about this state.
        self._seen: int | None = None

    def __iter__(self) -> Iterator[Term]:
        return iter(self._game.facts(self))

    def __len__(self) -> int:
        return int.from_bytes(self.bits, "little").bit_count()

    def __contains__(self, fact: object) -> bool:
        return isinstance(fact, (str, Term)) and self._game.holds(fact, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedState):
            return NotImplemented
        same_game = self._game is other._game or self._game.source_text == other._game.source_text
        return same_game and self.bits == other.bits

    def __hash__(self) -> int:
        return hash(self.bits)

    def __str__(self) -> str:
        return " ".join(fact.text for fact in self)

    def __reduce__(self) -> tuple[type[PackedState], tuple[_Game, bytes]]:
        return PackedState, (self._game, self.bits)

    def __repr__(self) -> str:
        return f"<PackedState {self}>"

    def _repr_svg_(self) -> str | None:
        # Late, as only notebooks ask for it.
        from gdl.reasoner.drawing import state_svg

        return state_svg(self._game.rulesheet, self)
