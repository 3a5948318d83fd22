"""Whatever text comes in: it is read, or refused with a GdlError, and so is playing what was read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engines import limits
from support.mutations import BYTES, CHANGES, MIX, RULES, SOUP, START, TEXTS, mutated
from support.profiles import examples

import gdl
from gdl.language.rules import signature_text

PLIES = 3

#: No game here needs much, and broken ones should not take long.
BUDGET = gdl.DerivationBudget(seconds=5, rows=100_000, depth=100)


def play(text: str | bytes, tmp_path: Path) -> None:
    """Load a text, from a file if it is bytes, and ask all that can be asked for a few plies."""
    try:
        if isinstance(text, bytes):
            path = tmp_path / "game.kif"
            path.write_bytes(text)
            game = gdl.Reasoner.load(path, BUDGET)
        else:
            game = gdl.Reasoner(text, "game.kif", BUDGET)
    except gdl.GdlError as error:
        check_report(error)
        return
    with contextlib.suppress(gdl.GdlError):
        state = game.initial_state()
        for ply in range(PLIES):
            ask_everything(game, state)
            legal = [game.legal_moves(state, role) for role in game.roles]
            if not all(legal):
                return
            moves = [options[ply % len(options)] for options in legal]
            tried(lambda state=state, moves=moves: game.percepts(state, moves))  # type: ignore[misc]
            state = game.next_state(state, moves)


def tried(question: Callable[[], Any]) -> None:
    with contextlib.suppress(gdl.GdlError):
        question()


def ask_everything(game: gdl.Reasoner, state: gdl.State) -> None:
    assert game.state(list(state)) == state
    assert all(fact in state for fact in state)
    tried(lambda: game.is_terminal(state))
    tried(lambda: game.goals(state))
    for name, arity in list(game.rulesheet.graph.edges):
        variables = " ".join(f"?x{i}" for i in range(arity))
        tried(lambda pattern=f"({name} {variables})": game.query(pattern, state))  # type: ignore[misc]


def check_report(error: gdl.GdlError) -> None:
    """Each mistake names a place that exists, under a message that can be printed."""
    assert isinstance(error, (gdl.RulesheetError, gdl.DerivationLimitError))
    for mistake in error.mistakes if isinstance(error, gdl.RulesheetError) else ():
        line = mistake.location.source.line(mistake.location.line)
        assert 1 <= mistake.location.column <= len(line) + 1
        assert mistake.message
        str(mistake).encode()
    str(error).encode()


@pytest.mark.parametrize("text", TEXTS)
def test_the_texts_are_games(text: str, tmp_path: Path) -> None:
    game = gdl.Reasoner(text)
    state = game.initial_state()
    plies = 0
    while not game.is_terminal(state):
        state = game.next_state(state, [game.legal_moves(state, role)[0] for role in game.roles])
        plies += 1
    assert plies >= 2
    assert all(signature_text(signature) for signature in game.rulesheet.graph.edges)
    play(text, tmp_path)


def check_bytes(data: bytes, tmp_path: Path) -> None:
    play(data, tmp_path)
    for read in (gdl.parse_term, gdl.parse_terms):
        with contextlib.suppress(gdl.TermError):
            read(data.decode("utf-8", errors="surrogateescape"))


@examples(150, thorough=1_000)
@given(data=BYTES)
def test_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    check_bytes(data, tmp_path_factory.getbasetemp())


@examples(150, thorough=1_500)
@given(text=st.text(max_size=40) | SOUP | RULES)
def test_texts(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    play(text, tmp_path_factory.getbasetemp())


@examples(100, thorough=1_000)
@given(soup=SOUP | RULES)
def test_soup_after_a_game(soup: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    play(START + soup, tmp_path_factory.getbasetemp())


def check_mutation(text: str, changes: list[tuple[str, int, int]], tmp_path: Path, limit: int) -> None:
    with limits(limit):
        play(mutated(text, changes), tmp_path)


@examples(120, thorough=2_000)
@given(text=st.sampled_from(TEXTS), changes=CHANGES, limit=st.sampled_from([1, 3, 1_000]))
def test_mutated_rule_files(
    text: str, changes: list[tuple[str, int, int]], limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    check_mutation(text, changes, tmp_path_factory.getbasetemp(), limit)


@examples(40, thorough=1_000)
@given(mix=MIX)
def test_statements_of_several_games(mix: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    play("(role walker) (<= terminal (true over)) " + " ".join(mix), tmp_path_factory.getbasetemp())
