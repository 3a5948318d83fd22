"""States that agree with what one role did and saw."""

from __future__ import annotations

import pytest
from support.hidden_numbers import RULES

from gdl import Reasoner
from gdl.language.parser import parse_terms
from gdl.terms import Constant
from ggp.network.protocol import guessing
from ggp.network.protocol.guessing import Guesses
from ggp.players.clock import Deadline

GAME = Reasoner(RULES)


WAIT = Constant("wait")


def test_legal_moves_follow_from_percepts() -> None:
    guesses = Guesses(GAME, "guesser", 1)
    assert guesses.legal() == (WAIT,)
    assert guesses.hear(WAIT, parse_terms("odd"))
    assert guesses.legal() == (WAIT,)
    assert guesses.ending() == (False, None)
    assert guesses.hear(WAIT, parse_terms("(it was 7)"))
    [name] = guesses.legal()
    assert str(name) == "(name 7)"
    assert guesses.hear(name, ())
    assert guesses.ending() == (True, 100)
    assert not guesses.hear(WAIT, ())


@pytest.mark.parametrize("seed", range(5))
def test_where_no_state_that_was_kept_agrees_others_are_looked_for(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessing, "MOST", 1)
    for number in (3, 11):
        guesses = Guesses(GAME, "guesser", seed)
        assert guesses.hear(WAIT, parse_terms("odd"))
        assert guesses.hear(WAIT, parse_terms(f"(it was {number})"))
        assert [str(move) for move in guesses.legal()] == [f"(name {number})"]


def test_what_cannot_be_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessing, "TRIES", 50)
    guesses = Guesses(GAME, "guesser", 1)
    assert not guesses.hear(WAIT, parse_terms("both"))
    assert not guesses.hear(Constant("resign"), parse_terms("odd"))
    assert guesses.hear(WAIT, parse_terms("odd"))
    assert not guesses.hear(WAIT, parse_terms("(it was 4)"))
    assert guesses.hear(WAIT, parse_terms("(it was 5)"))


def test_it_ends_with_the_time() -> None:
    guesses = Guesses(GAME, "guesser", 1)
    assert not guesses.hear(WAIT, parse_terms("odd"), Deadline(0.0))
    assert guesses.hear(WAIT, parse_terms("odd"), Deadline.after(1000.0))
