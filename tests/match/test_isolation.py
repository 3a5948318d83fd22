"""Players in processes of their own: asked as any player is, and what becomes of their failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.toy_files import rule_file

from gdl import Reasoner
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.isolation.process import DiedError, FaultError
from ggp.match.isolation.reserve import Reserve
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import End, Start, Turn
from ggp.players.clock import NEVER, Deadline
from ggp.players.simple import LegalPlayer
from ggp.rules.shipped_games import find_game

#: Does what the match's name says; its moves say in which process it is.
PLAYER = """
import os, sys, threading, time
class Odd:
    name = 'odd'
    def start(self, start, deadline):
        self.what, self.hidden = start.match_id, start.hidden
        print('this must not end up among the answers')
        assert not sys.stdin.read()
    def move(self, turn):
        if self.what == 'crash' and turn.ply == 1:
            os._exit(7)
        if self.what == 'raise':
            raise ValueError('no idea')
        if self.what == 'nothing':
            return None
        if self.what == 'think':
            while turn.deadline.left() > 0:
                time.sleep(0.01)
            return f'thought {os.getpid()}'
        if self.what == 'deaf':
            time.sleep(1000)
        if self.what == 'state':
            facts = 'hidden' if turn.state is None else ' '.join(fact.text for fact in turn.state)
            return f'{turn.ply} {facts} {turn.own_move} {turn.moves} {turn.percepts} {len(turn.legal)}'
        return f'here {os.getpid()}'
    def stop(self, end):
        if self.what == 'late':
            threading.Thread(target=time.sleep, args=(0.3,), daemon=True).start()
"""

PATIENCE = 60.0


@pytest.fixture(scope="module")
def reserve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reserve]:
    file = rule_file(tmp_path_factory.mktemp("odd"), PLAYER, "odd.py")
    with Reserve(f"{file}:Odd") as reserve:
        reserve.wait_until_ready()
        yield reserve


def test_several_matches_may_take_processes_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Process:
        def __init__(self, *_: object, **__: object) -> None:
            time.sleep(0.01)

        def kill(self) -> None:
            pass

    monkeypatch.setattr("ggp.match.isolation.reserve.PlayerProcess", Process)
    with Reserve("odd") as reserve, ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda _: reserve.take(), range(8)))
    assert len(set(taken)) == 8


GAME = Reasoner.load(find_game("tic_tac_toe"))


def begun(reserve: Reserve, what: str) -> IsolatedPlayer:
    player = IsolatedPlayer("odd", reserve)
    player.start(Start(what, GAME, "xplayer", 1, rules=GAME.rulesheet.source.text), NEVER)
    return player


def turn(ply: int = 1, deadline: Deadline = NEVER) -> Turn:
    state = GAME.initial_state()
    return Turn(ply, state, GAME.legal_moves(state, "xplayer"), deadline=deadline)


def test_it_moves_as_any_player(reserve: Reserve) -> None:
    player = begun(reserve, "plain")
    assert player.move(turn()).startswith("here ")
    player.stop(End("finished"))
    with pytest.raises(RuntimeError):
        player.move(turn())


def test_it_gets_what_any_player_gets(reserve: Reserve) -> None:
    player = begun(reserve, "state")
    first = GAME.next_state(GAME.initial_state(), "(mark 1 1) noop")
    moves = GAME.legal_moves(GAME.initial_state(), "xplayer")[:2]
    told = player.move(Turn(3, first, moves, moves, moves[1], (moves[0],)))
    facts = " ".join(fact.text for fact in first)
    assert told == f"3 {facts} {moves[1]} {moves!r} {moves[:1]!r} 2"
    assert player.move(Turn(4, None, moves)).startswith("4 hidden None None () 2")
    player.stop(End("finished"))


def test_a_process_that_crashes_is_replaced(reserve: Reserve) -> None:
    player = begun(reserve, "crash")
    with pytest.raises(DiedError, match="status 7"):
        player.move(turn())
    assert player.move(turn(2)).startswith("here ")
    player.stop(End("finished"))


def test_what_it_raises_is_told(reserve: Reserve) -> None:
    player = begun(reserve, "raise")
    with pytest.raises(FaultError, match=r"^ValueError: no idea \(odd.py:13 in move\)$"):
        player.move(turn())
    player.stop(End("finished"))


def test_an_answer_that_is_no_move_is_told(reserve: Reserve) -> None:
    player = begun(reserve, "nothing")
    assert player.move(turn()) == "not a move: NoneType"
    player.stop(End("finished"))


def test_it_stops_thinking_when_called_off(reserve: Reserve) -> None:
    player = begun(reserve, "think")
    called_off = threading.Event()
    threading.Timer(0.1, called_off.set).start()
    with pytest.raises(TimeoutError):
        player.move(turn(deadline=Deadline(time.monotonic() + 1000, called_off)))
    # The same process is there for the next question at once.
    assert player.move(turn(deadline=Deadline.after(0.2))).startswith("thought ")
    player.stop(End("aborted"))


@pytest.mark.slow
def test_one_that_does_not_hear_is_ended(reserve: Reserve) -> None:
    player = begun(reserve, "deaf")
    with pytest.raises(TimeoutError):
        player.move(turn(deadline=Deadline.after(0.05)))
    with pytest.raises(TimeoutError):
        player.stop(End("aborted"))
    assert begun(reserve, "plain").move(turn()).startswith("here ")


def test_it_stays_for_the_next_match(reserve: Reserve) -> None:
    seen = set()
    for _ in range(6):
        player = begun(reserve, "late")
        seen.add(player.move(turn()))
        player.stop(End("finished"))
    assert len(seen) == 1


def test_a_match_with_it(reserve: Reserve) -> None:
    players = {"xplayer": IsolatedPlayer("odd", reserve), "oplayer": LegalPlayer()}
    record = play_match(GAME, players, Settings(1, 3, PATIENCE, PATIENCE))
    assert [ply.errors[0].startswith("IL here") for ply in record.plies] == [True, True, True]
    assert not any(record.initial_errors + record.last_errors)


def test_a_player_that_cannot_play(tmp_path: Path) -> None:
    file = rule_file(tmp_path, "raise SystemExit(1)", "no.py")
    with Reserve(f"{file}:No") as reserve, pytest.raises((FaultError, DiedError)):
        reserve.wait_until_ready()
