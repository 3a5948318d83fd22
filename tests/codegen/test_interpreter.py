"""Interpreted netlists give the same bits as machine code: playouts of games, and netlists made at random."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.profiles import examples
from support.toy_files import ROOT

from gdl import Rulesheet
from gdl.circuit.build.ground_program import build
from gdl.circuit.game import GameCircuit
from gdl.codegen import straight_line
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.interpreter.operations import CHAIN, OPERATIONS, SINGLE, TABLES, TWIN, canonical
from gdl.codegen.interpreter.program import Program, apply, interpreted, playout_programs, run
from gdl.codegen.llvm.assembly import Emitter
from gdl.codegen.llvm.machine_code import Library, compiled, host, narrowed
from gdl.codegen.llvm.playout_loop import LANES, Layout, declarations, playout_interfaces, stepper
from gdl.codegen.netlist import ONES, ZEROS, A, B, C, Netlist
from gdl.codegen.playout_netlist import playout_netlist
from gdl.codegen.playout_parts import PlayoutNetlist
from gdl.grounder import ground

GAMES = ROOT / "games"
FULL = 2**64 - 1

Rows = NDArray[np.uint64]


def targets() -> list[Target]:
    """Vectors that this processor has."""
    features = host().features.split(",")
    found = [Target(64, ternary=False), Target(128, ternary=False)]
    if "+avx" in features and sys.platform == "linux":
        found.append(Target(128, ternary=False, registers="avx"))
    if "+avx2" in features:
        found += [Target(256, ternary=False), narrowed(host(), "avx2").vector]
    if "+avx512f" in features:
        found.append(Target(512, ternary=True))
    return [*found, host().vector]


def rows(parts: int, count: int, words: int) -> Rows:
    """Rows as machine code wants them: aligned, parts one after another."""
    size = parts * count * words
    memory = np.zeros(size + 8, np.uint64)
    start = -(memory.ctypes.data // 8) % 8
    return memory[start : start + size].reshape(parts, count, words)


def joined(memory: Rows) -> Rows:
    """Parts side by side: rows of all lanes."""
    return memory.swapaxes(0, 1).reshape(memory.shape[1], -1)


def parted(memory: Rows, target: Target) -> Rows:
    """Rows of lanes in the parts that a target computes with."""
    out = rows(memory.shape[1] // target.words, len(memory), target.words)
    out[:] = memory.reshape(len(memory), -1, target.words).swapaxes(0, 1)
    return out


def pointers(*memory: Rows) -> list[int]:
    return [each.ctypes.data for each in memory]


# Playouts

CLIMB = """
(role left) (role right) (init (at left 0)) (init (at right 0)) (init (step 1))
(<= (legal ?r (climb ?n)) (role ?r) (up ?n)) (<= (legal ?r stay) (role ?r) (true (at ?r ?n)) (distinct ?n 0))
(up 1) (up 2) (up 3) (plus 0 1 1) (plus 0 2 2) (plus 0 3 3) (plus 1 1 2) (plus 1 2 3) (plus 2 1 3)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (next (at ?r ?m)) (does ?r (climb ?k)) (true (at ?r ?n)) (plus ?n ?k ?m))
(<= (next (at ?r ?n)) (does ?r stay) (true (at ?r ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (high ?r) (true (at ?r 3))) (<= (gone ?r) (role ?r) (not (there ?r))) (<= (there ?r) (true (at ?r ?n)))
(<= (goal ?r 100) (high ?r)) (<= (goal ?r 50) (gone ?r)) (<= (goal ?r 0) (role ?r) (not (high ?r)) (not (gone ?r)))
(<= terminal (true (step 6))) (<= terminal (role ?r) (high ?r)) (<= terminal (role ?r) (gone ?r))
"""


def circuit(name: str) -> GameCircuit:
    rulesheet = Rulesheet(CLIMB) if name == "climb" else Rulesheet.load(GAMES / name)
    return build(ground(rulesheet))


BATCHES = 2


def begun(game: GameCircuit, playout: PlayoutNetlist, layout: Layout, limit: int) -> tuple[Rows, Rows]:
    """The state of all lanes and the rows of `base` that the layout names, before the first step."""
    words = BATCHES * LANES // 64
    state, base = rows(1, layout.state, words)[0], rows(1, playout_interfaces(playout)[1].rows, words)[0]
    for row, fact in enumerate(playout.facts):
        state[row] = FULL if game.init[fact] else 0
        if playout.given:
            base[layout.begin + row] = FULL if game.init[fact] else 0
    base[layout.generators : layout.generators + 4] = np.random.default_rng(7).integers(
        0, FULL, (4, words), np.uint64, endpoint=True
    )
    for bit in range(layout.age_bits):
        base[layout.limit + bit] = FULL if limit >> bit & 1 else 0
    base[layout.active] = np.random.default_rng(8).integers(0, FULL, words, np.uint64, endpoint=True)
    return state, base


#: The number of rounds, their steps, and whether the playouts that count come to an end.
Call = tuple[int, int, bool]
Outcome = tuple[int, Rows, Rows]


def interpreted_playouts(game: GameCircuit, playout: PlayoutNetlist, limit: int, call: Call) -> Outcome:
    programs, layout = playout_programs(playout)
    memory = rows(BATCHES, max(program.rows for program in programs.values()), 8)
    state, base = (parted(each, Target(LANES, ternary=False)) for each in begun(game, playout, layout, limit))
    memory[:, : layout.rows] = base
    memory[:, layout.rows : layout.rows + layout.state] = state
    done = run(programs, layout, list(memory), *call)
    return done, joined(memory[:, layout.rows : layout.rows + layout.state]), joined(memory[:, : layout.rows])


def compiled_playouts(
    game: GameCircuit, playout: PlayoutNetlist, limit: int, calls: list[Call], target: Target
) -> list[Outcome]:
    text, layout = stepper(playout, target)
    pointer, long = ctypes.c_void_p, ctypes.c_long
    library = Library(compiled(text, host()))
    function = library.function("run", long, pointer, pointer, pointer, long, long, long, ctypes.c_bool)
    outcomes = []
    for call in calls:
        state, named = (parted(each, target) for each in begun(game, playout, layout, limit))
        other, base = rows(*state.shape), rows(len(state), layout.rows, target.words)
        base[:, : named.shape[1]] = named
        done = function(*pointers(state, other, base), len(base), *call)
        outcomes.append((done, joined(other if done % 2 else state), joined(base)[: named.shape[1]]))
    return outcomes


@pytest.mark.parametrize("resting", [False, True])
@pytest.mark.parametrize("given_state", [False, True])
@pytest.mark.parametrize("limit", [5, 2**7 - 1])
@pytest.mark.parametrize(
    "name",
    ["climb", "classics/tic_tac_toe.kif", pytest.param("classics/connect_four.kif", marks=pytest.mark.slow)],
)
def test_playouts_are_those_of_machine_code(name: str, limit: int, given_state: bool, resting: bool) -> None:
    game = circuit(name)
    playout = playout_netlist(game, tries=2, age_bits=7, given=given_state, resting=resting)
    calls = [(1, 1, False), (40, 5, False), (67, 3, False), (10_000, 4, True)]
    found = [interpreted_playouts(game, playout, limit, call) for call in calls]
    for target in targets():
        for (done, state, base), expected in zip(
            found, compiled_playouts(game, playout, limit, calls, target), strict=True
        ):
            assert done == expected[0]
            np.testing.assert_array_equal(state, expected[1])
            np.testing.assert_array_equal(base, expected[2])
    layout = playout_interfaces(playout)[1]
    assert found[2][0] == (3 * 67 if resting else 67)
    assert found[2][2][layout.counter("ended")].all()  # in every word some playouts end
    assert found[3][0] < 10_000
    assert not found[3][2][layout.active].any()


@pytest.mark.slow
def test_larger_playouts_are_those_of_machine_code() -> None:
    game = circuit("wolf_sheep.kif")
    playout = playout_netlist(game, tries=3, age_bits=8)
    assert playout.restart is not None
    call = (10, 10, False)
    found = interpreted_playouts(game, playout, 255, call)
    expected = compiled_playouts(game, playout, 255, [call], host().vector)[0]
    for left, right in zip(found, expected, strict=True):
        np.testing.assert_array_equal(left, right)


def test_lanes_that_rest_play_the_same_games() -> None:
    """Once every lane has rested as often as it has begun again, it has played as if it had never rested."""
    game = circuit("classics/connect_four.kif")
    counted = []
    for resting in (False, True):
        playout = playout_netlist(game, tries=4, age_bits=7, resting=resting)
        _, layout = playout_interfaces(playout)
        _, _, base = interpreted_playouts(game, playout, 127, (10_000, 1, True))
        counted.append({name: int(base[layout.counter(name)].sum()) for name in layout.counted})
    assert counted[1].pop("restarts") > 0
    assert counted[0] == counted[1]


# Netlists


def machine_code(netlist: Netlist, interface: Interface, target: Target, chunk: int) -> Callable[[Rows, Rows], Rows]:
    """A function from rows of `in` and `base` to rows of `out`; `base` is changed."""
    emitter = Emitter(netlist, interface, target, "part", chunk)
    calls = "\n".join(f"  call void @{name}(ptr %in, ptr %out, ptr %base)" for name in emitter.functions)
    width = f'"min-legal-vector-width"="{target.bits}" "prefer-vector-width"="{target.bits}"'
    text = f"""
define void @go(ptr %in, ptr %out, ptr %base) #0 {{
{calls}
  ret void
}}
{declarations(target)}
attributes #0 = {{ nounwind {width} }}
"""
    pointer = ctypes.c_void_p
    library = Library(compiled("\n".join([*emitter.lines, text]), host()))
    function = library.function("go", None, pointer, pointer, pointer)
    outputs = 1 + max((place.number for _, place in interface.stores if place.pointer == "out"), default=0)

    def call(in_: Rows, base: Rows) -> Rows:
        frame = np.zeros((emitter.frame_rows, 8), np.uint64)
        memory = parted(np.concatenate([base, frame]), target)
        ins, out = parted(in_, target), parted(np.zeros((outputs, 8), np.uint64), target)
        for part in range(len(out)):
            function(*pointers(ins[part], out[part], memory[part]))
        base[:] = joined(memory)[: len(base)]
        return joined(out)

    return call


def evaluated(program: Program, in_: Rows, base: Rows) -> Rows:
    """The same by the interpreter."""
    out: Rows = np.zeros((len(program.outputs), 8), np.uint64)
    memory = rows(1, program.rows, 8)[0]
    memory[: len(base)] = base
    apply(program, in_, out, memory)
    base[:] = memory[: len(base)]
    return out


def random_rows(count: int, seed: int) -> Rows:
    return np.random.default_rng(seed).integers(0, FULL, (count, 8), np.uint64, endpoint=True)


INPUTS, CONSTANT, RANDOMS = 4, 2, 5
#: Rows at `base`: generators, inputs, what is stored, counted and collected.
GENERATORS, HELD, KEPT, COUNTED, COLLECTED, FRAME = 0, 4, 4 + CONSTANT, 7 + CONSTANT, 9 + CONSTANT, 11 + CONSTANT


@st.composite
def netlists(draw: st.DrawFn) -> tuple[Netlist, Interface]:
    """Gates in any order, loops among them, and results that are gates, inputs, constants or variables of loops."""
    netlist = Netlist(INPUTS + CONSTANT + RANDOMS)
    first = netlist.inputs - RANDOMS
    signals = [ZEROS, ONES, *range(2, first)]
    unread = list(draw(st.permutations(range(first, netlist.inputs))))
    tables = st.integers(0, 255)

    def gate() -> int:
        picked = [draw(st.sampled_from(signals[-12:] if draw(st.booleans()) else signals)) for _ in "abc"]
        return netlist.operation(draw(tables), *picked)

    for kind in draw(st.lists(st.sampled_from(["gate"] * 6 + ["copy", "random", "loop"]), max_size=40)):
        if kind == "gate":
            signals.append(gate())
        elif kind == "copy":
            signals.append(netlist.copy(draw(st.sampled_from(signals[2:]))))
        elif kind == "random" and unread:
            signals.append(netlist.copy(unread.pop()))
        elif kind == "loop":
            variables = netlist.open_loop(draw(st.integers(1, 4)))
            signals += variables
            for _ in range(draw(st.integers(0, 8))):
                signals.append(gate())
            updates = []
            for variable in variables:
                # What is added to a variable stays in it, so that the loop ends.
                update = netlist.operation(A | B, variable, draw(st.sampled_from(signals)))
                updates.append(netlist.operation(A | B, update, draw(st.sampled_from(variables))))
            netlist.close_loop(variables, updates)
            signals += updates
    results = st.sampled_from(signals)
    base = {2 + INPUTS + i: RowAddress("base", HELD + i) for i in range(CONSTANT)}
    stores = [(draw(results), RowAddress("out", i)) for i in range(INPUTS)]
    return netlist, Interface(
        inputs={2 + i: RowAddress("in", i) for i in range(INPUTS)} | base,
        stores=[*stores, (draw(results), RowAddress("base", KEPT))],
        counts=[(draw(results), RowAddress("base", COUNTED + i)) for i in range(2)],
        collects=[(draw(results), RowAddress("base", COLLECTED + i)) for i in range(2)],
        randoms=frozenset(range(first, netlist.inputs)),
        generators=RowAddress("base", GENERATORS),
        frame=FRAME,
    )


@examples(60)
@given(
    netlists(), st.sampled_from([3, 300]), st.sampled_from([1, 4, 1000]), st.sampled_from([4, 32]), st.integers(0, 99)
)
def test_random_netlists(made: tuple[Netlist, Interface], chunk: int, window: int, registers: int, seed: int) -> None:
    netlist, interface = made
    in_, base = random_rows(INPUTS, seed), random_rows(FRAME, seed + 1)
    found_base = base.copy()
    found = evaluated(interpreted(netlist, interface, windows=(window,)), in_, found_base)
    for target in targets():
        expected_base = base.copy()
        with patch.object(straight_line, "REGISTERS", (registers, min(registers, 16))):
            code = machine_code(netlist, interface, target, chunk)
        expected = code(in_, expected_base)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(found_base, expected_base)


@examples(60)
@given(netlists(), st.sampled_from([1, 4, 1000]), st.integers(0, 99))
def test_what_is_stored_is_read_the_next_time(made: tuple[Netlist, Interface], window: int, seed: int) -> None:
    netlist, interface = made
    state, base = random_rows(INPUTS, seed), random_rows(FRAME, seed + 1)
    program = interpreted(netlist, interface, feedback=True, windows=(window,))
    found, found_base = state.copy(), base.copy()
    for _ in range(3):
        found = evaluated(program, found, found_base)
    step = machine_code(netlist, interface, host().vector, 300)
    for _ in range(3):
        state = step(state, base)
    np.testing.assert_array_equal(found, state)
    np.testing.assert_array_equal(found_base, base)


def test_every_table() -> None:
    """All 256 functions at once, on the eight values of their arguments."""
    netlist = Netlist(3)
    signals = [netlist.operation(table, 2, 3, 4) for table in range(256)]
    inputs = {2 + i: RowAddress("in", i) for i in range(3)}
    interface = Interface(inputs, [(signal, RowAddress("out", table)) for table, signal in enumerate(signals)])
    in_ = np.array([[A] * 8, [B] * 8, [C] * 8], np.uint64)
    out = evaluated(interpreted(netlist, interface), in_, np.zeros((0, 8), np.uint64))
    np.testing.assert_array_equal(out & np.uint64(255), np.repeat(np.arange(256, dtype=np.uint64)[:, None], 8, axis=1))


def columns(count: int) -> Rows:
    """Rows that have all combinations of so many bits."""
    bits = np.arange(LANES)[None] >> np.arange(count)[:, None] & 1
    return np.packbits(bits.astype(np.uint8), axis=1, bitorder="little").view(np.uint64)


def looked_up(table: int, arguments: list[Rows]) -> Rows:
    """A gate's result, lane by lane."""
    index = np.zeros(LANES, np.uint8)
    for argument in [*arguments, *[np.zeros(8, np.uint64)] * (3 - len(arguments))]:
        index = 2 * index + np.unpackbits(argument.view(np.uint8), bitorder="little")
    return np.packbits(table >> index & 1, bitorder="little").view(np.uint64)


@pytest.mark.parametrize("number", [*TWIN.values(), *CHAIN.values()])
def test_joined_gates(number: int) -> None:
    operation = OPERATIONS[number]
    rows_read = columns(operation.reads)
    values = list(rows_read)
    netlist = Netlist(operation.reads)
    signals = list(range(2, netlist.inputs))
    for table, arguments in operation.gates:
        values.append(looked_up(table, [values[i] for i in arguments]))
        signals.append(netlist.operation(table, *(signals[i] for i in arguments)))
    stored = [operation.reads + i for i in operation.stored]
    interface = Interface(
        {2 + i: RowAddress("in", i) for i in range(operation.reads)},
        [(signals[i], RowAddress("out", place)) for place, i in enumerate(stored)],
    )
    program = interpreted(netlist, interface)
    assert program.code[0] == number
    found = evaluated(program, rows_read, np.zeros((0, 8), np.uint64))
    np.testing.assert_array_equal(found, [values[i] for i in stored])


@pytest.mark.parametrize("count", [100, pytest.param(70_000, marks=pytest.mark.slow)])
def test_many_rows(count: int) -> None:
    """Operands of all sizes: a ring in which each row becomes the sum of itself and the next one."""
    netlist = Netlist(count)
    inputs = {2 + i: RowAddress("in", i) for i in range(count)}
    stores = [(netlist.operation(A ^ B, 2 + i, 2 + (i + 1) % count), RowAddress("out", i)) for i in range(count)]
    program = interpreted(netlist, Interface(inputs, stores), feedback=True)
    assert program.rows > count
    state = random_rows(count, 3)
    found = state
    for _ in range(2):
        found = evaluated(program, found, np.zeros((0, 8), np.uint64))
        state = state ^ np.roll(state, -1, axis=0)
    np.testing.assert_array_equal(found, state)


def test_inputs_change_places() -> None:
    """Rows that are only moved are read before they are overwritten, whatever the order of the rows."""
    netlist = Netlist(5)
    inputs = {2 + i: RowAddress("in", i) for i in range(5)}
    stores = [(2 + source, RowAddress("out", i)) for i, source in enumerate((1, 2, 0, 4, 3))]
    program = interpreted(netlist, Interface(inputs, stores), feedback=True)
    state = random_rows(5, 1)
    np.testing.assert_array_equal(evaluated(program, state, np.zeros((0, 8), np.uint64)), state[[1, 2, 0, 4, 3]])


def test_variables_change_at_once() -> None:
    """One variable is another as it was a round before, which a third one notices."""
    netlist = Netlist(1)
    now, before, noticed = variables = netlist.open_loop(3)
    updates = [netlist.or_(now, 2), now, netlist.operation(A | (B & (C ^ 255)), noticed, now, before)]
    netlist.close_loop(variables, updates)
    program = interpreted(netlist, Interface({2: RowAddress("in", 0)}, [(noticed, RowAddress("out", 0))]))
    in_ = random_rows(1, 1)
    np.testing.assert_array_equal(evaluated(program, in_, np.zeros((0, 8), np.uint64)), in_)


def test_tables_differ_by_more_than_the_order_of_arguments() -> None:
    assert len(TABLES) == 80  # of functions of three arguments, up to their order
    assert all(canonical(table)[0] == table and TABLES[SINGLE[table]] == table for table in TABLES)


# What cannot be interpreted


def test_a_random_row_is_read_once() -> None:
    netlist = Netlist(2)
    signals = [netlist.and_(2, 3), netlist.or_(2, 3)]
    interface = Interface({2: RowAddress("in", 0)}, [(signals[0], RowAddress("out", 0))], randoms=frozenset([3]))
    with pytest.raises(ValueError, match="one operation only"):
        interpreted(netlist, interface)
    with pytest.raises(ValueError, match="by an operation"):
        interpreted(Netlist(2), replace(interface, stores=[(3, RowAddress("out", 0))]))


def test_no_random_row_is_read_in_a_loop() -> None:
    netlist = Netlist(1)
    variables = netlist.open_loop(1)
    netlist.close_loop(variables, [netlist.or_(variables[0], 2)])
    with pytest.raises(ValueError, match="outside of loops"):
        interpreted(netlist, Interface({}, [], randoms=frozenset([2])))


def test_loops_are_not_nested() -> None:
    netlist = Netlist(1)
    outer, inner = netlist.open_loop(1), netlist.open_loop(1)
    netlist.close_loop(inner, [netlist.or_(inner[0], 2)])
    netlist.close_loop(outer, [netlist.or_(outer[0], 2)])
    with pytest.raises(ValueError, match="nested"):
        interpreted(netlist, Interface({2: RowAddress("in", 0)}, []))


# Numba


SMALL = f"""
import numpy as np
from gdl.codegen.interpreter.loops import interpreter
from gdl.codegen.interpreter.operations import STOP
base = np.full((3, 8), 5, np.uint64)
code = np.array([{SINGLE[0x0F]}, 0, 8, 16, 16, 16, 16, 16, 16, STOP], np.uint16)
segments, pairs = np.array([[0, -1, 0, 0]]), np.zeros((0, 2), np.int64)
interpreter(code.dtype, 8)(code, segments, pairs, base)
assert (base[0] == 5).all() and (base[1] == 2**64 - 6).all()
print(interpreter(code.dtype, 8).stats.cache_hits.total())
"""


def isolated(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The output of a program in a process whose cache for compiled code is a folder."""
    import subprocess

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    done = subprocess.run([sys.executable, "-c", SMALL], capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.strip()


@pytest.mark.slow
def test_compiled_code_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [isolated(tmp_path, monkeypatch) for _ in range(2)] == ["0", "1"]
    for path in tmp_path.rglob("*.nb*"):
        path.write_bytes(path.read_bytes()[:100])
    assert isolated(tmp_path, monkeypatch) == "0"


def test_numba_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gdl.codegen.interpreter.loops", None)
    program = interpreted(Netlist(0), Interface({}, []))
    with pytest.raises(ImportError, match="needs numba"):
        apply(program, np.zeros((0, 8), np.uint64), np.zeros((0, 8), np.uint64), rows(1, 1, 8)[0])
