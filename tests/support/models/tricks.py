"""Tricks: ten cards of two suits are dealt, and five tricks are played; a moon takes a sun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import GameModel, words

Card = tuple[str, int]

CARDS: Final[frozenset[Card]] = frozenset((suit, rank) for suit in ("sun", "moon") for rank in range(1, 6))
PLAYERS: Final = ("left", "right")


def text(card: Card) -> str:
    return f"(card {card[0]} {card[1]})"


def cards(move: str) -> list[Card]:
    """The cards of a move such as `(play (card sun 3))`."""
    names = words(move.replace("(", " ").replace(")", " "))[1:]
    return [(names[i + 1], int(names[i + 2])) for i in range(0, len(names), 3)]


@dataclass(frozen=True, slots=True)
class Table:
    """The hands of left and right, the tricks they have taken, who is to play, and the card that is led."""

    hands: tuple[frozenset[Card], frozenset[Card]] = (frozenset(), frozenset())
    tricks: tuple[int, int] = (0, 0)
    player: int = 0
    led: Card | None = None
    deck: frozenset[Card] = CARDS


@dataclass(frozen=True, slots=True)
class Tricks:
    """The game."""

    roles: tuple[str, ...] = ("left", "right", "random")

    def initial(self) -> Table:
        return Table()

    def facts(self, state: Table) -> frozenset[str]:
        facts = {f"(deck {text(card)})" for card in state.deck}
        for role, hand, tricks in zip(PLAYERS, state.hands, state.tricks, strict=True):
            facts |= {f"(hand {role} {text(card)})" for card in hand} | {f"(tricks {role} {tricks})"}
        if state.led:
            facts.add(f"(led {text(state.led)})")
        if not state.deck:
            facts.add(f"(control {PLAYERS[state.player]})")
        return frozenset(facts)

    def legal(self, state: Table, role: str) -> list[str]:
        if role == "random" and state.deck:
            return sorted(f"(deal {text(a)} {text(b)})" for a in state.deck for b in state.deck if a != b)
        if state.deck or role != PLAYERS[state.player]:
            return ["noop"]
        hand = state.hands[state.player]
        following = {card for card in hand if state.led and card[0] == state.led[0]}
        return sorted(f"(play {text(card)})" for card in following or hand)

    def next(self, state: Table, joint: tuple[str, ...]) -> Table:
        left, right = state.hands
        if state.deck:
            mine, yours = cards(joint[2])
            return Table((left | {mine}, right | {yours}), deck=state.deck - {mine, yours})
        (card,) = cards(joint[state.player])
        hands, none = (left - {card}, right - {card}), frozenset[Card]()
        if state.led is None:
            return Table(hands, state.tricks, 1 - state.player, card, none)
        higher = card[0] == state.led[0] and card[1] > state.led[1]
        taker = state.player if higher or (card[0], state.led[0]) == ("moon", "sun") else 1 - state.player
        tricks = (state.tricks[0] + (taker == 0), state.tricks[1] + (taker == 1))
        return Table(hands, tricks, taker, None, none)

    def terminal(self, state: Table) -> bool:
        return sum(state.tricks) == 5

    def goals(self, state: Table) -> dict[str, int]:
        if not self.terminal(state):
            return dict.fromkeys(PLAYERS, 50)
        return {role: 100 * (tricks > 2) for role, tricks in zip(PLAYERS, state.tricks, strict=True)}


MODELS: Final[dict[str, GameModel]] = {"gallery/tricks": Tricks()}
