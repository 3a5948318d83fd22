"""Liar's dice with one die each: bids on both dice, sixes count as every number."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

from . import GameModel, words

#: From the lowest bid to the highest: the number of dice, and the number that they show.
BIDS: Final = tuple(product((1, 2), range(1, 7)))

#: The dice of alice and bob, if they are thrown; the moves since then, each a number of a bid, or -1 for calling.
State = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class LiarsDice:
    """The game."""

    roles: tuple[str, ...] = ("alice", "bob", "random")

    def initial(self) -> State:
        return (), ()

    def facts(self, state: State) -> frozenset[str]:
        dice, moves = state
        if not dice:
            return frozenset({"rolling"})
        found = {f"(die {role} {number})" for role, number in zip(self.roles, dice, strict=False)}
        if self.terminal(state):
            found.add(f"(called {self.roles[1 - len(moves) % 2]})")
        else:
            found.add(f"(control {self.roles[len(moves) % 2]})")
        bids = [move for move in moves if move >= 0]
        if bids:
            found.add("(bid {} {})".format(*BIDS[bids[-1]]))
        return frozenset(found)

    def legal(self, state: State, role: str) -> list[str]:
        dice, moves = state
        if not dice:
            pairs = product(range(1, 7), repeat=2)
            return sorted(f"(roll {a} {b})" for a, b in pairs) if role == "random" else ["noop"]
        if role != self.roles[len(moves) % 2]:
            return ["noop"]
        higher = BIDS[moves[-1] + 1 :] if moves else BIDS
        return sorted([*(f"(bid {dice} {number})" for dice, number in higher), *(["liar"] if moves else [])])

    def next(self, state: State, joint: tuple[str, ...]) -> State:
        dice, moves = state
        if not dice:
            _, one, two = words(joint[2])
            return (int(one), int(two)), ()
        move = joint[len(moves) % 2]
        if move == "liar":
            return dice, (*moves, -1)
        _, count, number = words(move)
        return dice, (*moves, BIDS.index((int(count), int(number))))

    def terminal(self, state: State) -> bool:
        return state[1][-1:] == (-1,)

    def goals(self, state: State) -> dict[str, int]:
        dice, moves = state
        if not self.terminal(state):
            return {"alice": 50, "bob": 50, "random": 0}
        count, number = BIDS[moves[-2]]
        honest = sum(die in (number, 6) for die in dice) >= count
        caller = self.roles[1 - len(moves) % 2]
        alice = 100 if (caller == "alice") != honest else 0
        return {"alice": alice, "bob": 100 - alice, "random": 0}


MODELS: Final[dict[str, GameModel]] = {"hidden/liars_dice_1": LiarsDice()}
