"""Mastermind with three pegs of four colours, and six guesses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

from . import GameModel, words

COLOURS: Final = ("red", "green", "blue", "white")
CODES: Final = tuple(product(COLOURS, repeat=3))

#: The code, if it is hidden, and the guesses.
State = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True)
class Mastermind:
    """The game."""

    roles: tuple[str, ...] = ("breaker", "random")

    def initial(self) -> State:
        return (), ()

    def facts(self, state: State) -> frozenset[str]:
        code, guesses = state
        if not code:
            return frozenset()
        found = {f"(code {' '.join(code)})", f"(guesses {len(guesses)})"}
        return frozenset(found | ({"solved"} if code in guesses else set()))

    def legal(self, state: State, role: str) -> list[str]:
        code, _ = state
        if (role == "random") == bool(code):
            return ["noop"]
        word = "hide" if role == "random" else "guess"
        return sorted(f"({word} {' '.join(pegs)})" for pegs in CODES)

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        code, guesses = state
        if not code:
            return tuple(words(joint[1])[1:]), ()
        return code, (*guesses, tuple(words(joint[0])[1:]))

    def terminal(self, state: State) -> bool:
        code, guesses = state
        return bool(code) and (code in guesses or len(guesses) == 6)

    def goals(self, state: State) -> dict[str, int]:
        code, guesses = state
        return {"breaker": 115 - 15 * len(guesses) if code in guesses else 0, "random": 0}


MODELS: Final[dict[str, GameModel]] = {"hidden/mastermind": Mastermind()}
