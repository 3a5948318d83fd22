"""`ggp rule`: the pages about codes, and the list of them."""

from __future__ import annotations

from support.commands import Ggp

from gdl.checker import CODES


def test_a_page(ggp: Ggp) -> None:
    outcome = ggp("rule", "lost-fact")
    assert outcome.status == 0
    assert outcome.lines[0] == "# lost-fact"
    assert "Right:" in outcome.lines


def test_the_list(ggp: Ggp) -> None:
    assert [line.split()[0] for line in ggp("rule").lines] == list(CODES)


def test_an_unknown_code(ggp: Ggp) -> None:
    outcome = ggp("rule", "lost-facts")
    assert (outcome.status, outcome.err) == (2, "unknown-code: no code lost-facts; did you mean lost-fact?\n")
