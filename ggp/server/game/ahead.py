"""The position after a move that is only considered: what is certain of it, whatever the others choose."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Final

from gdl.engine import hides_states
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.match.answers import legal_move

#: The largest number of joint moves that are looked at.
MOST: Final = 64


class AheadError(GdlError):
    """The position after a move cannot be shown."""

    code = "ahead"


def facts_after(game: Reasoner, state: State, role: str, text: str) -> tuple[list[Term], bool]:
    """Return the facts that hold after a role's move whatever the others do, and True if these are all facts.

    Raises AheadError if the game hides states, if the move is not legal, and if there are too many joint moves.
    """
    if hides_states(game):
        raise AheadError("in a game with hidden information, nobody sees what a move will lead to")
    if role not in game.roles:
        raise AheadError(f"{role} is not a role of this game")
    if game.is_terminal(state):
        raise AheadError("the match is over")
    legal = {one: game.legal_moves(state, one) for one in game.roles}
    move, _ = legal_move(text, legal[role])
    if move is None:
        raise AheadError(f"{text} is not legal for {role}")
    legal[role] = (move,)
    number = prod(map(len, legal.values()))
    if number > MOST:
        raise AheadError(f"the others can answer in {number:,} ways; up to {MOST} are looked at")
    positions = [game.next_state(state, dict(zip(legal, joint, strict=True))) for joint in product(*legal.values())]
    common = set(positions[0]).intersection(*map(set, positions[1:]))
    return [fact for fact in positions[0] if fact in common], all(len(one) == len(common) for one in positions)
