"""The verdict on a property of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, final

from gdl.terms import Term
from ggp.rules.report_text import indent_and_wrap, joint_move_text, sorted_listing

#: The largest number of facts shown for a state.
_SHOWN_FACTS: Final = 100


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """A property of a game and the result of examining it.

    `proved` and `refuted` apply to all states; `held` means that the property held wherever it was tried. A
    `counterexample` does not have the property after `moves`, which the Reasoner has played from the initial state.
    `unknown` means that nothing was found within the budget.
    """

    name: str
    result: Literal["proved", "refuted", "held", "counterexample", "unknown"]
    message: str
    moves: tuple[tuple[Term, ...], ...] | None = None
    facts: tuple[Term, ...] = ()

    @property
    def fails(self) -> bool:
        """True if the property does not hold."""
        return self.result in ("refuted", "counterexample")

    def lines(self) -> list[str]:
        """Return the verdict as lines of text, with the moves and the state of a counterexample."""
        told = [f"{self.name}: {self.result}: {self.message}"]
        if self.moves is not None:
            moves = ", ".join(f'"{joint_move_text(joint_move)}"' for joint_move in self.moves)
            told += indent_and_wrap([f"moves = [{moves}]", f"state: {sorted_listing(self.facts, _SHOWN_FACTS)}"])
        return told

    def as_json(self) -> dict[str, Any]:
        """Return the verdict in its JSON form."""
        found: dict[str, Any] = {"property": self.name, "result": self.result, "message": self.message}
        if self.moves is not None:
            found["moves"] = [[str(move) for move in joint_move] for joint_move in self.moves]
            found["state"] = [str(fact) for fact in self.facts]
        return found
