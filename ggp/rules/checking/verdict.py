"""What became of a property of a game that was looked at in play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, final

from gdl.terms import Term
from ggp.rules.wording import indent_and_wrap, joint_move_text, sorted_listing

#: So many facts of a state are shown.
_SHOWN_FACTS: Final = 100


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """A property, and whether it holds.

    `proved` of all states; `refuted` of all states; `held` wherever it was tried; `counterexample`: it does not hold
    after `moves`, played from the initial state by the Reasoner; `unknown`: nothing was found within the budget.
    """

    name: str
    result: Literal["proved", "refuted", "held", "counterexample", "unknown"]
    message: str
    moves: tuple[tuple[Term, ...], ...] | None = None
    facts: tuple[Term, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the property does not hold."""
        return self.result in ("refuted", "counterexample")

    def lines(self) -> list[str]:
        """As text: a line, and for a counterexample the way to it."""
        told = [f"{self.name}: {self.result}: {self.message}"]
        if self.moves is not None:
            moves = ", ".join(f'"{joint_move_text(joint_move)}"' for joint_move in self.moves)
            told += indent_and_wrap([f"moves = [{moves}]", f"state: {sorted_listing(self.facts, _SHOWN_FACTS)}"])
        return told

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"property": self.name, "result": self.result, "message": self.message}
        if self.moves is not None:
            found["moves"] = [[str(move) for move in joint_move] for joint_move in self.moves]
            found["state"] = [str(fact) for fact in self.facts]
        return found
