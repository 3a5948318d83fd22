"""Images of states by symmetries: the Reasoner says of them what it says of the states, with the roles renamed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.executors import Here
from support.processes import soon

import gdl
from gdl.simulator.arrays import Arrays
from ggp.learning import trainer as training
from ggp.learning.checkpoint import FORMAT, read_checkpoint, write_checkpoint
from ggp.learning.errors import CheckpointError
from ggp.learning.self_play_process import actions
from ggp.learning.trainer import Trainer
from ggp.players.alphabeta import image_search
from ggp.players.alphabeta.image_search import ImageSearch
from ggp.players.learned_values import images as module
from ggp.players.learned_values.array_file import packed, read_arrays
from ggp.players.learned_values.images import Images, find_images
from ggp.rules.shipped_games import find_game


def last_states(game: gdl.Simulator, count: int) -> NDArray[np.uint64]:
    """Return the states in which random matches end, packed."""
    arrays, random = Arrays(game), np.random.default_rng(1)
    now = np.repeat(arrays.pack([game.initial_state()]), count, axis=0)
    ended: list[NDArray[np.uint64]] = []
    while len(now):
        looked = arrays.look(now)
        over = arrays.terminal(looked)
        ended.append(now[over])
        now = now[~over]
        now = arrays.move(now, arrays.random_moves(looked[~over], random))
    return np.concatenate(ended)


def goals_of(game: gdl.Simulator, reasoner: gdl.Reasoner, states: NDArray[np.uint64]) -> NDArray[np.float32]:
    """Return the goals of states in which the game is over, as the Reasoner says."""
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")[:, : len(game.all_facts)]
    found = []
    for row in bits:
        state = reasoner.state([game.all_facts[fact] for fact in np.flatnonzero(row)])
        assert reasoner.is_terminal(state)
        found.append([reasoner.goals(state)[role] for role in reasoner.roles])
    return np.array(found, np.float32)


@pytest.mark.parametrize(
    ("name", "duel", "number", "renaming"),
    [
        ("tic_tac_toe", True, 8, 0),
        ("connect_four", True, 2, 0),
        ("odd_one_out", False, 4, 0),
        ("harvest", False, 4, 2),
        ("lights_out", False, 1, 0),
    ],
)
def test_the_reasoner_knows_the_ends_of_images(name: str, duel: bool, number: int, renaming: int) -> None:
    """The number of images, and of those in which the roles change places."""
    game, reasoner = gdl.compile(find_game(name)), gdl.Reasoner.load(find_game(name))
    images = find_images(game, duel=duel)
    assert len(images.facts) == len(images.roles) == number
    assert (images.roles != images.roles[0]).any(axis=1).sum() == renaming
    states = last_states(game, 60)
    goals = goals_of(game, reasoner, states)
    moved, renamed = images.of((states, goals), np.random.default_rng(1))
    assert np.array_equal(goals_of(game, reasoner, moved), renamed)
    assert (moved != states).any(axis=1).sum() > 60 - 90 / number
    if duel:
        same, difference = images.of((states, goals[:, 0] - goals[:, 1]), np.random.default_rng(1))
        assert np.array_equal(same, moved)
        assert np.array_equal(difference, renamed[:, 0] - renamed[:, 1])


def test_each_image_is_as_likely() -> None:
    game = gdl.compile(find_game("tic_tac_toe"))
    arrays = Arrays(game)
    state = game.next_state(game.initial_state(), ["(mark 1 2)", "noop"])
    states = np.repeat(arrays.pack([state]), 8000, axis=0)
    values = np.ones(len(states), np.float32)
    moved, _ = find_images(game, duel=True).of((states, values), np.random.default_rng(1))
    _, counts = np.unique(moved, axis=0, return_counts=True)
    assert len(counts) == 4  # the sides of the board
    assert counts.min() > 1900
    assert len(np.unique(states, axis=0)) == 1


def found_apart(game: gdl.Simulator, seconds: float = 60.0, *, duel: bool = False) -> Images | None:
    """The images that another process has found."""
    search = ImageSearch()
    search.begin(game, duel=duel, seconds=seconds)
    assert search._images is not None
    assert soon(lambda: search._images.over)
    return search.ready()


@pytest.mark.slow
def test_another_process_finds_the_same_and_both_keep_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = find_images(gdl.compile(find_game("harvest"), cache=False), duel=False)
    game = gdl.compile(find_game("harvest"), cache=tmp_path)
    apart = found_apart(game)
    assert apart is not None
    assert np.array_equal(apart.facts, alone.facts)
    assert np.array_equal(apart.roles, alone.roles)
    monkeypatch.setattr(module, "_found", None)
    monkeypatch.setattr(image_search, "Child", None)
    for kept in (find_images(game, duel=False), found_apart(game)):
        assert kept is not None
        assert np.array_equal(kept.facts, alone.facts)
        assert np.array_equal(kept.roles, alone.roles)
    with pytest.raises(TypeError):
        find_images(game, duel=True)  # which nobody has found
    with pytest.raises(TypeError):
        found_apart(game, duel=True)


def test_a_search_that_takes_too_long_is_not_tried_again_with_as_little_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = gdl.compile(find_game("tic_tac_toe"), cache=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(image_search, "limit_process", lambda pid, **_: os.kill(pid, signal.SIGSTOP))
        search = ImageSearch()
        search.begin(game, duel=True, seconds=60.0)
        assert soon(lambda: search._child is not None)
        time.sleep(0.1)
        assert search.ready() is None
        search.end()
        assert search._images is not None
        assert soon(lambda: search._images.over)
        assert search.ready() is None
    entries = module.image_entries(game, True)
    spent = entries.read("given-up")
    assert spent is not None
    assert 0.1 < float(spent) < 60.0
    entries.write("given-up", b"2.0")
    assert found_apart(game, 2.5, duel=True) is None
    assert found_apart(game, 3.5, duel=True) is not None
    assert found_apart(game, 0.1, duel=True) is not None  # as it is kept


def test_large_games_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.compile(find_game("tic_tac_toe"), cache=False)
    monkeypatch.setattr(module, "_MOST_RULES", 20)
    images = find_images(game, duel=True)
    assert len(images.facts) == 1
    states = last_states(game, 10)
    values = np.arange(len(states), dtype=np.float32)
    same = images.of((states, values), np.random.default_rng(1))
    assert np.array_equal(same[0], states)
    assert np.array_equal(same[1], values)


def test_a_checkpoint_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_NODES", 10_000)
    monkeypatch.setattr(training, "_PLAYOUTS", 1_000)
    game, path = gdl.compile(find_game("tic_tac_toe")), tmp_path / "some.training"
    with Trainer(game, 5, Here(actions)) as trainer:
        trainer.round()
        write_checkpoint(path, trainer, 1.0)
        wanted = trainer.images
    assert len(wanted.facts) == 8
    with Trainer(game, 0, Here(actions), goes_on=True) as trainer:
        assert len(trainer.images.facts) == 1
        read_checkpoint(path, trainer, None)
        assert np.array_equal(trainer.images.facts, wanted.facts)
        assert np.array_equal(trainer.images.roles, wanted.roles)
        changes: list[tuple[str, Any]] = [
            ("image_facts", wanted.facts[:, ::-1][:, 1:]),
            ("image_facts", wanted.facts.astype(np.float32)),
            ("image_facts", np.zeros_like(wanted.facts)),
            ("image_facts", wanted.facts[:0]),
            ("image_roles", wanted.roles[1:]),
            ("image_roles", wanted.roles + 1),
        ]
        content = path.read_bytes()
        for name, array in changes:
            path.write_bytes(content)
            file = read_arrays(path, FORMAT)
            file.arrays[name] = np.ascontiguousarray(array)
            path.write_bytes(packed(file))
            with pytest.raises(CheckpointError, match="its contents are not in the format"):
                read_checkpoint(path, trainer, None)


def test_what_is_learned_is_much_the_same_for_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without images, the values of a state and its image differ more."""
    monkeypatch.setattr(training, "_NODES", 5_000)
    monkeypatch.setattr(training, "_PLAYOUTS", 1_000)
    game = gdl.compile(find_game("connect_four"))
    facts = len(game.all_facts)
    spread = []
    for images in (find_images(game, duel=True), Images.none(facts, 2)):
        with Trainer(game, 5, Here(actions)) as trainer:
            mirror = trainer.images
            trainer.images = images
            for _ in range(4):
                trainer.round()
            states = trainer.pending[0][0]
            values = np.zeros(len(states), np.float32)
            moved, _ = mirror.of((states, values), np.random.default_rng(1))
            own, other = (
                trainer.networks[0].values(
                    np.unpackbits(one.view(np.uint8), axis=1, bitorder="little")[:, :facts].astype(np.float32)
                )
                for one in (states, moved)
            )
            spread.append(float(np.abs(own - other).mean()))
    assert spread[0] < 0.8 * spread[1]
