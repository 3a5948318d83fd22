"""Programs with clocks of their own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
        assert 0.3 < player.left[0] <= 0.5
        assert all(1.5 < left <= 2.0 for left in player.left[1:])
    assert {"left gets ready", "left gets ready no more", "left thinks", "right thinks no more"} <= set(said)
