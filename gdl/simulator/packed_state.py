"""States of the Simulator: one bit for each fact that may ever hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, final

from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term, abridged


class _Game(Protocol):
    """The interface of a game to its states."""

    @property
    def source_text(self) -> str: ...

    @property
    def rulesheet(self) -> Rulesheet: ...

    def facts(self, state: PackedState) -> tuple[Term, ...]: ...

    def holds(self, fact: Term | str, state: PackedState) -> bool: ...


@final
class PackedState:
    """The facts that hold at one moment of a game. Hashable; iterates over its facts, sorted by their text.

    The bit of fact number `i` (in the order of `Simulator.all_facts`) is bit `i % 8` of byte `i // 8` of `bits`, whose
    length is a multiple of 8 bytes. `fact in state` takes a term or a KIF string. States are equal if their games have
    the same rules and the same facts hold.
    """

    __slots__ = ("_game", "_seen", "bits")

    def __init__(self, game: _Game, bits: bytes) -> None:
        """Take the bits of a game's state."""
        self._game = game
        self.bits = bits
        # The results of `look`, once the game has computed them.
        self._seen: int | None = None

    def __iter__(self) -> Iterator[Term]:
        """Iterate over the facts, sorted by their text."""
        return iter(self._game.facts(self))

    def __len__(self) -> int:
        """Return the number of facts."""
        return int.from_bytes(self.bits, "little").bit_count()

    def __contains__(self, fact: object) -> bool:
        """Return True if a fact, a term or a KIF string, holds."""
        return isinstance(fact, (str, Term)) and self._game.holds(fact, self)

    def __eq__(self, other: object) -> bool:
        """Return True if the same facts hold in a game with the same rules."""
        if not isinstance(other, PackedState):
            return NotImplemented
        same_game = self._game is other._game or self._game.source_text == other._game.source_text
        return same_game and self.bits == other.bits

    def __hash__(self) -> int:
        """Return the hash of the bits."""
        return hash(self.bits)

    def __str__(self) -> str:
        """Return the facts as text, separated by spaces."""
        return " ".join(fact.text for fact in self)

    def __reduce__(self) -> tuple[type[PackedState], tuple[_Game, bytes]]:
        """Pickle the game with the bits."""
        return PackedState, (self._game, self.bits)

    def __repr__(self) -> str:
        """Return the facts, abridged."""
        return f"<PackedState of {abridged(tuple(self))}>"

    def _repr_svg_(self) -> str | None:
        """Return a picture of the state, for notebooks; None if it cannot be drawn."""
        # Imported late, as only notebooks need it.
        from gdl.reasoner.drawing import state_svg

        return state_svg(self._game.rulesheet, self)
