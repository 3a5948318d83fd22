"""Numbers that decide between two ways to compute the same decide nothing else: docs/internals/thresholds.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples, first_few
from support.random_games import random_game
from support.strategies import games
from support.thresholds import (
    PAGE,
    Reference,
    SolverReference,
    copies,
    drawn,
    engine_ends,
    needed,
    numbers,
    other_numbers,
    solver_ends,
    sources,
    thresholds,
)
from support.toy_files import ROOT
from support.toy_graphs import UNEVEN, ZERO_SUM
from support.toy_graphs import random_game as random_graph
from support.toy_rules import COIN, NIM

import gdl

pytest.importorskip("llvmlite")

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))
PUBLIC = sorted((ROOT.parent / "shared" / "rulesheets").glob("*.kif"))

#: Shipped games of which one check takes less than two seconds.
SMALL = ("tic_tac_toe", "kuhn_poker", "monty_hall", "goofspiel_4", "lights_out", "towers", "odd_one_out")


# The page


def test_every_number_is_listed() -> None:
    listed = {one.name for one in thresholds()}
    others = other_numbers()
    missing = [
        f"{module}.{name}"
        for module in sources()
        for name in numbers(module)
        if f"{module}.{name}" not in listed and not {name, "*"}.intersection(others.get(module, ()))
    ]
    assert not missing, f"list these in {PAGE.name}, with their ends if they decide between two ways: {missing}"


def test_what_is_listed_exists() -> None:
    wrong = [one.name for one in thresholds() if getattr(import_module(one.module), one.constant, None) != one.value]
    wrong += [
        f"{module}.{name}"
        for module, names in other_numbers().items()
        for name in names
        if module not in sources() or (name != "*" and name not in numbers(module))
    ]
    assert not wrong
    assert len(thresholds()) == len({one.name for one in thresholds()}) > 100


def test_values_are_looked_up_when_they_are_needed() -> None:
    assert not copies()


# Answers


@cache
def reference(text: str) -> Reference:
    return Reference(text)


def check(text: str, values: Mapping[str, Any], origin: str, of: Callable[[str], Any] = reference) -> bool:
    """Compare a game with itself under other thresholds; True unless it is too large, with or without them.

    A failure names the thresholds that it needs.
    """
    try:
        usual = of(text)
        usual.check(values)
    except gdl.CompileError:
        return False
    except Exception as error:
        kind = type(error)

        def fails(fewer: Mapping[str, Any]) -> bool:
            try:
                usual.check(fewer)
            except Exception as other:
                return type(other) is kind
            return False

        error.add_note(f"{origin}, with {needed(values, fails)}")
        raise
    return True


def each_end(ends: Mapping[str, Sequence[Any]]) -> list[Any]:
    return [pytest.param({name: end}, id=f"{name}={end}") for name, own in ends.items() for end in own]


@pytest.mark.parametrize("text", first_few([NIM, COIN], 1), ids=["nim", "coin"])
@pytest.mark.parametrize("end", [0, -1], ids=["low", "high"])
def test_all_thresholds_at_one_end(text: str, end: int) -> None:
    assert check(text, {name: ends[end] for name, ends in engine_ends().items()}, "all at one end")


@examples(8)
@given(
    games(), st.fixed_dictionaries({}, optional={name: st.sampled_from(ends) for name, ends in engine_ends().items()})
)
def test_random_games(text: str, values: dict[str, Any]) -> None:
    check(text, values, text, Reference)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_some_thresholds_at_random(number: int, request: pytest.FixtureRequest) -> None:
    seed = request.config.getoption("--thresholds")
    random = Random(f"{seed} {number}")
    name = random.choice(SMALL)
    done = check(shipped(name), drawn(random, engine_ends()), f"--thresholds={seed}: {name}")
    for _ in range(10):
        game = random.randrange(10**9)
        done += check(random_game(Random(game)), drawn(random, engine_ends()), f"--thresholds={seed}: game {game}")
    assert done > 5


def shipped(name: str) -> str:
    return next(path for path in SHIPPED if path.stem == name).read_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("values", each_end(engine_ends()))
def test_each_threshold_at_each_end(values: Mapping[str, Any]) -> None:
    done = sum([check(shipped(name), values, name) for name in SMALL])
    done += sum([check(random_game(Random(game)), values, f"game {game}") for game in range(30)])
    assert done > 20


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 3000, 30))
def test_many_random_games(first: int) -> None:
    random = Random(first)
    for game in range(first, first + 30):
        for _ in range(3):
            check(random_game(Random(game)), drawn(random, engine_ends()), f"game {game}", Reference)


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", [*SHIPPED, *PUBLIC], ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    text, random = path.read_text(errors="replace"), Random(path.stem)
    for end in (0, -1):
        check(text, {name: ends[end] for name, ends in engine_ends().items()}, f"{path.stem}: all at one end")
    for _ in range(6):
        check(text, drawn(random, engine_ends()), path.stem)


# The solver


@cache
def solver_reference(text: str) -> SolverReference:
    return SolverReference(text)


#: Left and right in turn, with circles.
GRAPHS = [random_graph(seed, goals, nodes=10).text for seed, goals in enumerate((ZERO_SUM, UNEVEN))]


@pytest.mark.parametrize("end", [0, -1], ids=["low", "high"])
def test_all_thresholds_of_the_solver_at_one_end(end: int) -> None:
    assert check(GRAPHS[0], {name: ends[end] for name, ends in solver_ends().items()}, "graph 0", solver_reference)


@pytest.mark.slow
@pytest.mark.parametrize("values", each_end(solver_ends()))
def test_each_threshold_of_the_solver(values: Mapping[str, Any]) -> None:
    for number, text in enumerate([*GRAPHS, NIM]):
        check(text, values, f"graph {number}", solver_reference)


@pytest.mark.slow
def test_some_thresholds_of_the_solver_at_random(request: pytest.FixtureRequest) -> None:
    seed = request.config.getoption("--thresholds")
    random = Random(seed)
    for _ in range(20):
        graph = random.randrange(10**6)
        text = random_graph(graph, random.choice((ZERO_SUM, UNEVEN)), nodes=12).text
        values = drawn(random, solver_ends())
        check(text, values, f"--thresholds={seed}: graph {graph}", SolverReference)
