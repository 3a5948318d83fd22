"""The compiled simulator: the Reasoner's answers, its own states, and everything that can go wrong in play."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.agreement import Pair, budget, check_playouts, outcome
from support.toy_rules import NIM

import gdl
from gdl import Constant, Function, PackedState, Reasoner, Simulator, parse_term

pytest.importorskip("llvmlite")

from functools import cache

from support.odd_games import SPELLED, TOYS
from support.toy_files import ROOT, SPREAD

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))
#: Those that are compiled within a second or two.
QUICK = [path for path in SHIPPED if path.stem in ("breakthrough", "connect_four", "knights_and_pawns", "tic_tac_toe")]


def shipped() -> list[Any]:
    """Shipped games and numbers of playouts: a few playouts of some games in every run, many of more in long runs."""
    found = [pytest.param(path, 3, id=path.stem) for path in QUICK]
    for path in SHIPPED:
        mark = pytest.mark.slow if path in SPREAD or path.stem == "fox_game" else pytest.mark.exhaustive
        often = 20 if "fox" in path.stem else 80  # as the Reasoner takes a second for each
        found.append(pytest.param(path, often, id=f"{path.stem} often", marks=mark))
    return found


@cache
def toy(name: str) -> Simulator:
    return gdl.compile(TOYS[name])


@pytest.fixture
def nim() -> Simulator:
    return toy("nim")


# The same as the Reasoner


@pytest.mark.parametrize("name", TOYS)
def test_small_games_go_as_the_reasoner_says(name: str) -> None:
    simulator = toy(name)
    assert check_playouts(Reasoner(simulator.rulesheet), simulator, 10, 12) == 10


@pytest.mark.parametrize(("path", "playouts"), shipped())
def test_shipped_games_go_as_the_reasoner_says(path: Path, playouts: int) -> None:
    simulator = gdl.compile(path)
    assert check_playouts(Reasoner(simulator.rulesheet), simulator, playouts, 1000) == playouts


# Making one


def test_what_can_be_compiled(tmp_path: Path) -> None:
    file = tmp_path / "nim.kif"
    file.write_text(NIM)
    for rules in (NIM, file, gdl.Rulesheet(NIM)):
        simulator = gdl.compile(rules)
        assert simulator.roles == ("left", "right")
        assert simulator.source_text == NIM
    assert repr(gdl.compile(file)) == repr(gdl.Simulator.load(str(file))) == f"<Simulator {file}>"
    assert toy("nim").rulesheet.source.text == NIM


def test_a_rulesheet_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rulesheet = gdl.Rulesheet(NIM)
    monkeypatch.setattr("gdl.language.rulesheet.read", None)
    assert gdl.compile(rulesheet, cache=False).rulesheet is rulesheet


@pytest.mark.parametrize("engine", [gdl.compile, Reasoner, gdl.Rulesheet])
def test_a_text_is_not_taken_for_a_path(engine: Any, tmp_path: Path) -> None:
    folder = tmp_path / "g (1)"
    folder.mkdir()
    file = folder / "x.kif"
    file.write_text(NIM)
    (folder / "nim").write_text(NIM)
    for path in (str(file), str(folder / "nim"), "nothing.kif"):
        with pytest.raises(gdl.FileError) as caught:
            engine(path)
        assert str(caught.value) == (
            f"{path}: a str is rule text, not a path: pass pathlib.Path(...), or use Reasoner.load or Simulator.load"
        )
    assert engine(file)
    assert engine("(role x) terminal ; of x.kif")
    with pytest.raises(gdl.RulesheetError):
        engine("(legal x y)")
    with pytest.raises(TypeError):
        engine(b"(role x) terminal")


def test_what_cannot_be_compiled(tmp_path: Path) -> None:
    with pytest.raises(gdl.FileError):
        gdl.compile(tmp_path / "nothing.kif")
    with pytest.raises(gdl.RulesheetError) as caught:
        gdl.compile("(role a) (<= (p ?x) (q ?y))")
    reference = outcome(Reasoner, "(role a) (<= (p ?x) (q ?y))")
    assert reference == (type(caught.value), caught.value.args, str(caught.value))
    endless = SPELLED + "(init (count z)) (<= (next (count (s ?n))) (true (count ?n)))"
    with budget(rules=500), pytest.raises(gdl.NotWholeError) as exceeded:
        gdl.compile(endless).whole()
    assert exceeded.value.budget == "rules"


def test_progress_is_told_stage_by_stage() -> None:
    told: list[str] = []
    simulator = gdl.compile(NIM, cache=False, progress=told.append)
    stages = len(told)
    assert told[0] == "grounding"
    assert "building the circuit" in told
    before = simulator.setup_seconds
    simulator.playouts(1)
    assert set(told[stages:]) == {"generating code", "compiling to machine code"}
    assert simulator.setup_seconds > before > 0


# States


def test_a_state_is_a_set_of_facts(nim: Simulator) -> None:
    state = nim.initial_state()
    assert str(state) == "(control left) (heap 4)"
    assert repr(state) == "<PackedState of 2 facts: (control left) (heap 4)>"
    assert [fact.text for fact in state] == ["(control left)", "(heap 4)"]
    assert nim.facts(state) == tuple(state)
    assert len(state) == 2
    assert "(HEAP 4)" in state
    assert parse_term("(heap 4)") in state
    assert "(heap 3)" not in state
    assert "(never heard)" not in state
    assert 4 not in state
    assert nim.holds("(heap 4)", state)
    assert not nim.holds("(heap 5)", state)
    assert set(state) <= set(nim.all_facts)


def test_equal_states_are_one(nim: Simulator) -> None:
    take = {"left": "(take one)", "right": "noop"}
    one, other = (nim.next_state(nim.initial_state(), take) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != nim.initial_state()
    assert one != "(control right) (heap 3)"
    assert len({one, other, nim.initial_state()}) == 2
    assert one == gdl.compile(NIM, cache=False).next_state(nim.initial_state(), take)
    assert nim.initial_state() != toy("coin").initial_state()


def test_states_of_both_engines_convert() -> None:
    simulator = toy("spelled")
    reasoner = Reasoner(simulator.rulesheet)
    pair = Pair(reasoner, simulator)
    random = Random(1)
    while pair.check():
        assert simulator.state(pair.state) == pair.packed
        assert reasoner.state(pair.packed) == pair.state
        assert simulator.state(str(pair.packed)) == pair.packed
        assert simulator.state([fact.text.upper() for fact in pair.packed]) == pair.packed
        assert simulator.state(pair.packed) is pair.packed
        # A state of the other engine is taken for its facts in questions too.
        assert simulator.legal_moves(pair.state, "white") == pair.legal()[0]  # type: ignore[arg-type]
        pair.play([random.choice(moves) for moves in pair.legal()])


def test_states_survive_pickling_and_copying(nim: Simulator) -> None:
    state = nim.next_state(nim.initial_state(), ["(take two)", "noop"])
    for same in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert same == state
        assert str(same) == "(control right) (heap 2)"
        assert nim.legal_moves(same, "right") == nim.legal_moves(state, "right")
    game = pickle.loads(pickle.dumps(nim))
    assert isinstance(game, Simulator)
    assert game.playouts(100, seed=1).counts == nim.playouts(100, seed=1).counts


def test_facts_that_no_state_can_hold_are_refused(nim: Simulator) -> None:
    with pytest.raises(gdl.UnreachableStateError, match=r"\(heap 5\)"):
        nim.state("(heap 5) (control left)")
    with pytest.raises(gdl.TermError):
        nim.state("(heap")
    with pytest.raises(TypeError):
        nim.is_terminal("(heap 4)")  # type: ignore[arg-type]


def test_states_of_another_game_are_taken_for_their_facts_or_refused(nim: Simulator) -> None:
    longer = gdl.compile(NIM.replace("(init (heap 4))", "(init (heap 3))"))
    assert longer.legal_moves(nim.state("(heap 1) (control left)"), "left") == (parse_term("(take one)"),)
    with pytest.raises(gdl.UnreachableStateError):
        nim.is_terminal(toy("coin").initial_state())


# Moves and questions


def test_joint_moves_in_every_form(nim: Simulator) -> None:
    state = nim.initial_state()
    take, noop = Function("take", (Constant("one"),)), Constant("noop")
    forms: list[gdl.Moves] = [
        {"left": take, "right": noop},
        {"RIGHT": "NOOP", "left": "(Take One)"},
        [take, noop],
        ("(take one)", noop),
        "(take one) noop",
    ]
    assert {str(nim.next_state(state, form)) for form in forms} == {"(control right) (heap 3)"}


@pytest.mark.parametrize(
    "moves",
    [
        {"left": "(take one)"},
        {"left": "(take one)", "right": "noop", "middle": "noop"},
        {"left": "(take one)", "LEFT": "(take one)", "right": "noop"},
        {"left": "(take three)", "right": "noop"},
        {"left": "(take one)", "right": "(take one)"},
        {"left": "(Take Ten)", "right": "noop"},
        {"left": "(take one", "right": "noop"},
        {"left": "?x", "right": "noop"},
        {"left": "(take ?x)", "right": "noop"},
        ["(take one)"],
        ["(take one)", "noop", "noop"],
        [],
        "(take one)",
        "(take one) noop noop",
        "(take one) noop)",
        "",
    ],
)
def test_wrong_joint_moves_give_the_same_errors(nim: Simulator, moves: gdl.Moves) -> None:
    pair = Pair(Reasoner(NIM), nim)
    for question in ("next_state", "percepts"):
        assert isinstance(pair.same(question, moves)[0], type)


@pytest.mark.parametrize("moves", [None, 3, [None, None], [1, "noop"], {"left": None, "right": None}])
def test_joint_moves_of_wrong_types_give_the_same_errors(nim: Simulator, moves: object) -> None:
    reasoner = Reasoner(NIM)
    with pytest.raises(TypeError) as expected:
        reasoner.next_state(reasoner.initial_state(), moves)  # type: ignore[arg-type]
    with pytest.raises(TypeError) as found:
        nim.next_state(nim.initial_state(), moves)  # type: ignore[arg-type]
    assert str(found.value) == str(expected.value)


def test_roles_that_are_unknown_give_the_same_errors(nim: Simulator) -> None:
    pair = Pair(Reasoner(NIM), nim)
    for question in ("legal_moves", "goal"):
        assert pair.same(question, "lift")[0] is gdl.UnknownRoleError
        assert pair.same(question, "RIGHT") == pair.same(question, "right")


def test_goals(nim: Simulator) -> None:
    assert nim.goals(nim.initial_state()) == {"left": 0, "right": 100}
    simulator = toy("goals")
    reasoner = Reasoner(TOYS["goals"])
    pair = Pair(reasoner, simulator)
    kinds = []
    for _ in range(6):
        found = pair.same("goal", "a")
        kinds.append(found if isinstance(found, int) else found[1][1])
        assert outcome(simulator.goals, pair.packed) == outcome(reasoner.goals, pair.state)
        pair.play([parse_term("go"), parse_term("go")])
    assert kinds == [(), ("10", "20"), ("much",), ("-5",), ("(f 1)",), ("1000000000000",)]
    assert pair.same("goal", "a") == 7


def test_percepts() -> None:
    simulator = toy("coin")
    moves = {"random": "(toss heads)", "guesser": "noop", "other": "noop"}
    seen = simulator.percepts(simulator.initial_state(), moves)
    assert seen == {"random": (), "guesser": (parse_term("(coin heads)"),), "other": ()}


def test_queries_are_the_reasoners(nim: Simulator) -> None:
    state = nim.initial_state()
    assert nim.query("(legal left ?m)", state) == [
        {"?m": parse_term("(take one)")},
        {"?m": parse_term("(take two)")},
    ]
    assert nim.query("(next (heap ?n))", state, "(take two) noop") == [{"?n": parse_term("2")}]
    with pytest.raises(gdl.UnknownRelationError):
        nim.query("(hoop ?x)", state)


# Threads


def random_walk(simulator: Simulator, seed: int) -> list[str]:
    """The states of some playouts."""
    random = Random(seed)
    found = []
    for _ in range(30):
        state = simulator.initial_state()
        while not simulator.is_terminal(state):
            state = simulator.next_state(
                state, [random.choice(simulator.legal_moves(state, r)) for r in simulator.roles]
            )
            found.append(str(state))
    return found


@pytest.mark.parametrize("names", [("nim", "nim"), ("nim", "spelled")], ids=["one simulator", "two simulators"])
def test_threads_do_not_disturb_each_other(names: tuple[str, ...]) -> None:
    games = [gdl.compile(TOYS[name]) for name in dict.fromkeys(names)] * (3 - len(set(names)))
    expected = [(random_walk(toy(name), i), toy(name).playouts(20_000, seed=i).counts) for i, name in enumerate(names)]
    found: dict[int, list[object]] = {0: [], 1: []}

    def work(number: int) -> None:
        for _ in range(5):
            result = games[number].playouts(20_000, seed=number)
            found[number].append((random_walk(games[number], number), result.counts))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    for number, results in found.items():
        assert results == [expected[number]] * 5


def test_playouts_release_the_gil() -> None:
    simulator = toy("endless")
    simulator.playouts(1)
    over = threading.Event()
    turns = 0

    def take_turns() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0)  # gives the lock away

    thread = threading.Thread(target=take_turns)
    interval = sys.getswitchinterval()
    # So the other thread has a turn only where this one gives the lock away.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        before = turns
        simulator.playouts(2_000, max_plies=10_000)
        seen = turns - before
    finally:
        over.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert seen > 100


def test_a_packed_state_is_made_of_words(nim: Simulator) -> None:
    state = nim.initial_state()
    assert isinstance(state, PackedState)
    bits = int.from_bytes(state.bits, "little")
    assert [fact for i, fact in enumerate(nim.all_facts) if bits >> i & 1] == list(state)
    assert len(state.bits) % 8 == 0


# What others may ask of it


def test_the_circuit_and_its_tables_are_public(nim: Simulator) -> None:
    assert nim.circuit.facts == nim.all_facts
    assert nim.layout.first_moves == (0, len(nim.all_moves("left")))
    assert sorted(nim.goal_table) == [(0, 0), (0, 100), (1, 0), (1, 100)]
    assert [(role, int(value.text)) for role, value in nim.layout.goals] == list(nim.goal_table)
    assert [*nim.arrays.roles_of_goals] == [role for role, _ in nim.goal_table]
    assert [*nim.arrays.values_of_goals] == [value for _, value in nim.goal_table]
    with pytest.raises(gdl.UnknownRoleError):
        nim.all_moves("nobody")


def test_facts_are_asked_of_either_engine_alike(nim: Simulator) -> None:
    reasoner = nim.reasoner
    other = gdl.compile(NIM.replace("(init (heap 4))", "(init (heap 3))"))
    for game, state in ((nim, other.initial_state()), (reasoner, other.reasoner.initial_state())):
        assert [fact.text for fact in game.facts(state)] == ["(control left)", "(heap 3)"]
        assert game.holds("(heap 3)", state)


def test_it_explains_by_its_reasoner(nim: Simulator) -> None:
    state = nim.initial_state()
    explanation = nim.explain("(legal left (take two))", state)
    assert explanation == nim.reasoner.explain("(legal left (take two))", nim.reasoner.initial_state())
    assert explanation.holds
    assert not nim.explain("(next (heap 4))", state, ("(take one)", "noop")).holds


def test_short_representations(nim: Simulator) -> None:
    assert repr(gdl.Rulesheet("(role r) terminal", "a.kif")) == "<Rulesheet a.kif: 2 rules>"
    assert repr(nim.arrays) == "<Arrays of <Simulator <string>>>"
    assert repr(nim.playouts(1_000, seed=1)).startswith("<PlayoutResult of 1,000 playouts, mean goals: left ")
    assert repr(nim.circuit).startswith(f"<GameCircuit of {len(nim.all_facts)} facts, ")
    many = Reasoner("(role r) terminal " + " ".join(f"(init (at {i}))" for i in range(9)))
    assert repr(many.initial_state()) == "<State of 9 facts: (at 0) (at 1) (at 2) (at 3) ...>"
    assert repr(many.state([])) == "<State of 0 facts>"
