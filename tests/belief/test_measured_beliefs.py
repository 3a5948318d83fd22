"""The scripts behind docs/notes/hidden-information.md."""

from __future__ import annotations

import runpy
import sys
from random import Random

import pytest
from support.toy_files import ROOT

import gdl
from gdl.terms import Term
from ggp.belief import Belief, SearchLimitError
from ggp.rules.shipped_games import find_game

BENCHMARKS = ROOT / "docs" / "benchmarks"
MASTERMIND = runpy.run_path(str(BENCHMARKS / "mastermind_optimum.py"))


@pytest.mark.parametrize(("pegs", "colours", "total"), [(1, 5, 15), (2, 2, 8), (2, 6, 132), (3, 4, 206)])
def test_the_fewest_guesses(pegs: int, colours: int, total: int) -> None:
    assert MASTERMIND["fewest_guesses"](pegs, colours)[0] == total


def test_answers_are_those_of_the_game() -> None:
    game, random = gdl.Reasoner.load(find_game("mastermind")), Random(1)
    colours = ("red", "green", "blue", "white")
    for _ in range(20):
        code, guess = (tuple(random.choice(colours) for _ in range(3)) for _ in range(2))
        state = game.next_state(game.initial_state(), ["noop", f"(hide {' '.join(code)})"])
        (seen,) = game.percepts(state, [f"(guess {' '.join(guess)})", "noop"])["breaker"]
        assert isinstance(seen, Term)
        assert seen.text == "(answer {} {})".format(*MASTERMIND["answer"](guess, code))


def test_beliefs_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["beliefs.py", "kuhn_poker", "--histories", "4", "--particles", "50"])
    runpy.run_path(str(BENCHMARKS / "beliefs.py"), run_name="__main__")
    *_, row = capsys.readouterr().out.splitlines()
    _, name, plies, _, _, empty, _ = (cell.strip() for cell in row.split("|"))
    assert (name, empty) == ("kuhn_poker", "0 (0.0%)")
    assert 4 <= int(plies) <= 16


def test_failures_of_beliefs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **_options: object) -> None:
        raise SearchLimitError("no state was found in time")

    monkeypatch.setattr(Belief, "follow", fails)
    measured = runpy.run_path(str(BENCHMARKS / "beliefs.py"))
    figures = measured["measure"](gdl.Simulator.load(find_game("kuhn_poker")), 3, 10, 1.0)
    assert (figures.plies, figures.empty, figures.states) == (3, 3, 0)
