"""The process of one player: `python -m ggp.match.isolation.child NAME`.

`ggp.match.isolation.wire` defines its requests and replies.

It ends when its input ends, so it is not left behind if the parent process is killed.
"""

from __future__ import annotations

import queue
import sys
import threading
from threading import Event
from typing import Final

from gdl import Reasoner
from gdl.childprocess import PICKLES, Parent
from gdl.engine import Engine, hides_states
from gdl.terms import Constant, Function
from ggp.match.channels import one_line
from ggp.match.isolation.wire import Begin, CallOff, Move, Rehearse, Reply, Request
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.clock import Deadline
from ggp.players.player import End, Player, Start, Turn
from ggp.rules.shipped_games import find_game

#: The games that are played to load all code, one with a single role and one with two, and the settings for them.
REHEARSED: Final = ("sliding_pieces", "tic_tac_toe")
REHEARSAL: Final = Settings(seed=1, max_plies=1, start_clock=0.5, play_clock=0.1)

#: Seconds to wait for the threads that a rehearsed game has started.
LONGEST_REHEARSAL: Final = 20.0

#: Seconds that a thread may run before another one gets its turn.
SWITCH: Final = 0.001

#: The name of the thread that reads requests.
READER: Final = "requests"


class HostedPlayer:
    """A player and the match that it plays."""

    def __init__(self, name: str) -> None:
        """Keep the name by which a player is made for each match."""
        self._name = name
        self._player: Player | None = None
        self._game: Reasoner | None = None

    def answer(self, request: Request, deadline: Deadline) -> Reply:
        """Carry out a request and return its reply. Errors of the player are in the reply."""
        try:
            match request.payload:
                case Begin() as begin:
                    self._begin(begin, deadline)
                case Move() as move:
                    return Reply(request.number, self._move(move, deadline))
                case End() as end:
                    self._end(end)
                case Rehearse():
                    self._rehearse()
        except (Exception, SystemExit) as error:  # a player's code may raise anything
            return Reply(request.number, error=one_line(f"{type(error).__name__}: {error}"))
        return Reply(request.number)

    def _begin(self, begin: Begin, deadline: Deadline) -> None:
        self._game = game = Reasoner(begin.rules)
        self._player = make_player(self._name)
        self._player.start(
            Start(
                match_id=begin.match_id,
                game=game,
                role=begin.role,
                seed=begin.seed,
                start_clock=begin.start_clock,
                play_clock=begin.play_clock,
                rules=begin.rules,
                hidden=hides_states(game),
            ),
            deadline,
        )

    def _move(self, move: Move, deadline: Deadline) -> str:
        if self._player is None or self._game is None:
            raise RuntimeError("move() called before start()")
        state = None if move.facts is None else self._game.state(move.facts)
        answer = self._player.move(
            Turn(move.ply, state, move.legal, move.moves, move.own_move, move.percepts, deadline)
        )
        if isinstance(answer, Constant | Function):
            return answer.text
        if isinstance(answer, str):
            return answer
        raise TypeError(f"not a move: {type(answer).__name__}")

    def _end(self, end: End) -> None:
        player, self._player, self._game = self._player, None, None
        if player is not None:
            player.stop(end)

    def _rehearse(self) -> None:
        for name in REHEARSED:
            game: Engine = Reasoner.load(find_game(name))
            play_match(game, {role: make_player(self._name) for role in game.roles}, REHEARSAL)
            # Work that outlasts the clocks, such as compiling, loads code as well.
            until = Deadline.after(LONGEST_REHEARSAL)
            for thread in threading.enumerate():
                if thread.name not in (threading.main_thread().name, READER):
                    thread.join(max(0.0, until.left()))


class _Inbox:
    """Requests with their deadlines. A request can be called off while it is being answered."""

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[tuple[Request, Deadline]] = queue.SimpleQueue()
        self._called_off = Event()

    def get(self) -> tuple[Request, Deadline]:
        return self._requests.get()

    def put(self, request: Request) -> None:
        if isinstance(request.payload, CallOff):
            self._called_off.set()
            self._called_off = Event()
        else:
            self._requests.put((request, Deadline(request.due, self._called_off)))


def main() -> None:
    """Answer requests until the input ends."""
    parent = Parent(PICKLES)
    # A short interval lets the thread that has the answer run before those that are still computing.
    sys.setswitchinterval(SWITCH)
    inbox = _Inbox()
    parent.listen(inbox.put, thread=READER)
    player = HostedPlayer(sys.argv[1])
    while True:
        parent.send(player.answer(*inbox.get()))


if __name__ == "__main__":
    main()
