"""The budget of `gdl.compile`: what is optional is left out, and what is required is refused by stage and relation."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from support.agreement import check_playouts
from support.profiles import first_few
from support.toy_files import ROOT
from support.toy_rules import NIM

import gdl
from gdl.circuit import pipeline
from gdl.circuit.build.ground_program import build
from gdl.circuit.build.rebuild import rebuild
from gdl.circuit.causes import causes_in_circuit, causes_in_program
from gdl.circuit.pipeline import BUILDING, PROVING, SIMPLIFYING, make_circuit, refusing
from gdl.circuit.plan import Plan
from gdl.circuit.proofs.invariants import Invariants, find_invariants, simplified
from gdl.circuit.serialization import dumped
from gdl.codegen.activity import activity
from gdl.codegen.changes import changes
from gdl.codegen.evaluation import look, looked
from gdl.codegen.interpreter.program import playout_programs
from gdl.codegen.llvm.change_loops import changes_program
from gdl.codegen.playout_netlist import playout_netlist
from gdl.compile_budget import BudgetExceeded, CompileBudget, Watch, begin_stage, check_budget, waiting
from gdl.grounder import ground
from gdl.language.rulesheet import Rulesheet

pytest.importorskip("llvmlite")

LINES = (ROOT / "games" / "classics" / "tic_tac_toe.kif").read_text()


def check_until(end: float) -> None:
    """Memory is measured from time to time."""
    while time.monotonic() < end:
        check_budget()


def spent(watch: Watch, stage: str) -> Watch:
    """The watch in the middle of a stage, with its time used up."""
    watch.stage = stage
    watch.charge(watch.budget.seconds)
    return watch


@pytest.mark.parametrize("field", ["seconds", "rules", "memory"])
def test_limits_are_positive(field: str) -> None:
    with pytest.raises(ValueError, match=f"the budget's {field} must be positive"):
        CompileBudget(**{field: 0})


def test_without_a_watch_nothing_is_limited() -> None:
    check_budget()
    begin_stage("anything")


def test_time_passes_only_while_a_watch_runs() -> None:
    watch = Watch(CompileBudget(seconds=1e9))
    with watch.running():
        sum(range(100_000))
        inside = watch.spent
    after = watch.spent
    sum(range(100_000))
    assert 0 < inside <= after == watch.spent
    assert watch.left == 1e9 - after


def test_threads_and_children_that_are_waited_for_count() -> None:
    watch = Watch(CompileBudget())
    with watch.running(), waiting():
        subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    assert watch.spent > 0.01


@pytest.mark.skipif(sys.platform == "win32", reason="memory is not measured on Windows")
def test_memory() -> None:
    watch = Watch(CompileBudget(memory=16 << 20))
    with watch.running():
        check_budget()
        watch.stage = BUILDING
        kept = bytearray(64 << 20)
        kept[:: 1 << 12] = b"x" * len(kept[:: 1 << 12])
        with pytest.raises(BudgetExceeded) as caught:
            check_until(time.monotonic() + 10)
    assert (caught.value.budget, caught.value.stage) == ("memory", BUILDING)


def test_every_stage_in_this_process_ends_when_its_time_is_up() -> None:
    program = ground(Rulesheet(LINES))
    game = rebuild(build(program))
    found = find_invariants(game, seconds=5.0)
    playout = playout_netlist(game, age_bits=5)
    followed = changes(game.circuit, looked(game), len(game.facts), 0)
    stages = {
        BUILDING: lambda: build(program),
        "rebuilding": lambda: rebuild(game),
        PROVING: lambda: find_invariants(game, seconds=5.0),
        SIMPLIFYING: lambda: simplified(game, found),
        "mapping": lambda: look(game),
        "playout step": lambda: playout_netlist(game, age_bits=5),
        "interpreter": lambda: playout_programs(playout),
        "activity": lambda: activity(game),
        "tables of changes": lambda: changes(game.circuit, looked(game), len(game.facts), 0),
        "code that follows changes": lambda: changes_program(followed, followed, len(game.roles)),
    }
    for stage, work in stages.items():
        work()  # is possible
        with spent(Watch(), stage).running(), pytest.raises(BudgetExceeded) as caught:
            work()
        assert (caught.value.stage, caught.value.budget) == (stage, "seconds")


def test_the_error_names_stage_and_relations() -> None:
    program = ground(Rulesheet(LINES))
    game = build(program)
    for causes, stage in ((causes_in_program(program), BUILDING), (causes_in_circuit(game), SIMPLIFYING)):
        with pytest.raises(gdl.CompileError) as caught, refusing("lines.kif", partial(list, causes)):
            raise BudgetExceeded("seconds", stage)
        error = caught.value
        assert (error.file, error.stage, error.budget, error.code) == ("lines.kif", stage, "seconds", "not-compiled")
        assert error.relations[0][0].startswith(("legal (", "next ("))
        assert error.relations[0][1] > 20
        relation, count = error.relations[0]
        reason = f"{stage} needs more seconds than allowed; most gates are for {relation} ({count:,} so far)"
        assert str(error).startswith(f"lines.kif: not-compiled: {reason}")
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_causes_are_told_apart_by_relation() -> None:
    rules = "(role r) (init (a 0)) (legal r go) (legal r wait) (<= terminal (true (b 9)) (true (a 0)))"
    rules += "".join(f"(init (b {i})) (<= (next (b {i})) (true (b {i})) (does r go) (true (a 0)))" for i in range(12))
    rules += "(<= (next (a 0)) (true (a 0))) (goal r 100)"
    program = ground(Rulesheet(rules))
    assert next(iter(causes_in_program(program)))[0] == "next (b/1)"
    assert causes_in_circuit(build(program))[0][0] == "next (b/1)"


def test_compiling_is_refused_by_its_stage() -> None:

    def slow(watch: Watch, stage: str) -> None:
        if stage == wanted:
            watch.charge(watch.budget.seconds)

    for wanted in (BUILDING, PROVING, SIMPLIFYING):
        watch = Watch()
        watch.progress = lambda stage, watch=watch: slow(watch, stage)
        with pytest.raises(gdl.CompileError) as caught:
            make_circuit(Rulesheet(LINES, "lines.kif"), watch)
        assert (caught.value.stage, caught.value.budget) == (wanted, "seconds")
        assert caught.value.relations


@pytest.mark.parametrize("work", ["rebuild", "find_invariants", "simplified", "movers_side"])
def test_optional_work_that_takes_far_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch, work: str) -> None:
    whole = make_circuit(Rulesheet(LINES), Watch())
    assert whole.one_goal
    watch = Watch()
    done = getattr(pipeline, work)

    def endless(*args: object, **options: object) -> object:
        if options.get("rebuilds") == 0:
            return done(*args, **options)
        watch.charge(watch.left / 2)
        check_budget()
        raise AssertionError("the budget did not end the work")

    monkeypatch.setattr(pipeline, work, endless)
    game = make_circuit(Rulesheet(LINES), watch)
    assert bool(game.one_goal) == (work != "find_invariants")
    assert (game.roles, game.facts, game.moves) == (whole.roles, whole.facts, whole.moves)
    assert game.side is None or work != "movers_side"


@pytest.mark.parametrize("separate_process", [False, True])
def test_a_tiny_budget_refuses_grounding(separate_process: bool) -> None:
    budget = gdl.CompileBudget(rules=10)
    game = gdl.compile(LINES, cache=False, separate_process=separate_process, budget=budget)
    assert isinstance(game, gdl.PartialGame)
    assert (game.refusal.code, game.refusal.stage, game.refusal.budget) == ("not-grounded", "grounding", "rules")


def test_optional_work_is_left_out_in_order() -> None:
    program = ground(Rulesheet(LINES))
    game = build(program)
    plans = [Plan.of_program(seconds, program).of_circuit(game) for seconds in (60.0, 2.0, 0.5, 0.001)]
    assert plans[0].proving == 5.0
    assert plans[0].rebuilds == 4
    proving = [plan.proving for plan in plans]
    assert proving == sorted(proving, reverse=True)
    assert (plans[-1].proving, plans[-1].rebuilds) == (0.0, 0)


@pytest.mark.parametrize("rules", [NIM, LINES])
def test_a_game_without_optional_work_gives_the_same_answers(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # With this plan, the circuit is what is built at first.
    monkeypatch.setattr(Plan, "proving", 0.0)
    monkeypatch.setattr(Plan, "rebuilds", 0)
    bare = gdl.compile(rules, cache=False)
    assert not bare.circuit.constants
    monkeypatch.undo()
    check_playouts(gdl.Reasoner(rules), bare, count=3, plies=40)


def test_the_circuit_does_not_depend_on_the_time_it_took() -> None:
    hasty = Watch(CompileBudget())
    hasty.charge(30.0)
    assert dumped(make_circuit(Rulesheet(LINES), hasty)) == dumped(make_circuit(Rulesheet(LINES), Watch()))


@pytest.mark.parametrize("left", [0.0, 0.01])
def test_what_is_chosen_for_lack_of_time_changes_no_result(left: float, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = gdl.compile(LINES, cache=False)
    hasty = gdl.compile(LINES, cache=False)
    monkeypatch.setattr(Watch, "left", left)
    told: list[str] = []
    hasty._compiler._progress = told.append
    results = [game.playouts(2_000, seed=3) for game in (hasty, expected)]
    assert "preparing the interpreter" in told
    assert "compiling to machine code" not in told
    assert len({(str(one.counts), one.transitions, one.steps, one.operations) for one in results}) == 1
    check_playouts(gdl.Reasoner(LINES), hasty, count=2, plies=10)


def test_caches_tell_budgets_apart(tmp_path: Path) -> None:
    gdl.compile(NIM, cache=tmp_path)
    told: list[str] = []
    gdl.compile(NIM, cache=tmp_path, budget=CompileBudget(rules=1_000), progress=told.append)
    assert told == []
    gdl.compile(NIM, cache=tmp_path, budget=CompileBudget(seconds=30), progress=told.append)
    assert told[0] == "grounding"


def test_nothing_is_proved_in_no_time() -> None:
    game = build(ground(Rulesheet(NIM)))
    assert find_invariants(game, seconds=0.0) == Invariants()


def check_all_code(game: gdl.Simulator) -> None:
    """Every kind of code answers, as the Reasoner does."""
    check_playouts(gdl.Reasoner(game.rulesheet), game, count=1, plies=60)
    state = game.initial_state()
    packed = game.arrays.pack([state])
    looked = game.arrays.look(packed)
    legal = game.legal_moves(state, game.roles[0])
    parents, moves = game.arrays.joint_moves(looked)
    assert len(parents) == len(legal)
    after = game.arrays.unpack(game.arrays.move(packed[parents], moves))
    terminal = game.arrays.terminal(game.arrays.look(game.arrays.pack(after)))
    assert terminal.tolist() == [game.is_terminal(one) for one in after]
    game.arrays.playouts(packed, seed=1)
    game.columns_code()
    assert game.kernels.state_words == game.arrays.state_words


FOUR = (ROOT / "games" / "classics" / "connect_four.kif").read_text()


@pytest.mark.parametrize("rules", first_few([LINES, FOUR], 1))
def test_code_that_is_made_later_is_never_refused(rules: str) -> None:
    whole, short = gdl.compile(rules), gdl.compile(rules, cache=False)
    short._compiler._budget = CompileBudget(seconds=1e-9)
    check_all_code(short)
    assert short.playouts(100, seed=1).counts == whole.playouts(100, seed=1).counts


@pytest.mark.parametrize("seconds", first_few([0.3, 0.1, 1.0, 3.0], 1))
def test_a_game_is_refused_at_once_or_never(seconds: float) -> None:
    with suppress(gdl.NotWholeError):
        game = gdl.compile(FOUR, cache=False, budget=CompileBudget(seconds=seconds)).whole()
        assert game.circuit  # from here on, nothing is refused
        try:
            check_all_code(game)
            game.playouts(100)
        except gdl.CompileError as error:
            raise AssertionError("refused too late") from error


def test_a_copy_of_a_game_has_its_options(tmp_path: Path) -> None:
    budget = CompileBudget(seconds=30, memory=2 << 30)
    for separate in (False, True):  # the second reads what the first has made
        game = gdl.compile(NIM, cache=tmp_path, budget=budget, separate_process=separate)
        again = pickle.loads(pickle.dumps(game))._compiler
        assert (again._folder, again._budget, again._process is not None) == (tmp_path, budget, separate)
    assert pickle.loads(pickle.dumps(gdl.compile(NIM, cache=False)))._compiler._folder is None
