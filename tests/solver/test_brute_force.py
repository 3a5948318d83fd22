"""The solver and a brute force over the Reasoner's states agree on random games."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from support.brute_force import BruteForce, State, Unsolvable
from support.small_games import small_game

import gdl
from gdl.engine import Engine
from ggp.solver.descriptions import value_text
from ggp.solver.errors import NotSolvableError
from ggp.solver.solve import Answer, solve


def solved(game: Engine) -> Answer:
    return solve(game, game.initial_state(), seconds=None, memory=4.0, progress=lambda _: None)


def check(text: str, *, compiled: bool) -> str:
    """Compare all that is said about a game; return what kind of game it is."""
    reasoner = gdl.Reasoner(text)
    game: Engine = gdl.compile(text) if compiled else reasoner
    try:
        brute = BruteForce.of(reasoner)
    except Unsolvable:
        with pytest.raises(NotSolvableError, match=r"have a choice at the same time|has no legal move"):
            solved(game)
        return "refused"
    answer = solved(game)
    assert answer.solution is not None
    graph, worth = answer.solution.graph, answer.solution.worth
    names = states_of(graph.facts, graph.states)
    assert len(names) == answer.states == len(brute.nodes)
    assert set(names) == brute.nodes.keys()
    forced = [brute.forced(role) for role in range(len(brute.roles))]
    top = tops(game, text, brute)
    kinds = set()
    for number, name in enumerate(names):
        verdict = worth.verdict(number)
        for role, (own, expected) in enumerate(zip(worth.sure, forced, strict=True)):
            rank, plies = int(own.rank[number]), int(own.distance[number])
            assert (None if rank < 0 else (own.values[rank], plies)) == expected[name], (role, sorted(name))
        value = brute.value(name, forced, top)
        assert (verdict.goals, verdict.plies) == (value.goals, value.plies), sorted(name)
        if value.goals is None and worth.opposed:
            assert value_text(worth, verdict).startswith("endless: ")
            kinds.add("endless")
        elif value.goals is not None and any(goals == highest for goals, highest in zip(value.goals, top, strict=True)):
            kinds.add("won")
        elif value.goals is not None:
            kinds.add("settled")
    check_line(answer, brute, reasoner, brute.value(names[0], forced, top).goals)
    return "+".join(sorted(kinds)) or "not opposed"


def states_of(facts: tuple[str, ...], rows: object) -> list[State]:
    bits = np.unpackbits(np.ascontiguousarray(rows).view(np.uint8), axis=1, bitorder="little")
    return [frozenset(facts[place] for place in np.flatnonzero(row)) for row in bits]


def tops(game: Engine, text: str, brute: BruteForce) -> tuple[int, ...]:
    """The highest goal of each role: by the rules; without them, 100, or more if a game ends with more."""
    if isinstance(game, gdl.Simulator):
        found = [[int(goal) for goal in re.findall(rf"\(goal {role} (\d+)\)", text)] for role in brute.roles]
        return tuple(max(goals) for goals in found)
    ends = [node.goals for node in brute.nodes.values() if node.goals is not None]
    return tuple(max([100, *(goals[role] for goals in ends)]) for role in range(len(brute.roles)))


def check_line(answer: Answer, brute: BruteForce, game: gdl.Reasoner, goals: tuple[int, ...] | None) -> None:
    """The best line follows moves of the game, and ends with the value in as many plies, or repeats a state."""
    assert answer.solution is not None
    if not answer.solution.worth.opposed:
        assert answer.line is None
        return
    assert answer.line is not None
    state = game.initial_state()
    path = [frozenset(fact.text for fact in state)]
    for step in answer.line.steps:
        state = game.next_state(state, step.moves)
        path.append(frozenset(fact.text for fact in state))
    if goals is not None:
        assert brute.nodes[path[-1]].goals == goals
        assert answer.solution.worth.verdict(0).plies == len(path) - 1
    elif answer.line.back_to is not None:
        assert path[answer.line.back_to] == path[-1]


def check_all(seeds: range, *, compiled: bool) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for seed in seeds:
        text = small_game(seed)
        try:
            kinds[check(text, compiled=compiled)] += 1
        except Exception as error:
            error.add_note(f"seed {seed}:\n{text}")
            raise
    return kinds


def test_random_games_by_the_reasoner() -> None:
    kinds = check_all(range(30), compiled=False)
    assert {"refused", "endless", "not opposed"} <= kinds.keys()


def test_random_games_by_the_simulator() -> None:
    check_all(range(200, 202), compiled=True)


@pytest.mark.slow
def test_many_random_games() -> None:
    check_all(range(30, 120), compiled=False)
    check_all(range(202, 216), compiled=True)


def test_goals_that_are_proved_impossible_count_as_highest_goals() -> None:
    """Left once seemed to choose to lose rather than play on, as its goal 100 had been proved impossible."""
    text = """(role left) (role right) (init (turn left)) (init (cell 1))
(<= (legal ?r stay) (true (turn ?r))) (<= (legal left leave) (true (turn left)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
(<= (next (cell 1)) (true (cell 1))) (<= (next (cell 0)) (true (cell 0))) (<= (next gone) (does left leave))
(<= terminal (true gone)) (<= (goal left 100) (true (cell 0))) (<= (goal right 0) (true (cell 0)))
(<= (goal left 0) (true (cell 1))) (<= (goal right 100) (true (cell 1)))"""
    assert [check(text, compiled=compiled) for compiled in (False, True)] == ["endless+won"] * 2
