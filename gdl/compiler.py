"""From rules to a circuit, and from a circuit to machine code when some is needed; both are kept in the cache."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, final

from gdl.cache import Cache
from gdl.circuit.build import build
from gdl.circuit.game import GameCircuit
from gdl.circuit.invariants import find_invariants, simplified
from gdl.circuit.rebuild import rebuild
from gdl.circuit.stored import dumped, loaded
from gdl.codegen.evaluate import LanesLayout, footer, lanes_program, look, move, state_program
from gdl.codegen.native import Library, compiled, host
from gdl.codegen.playout import playout_netlist
from gdl.codegen.stepper import Layout, stepper
from gdl.codegen.transpose import lane_functions
from gdl.errors import Source
from gdl.grounder import ground
from gdl.rulesheet import Rulesheet

T = TypeVar("T")

#: So many seconds are spent on proving what holds in every state.
PROVING: Final = 10.0

#: Told what is being done, stage by stage.
Progress = Callable[[str], None]


@final
class Compiler:
    """One game's circuit and code. What is not in the cache is made when it is first asked for, and kept there."""

    def __init__(self, source: Source, folder: Path | None, progress: Progress | None = None) -> None:
        self.source = source
        self._progress = progress or (lambda _: None)
        machine = host()
        self._circuits = Cache(folder, source.text)
        self._code = Cache(folder, source.text, machine.cpu, machine.features)
        self._libraries: dict[str, tuple[Library, dict[str, Any]]] = {}
        self._notes: dict[str, int] = {}
        #: Seconds spent so far on making circuit and code, or on reading them.
        self.seconds = 0.0

    @cached_property
    def rulesheet(self) -> Rulesheet:
        """The rules; parsed only if they are needed. Raises RulesheetError."""
        return Rulesheet(self.source.text, self.source.name)

    @cached_property
    def game(self) -> GameCircuit:
        """The circuit. Raises RulesheetError and GroundingError."""
        return self._timed(self._game)

    def _game(self) -> GameCircuit:
        kept = self._circuits.read("circuit")
        if kept is not None:
            return loaded(kept)
        rulesheet = self.rulesheet
        self._progress("grounding")
        program = ground(rulesheet)
        self._progress("building the circuit")
        game = rebuild(build(program))
        self._progress("proving what always holds")
        game = simplified(game, find_invariants(game, seconds=PROVING))
        self._circuits.write("circuit", dumped(game))
        return game

    def playouts(self, age_bits: int, *, given: bool) -> tuple[Library, Layout]:
        """Code for playouts with ages of so many bits, from the initial state or a given one."""

        def make() -> tuple[str, dict[str, Any]]:
            playout = playout_netlist(self.game, tries=2, age_bits=age_bits, given=given)
            assembly, layout = stepper(playout, host().vector)
            return assembly, asdict(layout)

        library, facts = self._library(f"playouts-{age_bits}" + "-given" * given, make)
        counted = tuple(key if isinstance(key, str) else (key[0], key[1]) for key in facts["counted"])
        return library, Layout(**{**facts, "facts": tuple(facts["facts"]), "counted": counted})

    def lanes(self) -> tuple[Library, LanesLayout]:
        """Code that evaluates 512 states at a time: functions `look` and `move`, and those of `transpose`."""

        def make() -> tuple[str, dict[str, Any]]:
            target = host().vector
            looking, moving = look(self.game), move(self.game, percepts=False)
            state, looked = looking.facts + moving.moves, len(looking.outputs)
            seeing, work = lanes_program(looking, target, "look", state, looked)
            doing, more = lanes_program(moving, target, "move", state, state)
            layout = LanesLayout(state, looked, max(work, more))
            return "\n".join([seeing, doing, lane_functions(target), *footer(target)]), asdict(layout)

        library, facts = self._library("lanes", make)
        return library, LanesLayout(**facts)

    def states(self) -> tuple[Library, int]:
        """Code that evaluates one state at a time, and the number of 8-byte rows that it works in."""

        def make() -> tuple[str, dict[str, Any]]:
            return state_program(look(self.game), move(self.game, percepts=True), len(self.game.roles))

        library, facts = self._library("states", make)
        return library, facts["work"]

    def _library(self, name: str, make: Callable[[], tuple[str, dict[str, Any]]]) -> tuple[Library, dict[str, Any]]:
        def load() -> tuple[Library, dict[str, Any]]:
            if name in self._libraries:
                return self._libraries[name]
            code = self._code.read(name)
            facts = self._code.read(f"{name}.json")
            if code is None or facts is None:
                self._progress("generating code")
                assembly, made = make()
                code, facts = compiled(assembly, host()), json.dumps(made).encode()
                self._code.write(name, code)
                self._code.write(f"{name}.json", facts)
            self._libraries[name] = Library(code), json.loads(facts)
            return self._libraries[name]

        return self._timed(load)

    def note(self, name: str) -> int | None:
        """A number that was kept for later runs."""
        if name not in self._notes:
            kept = self._code.read(f"{name}.note")
            if kept is None:
                return None
            self._notes[name] = int(kept)
        return self._notes[name]

    def keep(self, name: str, number: int) -> None:
        """Keep a number for later runs."""
        self._notes[name] = number
        self._code.write(f"{name}.note", str(number).encode())

    def _timed(self, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        before = self.seconds
        try:
            return work()
        finally:
            # What was timed inside is not counted twice.
            self.seconds = before + time.perf_counter() - start
