"""The choice of the method by which a game is trained, and the games that cannot be trained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.engine import hides_states
from ggp.learning.duels import Duels
from ggp.learning.errors import NotTrainableError
from ggp.learning.roles import Roles
from ggp.players.alphabeta.learned_value import HIDDEN, players_of
from ggp.rules.game_type import classify_game

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.learning.method import Method

#: The time for random playouts that show the kind of a game: much more than they take on a machine with other work,
#: since a training must find the same kind whenever it goes on.
_SECONDS: Final = 60.0


def method_for(simulator: Simulator) -> Method:
    """Return the method for a game. Raises NotTrainableError, and CompileError if it needs kernels that fail."""
    if hides_states(simulator):
        raise NotTrainableError(HIDDEN)
    if not players_of(simulator):
        raise NotTrainableError("this game has no role but chance")
    kind = classify_game(simulator, seconds=_SECONDS)
    if not kind.ends:
        raise NotTrainableError("no random playout of this game has come to an end")
    if kind.plies < 1:
        raise NotTrainableError("this game is over at its start")
    if kind.duel:
        return Duels(simulator)
    return Roles(simulator)
