"""Searches in several threads: what they find is true, nothing is left half done, and they end when they have to."""

from __future__ import annotations

import threading
import time
from random import Random

import numpy as np
import pytest
from support.commands import Ggp
from support.mcts import (
    CHANCE,
    CONNECT_FOUR,
    CYCLE,
    TIC_TAC_TOE,
    TOGETHER,
    TWICE,
    best,
    check_claims,
    check_tree,
    compiled,
    root_of,
    search,
    truth,
)
from support.toy_games import Nim

import ggp.players.alphabeta.search_memory as layout
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.network.protocol.joined import JoinedMatch
from ggp.network.protocol.messages import Start as StartMessage
from ggp.network.protocol.messages import rules_line
from ggp.players.alphabeta.chooser import MoveChooser
from ggp.players.alphabeta.search import Search as AlphaBeta
from ggp.players.clock import NEVER, Deadline
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.search import Search
from ggp.players.player import Start
from ggp.players.simple import LegalPlayer, RandomPlayer

GAMES = {"connect four": CONNECT_FOUR, "together": TOGETHER, "chance": CHANCE, "cycle": CYCLE}


def all_end() -> bool:
    """Wait until the threads of searches have ended: those that a busy core delays may be later than the deadline."""
    until = time.monotonic() + 60
    while any(thread.name in ("mcts", "alphabeta") for thread in threading.enumerate()):
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True


def check_visits(found: Search) -> None:
    """All visits and values have been counted.

    Two threads that make the same node at once both count a visit for each of its moves.
    """
    root = root_of(found.tree)
    edges = [edge for role in range(len(root.choices)) for edge in root.edges(role)]
    assert root.visits == pytest.approx(found.simulations, abs=50)
    assert all(0 <= edge.value <= edge.visits for edge in edges)
    if root.mover >= 0:
        assert sum(edge.visits for edge in edges) == pytest.approx(root.visits, abs=50)


@pytest.mark.parametrize("name", GAMES)
def test_threads_share_one_tree(name: str) -> None:
    found = search(compiled(GAMES[name]), threads=3)
    assert found.threads == 3
    found.run(simulations=20_000)
    assert found.proven or found.simulations >= 20_000
    assert all_end()
    check_tree(found.tree, wasted=5)
    if name != "cycle":  # there, a path comes to the root more than once
        check_visits(found)


@pytest.mark.parametrize(
    "rules", [TWICE, pytest.param(TIC_TAC_TOE, marks=pytest.mark.slow)], ids=["heap", "tic-tac-toe"]
)
def test_what_threads_prove_is_true(rules: str) -> None:
    true = truth(rules)
    for seed in range(3):
        found = search(compiled(rules), threads=4, seed=seed, leaves=16)
        found.run(simulations=200_000)
        assert found.proven
        assert check_claims(found, true, most=200) >= 8


def test_an_error_in_one_thread_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    found = search(compiled(CONNECT_FOUR), threads=3)
    found.run(simulations=1_000)
    world = found._workers[2]._world

    def fail(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(world, "look", fail)
    with pytest.raises(MemoryError, match="no room"):
        found.run(simulations=10**9)
    assert all_end()
    # No edge waits for an answer.
    check_tree(found.tree, wasted=5)


def test_threads_end_with_the_clock() -> None:
    found = search(compiled(CONNECT_FOUR), threads=8)
    found.run(deadline=Deadline.after(0.2))
    assert all_end()
    before = found.simulations
    found.run(stop=lambda: True)
    assert found.simulations == before


@pytest.mark.parametrize(
    ("asked", "limited", "threads"), [(None, False, 2), (None, True, 1), (3, True, 3), (1, False, 1), (9, False, 4)]
)
def test_the_number_of_threads(asked: int | None, limited: bool, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search whose work is limited can be repeated, and nobody has more threads than there are cores."""
    monkeypatch.setattr("ggp.players.player.usable_cores", lambda: 4)
    game = compiled(CONNECT_FOUR)
    start = Start("m", game, game.roles[0], 1, threads=2)
    assert start.threads_for(asked, limited=limited) == threads
    player = MctsPlayer(100 if limited else None, threads=asked, memory=1 << 22)
    player.start(start, NEVER)
    while player.search is None:
        time.sleep(0.01)
    assert player.search.threads == threads


def test_alphabeta_finds_the_same_value_in_several_threads() -> None:
    game = compiled(TIC_TAC_TOE)
    bits = game.initial_state().bits
    for threads in (2, 4):
        found = AlphaBeta(game, 0, megabytes=1)
        result = found.run(bits, lambda: 1.0, threads=threads)
        assert (result.proved, result.value) == (True, 0)
        assert all_end()
    # Each thread has its share of a limit.
    few = AlphaBeta(compiled(CONNECT_FOUR), 0, megabytes=1)
    few.run(compiled(CONNECT_FOUR).initial_state().bits, lambda: 1.0, 20_000, threads=2)
    assert few.memory.tally[layout.NODES] == 10_000 <= few.nodes


def test_half_written_entries_are_of_no_state() -> None:
    """Threads write the two halves of an entry one after the other."""
    game = compiled(CONNECT_FOUR)
    bits = game.initial_state().bits
    found, fresh = (AlphaBeta(game, 0, megabytes=1) for _ in range(2))
    value = fresh.at_depth(bits, 6)
    found.at_depth(bits, 5)
    # The data of each entry are now those of another one: whatever is read as a value would be wrong.
    found.memory.table[:, 1] = np.roll(found.memory.table[:, 1], 4)
    assert found.at_depth(bits, 6) == value


def test_alphabeta_ends_its_threads_with_the_clock() -> None:
    game = compiled(CONNECT_FOUR)
    chooser = MoveChooser(game, game.roles[0], 1, threads=4)
    bits = game.initial_state().bits
    assert chooser.choose(bits, Deadline.after(0.2).left, None) is not None
    assert all_end()
    before = chooser.nodes
    assert chooser.ponder(game.initial_state(), Deadline.after(0.05).left) == chooser.nodes - before > 0
    assert all_end()


class Watching(LegalPlayer):
    """Keeps what it was told at the start."""

    told: Start | None = None

    def start(self, start: Start, deadline: Deadline) -> None:
        self.told = start
        super().start(start, deadline)


def test_a_match_says_how_many_threads_its_players_may_have() -> None:
    player = Watching()
    with Match(Nim(), {"left": player, "right": LegalPlayer()}, Settings(1, threads=3)) as match:
        next(match.plies())
    joined = Watching()
    message = StartMessage("m", "xplayer", rules_line(TIC_TAC_TOE.read_text()), 5, 5)
    network = JoinedMatch(message, lambda: joined, 1, lambda _: None, threads=4)
    network.start(Deadline.after(20.0))
    network.end(None, "over")
    assert [one.told is not None and one.told.threads for one in (player, joined)] == [3, 4]


@pytest.mark.parametrize(
    ("options", "threads"),
    [((), 4), (("--threads", "3"), 3), (("--ponder", "--play-clock", "5"), 2)],
    ids=["all cores", "given", "shared"],
)
def test_play_uses_all_cores_that_others_do_not_need(
    options: tuple[str, ...], threads: int, ggp: Ggp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.system.childprocess.usable_cores", lambda: 4)
    found: list[int] = []

    def start(self: RandomPlayer, start: Start, deadline: Deadline) -> None:
        found.append(start.threads)
        plain(self, start, deadline)

    plain = RandomPlayer.start
    monkeypatch.setattr(RandomPlayer, "start", start)
    monkeypatch.setattr("ggp.cli.playing.usable_cores", lambda: 4)
    assert ggp("play", "tic_tac_toe", "--player", "random", "--quiet", *options).status == 0
    assert found == [threads, threads]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2, 4, 8])
def test_many_searches_that_end_at_any_moment(threads: int) -> None:
    """Matches of short searches, with full and small trees: tables, links, counts and proofs are right after each."""
    random = Random(threads)
    rules = [CONNECT_FOUR, TOGETHER, CHANCE, CYCLE, TWICE, TIC_TAC_TOE]
    true = {name: truth(name) for name in (TWICE, TIC_TAC_TOE)}
    searched = 0
    while searched < 25:
        chosen = random.choice(rules)
        game = compiled(chosen)
        options = {"leaves": random.choice([1, 16, 1024]), "memory": random.choice([1, 100_000, 1 << 21])}
        found = search(game, threads=threads, seed=random.randrange(1000), **options)
        state = game.initial_state()
        while not game.is_terminal(state):
            if random.random() < 0.5:
                found.run(deadline=Deadline.after(random.uniform(0.001, 0.06)))
                best(found)  # while some may still be at work
            else:
                found.run(simulations=random.randrange(1, 20_000))
            assert all_end()
            check_tree(found.tree, wasted=50 * threads)
            if chosen in true:
                check_claims(found, true[chosen], most=20)
            searched += 1
            joint = [random.choice(game.legal_moves(state, role)) for role in game.roles]
            state = game.next_state(state, joint)
            found.advance(state)
        assert all_end()
