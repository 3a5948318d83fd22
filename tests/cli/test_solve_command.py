"""`ggp solve`: what it shows, what it refuses, and the status it ends with."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from support.commands import Ggp
from support.hidden_games import DIE
from support.toy_files import rule_file
from support.toy_graphs import GraphGame
from support.toy_rules import COIN, ENDLESS, NIM

from ggp.cli import screen
from ggp.solver.proof import write_proof
from ggp.solver.proof_file import read_proof


@pytest.fixture
def solve(ggp: Ggp) -> Ggp:
    """Runs `ggp solve` in this process."""
    return partial(ggp, "solve")


def test_value_positions_and_line(solve: Ggp, nim: Path) -> None:
    outcome = solve(nim)
    lines = outcome.out.splitlines()
    assert (outcome.status, outcome.err) == (0, "")
    assert lines[0] == f"nim   {nim}"
    assert lines[1] == "value      left wins in 3 plies: left 100, right 0"
    assert lines[2:5] == [
        "positions  8 can be reached",
        "           5  left wins, in at most 3 plies",
        "           3  right wins, in at most 1 ply",
    ]
    assert lines[5].startswith("seconds    ")
    assert lines[7:] == ["  1  left   (take one)", "  2  right  (take one)", "  3  left   (take two)"]


def test_what_takes_time_is_told_stage_by_stage(solve: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []

    @contextmanager
    def line() -> Iterator[Callable[[str], None]]:
        yield stages.append

    monkeypatch.setattr(screen, "progress_line", line)
    rules = rule_file(tmp_path, f"{NIM} (compiled by nobody before)")
    solve(rules, "--store", tmp_path / "nim.proof")
    told = " ".join(stages)
    places = [told.find(stage) for stage in ("grounding", "circuit", "states", "writing the proof")]
    assert -1 not in places, stages
    assert places == sorted(places), stages


def test_from_a_position(solve: Ggp, nim: Path) -> None:
    outcome = solve(nim, "--moves", "(take two)")
    assert "right wins in 1 ply: left 0, right 100" in outcome.out


def test_a_line_without_an_end(solve: Ggp, tmp_path: Path) -> None:
    toy = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (0, 3)}, {2: (0, 100), 3: (100, 0)})
    outcome = solve(rule_file(tmp_path, toy.text))
    assert "value      endless: nobody can force a win" in outcome.out
    assert outcome.out.splitlines()[-1] == "  and so on: the position is the same as at the beginning"


def test_bounds_when_the_time_is_over(solve: Ggp) -> None:
    outcome = solve("connect_four", "--time", "0.5")
    assert outcome.status == 0
    assert "proved     red gets at least 0 and at most 100\n" in outcome.out
    assert "\nstopped    time limit reached (--time)\n" in outcome.out


@pytest.mark.slow
def test_little_memory_leads_to_a_search_by_depth(solve: Ggp) -> None:
    outcome = solve("wolf_sheep", "--memory", "0.01")
    assert outcome.status == 0
    assert "value      wolf wins in 13 plies: wolf 100\n" in outcome.out
    assert "visited in depth" in outcome.out
    assert outcome.out.splitlines()[-1].startswith("  13  wolf ")


def test_only_the_value(solve: Ggp) -> None:
    columns = (7, 7, 2, 6, 6, 7, 6, 7, 3, 5, 7, 2, 6, 2, 7, 3, 3, 6, 4, 1, 1, 2, 2, 1)
    line = " ".join(f"(drop {column})" for column in columns)
    outcome = solve("connect_four", "--only-value", "--memory", "0.01", "--moves", line)
    assert outcome.status == 0
    assert "value      red wins: red 100\n" in outcome.out
    assert "visited in depth" in outcome.out
    assert outcome.out.splitlines()[-1].startswith("seconds ")


def test_proofs_are_stored_and_verified(solve: Ggp, nim: Path, tmp_path: Path) -> None:
    proof = tmp_path / "nim.npz"
    outcome = solve(nim, "--moves", "(take one)", "--store", proof)
    assert outcome.status == 0
    assert f"proof      {proof}\n" in outcome.out
    outcome = solve(nim, "--verify", proof)
    assert outcome.status == 0
    assert "proof      right: every claim about 6 positions was checked" in outcome.out
    assert "after      ((take one) noop)\n" in outcome.out
    assert "left wins in 2 plies" in outcome.out
    claimed = read_proof(proof)
    claimed.distance[0, 0] += 1
    write_proof(proof, claimed)
    outcome = solve(nim, "--verify", proof)
    assert outcome.status == 1
    assert "proof      wrong: state 0 has a wrong number of plies for left: (control right) (heap 3)" in outcome.out
    write_proof(proof, replace(claimed, roles=("a", "b")))
    assert solve(nim, "--verify", proof).status == 1


def test_what_is_not_solved_is_not_stored(solve: Ggp, tmp_path: Path) -> None:
    proof = tmp_path / "proof.npz"
    outcome = solve("connect_four", "--time", "0.3", "--store", proof)
    assert outcome.status == 1
    assert "proof      not written" in outcome.out
    assert not proof.exists()


def test_a_game_that_cannot_be_compiled_is_left_to_the_reasoner(
    solve: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gdl

    def refuse(*_: object, **__: object) -> None:
        raise gdl.GroundingError("nim.kif", "rules")

    monkeypatch.setattr(gdl, "compile", refuse)
    outcome = solve(nim)
    assert outcome.status == 0
    assert "left wins in 3 plies" in outcome.out
    assert outcome.err.strip().endswith("; the Reasoner searches")


def test_one_role(solve: Ggp, tmp_path: Path) -> None:
    rules = """
        (role walker) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal walker on) (true (at ?n)) (succ ?n ?m))
        (<= (legal walker stop) (true (at ?n)))
        (<= (next (at ?m)) (does walker on) (true (at ?n)) (succ ?n ?m))
        (<= (next (at ?n)) (does walker stop) (true (at ?n)))
        (<= (next done) (does walker stop))
        (<= terminal (true done)) (<= terminal (true (at 3)))
        (<= (goal walker 100) (true (at 3))) (<= (goal walker 40) (true (at 1)))
        (<= (goal walker 0) (true (at 0))) (<= (goal walker 0) (true (at 2)))
    """
    file = rule_file(tmp_path, rules, "walk.kif")
    outcome = solve(file)
    assert outcome.status == 0
    assert "value      walker has 100 in 3 plies\n" in outcome.out
    assert outcome.out.splitlines()[-3:] == [f"  {ply}  walker  on" for ply in (1, 2, 3)]
    proof = tmp_path / "walk.npz"
    stored = solve(file, "--store", proof)
    assert "value      walker has 100 in 3 plies\n" in stored.out
    assert [line for line in stored.out.splitlines() if "  walker  on" in line] == outcome.out.splitlines()[-3:]
    assert solve(file, "--verify", proof).status == 0


def test_one_role_without_an_end(solve: Ggp, tmp_path: Path) -> None:
    outcome = solve(rule_file(tmp_path, ENDLESS), "--store", tmp_path / "proof.npz")
    assert outcome.status == 0
    assert "value      endless: the game cannot be brought to an end\n" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["knights_and_pawns"],
            "not-solvable: the game tree is too large: it has more than 10^15 nodes, by",
            marks=pytest.mark.slow,
        ),
        (
            ["kuhn_poker", "--moves", "noop noop (deal jack king)"],
            "--moves needs a game in which the roles see everything",
        ),
        (["kuhn_poker", "--store", "x.npz"], "there are no proofs for games with chance or hidden information"),
        (["kuhn_poker", "--exploitability", "0"], "--exploitability must be between 0 and 1, not 0.0"),
        (["no_such_game"], "unknown-game"),
        (
            ["tic_tac_toe", "--moves", "(mark 4 4)"],
            "moves-to-position: ply 1: (mark 4 4) is not a legal move of xp",
        ),
        (["tic_tac_toe", "--time", "0"], "--time must be positive and finite, not 0.0"),
        (["tic_tac_toe", "--time", "nan"], "--time must be positive and finite, not nan"),
        (["tic_tac_toe", "--memory", "-1"], "--memory must be positive and finite, not -1.0"),
        (["tic_tac_toe", "--store", "no/such/folder/proof.npz"], "the folder for"),
        (["tic_tac_toe", "--verify", "no_such.npz"], "no_such.npz: proof-file: No such file"),
        (["tic_tac_toe", "--only-value", "--store", "x.npz"], "--only-value cannot be combined with --store"),
        (
            ["tic_tac_toe", "--verify", "x.npz", "--moves", "noop"],
            "--verify cannot be combined with --moves or --store",
        ),
    ],
)
def test_what_is_refused(solve: Ggp, arguments: list[str], message: str) -> None:
    outcome = solve(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    assert message in outcome.err


def test_interests_that_are_not_opposed_are_refused(solve: Ggp, tmp_path: Path) -> None:
    outcome = solve(rule_file(tmp_path, COIN))
    assert outcome.status == 2
    assert outcome.err == ("not-solvable: the players' goals have no constant sum: they may be (0, 0) or (100, 100)\n")


def test_an_interrupt_shows_what_is_proved(solve: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    from ggp.solver import search_loop

    run, calls = search_loop.run, 0

    def interrupted(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 9:
            signal.raise_signal(signal.SIGINT)
        return run(*arguments)

    monkeypatch.setattr(search_loop, "run", interrupted)
    outcome = solve("connect_four", "--memory", "0.01")
    assert outcome.status == 130
    assert "proved     red gets at least 0 and at most 100\n           nothing can be forced within " in outcome.out
    assert "stopped    interrupted\n" in outcome.out


def test_an_interrupt_while_states_are_found(solve: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    from ggp.solver.table import StateTable

    add, calls = StateTable.add, 0

    def interrupted(self: StateTable, rows: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 9:
            signal.raise_signal(signal.SIGINT)
        return add(self, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(StateTable, "add", interrupted)
    outcome = solve("connect_four")
    assert outcome.status == 130
    assert "proved     red gets at least 0 and at most 100\n" in outcome.out
    assert "stopped    interrupted\n" in outcome.out


def test_expected_goals_and_strategies(solve: Ggp) -> None:
    outcome = solve("rock_paper_scissors")
    lines = outcome.out.splitlines()
    assert (outcome.status, outcome.err) == (0, "")
    assert lines[1:5] == [
        "value      expected goals: left 50.000, right 50.000",
        "proved     left can expect 50.000 to 50.000 if nobody errs",
        "error      exploitability 0.0000 goal points, 0.000000 of the goal range",
        "tree       13 nodes, 2 information sets; 1 iteration",
    ]
    assert lines[6:9] == [
        "",
        "left: what it knows, and the probabilities of its moves",
        "  nothing yet   paper 0.333, rock 0.333, scissors 0.333",
    ]


def test_expected_goals_in_turns(solve: Ggp, tmp_path: Path) -> None:
    outcome = solve(rule_file(tmp_path, DIE))
    assert outcome.status == 0
    assert "value      expected goals: gambler 34.375\n" in outcome.out
    assert outcome.out.endswith(
        "\n\nexpected goal of gambler after\n" + "".join(f"  (name {side})   34.375\n" for side in range(1, 5))
    )
