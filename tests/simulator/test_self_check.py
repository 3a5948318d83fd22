"""A compiled game is compared with the rules when it is made; what differs is an error, and the Reasoner goes on."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from support.commands import Ggp
from support.profiles import first_few
from support.random_games import random_game
from support.toy_files import ROOT
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE
from gdl.circuit.pipeline import make_circuit
from gdl.errors import DerivationLimitError
from gdl.simulator import code_check, compiler, self_check

pytest.importorskip("llvmlite")

TIC_TAC_TOE = ROOT / "games" / "classics" / "tic_tac_toe.kif"

Broken = Callable[[GameCircuit], GameCircuit]


def number(terms: Any, text: str) -> int:
    return [getattr(term, "text", None) or term[1].text for term in terms].index(text)


def without_fact(game: GameCircuit, fact: str = "(cell 3 3 x)") -> GameCircuit:
    """One fact never becomes true: a rule of the frame is lost."""
    place = number(game.facts, fact)
    return replace(game, next=(*game.next[:place], FALSE, *game.next[place + 1 :]))


def without_move(game: GameCircuit) -> GameCircuit:
    """The first move is never legal."""
    return replace(game, legal=(FALSE, *game.legal[1:]))


def with_goals_exchanged(game: GameCircuit) -> GameCircuit:
    return replace(game, goals=dict(zip(game.goals, reversed(game.goals.values()), strict=True)))


def without_end(game: GameCircuit) -> GameCircuit:
    return replace(game, terminal=FALSE)


def ended(game: GameCircuit) -> GameCircuit:
    return replace(game, terminal=TRUE)


def with_another_beginning(game: GameCircuit) -> GameCircuit:
    return replace(game, init=(not game.init[0], *game.init[1:]))


# Circuits


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (without_fact, "(next (cell 3 3 x)) holds by the rules, and not in the compiled game (circuit) after"),
        (
            without_move,
            "(legal xplayer (mark 1 1)) holds by the rules, and not in the compiled game (circuit) in the state",
        ),
        (with_goals_exchanged, "(goal"),
        (without_end, "terminal holds by the rules, and not in the compiled game (circuit) in the state"),
        (ended, "terminal does not hold by the rules, but does in the compiled game (circuit) in the state"),
        (with_another_beginning, "(init"),
    ],
)
def test_a_wrong_circuit_is_an_error_that_names_what_differs(broken: Broken, message: str, tmp_path: Path) -> None:
    with (
        patch.object(compiler, "make_circuit", lambda *given: broken(make_circuit(*given))),
        pytest.raises(gdl.MiscompiledError) as caught,
    ):
        gdl.compile(TIC_TAC_TOE, cache=tmp_path)
    error = caught.value
    assert message in str(error)
    assert str(TIC_TAC_TOE) in str(error)
    # The report has all that is needed to see the difference again, and its own rules.
    assert error.report is not None
    report = Path(error.report).read_text()
    assert error.atom in report
    assert error.state in report
    gdl.Reasoner(report)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    # Nothing wrong is kept.
    assert gdl.compile(TIC_TAC_TOE, cache=tmp_path).playouts(1).playouts == 1


def test_percepts_are_compared() -> None:
    def deaf(game: GameCircuit) -> GameCircuit:
        return replace(game, sees=dict.fromkeys(game.sees, FALSE))

    with (
        patch.object(compiler, "make_circuit", lambda *given: deaf(make_circuit(*given))),
        pytest.raises(gdl.MiscompiledError, match=r"\(sees guesser "),
    ):
        gdl.compile(COIN, cache=False)


# Code


def ask_states(game: gdl.Simulator) -> None:
    game.legal_moves(game.initial_state(), game.roles[0])


def ask_arrays(game: gdl.Simulator) -> None:
    game.arrays.look(game.arrays.pack([game.initial_state()]))


def ask_playouts_of_arrays(game: gdl.Simulator) -> None:
    game._compiler.once()


def ask_columns(game: gdl.Simulator) -> None:
    game.columns_code()


def ask_playouts(game: gdl.Simulator) -> None:
    game.playouts(1)


#: Code that chooses its moves tells the facts after some of them, or only who has won.
UNSEEN = [(without_move, "playout_netlist"), (without_move, "once_netlist"), (without_fact, "once_netlist")]


@pytest.mark.parametrize(
    ("ask", "makers"),
    [
        (ask_playouts, ("playout_netlist",)),
        (ask_states, ("single_state_programs",)),
        (ask_arrays, ("look", "move")),
        (ask_columns, ("look", "move")),
        (ask_playouts_of_arrays, ("once_netlist",)),
    ],
)
@pytest.mark.parametrize("broken", first_few([without_fact, with_goals_exchanged, without_move, without_end, ended], 2))
def test_wrong_code_is_an_error(
    ask: Callable[[gdl.Simulator], None], makers: tuple[str, ...], broken: Broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = gdl.compile(TIC_TAC_TOE, cache=False)
    if (broken, makers[0]) in UNSEEN:
        pytest.skip("what differs is as it may be after other moves")
    for name in makers:
        make = getattr(compiler, name)
        monkeypatch.setattr(
            compiler,
            name,
            lambda game, *given, make=make, **options: make(replace(broken(game), side=None), *given, **options),
        )
    with pytest.raises(gdl.MiscompiledError) as caught:
        ask(game)
    assert "code for" in caught.value.part


@pytest.mark.parametrize("rules", [NIM, STUCK, ENDLESS, COIN], ids=["NIM", "STUCK", "ENDLESS", "COIN"])
def test_right_code_passes(rules: str) -> None:
    game = gdl.compile(rules, cache=False)
    for ask in (ask_playouts, ask_states, ask_arrays, ask_columns, ask_playouts_of_arrays):
        ask(game)


@pytest.mark.slow
def test_renaming_twice_may_shift_a_board() -> None:
    """On a torus, the mover's side may exchange the roles and shift the board as well."""
    path = ROOT.parent / "shared" / "rulesheets" / "checkersTorus.kif"
    if not path.exists():
        pytest.skip("the public rule files are not there")
    ask_playouts(gdl.compile(path, cache=False))


def test_facts_that_no_later_state_has_may_be_unknown_to_the_code() -> None:
    """There, `terminal` asks for a fact of the start that is never kept, in a rule that can never fire."""
    ask_playouts(gdl.compile(random_game(Random(4824)), cache=False))


# Time, and the cache


def test_what_is_kept_is_not_compared_again(tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("compared again")

    ask_playouts(gdl.compile(NIM, cache=tmp_path))
    with patch.object(self_check, "check_circuit", fail), patch.object(code_check, "check_code", fail):
        ask_playouts(gdl.compile(NIM, cache=tmp_path))


def test_what_the_reasoner_cannot_answer_in_time_is_not_compared() -> None:
    def slow(*_: object, **__: object) -> None:
        raise DerivationLimitError("seconds", 1.0)

    with patch.object(self_check, "Reasoner", slow):
        assert gdl.compile(NIM, cache=False).playouts(1).playouts == 1


def test_a_check_ends_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(self_check, "_SECONDS", 0.0)
    monkeypatch.setattr(self_check, "_SHARE", 0.0)
    seen = []
    monkeypatch.setattr(self_check._Comparison, "_one", lambda *given: seen.append(given))
    gdl.compile(ENDLESS, cache=False)
    assert len(seen) < 10


# What users see

#: Makes every circuit wrong, in all processes that find this file in `PYTHONPATH`: a fact never becomes true.
SITE = """
import importlib.machinery, sys
from dataclasses import replace

class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "gdl.simulator.compiler":
            return None
        spec = super().find_spec(name, path, target)
        execute = spec.loader.exec_module
        def exec_module(module):
            execute(module)
            make = module.make_circuit
            def wrong(*given):
                game = make(*given)
                return replace(game, next=(0, *game.next[1:]), side=None)
            module.make_circuit = wrong
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Finder)
"""


@pytest.mark.slow
def test_a_match_goes_on_by_the_rules(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(SITE)
    command = [
        sys.executable,
        "-m",
        "ggp",
        "play",
        TIC_TAC_TOE,
        "--player",
        "xplayer=mcts",
        "--player",
        "oplayer=greedy",
    ]
    run = subprocess.run(
        [*map(str, command), "--start-clock", "5", "--play-clock", "1"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "GDL_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said = run.stdout + run.stderr
    assert "search without compiled code, which is slower: miscompiled: (next (cell 1 1 b)) holds by the rules" in said
    assert "please report it, with " in said
    assert "finished after" in said
    assert list((tmp_path / "cache" / "reports").iterdir())


def test_a_measurement_goes_on_with_the_reasoner(ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    monkeypatch.setattr(compiler, "make_circuit", lambda *given: without_move(make_circuit(*given)))
    run = ggp("bench", TIC_TAC_TOE, "--seconds", "0.1", "--repeat", "1")
    assert run.status == 0
    assert "miscompiled: (legal xplayer (mark 1 1)) holds by the rules" in run.err + run.out
    assert "measuring only the Reasoner" in run.err + run.out
