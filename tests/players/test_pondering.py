"""Thinking while others do: more work for a move, never a late answer, and only where the match permits it."""

from __future__ import annotations

import re
import signal
import time
from dataclasses import replace
from statistics import median
from threading import Event
from typing import Any

import pytest
from support.commands import Ggp
from support.joined import joined
from support.processes import soon
from support.toy_games import Nim

import gdl
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.network.protocol.messages import Start as StartMessage
from ggp.network.protocol.messages import rules_line
from ggp.players import make_player
from ggp.players.clock import NEVER, Deadline
from ggp.players.player import End, Player, Start, Turn
from ggp.players.pondering import STEP, Pondering, may_ponder
from ggp.players.simple import LegalPlayer
from ggp.players.traits import thought_of
from ggp.rules.shipped_games import find_game

START = Start("m", Nim(), "left", 1, 1.0, 1.0, ponder=True)

#: The clocks of the matches.
CLOCK = 2.0

# The thread


def test_work_goes_on_until_it_is_ended() -> None:
    pondering = Pondering()
    seen = Event()

    def search(until: Deadline) -> int:
        seen.set()
        while until.left() > 0:
            time.sleep(STEP / 10)
        return 7

    for _ in range(2):
        seen.clear()
        pondering.begin(replace(START, play_clock=1000.0), search)
        assert seen.wait(10)
        assert pondering.end(Deadline.after(10))
    assert pondering.taken() == 14
    assert pondering.taken() == 0


def test_it_ends_by_itself_when_nobody_asks() -> None:
    pondering, seen, lefts = Pondering(), Event(), list[float]()

    def search(until: Deadline) -> int:
        lefts.append(until.left())
        seen.set()
        return 0

    pondering.begin(replace(START, play_clock=3.0), search)
    assert seen.wait(10)
    assert pondering.end()
    assert 0 < lefts[0] <= 6


def test_a_search_called_off_at_once_does_not_begin() -> None:
    pondering, begun = Pondering(), list[Deadline]()

    def search(until: Deadline) -> int:
        begun.append(until)
        return 1

    for _ in range(20):
        pondering.begin(START, search)
        assert pondering.end()
    assert pondering.taken() == len(begun) < 20


def test_a_long_step_is_left_alone() -> None:
    pondering, begun, go_on = Pondering(), Event(), Event()

    def search(_: Deadline) -> int:
        begun.set()
        go_on.wait(60)
        return 3

    pondering.begin(START, search)
    assert begun.wait(10)
    assert not pondering.end(Deadline.after(0.05))
    go_on.set()
    assert pondering.end(Deadline.after(60))
    assert pondering.taken() == 3


def test_mistakes_of_the_search_are_raised() -> None:
    pondering, begun = Pondering(), Event()

    def search(_: Deadline) -> int:
        begun.set()
        raise ZeroDivisionError

    pondering.begin(START, search)
    assert begun.wait(10)
    with pytest.raises(ZeroDivisionError):
        pondering.end()


@pytest.mark.parametrize(
    ("change", "may"),
    [({}, True), ({"ponder": False}, False), ({"play_clock": None}, False), ({"hidden": True}, False)],
)
def test_when_it_is_permitted(change: dict[str, Any], may: bool) -> None:
    assert may_ponder(replace(START, **change)) is may


# The players


class Moves:
    """A player as the second one of a match: it has no choice while the first one thinks."""

    def __init__(self, name: str, rules: str, **options: Any) -> None:
        self.game = gdl.compile(find_game(rules))
        self.player: Player = make_player(name)
        self.role = self.game.roles[1]
        # Without a clock, it waits until the code of its search is compiled.
        make_player(name).start(Start("m", self.game, self.role, 1), NEVER)
        self.player.start(Start("m", self.game, self.role, 1, CLOCK, CLOCK, **options), Deadline.after(CLOCK))
        # A busy machine may not be ready at the end of so short a clock.
        player: Any = self.player
        assert soon(lambda: player.search is not None) if name.startswith("mcts") else player.chooser(NEVER)
        self.state: Any = self.game.initial_state()
        self.ply = 0

    def turn(self, seconds: float) -> Turn:
        legal = self.game.legal_moves(self.state, self.role)
        return Turn(self.ply, self.state, legal, deadline=Deadline.after(seconds))

    def move(self, seconds: float) -> Any:
        """Ask for a move, and play it with the first move of the other role."""
        self.ply += 1
        own: Any = self.player.move(self.turn(seconds))
        thought = thought_of(self.player)
        self.state = self.game.next_state(self.state, [self.game.legal_moves(self.state, self.game.roles[0])[0], own])
        return thought


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rules"), [("mcts", "connect_four"), ("alphabeta", "breakthrough")])
def test_the_search_is_ahead_at_the_next_move(name: str, rules: str) -> None:
    moves = Moves(name, rules, ponder=True)
    moves.move(1.0)
    time.sleep(1.0)
    first = moves.move(0.3)
    assert first.pondered > 0
    assert first.work > 0
    moves.player.stop(End("aborted"))


@pytest.mark.slow
def test_the_tree_is_that_of_the_position_after_the_other_move() -> None:
    visits = {}
    for ponder in (False, True):
        moves = Moves("mcts", "connect_four", ponder=ponder)
        moves.move(1.0)
        time.sleep(1.0)
        thought = moves.move(0.2)
        assert bool(thought.pondered) is ponder
        visits[ponder] = sum(option.visits for option in thought.options) - thought.work
        moves.player.stop(End("aborted"))
    # The start clock is the same for both.
    assert visits[True] > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mcts(ponder=0)", "mcts(keep=0)", "mcts(simulations=500)", "alphabeta(nodes=500)"])
def test_some_do_not_ponder_even_if_they_may(name: str) -> None:
    moves = Moves(name, "connect_four", ponder=True)
    moves.move(1.0)
    time.sleep(0.1)
    assert moves.move(0.3).pondered == 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rules"), [("mcts", "othello"), ("alphabeta", "othello")])
def test_a_question_waits_for_milliseconds(name: str, rules: str) -> None:
    moves = Moves(name, rules, ponder=True)
    player: Any = moves.player
    waits = []
    for _ in range(15):
        moves.player.move(moves.turn(1.0))
        time.sleep(0.15)
        began = time.monotonic()
        assert player._pondering.end(NEVER)
        waits.append(time.monotonic() - began)
    # On a busy machine, some may be longer.
    assert median(waits) < 0.1
    moves.player.stop(End("aborted"))


# Who permits it


class Watching(LegalPlayer):
    """Keeps what it was told at the start."""

    told: Start | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        self.told = start
        super().start(start, deadline)


@pytest.mark.parametrize("ponder", [False, True])
def test_matches_here_permit_it_only_if_they_are_told_to(ponder: bool) -> None:
    players = {"left": Watching(), "right": Watching()}
    settings = Settings(1, play_clock=5.0, ponder=True) if ponder else Settings(1, play_clock=5.0)
    with Match(Nim(), players, settings) as match:
        next(match.plies())
    assert [player.told is not None and player.told.ponder for player in players.values()] == [ponder, ponder]


def test_each_player_needs_a_core(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("play", "tic_tac_toe", "--player", "random", "--ponder", "--play-clock", "5", "--quiet")
    monkeypatch.setattr("ggp.cli.playing.usable_cores", lambda: 1)
    done = ggp(*command)
    assert done.status == 2
    assert "--ponder requires a core for each player: 2 players, but 1 cores" in done.err
    monkeypatch.setattr("ggp.cli.playing.usable_cores", lambda: 2)
    assert ggp(*command).status == 0
    done = ggp(*command[:5])
    assert done.status == 2
    assert "--ponder requires --play-clock" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--no-ponder",)], ids=["on", "off"])
def test_over_the_network_it_is_on_unless_turned_off(options: tuple[str, ...]) -> None:
    game = gdl.Reasoner.load(find_game("tic_tac_toe"))
    with joined("--player", "mcts", "--seed", "1", *options) as (server, process):
        text = rules_line(game.rulesheet.source.text)
        assert server.ask(StartMessage("m", game.roles[1], text, 10, 2)) == "ready"
        state, last = game.initial_state(), "NIL"
        for _ in range(4):
            own = server.ask(f"(PLAY m {last})")
            time.sleep(0.5)
            moves = [game.legal_moves(state, game.roles[0])[0].text, own]
            state, last = game.next_state(state, moves), f"({' '.join(moves)})"
        server.ask(f"(STOP m {last})")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert bool(re.search(r"[1-9][\d,]* simulations while others were thinking", out)) is not options
