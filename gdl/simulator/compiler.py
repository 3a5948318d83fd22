"""Compile rules to a circuit, and the circuit to machine code on demand; both are cached."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.pipeline import Progress, make_circuit
from gdl.circuit.serialization import dumped, loaded
from gdl.codegen.evaluation import Evaluation, LanesLayout, footer, lanes_program, look, move, state_program
from gdl.codegen.interface import Interface, RowAddress, Target
from gdl.codegen.interpreter.program import Program, interpreted, playout_programs
from gdl.codegen.interpreter.program import dumped as dumped_programs
from gdl.codegen.interpreter.program import loaded as loaded_programs
from gdl.codegen.llvm.machine_code import Library, compiled, host
from gdl.codegen.llvm.playout_loop import Layout, assembled, playout_pieces
from gdl.codegen.llvm.state_loops import once_program, states_program
from gdl.codegen.llvm.transpose import lane_functions
from gdl.codegen.playout_netlist import once_netlist, playout_netlist
from gdl.errors import CircuitSizeError, Source
from gdl.language.rulesheet import Rulesheet
from gdl.simulator.cache import Cache
from gdl.simulator.compiled_code import (
    WIDE,
    ArraysCode,
    InterpretedArrays,
    InterpretedStates,
    LanesCode,
    MachineArrays,
    MachineStates,
    OnceCode,
    PlayoutCode,
    StateCode,
    StateLayout,
)
from gdl.simulator.compiler_process import CodeRequest, CompilerProcess, Made
from gdl.simulator.kernels import Kernels

T = TypeVar("T")

#: Assembly or programs for the interpreter, before they become code; and data about them that is cached along with it.
_Made = tuple[str | dict[str, Program], dict[str, Any]]

#: Netlists with more operations than this are interpreted, as compiling them to machine code would take too long.
LARGEST: Final = 60_000

#: The same for single states: their code is longer, as it has no three-input instructions.
LARGEST_SINGLE: Final = 20_000

#: Assembly of more bytes than this, some 10,000 operations, is compiled at LLVM's level 0. It takes less than half the
#: time, and makes the code 7 to 12 % slower.
_LONG: Final = 2_700_000


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
        separate_process: bool = False,
        made: dict[str, Made] | None = None,
    ) -> None:
        """Prepare to compile some rules; `progress` is called with the name of each stage.

        If `made` is given, it receives the code that is made here and the data about it, by their names in the cache.
        """
        self._rules = rules
        self.source = source = rules.source if isinstance(rules, Rulesheet) else rules
        self._progress = progress or (lambda _: None)
        self._made = made
        self._process = CompilerProcess(source, self._progress) if separate_process else None
        machine = host()
        self._circuits = Cache(folder, source.text)
        self._code = Cache(folder, source.text, machine.cpu, machine.features)
        self._codes: dict[str, tuple[Library | dict[str, Program], dict[str, Any]]] = {}
        self._notes: dict[str, int] = {}
        #: Seconds spent so far on making the circuit and code, or on reading them.
        self.seconds = 0.0

    @cached_property
    def rulesheet(self) -> Rulesheet:
        """The rules; if they were given as text, it is parsed on first use. Raises RulesheetError."""
        return self._rules if isinstance(self._rules, Rulesheet) else Rulesheet.of_source(self._rules)

    @cached_property
    def game(self) -> GameCircuit:
        """The circuit. Raises RulesheetError, GroundingError and MakingError."""
        return self._timed(self._game)

    def _game(self) -> GameCircuit:
        kept = self._circuits.read("circuit")
        if kept is not None:
            return loaded(kept)
        if self._process is not None:
            made = self._process.circuit()
            game = loaded(made)
        else:
            game = make_circuit(self.rulesheet, self._progress)
            made = dumped(game)
        self._circuits.write("circuit", made)
        return game

    def playouts(self, age_bits: int, given: bool) -> PlayoutCode:
        """Return code for playouts with ages of `age_bits` bits, from the initial state or a given one."""

        def make() -> _Made:
            playout = playout_netlist(self.game, age_bits=age_bits, given=given)
            pieces = playout_pieces(playout)
            if pieces.operations > LARGEST:
                programs, layout = playout_programs(playout)
                return programs, asdict(layout)
            assembly, layout = assembled(pieces, host().vector)
            return assembly, asdict(layout)

        name = f"playouts-{age_bits}" + "-given" * given
        code, facts = self._code_of(CodeRequest(name, "playouts", (age_bits, given)), make)
        return PlayoutCode(code, _layout(facts))

    def once(self) -> OnceCode:
        """Return code for one playout from each of many states, with its own memory."""

        def make() -> _Made:
            playout = once_netlist(self.game)
            pieces = playout_pieces(playout)
            if pieces.operations > LARGEST:
                programs, layout = playout_programs(playout)
                return programs, asdict(layout)
            assembly, layout = once_program(pieces, len(self.game.facts), host().vector)
            return assembly, asdict(layout)

        code, facts = self._code_of(CodeRequest("once", "once"), make)
        return OnceCode(code, _layout(facts), self.game, self.tools(WIDE))

    def arrays(self) -> ArraysCode:
        """Return code for many packed states at once, with its own memory."""

        def make() -> _Made:
            looking, moving = look(self.game), move(self.game, percepts=False)
            if max(len(looking.netlist), len(moving.netlist)) > LARGEST:
                return {"look": _interpreted(looking), "move": _interpreted(moving)}, {}
            assembly, work = states_program(looking, moving, len(self.game.roles), host().vector)
            return assembly, {"work": work}

        code, facts = self._code_of(CodeRequest("arrays", "arrays"), make)
        if isinstance(code, Library):
            return MachineArrays(code, facts["work"], self.game)
        return InterpretedArrays(code, self.game, self.tools(WIDE))

    def lanes(self) -> LanesCode:
        """Return code that evaluates 512 states at a time."""

        def make() -> _Made:
            looking, moving = look(self.game), move(self.game, percepts=False)
            state, looked = looking.facts + moving.moves, len(looking.outputs)
            if max(len(looking.netlist), len(moving.netlist)) > LARGEST:
                programs = {"look": _interpreted(looking), "move": _interpreted(moving)}
                return programs, asdict(LanesLayout(state, looked, max(p.rows for p in programs.values())))
            target = host().vector
            seeing, work = lanes_program(looking, target, "look", state, looked)
            doing, more = lanes_program(moving, target, "move", state, state)
            return "\n".join([seeing, doing, *footer(target)]), asdict(LanesLayout(state, looked, max(work, more)))

        code, facts = self._code_of(CodeRequest("lanes", "lanes"), make)
        return LanesCode(code, LanesLayout(**facts), self.tools(host().vector if isinstance(code, Library) else WIDE))

    def tools(self, target: Target) -> Library:
        """Return the functions that all games share."""

        def make() -> _Made:
            return "\n".join([lane_functions(target), *footer(target)]), {}

        tools, _ = self._code_of(CodeRequest(f"tools-{target.bits}", "tools", (target,)), make)
        assert isinstance(tools, Library)
        return tools

    def states(self) -> StateCode:
        """Return code that evaluates one state at a time."""
        code, facts = self._code_of(CodeRequest("states", "states"), self._make_states)
        if isinstance(code, Library):
            return MachineStates(code, facts["work"], self.layout)
        return InterpretedStates(code, self.game, facts["places"])

    def kernels(self) -> Kernels:
        """Return code for one state at a time, to be called from compiled code. Raises CircuitSizeError."""
        code, facts = self._code_of(CodeRequest("states", "states"), self._make_states)
        if not isinstance(code, Library):
            raise CircuitSizeError(self.source.name, LARGEST_SINGLE)
        return Kernels(code, facts["work"], self.layout)

    @cached_property
    def layout(self) -> StateLayout:
        """The positions of the results for one state."""
        return StateLayout(self.game)

    def _make_states(self) -> _Made:
        looking, moving = look(self.game), move(self.game, percepts=True)
        if len(looking.netlist) + len(moving.netlist) > LARGEST_SINGLE:
            places = {"look": looking.places(), "move": moving.places()}
            return {"look": _interpreted(looking), "move": _interpreted(moving)}, {"places": places}
        return state_program(looking, moving, len(self.game.roles))

    def _code_of(
        self, request: CodeRequest, make: Callable[[], _Made]
    ) -> tuple[Library | dict[str, Program], dict[str, Any]]:
        """Return code, made by `make` or by request unless it is cached, and the data about it."""
        name = request.name
        if name not in self._codes:
            self._codes[name] = self._timed(lambda: self._loaded(request, make))
        return self._codes[name]

    def _loaded(
        self, request: CodeRequest, make: Callable[[], _Made]
    ) -> tuple[Library | dict[str, Program], dict[str, Any]]:
        name = request.name
        code, kept = self._code.read(name), self._code.read(f"{name}.json")
        if code is None or kept is None:
            code, kept = self._code_made(request, make)
            self._code.write(name, code)
            self._code.write(f"{name}.json", kept)
        facts = json.loads(kept)
        return (loaded_programs(code) if facts.pop("interpreted") else Library(code)), facts

    def _code_made(self, request: CodeRequest, make: Callable[[], _Made]) -> Made:
        if self._process is not None:
            game = self.game  # made before the process is asked for code, as it answers one request at a time
            return self._process.code(request, lambda: dumped(game))
        self._progress("generating code")
        made, facts = make()
        facts["interpreted"] = not isinstance(made, str)
        level = 0 if len(made) > _LONG else 1
        code = compiled(made, host(), level) if isinstance(made, str) else dumped_programs(made)
        both = code, json.dumps(facts).encode()
        if self._made is not None:
            self._made[request.name] = both
        return both

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
            "operations": (step, restart),
        }
    )


def _interpreted(evaluation: Evaluation) -> Program:
    inputs = {2 + i: RowAddress("in", i) for i in range(evaluation.facts + evaluation.moves)}
    stores = [(signal, RowAddress("out", i)) for i, signal in enumerate(evaluation.outputs)]
    return interpreted(evaluation.netlist, Interface(inputs, stores))
