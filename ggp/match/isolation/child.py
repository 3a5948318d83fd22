"""The process of one player: `python -m ggp.match.isolation.child NAME`.

`ggp.match.isolation.wire` defines its requests and replies.

It ends when its input ends, so it is not left behind if the parent process is killed.
"""

from __future__ import annotations

import faulthandler
import queue
import sys
import threading
import traceback
from io import TextIOWrapper
from threading import Event
from typing import Final

from gdl import PartialGame, Reasoner, Simulator
from gdl.engine import Engine, hides_states
from gdl.reasoner.ticker import THREAD as TICKER
from gdl.system.childprocess import Parent
from gdl.terms import Constant, Function
from ggp.match.answers import LONGEST_MOVE
from ggp.match.channels import describe, one_line
from ggp.match.isolation.wire import PLAYER_SIDE, SO_FAR, Begin, CallOff, Load, Move, Prepare, Rehearse, Reply, Request
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import PlayerLoadError, make_player
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation_stages
from ggp.players.player import End, Player, Start, Turn
from ggp.players.thought import Thought
from ggp.players.traits import compiles, thought_of
from ggp.rules.engine_choice import compiled_or_reasoner
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


#: Frames between the handler of an error and the code of the player.
_CALLS: Final = 2


class HostedPlayer:
    """A player and the match that it plays."""

    def __init__(self, name: str) -> None:
        """Keep the name by which a player is made for each match."""
        self._name = name
        self._fresh: Player | None = None
        self._player: Player | None = None
        self._rules = ""
        self._game: Reasoner | Simulator | PartialGame | None = None

    def answer(self, request: Request, deadline: Deadline) -> Reply:
        """Carry out a request and return its reply. Errors of the player are in the reply."""
        number = request.number
        try:
            match request.payload:
                case Load():
                    player = self._fresh = make_player(self._name)
                    return Reply(number, name=one_line(str(player.name)), compiles=compiles(player))
                case Rehearse():
                    self._rehearse()
                    player = make_player(self._name)
                    return Reply(number, name=one_line(str(player.name)), compiles=compiles(player))
                case Prepare() as prepare:
                    self._prepare(prepare.rules)
                case Begin() as begin:
                    self._begin(begin, deadline)
                    return Reply(number, stages=self._stages())
                case Move() as move:
                    text = self._move(move, deadline)
                    thought = self._thought()
                    return Reply(
                        number,
                        text,
                        stages=self._stages(),
                        work=thought.work,
                        unit=thought.unit,
                        pondered=thought.pondered,
                    )
                case End() as end:
                    self._end(end)
                    return Reply(number, busy=bool(_threads_of_player()))
        except (Exception, SystemExit) as error:  # a player's code may raise anything
            if isinstance(error, PlayerLoadError):
                return Reply(number, error=one_line(error.reason))
            traceback.print_exc()  # in the log
            return Reply(number, error=describe(error, calls=_CALLS))
        return Reply(number)

    def _prepare(self, rules: str) -> None:
        self._fresh = self._fresh or make_player(self._name)
        if self._game is None or rules != self._rules:
            self._game, self._rules = Reasoner(rules), rules
        if isinstance(self._game, Reasoner) and compiles(self._fresh):
            self._game = compiled_or_reasoner(self._game).game

    def _begin(self, begin: Begin, deadline: Deadline) -> None:
        player, self._fresh = self._fresh or make_player(self._name), None
        self._player = player
        game = self._game if self._game is not None and begin.rules == self._rules else Reasoner(begin.rules)
        self._game, self._rules = game, begin.rules
        start = Start(
            match_id=begin.match_id,
            game=game,
            role=begin.role,
            seed=begin.seed,
            start_clock=begin.start_clock,
            play_clock=begin.play_clock,
            rules=begin.rules,
            hidden=hides_states(game),
            past=begin.past,
            ponder=begin.ponder,
            threads=begin.threads,
        )
        player.start(start, deadline)

    def _move(self, move: Move, deadline: Deadline) -> str:
        if self._player is None or self._game is None:
            raise RuntimeError("move() called before start()")
        state = None if move.facts is None else self._game.state(move.facts)
        turn = Turn(move.ply, state, move.legal, move.moves, move.own_move, move.percepts, deadline)
        answer = self._player.move(turn)
        text = answer.text if isinstance(answer, Constant | Function) else answer
        # Longer texts are illegal anyway.
        return text[: LONGEST_MOVE + 1] if isinstance(text, str) else f"not a move: {type(text).__name__}"

    def _thought(self) -> Thought:
        try:
            return thought_of(self._player) or Thought()
        except Exception:  # thoughts are only for spectators
            return Thought()

    def _stages(self) -> str:
        stages, over = compilation_stages(self._rules)
        return ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in stages) + ("" if over else SO_FAR)

    def _end(self, end: End) -> None:
        player, self._player = self._player, None
        if player is not None:
            player.stop(end)

    def _rehearse(self) -> None:
        for name in REHEARSED:
            game: Engine = Reasoner.load(find_game(name))
            play_match(game, {role: make_player(self._name) for role in game.roles}, REHEARSAL)
            # Work that outlasts the clocks, such as compiling, loads code as well.
            until = Deadline.after(LONGEST_REHEARSAL)
            for thread in _threads_of_player():
                thread.join(max(0.0, until.left()))


def _threads_of_player() -> list[threading.Thread]:
    own = (threading.main_thread().name, READER, TICKER)
    return [thread for thread in threading.enumerate() if thread.name not in own]


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
    parent = Parent(PLAYER_SIDE)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # so that no output is lost if the process is killed
    faulthandler.enable()
    # A short interval lets the thread that has the answer run before those that are still computing.
    sys.setswitchinterval(SWITCH)
    inbox = _Inbox()
    parent.listen(inbox.put, thread=READER)
    player = HostedPlayer(sys.argv[1])
    while True:
        parent.send(player.answer(*inbox.get()))


if __name__ == "__main__":
    main()
