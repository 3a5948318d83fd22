"""Netlists as programs for an interpreter, for circuits whose machine code would take too long to compile.

The interpreter is compiled once, by Numba, whatever the game. It computes with rows of 512 lanes, and yields the same
bits as the machine code of a netlist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, final

from gdl.codegen.interface import Interface
from gdl.codegen.interpreter.allocation import Allocation, Line
from gdl.codegen.interpreter.operations import COUNT, REPEAT, STOP, TOGETHER
from gdl.codegen.interpreter.schedule import Sequenced
from gdl.codegen.llvm.playout_loop import Layout, playout_interfaces
from gdl.codegen.netlist import Netlist
from gdl.codegen.playout_parts import PlayoutNetlist

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Operands below this have 16 bits.
_NARROW: Final = 1 << 16


@final
@dataclass(frozen=True, slots=True)
class Program:
    """Code for the interpreter, and the rows that it works with, all counted from `base`.

    The code consists of operations with their operands, `TOGETHER` of a kind at a time, in segments that end with STOP.
    Operands are rows, multiplied by `unit(rows)`.
    """

    #: uint16 if that is enough for all operands, otherwise uint32.
    code: NDArray[np.unsignedinteger[Any]]
    #: For each segment of the code, where it starts, and if a loop ends with it (otherwise -1), the segment where the
    #: loop begins, and the range of its pairs.
    segments: NDArray[np.int64]
    #: The variables of loops, with their updates.
    pairs: NDArray[np.int64]
    #: The rows of `in` and `out`.
    inputs: NDArray[np.intp]
    outputs: NDArray[np.intp]
    #: The number of rows.
    rows: int


def unit(rows: int) -> int:
    """Return the factor of row operands: 8 (a row's 64-bit words, which saves a shift) if 16 bits suffice, else 1."""
    return 8 if 8 * rows <= _NARROW else 1


_FIELDS: Final = tuple(field.name for field in fields(Program))


def dumped(programs: Mapping[str, Program]) -> bytes:
    """Serialize programs."""
    import numpy as np

    arrays = {
        f"{name}.{field}": np.asarray(getattr(program, field))
        for name, program in programs.items()
        for field in _FIELDS
    }
    file = BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]  # NumPy's stubs take the names of arrays for options
    return file.getvalue()


def loaded(data: bytes) -> dict[str, Program]:
    """Read programs from the output of `dumped`."""
    import numpy as np

    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        names = dict.fromkeys(key.partition(".")[0] for key in arrays.files)
        return {
            name: Program(
                **{field: arrays[f"{name}.{field}"] for field in _FIELDS[:-1]}, rows=int(arrays[f"{name}.rows"])
            )
            for name in names
        }


def interpreted(
    netlist: Netlist, interface: Interface, *, feedback: bool = False, windows: Sequence[int] = ()
) -> Program:
    """Return the program of a netlist; inputs are at `in` and `base`, and it owns the rows of `base` from `frame` on.

    With `feedback`, the rows of `out` become those of `in` in the next evaluation. Raises ValueError for nested loops,
    and if a random row is read by several operations or in a loop.
    """
    import numpy as np

    sequence = Sequenced(netlist, interface, windows)
    allocation = Allocation(sequence, feedback)
    lines = allocation.lines()
    rows = allocation.count + 1
    code = _Code(set(sequence.loops.values()), unit(rows))
    code.add(lines, allocation.count)
    return Program(
        np.array(code.words, np.uint16 if rows <= _NARROW else np.uint32),
        np.array(code.segments, np.int64).reshape(-1, 4),
        np.array(code.pairs, np.int64).reshape(-1, 2),
        np.array(allocation.input_rows(), np.intp),
        np.array(allocation.output_rows(), np.intp),
        rows,
    )


def playout_programs(playout: PlayoutNetlist, windows: Sequence[int] = ()) -> tuple[dict[str, Program], Layout]:
    """Return programs for `step` and `restart` (unless it is part of a step), with the layout of their memory.

    Both replace the state in place. It follows the rows that the layout names, whose number is its `rows`.
    """
    interfaces, layout = playout_interfaces(playout)
    programs = {
        name: interpreted(part.netlist, interface, feedback=True, windows=windows)
        for name, part, interface in zip(("step", "restart"), playout.parts, interfaces, strict=False)
    }
    return programs, layout


def run(
    programs: Mapping[str, Program],
    layout: Layout,
    base: Sequence[NDArray[np.uint64]],
    rounds: int,
    interval: int,
    draining: bool,
) -> int:
    """Execute playouts as `gdl.codegen.llvm.playout_loop.stepper` describes, and return the number of steps made.

    Each of `base` has the rows (rows x 8) of 512 lanes. The state follows those that the layout names.
    """
    step, restart = programs["step"], programs.get("restart")
    over = None if layout.over is None else layout.rows + layout.over
    made = 0
    for _ in range(rounds):
        for _ in range(interval):
            for rows in base:
                _interpret(step, rows)
            made += 1
            if over is None or not any((rows[layout.active] & ~rows[over]).any() for rows in base):
                break
        for rows in base:
            if restart is not None:
                _interpret(restart, rows)
            if draining:
                rows[layout.active] &= ~rows[layout.ended]
        if draining and not any(rows[layout.active].any() for rows in base):
            break
    return made


def apply(program: Program, in_: NDArray[np.uint64], out: NDArray[np.uint64], base: NDArray[np.uint64]) -> None:
    """Evaluate a netlist for 512 lanes; `in_` and `out` are rows x 8. Releases the GIL."""
    base[program.inputs] = in_
    _interpret(program, base)
    out[:] = base[program.outputs]


def _interpret(program: Program, base: NDArray[np.uint64]) -> None:
    try:
        from gdl.codegen.interpreter.loops import interpreter
    except ImportError as error:
        raise ImportError("circuits that are too large to compile are interpreted, which needs numba") from error
    interpreter(program.code.dtype, unit(program.rows))(program.code, program.segments, program.pairs, base)


class _Code:
    """Code under construction."""

    def __init__(self, begins: set[int], unit: int) -> None:
        self.begins = begins
        self.unit = unit
        self.words: list[int] = []
        self.segments: list[tuple[int, int, int, int]] = []
        self.pairs: list[tuple[int, int]] = []

    def add(self, lines: Sequence[Line], scratch: int) -> None:
        """Add operations in segments; incomplete groups of equal operations are filled up with `scratch` rows."""
        words = self.words
        begin = start = number = 0
        while number < len(lines):
            if number in self.begins:
                self._stop(start)
                begin, start = len(self.segments), len(words)
            operation, rows = lines[number]
            number += 1
            if operation == REPEAT:
                first = len(self.pairs)
                self.pairs += zip(rows[::2], rows[1::2], strict=True)
                self._stop(start, begin, first, len(self.pairs))
                start = len(words)
                continue
            words.append(operation)
            words += [self.unit * row for row in rows]
            for _ in range(TOGETHER - 1 if operation < COUNT else 0):
                if number < len(lines) and lines[number][0] == operation:
                    rows = lines[number][1]
                    number += 1
                else:
                    rows = [scratch] * len(rows)
                words += [self.unit * row for row in rows]
        self._stop(start)

    def _stop(self, start: int, begin: int = -1, first: int = 0, last: int = 0) -> None:
        self.words.append(STOP)
        self.segments.append((start, begin, first, last))
