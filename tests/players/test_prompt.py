"""Programs with clocks of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from support.toy_rules import NIM

import gdl
from gdl.terms import Term
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players.clock import Deadline
from ggp.players.player import End, Start, Turn
from ggp.players.prompt import Prompt


class Slow:
    """Gets ready together with others, and notes how much time it has."""

    name = "slow"

    def __init__(self, together: threading.Barrier) -> None:
        self.together = together
        self.clocks: tuple[float | None, float | None] = None, None
        self.left: list[float] = []

    def start(self, start: Start, deadline: Deadline) -> None:
        self.clocks = start.start_clock, start.play_clock
        self.left.append(deadline.left())
        self.together.wait(30)  # players get ready at the same time

    def move(self, turn: Turn) -> Term:
        self.left.append(turn.deadline.left())
        return turn.legal[0]

    def stop(self, end: End) -> None:
        pass


def test_a_match_without_clocks_gives_clocks_to_prompt_players() -> None:
    said: list[str] = []

    @contextmanager
    def waiting(work: str) -> Iterator[None]:
        said.append(work)
        yield
        said.append(f"{work} no more")

    game = gdl.Reasoner(NIM)
    together = threading.Barrier(2)
    players = {role: Slow(together) for role in game.roles}
    prompts = {role: Prompt(player, 0.5, 2.0, waiting) for role, player in players.items()}
    with Match(game, prompts, Settings(seed=1)) as match:
        for _ in match.plies():
            pass
    assert match.record.initial_errors == ("", "")
    assert match.record.start_clock is None
    assert match.record.players == ("slow", "slow")
    for player in players.values():
        assert player.clocks == (0.5, 2.0)
        assert player.left[0] <= 0.5 < max(player.left[1:])
        assert all(left <= 2.0 for left in player.left[1:])
    assert {"left gets ready", "left gets ready no more", "left thinks", "right thinks no more"} <= set(said)


class Sleepy:
    """Takes its time to get ready, and notes all calls."""

    name = "sleepy"

    def __init__(self, error: str = "") -> None:
        self.error = error
        self.calls: list[object] = []
        self.left = 0.0

    def start(self, _start: Start, deadline: Deadline) -> None:
        while deadline.left() > 0:
            time.sleep(0.01)
        if self.error:
            raise ValueError(self.error)
        self.calls.append("start")

    def move(self, turn: Turn) -> Term:
        self.left = turn.deadline.left()
        self.calls.append(turn.ply)
        return turn.legal[0]

    def stop(self, _end: End) -> None:
        self.calls.append("stop")


class Compiling(Sleepy):
    """Searches the compiled game."""

    compiles = True


@pytest.mark.parametrize(
    ("player", "person", "waits"), [(Compiling(), False, 1), (Compiling(), True, 0), (Sleepy(), False, 0)]
)
def test_the_game_is_compiled_before_a_match_that_no_person_waits_for(player: Sleepy, person: bool, waits: int) -> None:
    prompt = Prompt(player, 0.05, 0.05, meanwhile=person)
    with patch("ggp.players.prompt.compilation") as compilation:
        prompt.start(Start("m", gdl.Reasoner(NIM), "right", 1), Deadline())
        prompt.stop(End("aborted"))
    assert compilation.return_value.result.call_count == waits


def turns() -> list[Turn]:
    """A turn with one legal move, and one with two."""
    game = gdl.Reasoner(NIM)
    state = game.initial_state()
    return [Turn(ply, state, game.legal_moves(state, role)) for ply, role in ((1, "right"), (2, "left"))]


def test_others_move_while_a_player_gets_ready() -> None:
    idle, choice = turns()
    player = Sleepy()
    prompt = Prompt(player, 60.0, 0.2, meanwhile=True)
    began = time.monotonic()
    prompt.start(Start("m", gdl.Reasoner(NIM), "right", 1), Deadline())
    assert prompt.move(idle) == idle.legal[0]
    assert player.calls == []  # it is still getting ready
    assert prompt.move(choice) == choice.legal[0]
    assert 0.2 <= time.monotonic() - began < 10, "it has got some more time, but not sixty seconds"
    assert player.calls == ["start", 1, 2]
    assert player.left <= 0.2
    prompt.stop(End("finished"))
    assert player.calls[-1] == "stop"


def test_a_player_that_is_not_ready_is_stopped_later() -> None:
    player = Sleepy()
    prompt = Prompt(player, 60.0, 1.0, meanwhile=True)
    prompt.start(Start("m", gdl.Reasoner(NIM), "right", 1), Deadline())
    prompt.stop(End("aborted"))
    deadline = time.monotonic() + 10
    while player.calls != ["start", "stop"]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_new_match_begins_after_the_end_of_the_last_one() -> None:
    """As when moves are taken back while a player gets ready."""
    _, choice = turns()
    player = Sleepy()
    prompt = Prompt(player, 60.0, 0.2, meanwhile=True)
    for _ in range(3):
        prompt.start(Start("m", gdl.Reasoner(NIM), "left", 1), Deadline())
        prompt.stop(End("aborted"))
    prompt.start(Start("m", gdl.Reasoner(NIM), "left", 1), Deadline())
    prompt.move(choice)
    assert player.calls == [*(["start", "stop"] * 3), "start", 2]


def test_errors_while_getting_ready_are_those_of_the_first_choice() -> None:
    _, choice = turns()
    player = Sleepy("no licence")
    prompt = Prompt(player, 0.1, 0.2, meanwhile=True)
    prompt.start(Start("m", gdl.Reasoner(NIM), "left", 1), Deadline())
    with pytest.raises(ValueError, match="no licence"):
        prompt.move(choice)
    assert prompt.move(choice) == choice.legal[0]
