"""Proofs about all states, compared with every reachable state of small games."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.mutations import CHANGES, TEXTS, mutated
from support.profiles import examples
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
import gdl.reasoner.components
from gdl.language.rulesheet import Rulesheet
from ggp.rules.checking import Simulation
from ggp.rules.checking.proofs import followed
from ggp.rules.checking.simulation import simulate
from ggp.rules.checking.verdict import Verdict

#: Games with more states are left alone.
STATES = 300

GAMES = [*TEXTS, NIM, STUCK, ENDLESS, COIN]


@dataclass
class Everything:
    """Facts about reachable states of a game, by role, and the plies of the longest match (None if one never ends)."""

    stuck: set[str] = field(default_factory=set)
    odd_goals: set[str] = field(default_factory=set)
    wins: set[str] = field(default_factory=set)
    longest: int | None = 0
    states: list[gdl.State] = field(default_factory=list)


def explored(game: gdl.Reasoner) -> Everything | None:
    """All states, or None where there are too many."""
    found = Everything()
    after: dict[gdl.State, set[gdl.State]] = {}
    waiting = [game.initial_state()]
    while waiting:
        state = waiting.pop()
        if state in after:
            continue
        if len(after) == STATES:
            return None
        after[state] = set()
        if game.is_terminal(state):
            for role in game.roles:
                try:
                    found.wins |= {role} if game.goal(state, role) == 100 else set()
                except gdl.GoalError:
                    found.odd_goals.add(role)
            continue
        legal = []
        for role in game.roles:
            try:
                legal.append(game.legal_moves(state, role))
            except gdl.NoLegalMoveError:
                legal.append(())
                found.stuck.add(role)
        if len(list(itertools.islice(itertools.product(*legal), 100))) == 100:
            return None
        after[state] = {game.next_state(state, moves) for moves in itertools.product(*legal)}
        waiting += after[state]
    found.states = list(after)
    found.longest = longest(after, game.initial_state())
    return found


def longest(after: dict[gdl.State, set[gdl.State]], start: gdl.State) -> int | None:
    """The plies of a longest match; None where states come back."""
    lengths = dict.fromkeys((state for state in after if not after[state]), 0)
    while start not in lengths:
        ready = [state for state in after if state not in lengths and after[state] <= lengths.keys()]
        if not ready:
            return None
        lengths.update({state: 1 + max(lengths[other] for other in after[state]) for state in ready})
    return lengths[start]


def check_verdict(game: gdl.Reasoner, verdict: Verdict, found: Everything) -> None:
    """A verdict is as the states say."""
    role = verdict.message.split(" ")[0]
    proved = verdict.result == "proved"
    if verdict.moves is not None:
        state = followed(game, verdict.moves)
        assert state in found.states
        assert set(verdict.facts) == set(state)
    match verdict.name:
        case "legal moves":
            assert not (proved and role in found.stuck)
            assert verdict.result != "counterexample" or role in found.stuck
        case "goals":
            assert not (proved and role in found.odd_goals)
        case "winnable":
            assert not (proved and role not in found.wins)
            assert not (verdict.result == "refuted" and role in found.wins)
        case "termination" if proved:
            assert found.longest is not None
            assert int(verdict.message.split(" ")[5]) >= found.longest
        case _:
            pass


def check_proofs(text: str) -> bool:
    """Return True if the game was small enough to be explored."""
    try:
        rulesheet = Rulesheet(text)
        game = gdl.Reasoner(rulesheet)
        found = explored(game)
    except gdl.GdlError:
        return False
    if found is None:
        return False
    for verdict in simulate(rulesheet, Simulation(playouts=2, seconds=5.0)).verdicts:
        check_verdict(game, verdict, found)
    return True


@pytest.mark.parametrize("text", GAMES)
def test_what_is_proved_of_small_games(text: str) -> None:
    assert check_proofs(text)


@pytest.mark.slow
@examples(60)
@given(text=st.builds(mutated, st.sampled_from(GAMES), CHANGES))
def test_what_is_proved_of_mutated_games(text: str) -> None:
    with contextlib.suppress(gdl.GdlError):
        check_proofs(text)
