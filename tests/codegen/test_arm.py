"""Code for processors by Arm, executed by an emulator: all code of a game does what that for this processor does."""

from __future__ import annotations

import ctypes
import re
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray
from support.processors import processor
from support.toy_files import ROOT

from gdl import Rulesheet
from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluation import footer, look, move, words
from gdl.codegen.interface import Target
from gdl.codegen.llvm.column_loops import columns_program
from gdl.codegen.llvm.machine_code import Library, Machine, compiled, host
from gdl.codegen.llvm.playout_loop import LANES, assembled, playout_pieces
from gdl.codegen.llvm.shared_functions import COLUMN_FUNCTIONS, WORD_FUNCTIONS, SharedFunctions
from gdl.codegen.llvm.state_loops import once_program, states_program
from gdl.codegen.playout_netlist import once_netlist, playout_netlist
from gdl.simulator import columns_code, compiled_code
from gdl.simulator.cache import default_folder
from gdl.simulator.columns_code import MachineColumns, looked_packing
from gdl.simulator.compiled_code import MachineArrays, OnceCode, PlayoutCode, StateCode, StateLayout, aligned_rows
from gdl.simulator.compiler import Compiler
from gdl.simulator.playouts import PlayoutRunner
from gdl.simulator.seeds import words as seed_words
from gdl.simulator.single_states import single_state_programs

ARM: Final = Machine("aarch64-unknown-linux-gnu", "generic", "")

#: All shipped games, of which long runs test four.
GAMES: Final = [
    pytest.param(file, id=file.stem, marks=[pytest.mark.exhaustive, pytest.mark.slow][file.parent.name == "classics"])
    for file in sorted((ROOT / "games").rglob("*.kif"))
]
GCC, QEMU = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")

#: Plies of the states that are compared, and steps of playouts.
PLIES, STEPS = 6, 20

emulated = pytest.mark.skipif(
    GCC is None or QEMU is None, reason="needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user"
)


@pytest.mark.parametrize(
    ("triple", "registers"),
    [("aarch64-unknown-linux-gnu", "neon"), ("aarch64-linux-android", "neon"), ("arm64-apple-darwin23.6.0", "")],
)
def test_vectors_of_processors_by_arm(triple: str, registers: str) -> None:
    assert Machine(triple, "generic", "").vector == Target(128, ternary=False, registers=registers)


def run(*arguments: str | Path) -> None:
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Emulator:
    """Libraries for another processor, and a process that calls their functions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[Path] = []
        self.process: subprocess.Popen[bytes] | None = None
        #: The arrays that functions are given, by their addresses.
        self.arrays: dict[int, NDArray[Any]] = {}

    def noted(self, array: NDArray[Any]) -> NDArray[Any]:
        """Note an array that functions may be given."""
        self.arrays[array.ctypes.data] = array
        return array

    def library(self, text: str, shared: SharedFunctions | None = None) -> EmulatedLibrary:
        """Compile assembly to a library; LLVM has no parser for what is assembly of that processor."""
        file = self.folder / f"library{len(self.files)}.so"
        pattern = re.compile(r'^module asm "(.*)"$', re.MULTILINE)
        lines = "\n".join(pattern.findall(text)).replace("\\0A", "\n")
        names = re.findall(r"\.type (.*),@function", lines)
        file.with_suffix(".s").write_text("\n".join([*(f".globl {name}" for name in names), lines, ""]))
        parts = [compiled(pattern.sub("", text), ARM)] + ([] if shared is None else [shared_code(shared, ARM)])
        objects = [file.with_suffix(f".{number}.o") for number in range(len(parts))]
        for part, place in zip(parts, objects, strict=True):
            place.write_bytes(part)
        run(str(GCC), "-shared", "-Wl,-Bsymbolic", "-o", file, file.with_suffix(".s"), *objects)
        self.files.append(file)
        return EmulatedLibrary(self, len(self.files))

    def call(self, library: int, name: str, arguments: tuple[Any, ...]) -> int:
        """Call a function: arrays are sent, and changed as they come back."""
        if self.process is None:
            run(str(GCC), "-O1", "-o", self.folder / "calls", Path(__file__).with_name("arm_calls.c"))
            command = [str(QEMU), "-L", "/usr/aarch64-linux-gnu", self.folder / "calls", *self.files]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(struct.pack("<q32s", library, name.encode()))
        arguments += (0,) * (9 - len(arguments))
        views = []
        for number, argument in enumerate(arguments):
            array = self.arrays.get(argument) if isinstance(argument, int) else argument
            if array is None:
                process.stdin.write(struct.pack("<qq", -1, argument or 0))
            elif (first := arguments.index(argument)) < number:
                process.stdin.write(struct.pack("<q", -2 - first))
            else:
                view = (
                    array.reshape(-1).view(np.uint8)
                    if isinstance(array, np.ndarray)
                    else np.frombuffer(array, np.uint8)
                )
                views.append(view)
                process.stdin.write(struct.pack("<q", view.nbytes) + view.tobytes())
        process.stdin.flush()
        (result,) = struct.unpack("<q", process.stdout.read(8))
        for view in views:
            content = process.stdout.read(view.nbytes)
            if view.flags.writeable:
                view[:] = np.frombuffer(content, np.uint8)
        return int(result)

    def close(self) -> None:
        if self.process is not None:
            self.process.communicate()


class EmulatedLibrary(Library):  # type: ignore[misc]  # in its place, which is final as nothing else is meant to be
    """A library that is called by an emulator."""

    def __init__(self, emulator: Emulator, number: int) -> None:
        self.emulator, self.number = emulator, number

    def function(self, name: str, *types: Any) -> Callable[..., Any]:  # noqa: ARG002
        return EmulatedFunction(self, name)


class EmulatedFunction:
    """A function of such a library."""

    #: Its address, which nothing here calls.
    _as_parameter_ = ctypes.c_void_p(0)

    def __init__(self, library: EmulatedLibrary, name: str) -> None:
        self.library, self.name = library, name

    def __call__(self, *arguments: Any) -> int:
        return self.library.emulator.call(self.library.number, self.name, arguments)


@contextmanager
def arm(folder: Path) -> Iterator[Emulator]:
    """Code is made for a processor by Arm, and called by an emulator."""
    import llvmlite.binding as llvm

    host()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    emulator = Emulator(folder)

    def noted(*shape: int) -> NDArray[np.uint64]:
        return emulator.noted(aligned_rows(*shape))

    with (
        processor(ARM),
        patch.object(compiled_code, "aligned_rows", noted),
        patch.object(columns_code, "aligned_rows", noted),
    ):
        yield emulator
    emulator.close()


Made = Callable[..., Library]


def natively(text: str, shared: SharedFunctions | None = None) -> Library:
    """Compile assembly to a library for this processor."""
    code = compiled(text, host())
    return Library(code) if shared is None else Library(code, Library(shared_code(shared, host())), shared.names)


@cache
def shared_code(shared: SharedFunctions, machine: Machine) -> bytes:
    return compiled("\n".join([shared.assembly(machine.vector), *footer(machine.vector)]), machine)


class Codes:
    """All code of a game."""

    def __init__(self, game: GameCircuit, made: Made) -> None:
        target, roles = compiled_code.host().vector, len(game.roles)
        text, layout = assembled(playout_pieces(playout_netlist(game, age_bits=11, given=False), target), target)
        self.playouts = PlayoutCode(made(text), layout)
        text, layout = once_program(playout_pieces(once_netlist(game), target), len(game.facts), target)
        library = made(text, WORD_FUNCTIONS)
        self.once = OnceCode(library, layout, game, library)
        text, work = states_program(look(game), move(game, percepts=True), roles, target)
        self.arrays = MachineArrays(made(text, WORD_FUNCTIONS), work, game, percepts=True)
        text, work = columns_program(look(game), move(game, percepts=False), roles, target)
        self.columns = MachineColumns(made(text, COLUMN_FUNCTIONS), work, game)
        self.states = [
            StateCode(made(text), facts["work"], StateLayout(game)) for text, facts in single_state_programs(game)
        ]


def results(game: GameCircuit, codes: Codes, noted: Callable[[NDArray[Any]], NDArray[Any]]) -> Iterator[Any]:
    """Yield what all code of a game returns in some random matches of 512 lanes."""
    layout, random = StateLayout(game), np.random.default_rng(0)
    init = np.array(game.init, np.bool_)
    begin = np.packbits(np.pad(init, (0, -len(init) % 64)), bitorder="little").view(np.uint64)
    runner = PlayoutRunner(codes.playouts, init)
    runner.prepare(LANES, 0, 1 << 11)
    yield codes.playouts.run(runner.memory, 2, STEPS // 2, draining=False)
    yield runner.state()
    yield runner.counters()
    base, first = codes.once.base, codes.once.layout.generators
    base[:, first : first + 4] = np.array(seed_words(0, 32), np.uint64).reshape(4, len(base), -1).swapaxes(0, 1)
    states = np.tile(begin, (LANES, 1))

    def zeros(*shape: int, dtype: Any = np.uint64) -> NDArray[Any]:
        return noted(np.zeros(shape, dtype))

    for _ in range(PLIES):
        states = noted(np.ascontiguousarray(states))
        goals = zeros(LANES, words(codes.once.goals + 1))
        codes.once.run(states, goals, STEPS)
        looked = zeros(LANES, layout.goals_word + words(len(game.goals)))
        codes.arrays.look(states, looked)
        moves = zeros(LANES, len(game.roles), dtype=np.int32)
        for role, start in enumerate(layout.first_moves):
            legal = np.ascontiguousarray(looked[:, layout.legal_words[role] :]).view(np.uint8)
            count = len(game.moves_of(role))
            chances = np.unpackbits(legal, axis=1, bitorder="little")[:, :count] * random.random((LANES, count))
            moves[:, role] = np.where(chances.any(axis=1), start + chances.argmax(axis=1), -1)
        following = zeros(LANES, layout.state_words + words(len(game.sees)))
        codes.arrays.move(states, moves, following)
        columns = noted(np.ascontiguousarray(states.T)[None])
        looked_columns = zeros(1, len(looked_packing(game).words), LANES)
        still = noted((random.random((1, LANES)) < 0.2).astype(np.int8) | (moves < 0).any(axis=1).astype(np.int8))
        codes.columns.look(columns, still, looked_columns)
        yield looked_columns.copy()
        codes.columns.move(columns, noted(np.ascontiguousarray(moves.T)[None]), still, looked_columns)
        yield from (goals, looked, following, columns, looked_columns)
        for lane in range(0, LANES, 32):
            for code in codes.states:
                state = states[lane].tobytes()
                yield code.look(state)
                yield code.move(state, moves[lane].tolist())
        over = (looked[:, 0] & 1).astype(np.bool_) | (moves < 0).any(axis=1)
        states = np.where(over[:, None], begin, following[:, : layout.state_words])


@emulated
@pytest.mark.parametrize("file", GAMES)
def test_all_code_of_a_game(file: Path, tmp_path: Path) -> None:
    game = Compiler(Rulesheet.load(file), default_folder()).game
    expected = list(results(game, Codes(game, natively), lambda array: array))
    with arm(tmp_path) as emulator:
        found = list(results(game, Codes(game, emulator.library), emulator.noted))
    assert len(found) == len(expected)
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, number
