"""Percepts of many states at once: they are those of the Reasoner."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.environments import PUBLIC
from support.hidden_games import COIN, DIE, KUHN
from support.processors import interpreting

import gdl
from ggp.rules.shipped_games import find_game

#: Those of hidden information; some take a second or two.
GAMES = [
    pytest.param(
        path, marks=[pytest.mark.slow] * (path.stem in ("blind_breakthrough_6x6", "mastermind", "phantom_connect_four"))
    )
    for path in (*sorted(find_game("kuhn_poker").parent.glob("*.kif")), find_game("treasure"))
]

#: Public files with hidden information. The others there are invalid, or too large to compile (twogenerals).
PUBLIC_GAMES = [
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("KriegTictactoe", "Mastermind448", "MontyHall", "rockpaperscissors")
    ),
    # These take half a minute and minutes.
    pytest.param("BlindBreakthrough", marks=pytest.mark.exhaustive),
    pytest.param("blackjack", marks=pytest.mark.exhaustive),
]


def check_percepts(game: gdl.Simulator, playouts: int) -> None:
    """Along random playouts, compare states, legal moves and percepts with those of the Reasoner."""
    reference, random, arrays = game.reasoner, Random(1), game.arrays
    numbers = [
        {move: first + i for i, move in enumerate(game.all_moves(role))}
        for role, first in zip(game.roles, arrays.first_moves, strict=True)
    ]
    states, joint_moves, expected = [], [], []
    for _ in range(playouts):
        state = reference.initial_state()
        while not reference.is_terminal(state):
            choices = [reference.legal_moves(state, role) for role in game.roles]
            assert [game.legal_moves(game.state(state), role) for role in game.roles] == choices
            joint = [random.choice(own) for own in choices]
            percepts = reference.percepts(state, joint)
            states.append(game.state(state))
            joint_moves.append([own[move] for own, move in zip(numbers, joint, strict=True)])
            state = reference.next_state(state, joint)
            expected.append((game.state(state), percepts))
    after, seen = arrays.move_and_see(arrays.pack(states), np.array(joint_moves, np.int32))
    assert seen.shape == (len(states), arrays.percept_words)
    bits = np.unpackbits(np.ascontiguousarray(seen).view(np.uint8), axis=1, bitorder="little").astype(bool)
    for found, row, (state, percepts) in zip(arrays.unpack(after), bits, expected, strict=True):
        assert found == state
        for number, role in enumerate(game.roles):
            own = [
                term for (owner, term), holds in zip(arrays.percepts, row, strict=False) if holds and owner == number
            ]
            assert tuple(sorted(own, key=lambda term: term.text)) == percepts[role]


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_percepts_of_shipped_games(path: Path) -> None:
    check_percepts(gdl.Simulator.load(path), 5)


@pytest.mark.slow
@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_percepts_of_many_playouts(path: Path) -> None:
    check_percepts(gdl.Simulator.load(path), 200)


@pytest.mark.parametrize("name", PUBLIC_GAMES)
def test_percepts_of_public_games(name: str) -> None:
    path = PUBLIC / "gdl2" / f"{name}.kif"
    if not path.exists():
        pytest.skip("needs the public rule files")
    check_percepts(gdl.Simulator.load(path), 200)


@pytest.mark.parametrize("rules", [KUHN, DIE, COIN], ids=["kuhn", "die", "coin"])
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_percepts_of_both_kinds_of_code(rules: str, large: bool) -> None:
    with interpreting() if large else nullcontext():
        check_percepts(gdl.compile(rules, cache=False), 50)


def test_drawn_moves_are_legal_and_uniform() -> None:
    game = gdl.Simulator.load(find_game("leduc_poker"))
    looked = game.arrays.look(np.repeat(game.arrays.pack([game.initial_state()]), 6000, axis=0))
    moves = game.arrays.random_moves(looked, np.random.default_rng(1))
    for role, first, column in zip(game.roles, game.arrays.first_moves, moves.T, strict=True):
        legal = {first + game.all_moves(role).index(move) for move in game.legal_moves(game.initial_state(), role)}
        numbers, counts = np.unique(column, return_counts=True)
        assert set(numbers) == legal
        assert counts == pytest.approx(np.full(len(legal), 6000 / len(legal)), rel=0.4)
