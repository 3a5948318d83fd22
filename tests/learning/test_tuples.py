"""Tuples of cells: found in the rules, the same in the network and in the search, safe for any state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gdl
from ggp.learning.tuples import find_tuples
from ggp.players.alphabeta.search import Search, hashed
from ggp.players.alphabeta.search_memory import COLUMNS
from ggp.players.learned_values.network import Network, network_of, unpacked
from ggp.players.learned_values.tuples import NONE, Tuples
from ggp.players.learned_values.units import POINT
from ggp.rules.shipped_games import find_game


def network_for(game: gdl.Simulator, seed: int = 1) -> Network:
    """A network with tuples that has learned something."""
    search = Search(game, 0, 1)
    network = Network(len(game.all_facts), seed, find_tuples(game, seed))
    states, values = search.playouts(game.initial_state().bits, 4000, seed)
    network.fit(states, values)
    network.learn(states, values)
    return network


def cells(game: gdl.Simulator, tuples: Tuples) -> list[set[str]]:
    """The squares of each tuple of a game whose facts are `(cell COLUMN ROW CONTENT)`."""
    found: list[set[str]] = [set() for _ in tuples.sizes]
    for fact, number, _ in tuples.links:
        found[number].add(game.all_facts[fact].text.rsplit(" ", 1)[0])
    return found


def test_cells_of_a_tuple_have_to_do_with_each_other() -> None:
    """In breakthrough, moves go one square: so each square of a tuple touches another one."""
    game = gdl.Simulator.load(find_game("breakthrough"))
    found = cells(game, find_tuples(game, 1))
    assert len(found) > 100
    for squares in found:
        assert 2 <= len(squares) <= 6
        assert not any("control" in square for square in squares)
        places = [tuple(map(int, square.split()[1:])) for square in squares]
        for x, y in places:
            assert any(0 < max(abs(x - a), abs(y - b)) <= 1 for a, b in places)


def test_the_seed_decides() -> None:
    game = gdl.Simulator.load(find_game("connect_four"))
    one, again, other = (find_tuples(game, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.links, again.links)
    assert not np.array_equal(one.links, other.links)


@pytest.mark.parametrize(
    "name",
    [
        "tic_tac_toe",
        "connect_four",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("knights_and_pawns", "wolf_sheep", "battle")),
    ],
)
def test_every_pattern_has_a_place_of_its_own(name: str) -> None:
    """Tuples do not share places, and a state that cannot be reached stays within the arrays."""
    game = gdl.Simulator.load(find_game(name))
    tuples = find_tuples(game, 1)
    facts = len(game.all_facts)
    network = Network(facts, 1, tuples)
    states, _ = Search(game, 0, 1).playouts(game.initial_state().bits, 2000, 1)
    patterns = network.patterns(unpacked(states, facts)) - tuples.places
    assert (patterns >= 0).all()
    assert (patterns < tuples.sizes).all()
    most = network.patterns(np.ones((1, facts), np.float32))
    assert (most < tuples.room).all()


@pytest.mark.parametrize(
    "name",
    [
        "connect_four",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("othello", "knights_and_pawns", "wolf_sheep")),
    ],
)
def test_sums_from_ply_to_ply_are_those_of_each_state(name: str) -> None:
    game = gdl.Simulator.load(find_game(name))
    network = network_for(game)
    search = Search(game, 0, 1)
    search.install(network)
    states, _ = search.playouts(game.initial_state().bits, 60, 2)
    checked = 0
    for number, state in enumerate(states):
        value = search.at_depth(state.tobytes(), number % 4)
        assert abs(value) <= 32_000
        memory = search.memory
        for ply in np.flatnonzero(memory.sums_of == memory.hashes):
            row = memory.states[ply : ply + 1, : search.words].copy()
            if hashed(row.tobytes()) != memory.hashes[ply]:
                continue  # the end of a game, which needs no sums, has taken the place of the state
            holds = unpacked(row, network.facts)
            places = network.patterns(holds)
            assert np.array_equal(memory.patterns[ply], places[0])
            alone = memory.sums[: network.facts][holds[0] > 0].sum(axis=0)[COLUMNS - 1]
            base = round(float(network.heads[-1]) * 100 * POINT)
            assert memory.summed[ply, COLUMNS - 1] == base + alone + memory.entries[places[0]].astype(int).sum()
            checked += 1
    assert checked > 60


def test_leaves_have_the_values_of_the_network() -> None:
    game = gdl.Simulator.load(find_game("connect_four"))
    network = network_for(game)
    search = Search(game, 0, 1)
    search.install(network)
    states, _ = search.playouts(game.initial_state().bits, 500, 2)
    expected = np.clip(100 * network.values(unpacked(states, network.facts)), -100, 100)
    found = np.array([search.at_depth(state.tobytes(), 0) / POINT for state in states])
    # Where there is only one move, the search looks further.
    assert np.quantile(np.abs(found - expected), 0.8) < 0.5
    assert np.abs(found).max() > 10


@pytest.mark.slow
def test_patterns_tell_what_single_facts_cannot() -> None:
    """The value is whether red has an odd number of the squares of a tuple."""
    game = gdl.Simulator.load(find_game("connect_four"))
    facts, start = len(game.all_facts), game.initial_state().bits
    states, _ = Search(game, 0, 1).playouts(start, 20_000, 1)
    tuples = find_tuples(game, 1)
    number = {fact.text: place for place, fact in enumerate(game.all_facts)}
    holds = unpacked(states, facts)
    red = sum(holds[:, number[f"{square} red)"]] for square in cells(game, tuples)[0])
    targets = (100 * (red % 2)).astype(np.float32)
    errors = []
    for given in (NONE, tuples):
        network = Network(facts, 1, given)
        for _ in range(5):
            network.learn(states, targets)
        errors.append(float(np.sqrt(np.mean((100 * network.values(holds) - targets) ** 2))))
    assert errors[1] < 0.85 * errors[0]


def test_arrays_make_the_same_network() -> None:
    game = gdl.Simulator.load(find_game("connect_four"))
    network = network_for(game)
    again = network_of(network.arrays())
    states, _ = Search(game, 0, 1).playouts(game.initial_state().bits, 500, 2)
    holds = unpacked(states, network.facts)
    # The weights of patterns are rounded to 1 / 32 of a point.
    assert np.abs(network.values(holds) - again.values(holds)).max() < len(network.tuples.sizes) / 64 / 100
    for name, array in again.arrays().items():
        assert np.array_equal(array, network.arrays()[name])


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("links", lambda array: array[:, :2], "three columns"),
        ("links", lambda array: array.astype(np.int64), "int32"),
        ("links", lambda array: -array, "out of range"),
        ("links", lambda array: array + np.array([1000, 0, 0], np.int32), "out of range"),
        ("links", lambda array: array + np.array([0, 1000, 0], np.int32), "out of range"),
        ("links", lambda array: array[::-1], "order of facts"),
        ("sizes", lambda array: array * 0, "out of range"),
        ("sizes", lambda array: array * 1_000_000, "out of range"),
        ("sizes", lambda array: np.full_like(array, 1 << 21), "patterns"),
        ("sizes", lambda array: array[None], "one dimension"),
        ("entries", lambda array: array[:-1], "entries"),
        ("entries", lambda array: array.astype(np.float32), "entries"),
    ],
)
def test_arrays_that_are_not_sound(name: str, change: Any, reason: str) -> None:
    game = gdl.Simulator.load(find_game("connect_four"))
    arrays = Network(len(game.all_facts), 1, find_tuples(game, 1)).arrays()
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    with pytest.raises(ValueError, match=reason):
        network_of(arrays)
