"""Netlists as programs for an interpreter: what is run where machine code would take too long to compile.

The interpreter is compiled once, by Numba, whatever the game. A program is a list of groups: an operation, and rows to
do it with, many times. It computes with rows of 512 lanes, and the same bits as the machine code of a netlist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, final

from gdl.codegen.allocation import Allocation, Line
from gdl.codegen.llvm import Interface
from gdl.codegen.netlist import Netlist
from gdl.codegen.operations import REPEAT, ROW
from gdl.codegen.playout import PlayoutNetlist
from gdl.codegen.schedule import WINDOW, Sequenced
from gdl.codegen.stepper import Layout, playout_interface

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True)
class Program:
    """Groups of operations, and the rows that they work with, all counted from `base`.

    A group is an operation, where its operands start, and how many times it is done. Operands are rows, in bytes.
    """

    #: int64, groups x 3.
    groups: NDArray[np.int64]
    #: uint32.
    operands: NDArray[np.uint32]
    #: Where the rows of `in` and `out` are.
    inputs: NDArray[np.intp]
    outputs: NDArray[np.intp]
    #: How many rows there are.
    rows: int


@final
@dataclass(frozen=True, slots=True)
class PlayoutProgram:
    """A program for the steps of playouts, and the rows that tell when to stop."""

    program: Program
    active: int
    ended: int
    longer: int


def dumped(programs: Mapping[str, Program]) -> bytes:
    """Programs as bytes."""
    import numpy as np

    arrays = {
        f"{name}.{field}": np.asarray(getattr(program, field))
        for name, program in programs.items()
        for field in ("groups", "operands", "inputs", "outputs", "rows")
    }
    file = BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]  # NumPy's stubs take the names of arrays for options
    return file.getvalue()


def loaded(data: bytes) -> dict[str, Program]:
    """Programs from bytes."""
    import numpy as np

    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        names = dict.fromkeys(key.partition(".")[0] for key in arrays.files)
        return {
            name: Program(
                groups=arrays[f"{name}.groups"],
                operands=arrays[f"{name}.operands"],
                inputs=arrays[f"{name}.inputs"],
                outputs=arrays[f"{name}.outputs"],
                rows=int(arrays[f"{name}.rows"]),
            )
            for name in names
        }


def interpreted(netlist: Netlist, interface: Interface, *, feedback: bool = False, window: int = WINDOW) -> Program:
    """The program of a netlist; its inputs are at `in` and `base`, and rows of `base` from `frame` on are its own.

    With `feedback`, the rows of `out` are those of `in` the next time. Raises ValueError for nested loops, and where a
    random row is read by several operations, or in a loop.
    """
    sequence = Sequenced(netlist, interface, window)
    allocation = Allocation(sequence, feedback)
    groups, operands = _grouped(allocation.lines(), set(sequence.loops.values()))
    return _program(groups, operands, allocation)


def playout_program(playout: PlayoutNetlist, window: int = WINDOW) -> tuple[PlayoutProgram, Layout]:
    """The program of the steps of playouts, with the layout of its memory."""
    interface, layout = playout_interface(playout)
    program = interpreted(playout.netlist, interface, feedback=True, window=window)
    return PlayoutProgram(program, layout.active, layout.ended, layout.longer), replace(layout, rows=program.rows)


def run(
    playout: PlayoutProgram,
    state0: NDArray[np.uint64],
    state1: NDArray[np.uint64],
    base: NDArray[np.uint64],
    steps: int,
    draining: bool,
) -> int:
    """Make steps of playouts, until there were so many, or a lane gets older than the limit.

    The state (rows x 8) is at first in `state0`; after an odd number of steps in `state1`. If `draining`, ended lanes
    stop to count, and the last step is the one after which none counts any more. Gives the number of steps made. Rows
    are 8 words, `base` has as many as the layout says. Releases the GIL.
    """
    program = playout.program
    rows = slice(program.inputs[0], program.inputs[-1] + 1)
    base[rows] = state0
    done = int(
        _interpreter()(
            program.groups, program.operands, base, playout.active, playout.ended, playout.longer, steps, draining
        )
    )
    (state1 if done % 2 else state0)[:] = base[rows]
    return done


def apply(
    program: Program, in_: NDArray[np.uint64], out: NDArray[np.uint64], base: NDArray[np.uint64], groups: int
) -> None:
    """Evaluate a netlist for groups of 512 lanes: `in_` is groups x rows x 8, and so is `out`. Releases the GIL."""
    interpret = _interpreter()
    for group in range(groups):
        base[program.inputs] = in_[group]
        interpret(program.groups, program.operands, base, 0, 0, 0, 1, False)
        out[group] = base[program.outputs]


def _interpreter() -> Any:
    try:
        from gdl.codegen.kernels import interpreter
    except ImportError as error:
        raise ImportError("circuits that are too large to compile are interpreted, which needs numba") from error
    return interpreter()


def _grouped(lines: Sequence[Line], begins: set[int]) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Groups and operands; a loop begins with a group of its own."""
    groups: list[tuple[int, int, int]] = []
    operands: list[int] = []
    at: dict[int, int] = {}
    last = -1
    for number, (operation, rows) in enumerate(lines):
        if number in begins:
            at[number] = len(groups)
            last = -1
        if operation == REPEAT:
            groups.append((REPEAT, len(operands), len(rows) // 2))
            operands += [*(ROW * row for row in rows[:-1]), at[rows[-1]]]
        elif operation == last:
            groups[-1] = (operation, groups[-1][1], groups[-1][2] + 1)
            operands += [ROW * row for row in rows]
        else:
            groups.append((operation, len(operands), 1))
            operands += [ROW * row for row in rows]
        last = operation
    return groups, operands


def _program(groups: list[tuple[int, int, int]], operands: list[int], allocation: Allocation) -> Program:
    import numpy as np

    return Program(
        np.array(groups, np.int64).reshape(-1, 3),
        np.array(operands, np.uint32),
        np.array(allocation.input_rows(), np.intp),
        np.array(allocation.output_rows(), np.intp),
        allocation.count,
    )
