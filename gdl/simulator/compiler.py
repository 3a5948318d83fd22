"""Compile rules to a circuit, and the circuit to machine code on demand; both are cached."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from gdl.circuit.causes import causes_in_circuit
from gdl.circuit.game import GameCircuit
from gdl.circuit.pipeline import make_circuit, refusing
from gdl.circuit.serialization import dumped, loaded
from gdl.codegen.evaluation import Evaluation, footer, look, move
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.llvm.column_loops import columns_program
from gdl.codegen.llvm.machine_code import Library, Machine, compiled, host
from gdl.codegen.llvm.playout_loop import Layout, assembled, playout_pieces
from gdl.codegen.llvm.shared_functions import COLUMN_FUNCTIONS, WORD_FUNCTIONS, SharedFunctions
from gdl.codegen.llvm.state_loops import once_program, states_program
from gdl.codegen.playout_netlist import once_netlist, playout_netlist
from gdl.codegen.playout_parts import PlayoutNetlist
from gdl.compile_budget import CompileBudget, Progress, Watch, begin_stage
from gdl.compile_errors import CompileError, GroundingError
from gdl.errors import Source
from gdl.language.rulesheet import Rulesheet
from gdl.simulator.affordable_code import affordable, largest_single, level, windows
from gdl.simulator.cache import CIRCUIT, Cache, circuit_entries, without_layout
from gdl.simulator.columns_code import ColumnsCode, InterpretedColumns, MachineColumns
from gdl.simulator.compiled_code import (
    WIDE,
    ArraysCode,
    InterpretedArrays,
    MachineArrays,
    OnceCode,
    PlayoutCode,
    StateCode,
    StateLayout,
)
from gdl.simulator.compiler_process import CodeRequest, CompilerProcess, Made
from gdl.simulator.kernels import Kernels
from gdl.simulator.single_state_speed import fastest
from gdl.simulator.single_states import single_state_programs

if TYPE_CHECKING:
    from gdl.codegen.interpreter.program import Program

    #: Machine code, or assembly or programs from which code is made; and data about them that are cached along with it.
    _Made = tuple[str | bytes | dict[str, Program], dict[str, Any]]
    _Maker = Callable[[Watch], _Made]

    #: Code as it is called, and data about it.
    _Code = tuple[Library | dict[str, Program], dict[str, Any]]

T = TypeVar("T")

#: The functions that all games share, as loaded by this process: by processor, name and size of the vectors.
_SHARED: Final[dict[tuple[Machine, str, int], Library]] = {}

#: The names of stages.
_GENERATING: Final = "generating code"
_COMPILING: Final = "compiling to machine code"
_PREPARING: Final = "preparing the interpreter"
_COMPARING: Final = "comparing with the rules"
_WAITING: Final = "waiting for another process that compiles this game"


@final
class Compiler:
    """One game's circuit and code. Both are read from the cache, or made on first use and then cached.

    With `separate_process`, both are made in another process.
    """

    def __init__(
        self,
        rules: Rulesheet | Source,
        folder: Path | None,
        progress: Progress | None = None,
        *,
        budget: CompileBudget | None = None,
        separate_process: bool = False,
        made: dict[str, Made] | None = None,
    ) -> None:
        """Prepare to compile some rules; `progress` is called with the name of each stage.

        If `made` is given, it receives the code that is used and the data about it, by their names in the cache.
        """
        self._rules = rules
        self.source = source = rules.source if isinstance(rules, Rulesheet) else rules
        self._progress = progress
        self._budget = budget or CompileBudget()
        self._made = made
        self._process = CompilerProcess(source, self._budget, folder, progress) if separate_process else None
        machine = host()
        seconds = repr(float(self._budget.seconds))
        self._folder = folder
        self._circuits = circuit_entries(folder, source.text, self._budget.seconds)
        #: The name of the entry that says that a circuit is too large for a budget. The circuit itself depends on the
        #: seconds alone.
        self._refusal = f"refused-{self._budget.rules}-{self._budget.memory}"
        self._text = without_layout(source.text)
        self._code = Cache(folder, self._text, seconds, machine.cpu, machine.features)
        self._shared_cache = Cache(folder, "functions of all games", machine.cpu, machine.features)
        self._codes: dict[str, _Code] = {}
        self._notes: dict[str, int] = {}
        #: Seconds spent so far on making the circuit and code, or on reading them.
        self.seconds = 0.0

    @cached_property
    def rulesheet(self) -> Rulesheet:
        """The rules; if they were given as text, it is parsed on first use. Raises RulesheetError."""
        return self._rules if isinstance(self._rules, Rulesheet) else Rulesheet.of_source(self._rules)

    @cached_property
    def game(self) -> GameCircuit:
        """The circuit. Raises RulesheetError, CompileError and MakingError; MiscompiledError is a CompileError."""
        return self._timed(self._game)

    def _game(self) -> GameCircuit:
        kept = self._kept_circuit()
        if kept is None and self._process is not None:
            kept = self._process.circuit()  # which has cached it
        return self._new_game() if kept is None else loaded(kept)

    def _kept_circuit(self) -> bytes | None:
        """Return the cached circuit; None if there is none. Raises CompileError if it is known to be too large."""
        kept = self._circuits.read(CIRCUIT)
        if kept is None and (refusal := self._circuits.read(self._refusal)) is not None:
            kind, arguments = json.loads(refusal)
            raise (GroundingError if kind == GroundingError.code else CompileError)(self.source.name, *arguments)
        return kept

    def _new_game(self) -> GameCircuit:
        watch = Watch(self._budget, self._progress)
        with self._circuits.making(self._budget.seconds, lambda: watch.progress(_WAITING)):
            kept = self._kept_circuit()  # from another process
            if kept is not None:
                return loaded(kept)
            try:
                game = make_circuit(self.rulesheet, watch)
            except CompileError as error:
                if error.budget is not None:  # it is exceeded
                    self._circuits.write(self._refusal, json.dumps([error.code, error.args[1:]]).encode())
                raise
            from gdl.simulator.self_check import check_circuit, comparing

            watch.progress(_COMPARING)
            with comparing(self.source, self._folder):
                check_circuit(game, self.rulesheet, watch.spent)
            self._circuits.write(CIRCUIT, dumped(game))
        return game

    def playouts(self, age_bits: int, given: bool) -> PlayoutCode:
        """Return code for playouts with ages of `age_bits` bits, from the initial state or a given one."""

        def make(watch: Watch) -> _Made:
            playout = playout_netlist(self.game, age_bits=age_bits, given=given)
            pieces = playout_pieces(playout, host().vector)
            if not affordable(host().vector, watch, pieces.operations):
                return _interpreted_playouts(playout, watch)
            assembly, layout = assembled(pieces, host().vector)
            return assembly, asdict(layout)

        request = CodeRequest(f"playouts-{age_bits}" + "-given" * given, "playouts", (age_bits, given))
        return self._code_of(request, make, lambda code, facts: PlayoutCode(code, _layout(facts)))

    def once(self) -> OnceCode:
        """Return code for one playout from each of many states, with its own memory."""

        def make(watch: Watch) -> _Made:
            playout = once_netlist(self.game)
            pieces = playout_pieces(playout, host().vector)
            if not affordable(host().vector, watch, pieces.operations):
                return _interpreted_playouts(playout, watch)
            assembly, layout = once_program(pieces, len(self.game.facts), host().vector)
            return assembly, asdict(layout)

        def opened(code: Library | dict[str, Program], facts: dict[str, Any]) -> OnceCode:
            return OnceCode(code, _layout(facts), self.game, self._shared(WORD_FUNCTIONS, code))

        return self._code_of(CodeRequest("once", "once"), make, opened, shared=WORD_FUNCTIONS)

    def arrays(self, percepts: bool = False) -> ArraysCode:
        """Return code for many packed states at once, with its own memory; moves may give the percepts, too."""

        def make(watch: Watch) -> _Made:
            looking, moving = look(self.game), move(self.game, percepts=percepts)
            if not affordable(host().vector, watch, len(looking.netlist), len(moving.netlist)):
                return _interpreted(looking, moving, watch), {}
            assembly, work = states_program(looking, moving, len(self.game.roles), host().vector)
            return assembly, {"work": work}

        request = CodeRequest("arrays-percepts", "arrays", (True,)) if percepts else CodeRequest("arrays", "arrays")

        def opened(code: Library | dict[str, Program], facts: dict[str, Any]) -> ArraysCode:
            if isinstance(code, Library):
                return MachineArrays(code, facts["work"], self.game, percepts=percepts)
            return InterpretedArrays(code, self.game, self._shared(WORD_FUNCTIONS, code), percepts=percepts)

        return self._code_of(request, make, opened, shared=WORD_FUNCTIONS)

    def columns(self) -> ColumnsCode:
        """Return code for many states in columns, with its own memory."""

        def make(watch: Watch) -> _Made:
            looking, moving = look(self.game), move(self.game, percepts=False)
            if not affordable(host().vector, watch, len(looking.netlist), len(moving.netlist)):
                return _interpreted(looking, moving, watch), {}
            assembly, work = columns_program(looking, moving, len(self.game.roles), host().vector)
            return assembly, {"work": work}

        def opened(code: Library | dict[str, Program], facts: dict[str, Any]) -> ColumnsCode:
            if isinstance(code, Library):
                return MachineColumns(code, facts["work"], self.game)
            return InterpretedColumns(code, self.game, self._shared(COLUMN_FUNCTIONS, code))

        return self._code_of(CodeRequest("columns", "columns"), make, opened, shared=COLUMN_FUNCTIONS)

    def _shared(self, functions: SharedFunctions, user: Library | dict[str, Program] | None = None) -> Library:
        """Return functions that all games share, for the vectors of some code, by default of machine code.

        They are compiled once for all games, as they take longer than the rest of most games, and loaded once.
        """
        machine = host()
        target = WIDE if isinstance(user, dict) else machine.vector
        key = machine, functions.name, target.bits
        if key not in _SHARED:
            _SHARED[key] = self._timed(lambda: Library(self._shared_made(functions, target)))
        return _SHARED[key]

    def _shared_made(self, functions: SharedFunctions, target: Target) -> bytes:
        name = f"{functions.name}-{target.bits}"
        code = self._shared_cache.read(name)
        if code is None:
            if self._progress is not None:
                self._progress(_GENERATING)
            code = compiled("\n".join([functions.assembly(target), *footer(target)]), host())
            self._shared_cache.write(name, code)
        return code

    def states(self) -> StateCode:
        """Return code that evaluates one state at a time."""
        return self._states(StateCode)

    def kernels(self) -> Kernels:
        """Return code for one state at a time, called from compiled code. Raises CompileError."""
        return self._states(Kernels)

    @cached_property
    def layout(self) -> StateLayout:
        """The positions of the results for one state."""
        return StateLayout(self.game)

    def _states(self, kind: Callable[[Library, int, StateLayout], T]) -> T:
        """Return the functions `look`, `move` and `legal` for one state, called in one of two ways."""

        def make(watch: Watch) -> _Made:
            programs = single_state_programs(self.game, largest_single(watch))
            if len(programs) == 1:
                return programs[0]
            begin_stage(_COMPILING)
            codes = [(compiled(text, host(), level(len(text), watch)), facts) for text, facts in programs]
            return codes[fastest(self.game, [(Library(code), facts["work"]) for code, facts in codes])]

        def opened(code: Library | dict[str, Program], facts: dict[str, Any]) -> T:
            if not isinstance(code, Library):
                raise TypeError("code for one state is never interpreted")
            return kind(code, facts["work"], self.layout)

        return self._code_of(CodeRequest("states", "states"), make, opened)

    def _code_of(
        self,
        request: CodeRequest,
        make: _Maker,
        opened: Callable[[Library | dict[str, Program], dict[str, Any]], T],
        *,
        shared: SharedFunctions | None = None,
    ) -> T:
        """Return code as `opened` makes it callable, given the code and its data: made, unless it is cached.

        Its machine code may call `shared` functions.
        """
        name = request.name
        if name not in self._codes:
            self._codes[name] = self._timed(lambda: self._loaded(request, make, opened, shared))
        return opened(*self._codes[name])

    def _loaded(
        self,
        request: CodeRequest,
        make: _Maker,
        opened: Callable[[Library | dict[str, Program], dict[str, Any]], object],
        shared: SharedFunctions | None,
    ) -> _Code:
        name = request.name
        code, kept = self._code.read(name), self._code.read(f"{name}.json")
        begun, new = time.thread_time(), code is None or kept is None
        if code is None or kept is None:
            code, kept = self._code_made(request, make)
        facts = json.loads(kept)
        loaded: Library | dict[str, Program]
        if facts.pop("interpreted"):
            from gdl.codegen.interpreter.program import loaded as loaded_programs

            loaded = loaded_programs(code)
        else:
            loaded = Library(code) if shared is None else Library(code, self._shared(shared), shared.names)
        if new and self._process is None:
            from gdl.simulator.code_check import check_code
            from gdl.simulator.self_check import comparing

            with comparing(self.source, self._folder):
                check_code(opened(loaded, facts), self.game, time.thread_time() - begun)
        if new:
            self._code.write(name, code)
            self._code.write(f"{name}.json", kept)
        if self._made is not None:
            self._made[name] = code, kept
        return loaded, facts

    def _code_made(self, request: CodeRequest, make: _Maker) -> Made:
        if self._process is not None:
            game = self.game  # made before the process is asked for code, as it answers one request at a time
            return self._process.code(request, lambda: dumped(game))
        # Code is made when it is first asked for, which is too late to refuse the game. What it needs grows with the
        # circuit, and without time for machine code it is interpreted.
        watch = Watch(self._budget, self._progress, refuses=False)
        with watch.running(), refusing(self.source.name, lambda: causes_in_circuit(self.game)):
            begin_stage(_GENERATING)
            made, facts = make(watch)
            facts["interpreted"] = isinstance(made, dict)
            if isinstance(made, bytes):
                code = made
            elif isinstance(made, str):
                begin_stage(_COMPILING)
                code = compiled(made, host(), level(len(made), watch))
            else:
                from gdl.codegen.interpreter.program import dumped as dumped_programs

                code = dumped_programs(made)
        return code, json.dumps(facts).encode()

    def entries(self, *parts: str) -> Cache:
        """Return the entries of the cache for other findings about this circuit; `parts` are their key."""
        seconds = repr(float(self._budget.seconds))
        return Cache(self._folder, self._text, seconds, "found", *parts)

    def note(self, name: str) -> int | None:
        """Return a number that was cached for later runs; None if there is none."""
        if name not in self._notes:
            kept = self._code.read(f"{name}.note")
            if kept is None:
                return None
            self._notes[name] = int(kept)
        return self._notes[name]

    def keep(self, name: str, number: int) -> None:
        """Cache a number for later runs."""
        self._notes[name] = number
        self._code.write(f"{name}.note", str(number).encode())

    def _timed(self, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        before = self.seconds
        try:
            return work()
        finally:
            # Nested calls are not counted twice.
            self.seconds = before + time.perf_counter() - start


def _layout(facts: dict[str, Any]) -> Layout:
    counted = tuple(key if isinstance(key, str) else (key[0], key[1]) for key in facts["counted"])
    step, restart = facts["operations"]
    return Layout(
        **{
            **facts,
            "facts": tuple(facts["facts"]),
            "blocks": tuple(facts["blocks"]),
            "counted": counted,
            "counter_rows": tuple(facts["counter_rows"]),
            "renamed": tuple(facts["renamed"]),
            "operations": (step, restart),
        }
    )


def _windows(operations: int, watch: Watch) -> Sequence[int]:
    begin_stage(_PREPARING)
    return windows(operations, watch)


def _interpreted_playouts(playout: PlayoutNetlist, watch: Watch) -> _Made:
    from gdl.codegen.interpreter.program import playout_programs

    operations = sum(len(part.netlist) for part in playout.parts)
    programs, layout = playout_programs(playout, _windows(operations, watch))
    return programs, asdict(layout)


def _interpreted(looking: Evaluation, moving: Evaluation, watch: Watch) -> dict[str, Program]:
    windows = _windows(len(looking.netlist) + len(moving.netlist), watch)
    return {"look": _program(looking, windows), "move": _program(moving, windows)}


def _program(evaluation: Evaluation, windows: Sequence[int]) -> Program:
    from gdl.codegen.interpreter.program import interpreted

    inputs = {2 + i: RowAddress("in", i) for i in range(evaluation.facts + evaluation.moves)}
    stores = [(signal, RowAddress("out", i)) for i, signal in enumerate(evaluation.outputs)]
    return interpreted(evaluation.netlist, Interface(inputs, stores), windows=windows)
