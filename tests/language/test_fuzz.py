"""Whatever text comes in: it is read, or refused with a GdlError, and so is playing what was read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engines import limits
from support.profiles import examples

import gdl
import gdl.reasoner.components
from gdl.language.rules import signature_text

PLIES = 3

#: Small rule files with a bit of everything, to be broken. None builds terms in a recursion.
TEXTS = [
    """
; A walk on a ring of four squares
(role walker)
(init (at 1)) (init (steps 0))
(square 1) (square 2) (square 3) (square 4)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 1) (count 0 1) (count 1 2)
(<= (near ?x ?y) (or (succ ?x ?y) (succ ?y ?x)))
(<= (reach ?x ?y) (near ?x ?y))
(<= (reach ?x ?z) (reach ?x ?y) (near ?y ?z))
(<= (base (at ?x)) (square ?x))
(<= (input walker (go ?x)) (square ?x))
(<= (legal walker (go ?y)) (true (at ?x)) (near ?x ?y) (distinct ?x ?y))
(<= (next (at ?y)) (does walker (go ?y)))
(<= (next (steps ?n)) (true (steps ?m)) (count ?m ?n))
(<= terminal (true (steps 2)))
(<= (goal walker 100) (true (at 3)))
(<= (goal walker 0) (not (true (at 3))))
""",
    """
(role Red) (role Blue) (role random)
(init (control red)) (init (pile (s (s (s z))))) (init calm)
(<= (legal ?p (take one)) (true (control ?p)) (true (pile (s ?n))))
(<= (legal ?p (take two)) (true (control ?p)) (true (pile (s (s ?n)))))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (taken ?n) (does ?p (take ?n)))
(<= (next (pile ?n)) (true (pile (s ?n))) (taken one))
(<= (next (pile ?n)) (true (pile (s (s ?n)))) (taken two))
(<= (next (control ?q)) (true (control ?p)) (role ?q) (distinct ?p ?q) (distinct ?q random))
(<= (next ?f) (true ?f) (kept ?f) (not (and (taken two) (true calm))))
(kept calm)
(<= (sees ?q (saw ?n)) (taken ?n) (role ?q) (not (true (control ?q))))
(<= terminal (true (pile z)))
(<= (goal ?p 100) (true (control ?p)) terminal)
(<= (goal ?p 0) (role ?p) (not (goal ?p 100)))
""",
    """
(role a)(role b)
(<= (init (cell ?x ?y e)) (idx ?x) (idx ?y)) (idx 1) (idx 2) (init (turn a))
(<= (legal ?r (put ?x ?y)) (true (turn ?r)) (true (cell ?x ?y e)))
(<= (legal a pass) (true (turn b))) (<= (legal b pass) (true (turn a)))
(<= (next (cell ?x ?y ?r)) (does ?r (put ?x ?y)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (distinct ?c e))
(<= (next (cell ?x ?y e)) (true (cell ?x ?y e)) (does ?r (put ?u ?v)) (or (distinct ?x ?u) (distinct ?y ?v)))
(<= (next (turn ?s)) (true (turn ?r)) (role ?s) (not (true (turn ?s))))
(<= (row ?x ?c) (true (cell ?x 1 ?c)) (true (cell ?x 2 ?c)) (not (distinct ?c a)))
(<= open (true (cell ?x ?y e)))
(<= terminal (not open)) (<= terminal (row ?x ?c))
(<= (goal a 100) (row ?x a)) (<= (goal a 50) (not (row 1 a)) (not (row 2 a)))
(goal b 50)
""",
]


def play(text: str | bytes, tmp_path: Path) -> None:
    """Load a text, from a file if it is bytes, and ask all that can be asked for a few plies."""
    # No game here needs many rounds, and broken ones should not take long.
    with patch.object(gdl.reasoner.components, "MAX_ROUNDS", 100):
        try:
            if isinstance(text, bytes):
                path = tmp_path / "game.kif"
                path.write_bytes(text)
                game = gdl.Reasoner.load(path)
            else:
                game = gdl.Reasoner(text, "game.kif")
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
    assert isinstance(error, (gdl.RulesheetError, gdl.DivergenceError))
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


# Bytes and soup

_TOKENS = [
    *("(", ")", "(", ")", "(", ")", "<=", "not", "and", "or", "distinct"),
    *("role", "base", "input", "init", "true", "does", "legal", "next", "terminal", "goal", "sees"),
    *("?x", "?y", "?z", "a", "b", "f", "p", "q", "1", "100"),
]
#: What makes texts that look a little like rules.
_ATOMS = [
    *("(p ?x)", "(q ?x ?y)", "(true (cell ?x))", "(does r ?x)", "(not (p ?x))", "(distinct ?x a)"),
    *("p", "terminal", "(legal r ?x)", "(goal r 1)", "(next ?x)"),
]
_SOUP = st.lists(st.sampled_from(_TOKENS), max_size=40).map(" ".join)
_RULES = st.lists(
    st.lists(st.sampled_from(_ATOMS), min_size=1, max_size=4).map(lambda atoms: f"(<= {' '.join(atoms)})"),
    max_size=8,
).map("\n".join)
_START = "(role r) (legal r a) (p a) (q a b) (init (cell a)) terminal\n"


def check_bytes(data: bytes, tmp_path: Path) -> None:
    play(data, tmp_path)
    for read in (gdl.parse_term, gdl.parse_terms):
        with contextlib.suppress(gdl.TermError):
            read(data.decode("utf-8", errors="surrogateescape"))


_BYTES = st.binary(max_size=60) | st.lists(
    st.sampled_from([b"(", b")", b";", b"\r", b"\n", b"?", b"\xff", b"\0", b"a", b"<="])
).map(b"".join)


@examples(150, thorough=1_000)
@given(data=_BYTES)
def test_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    check_bytes(data, tmp_path_factory.getbasetemp())


@examples(150, thorough=1_500)
@given(text=st.text(max_size=40) | _SOUP | _RULES)
def test_texts(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    play(text, tmp_path_factory.getbasetemp())


@examples(100, thorough=1_000)
@given(soup=_SOUP | _RULES)
def test_soup_after_a_game(soup: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    play(_START + soup, tmp_path_factory.getbasetemp())


# Mutated rule files


def tokens(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").split(" ")


def mutated(text: str, changes: list[tuple[str, int, int]]) -> str:
    """The text after some changes at two places each: tokens deleted, doubled, swapped, copied, or replaced."""
    words = tokens(text)
    for change, first, second in changes:
        i, j = sorted((first % len(words), second % len(words)))
        if change == "delete":
            del words[i]
        elif change == "double":
            words.insert(i, words[i])
        elif change == "swap":
            words[i], words[j] = words[j], words[i]
        elif change == "copy":
            words[j] = words[i]
        elif change == "cut":
            del words[i : min(j, i + 8)]
        else:
            words[i] = change
    return " ".join(words)


_CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["delete", "double", "swap", "swap", "copy", "copy", "cut", *_TOKENS]),
        st.integers(0, 2000),
        st.integers(0, 2000),
    ),
    min_size=1,
    max_size=4,
)


def statements(text: str) -> list[str]:
    """The statements of a text, each as text."""
    return [str(statement) for statement in gdl.Rulesheet(text).statements]


#: Statements of all texts, to be thrown together: the same relations with other meanings.
_MIX = st.lists(st.sampled_from(list(chain.from_iterable(map(statements, TEXTS)))), min_size=10, max_size=40)


def check_mutation(text: str, changes: list[tuple[str, int, int]], tmp_path: Path, limit: int) -> None:
    with limits(limit):
        play(mutated(text, changes), tmp_path)


@examples(120, thorough=2_000)
@given(text=st.sampled_from(TEXTS), changes=_CHANGES, limit=st.sampled_from([1, 3, 1_000]))
def test_mutated_rule_files(
    text: str, changes: list[tuple[str, int, int]], limit: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    check_mutation(text, changes, tmp_path_factory.getbasetemp(), limit)


@examples(40, thorough=1_000)
@given(mix=_MIX)
def test_statements_of_several_games(mix: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    play("(role walker) (<= terminal (true over)) " + " ".join(mix), tmp_path_factory.getbasetemp())
