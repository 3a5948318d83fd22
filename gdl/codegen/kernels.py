"""Numba kernels that interpret programs of gates; this module loads Numba.

A group of gates with the same table is one loop over vectors of 512 bits, so that there is one jump a group, not one a
gate. The loops are written in LLVM's terms by `_gates`: from loops over eight words Numba does not make vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from gdl.codegen.formulas import Formula, formulas
from gdl.codegen.netlist import NOT, A, B, C
from gdl.codegen.operations import COUNT, RANDOM, REPEAT, ROW, TABLES, arity

_ROW = ir.VectorType(ir.IntType(64), 8)
_INT = ir.IntType(64)
_OFFSET = ir.IntType(32)


_SIGNATURE: Final = types.int64(
    types.Array(types.int64, 2, "C"),
    types.Array(types.uint32, 1, "C"),
    types.Array(types.uint64, 2, "C"),
    *[types.int64] * 4,
    types.boolean,
)


def _typed(_context: Any, _operation: Any, _memory: Any, _operands: Any, _count: Any) -> Any:
    """The types of a group: its operation, and the addresses of `base` and of its operands."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Sequence[Any]) -> Any:
        features = context.codegen().magic_tuple()[2].split(",")
        _Groups(builder, "+avx512f" in features, *arguments).build()
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64, types.uint64, types.int64), generate


#: An operation is done so many times (at least once), with the next operands each time.
_gates: Any = intrinsic(_typed)


class _Groups:
    """The loops for all operations, under construction."""

    def __init__(self, builder: Any, ternary: bool, operation: Any, memory: Any, operands: Any, count: Any) -> None:
        self.builder = builder
        self.ternary = ternary
        self.operation = operation
        self.memory = builder.inttoptr(memory, ir.IntType(8).as_pointer())
        self.operands = builder.inttoptr(operands, _OFFSET.as_pointer())
        self.count = count

    def build(self) -> None:
        builder = self.builder
        entry, done = builder.block, builder.append_basic_block("done")
        switch = builder.switch(self.operation, done)
        builder.function.attributes.add("optsize")
        kinds: list[tuple[int, int, Callable[[list[Any]], None]]] = [
            (number, arity(table) + 1, lambda places, table=table: self.gate(table, places))  # type: ignore[misc]
            for number, table in enumerate(TABLES)
        ]
        kinds += [(COUNT, 2, self.add_ones), (RANDOM, 3, self.random)]
        for number, width, body in kinds:
            block = builder.append_basic_block(f"group{number}")
            switch.add_case(number, block)
            builder.position_at_end(block)
            turn = builder.phi(_INT)
            at = builder.phi(self.operands.type)
            turn.add_incoming(self.count, entry)
            at.add_incoming(self.operands, entry)
            body([self.place(at, i) for i in range(width)])
            at.add_incoming(builder.gep(at, [_INT(width)]), builder.block)
            left = builder.sub(turn, _INT(1))
            turn.add_incoming(left, builder.block)
            builder.cbranch(builder.icmp_unsigned("==", left, _INT(0)), done, block)
        builder.position_at_end(done)

    def place(self, at: Any, number: int) -> Any:
        """The pointer to the row that an operand says."""
        offset = self.builder.load(self.builder.gep(at, [_INT(number)]))
        address = self.builder.gep(self.memory, [self.builder.zext(offset, _INT)])
        return self.builder.bitcast(address, _ROW.as_pointer())

    def load(self, place: Any) -> Any:
        row = self.builder.load(place)
        row.align = 8
        return row

    def store(self, value: Any, place: Any) -> None:
        self.builder.store(value, place).align = 8

    def gate(self, table: int, places: list[Any]) -> None:
        rows = [self.load(place) for place in places[:-1]]
        if self.ternary and len(rows) == 3:
            kind = ir.FunctionType(_ROW, [_ROW, _ROW, _ROW, ir.IntType(32)])
            function = self.called("llvm.x86.avx512.pternlog.q.512", kind)
            value = self.builder.call(function, [*rows, ir.IntType(32)(table)])
        else:
            value = self.formula(formulas()[table], dict(zip((A, B, C), rows, strict=False)))
        self.store(value, places[-1])

    def formula(self, formula: Formula, rows: dict[int, Any]) -> Any:
        if isinstance(formula, int):
            return rows[formula] if formula in rows else self.splat(-1 if formula == NOT else 0)
        name, left, right = formula
        method = {"and": self.builder.and_, "or": self.builder.or_, "xor": self.builder.xor}[name]
        return method(self.formula(left, rows), self.formula(right, rows))

    def add_ones(self, places: list[Any]) -> None:
        signal, counter = places
        function = self.called("llvm.ctpop.v8i64", ir.FunctionType(_ROW, [_ROW]))
        ones = self.builder.call(function, [self.load(signal)])
        self.store(self.builder.add(self.load(counter), ones), counter)

    def random(self, places: list[Any]) -> None:
        """A row of random bits, and the next state of its generator, xoroshiro128+ in each word."""
        builder = self.builder
        low, high = self.load(places[0]), self.load(places[1])
        mixed = builder.xor(low, high)
        shifted = builder.shl(mixed, self.splat(16))
        self.store(builder.add(low, high), places[2])
        self.store(builder.xor(builder.xor(self.rotated(low, 24), mixed), shifted), places[0])
        self.store(self.rotated(mixed, 37), places[1])

    def rotated(self, row: Any, by: int) -> Any:
        left = self.builder.shl(row, self.splat(by))
        return self.builder.or_(left, self.builder.lshr(row, self.splat(64 - by)))

    def splat(self, value: int) -> Any:
        return _ROW([value] * 8)

    def called(self, name: str, kind: Any) -> Any:
        module = self.builder.module
        return module.globals.get(name) or ir.Function(module, kind, name)


@lru_cache(maxsize=1)
def interpreter() -> Any:
    """The compiled interpreter: `(groups, operands, base, active, ended, longer, steps, draining) -> steps made`."""
    kernel = _kernel(_stamp())
    try:
        return njit(_SIGNATURE, nogil=True, cache=True)(kernel)
    except Exception:
        # Numba's cache may be read-only, full or damaged; what is wrong with the kernel itself is raised again.
        return njit(_SIGNATURE, nogil=True)(kernel)


def _stamp() -> int:
    """A number for the code of the interpreter: Numba itself would only look whether this file has changed."""
    stamp = 0
    for name in ("kernels", "operations", "formulas", "netlist"):
        stamp = crc32(Path(__file__).with_name(f"{name}.py").read_bytes(), stamp)
    return stamp


def _kernel(stamp: int) -> Callable[..., int]:
    """The interpreter before it is compiled. Numba keeps compiled code by what a closure holds, so by the stamp."""

    def interpret(
        groups: Any, operands: Any, base: Any, active: int, ended: int, longer: int, steps: int, draining: bool
    ) -> int:
        if steps < 0:
            return stamp
        memory, first = base.ctypes.data, operands.ctypes.data
        done = 0
        while True:
            turn = 0
            while turn < len(groups):
                operation, start, count = groups[turn]
                turn += 1
                if operation != REPEAT:
                    _gates(operation, memory, first + 4 * start, count)
                    continue
                changed = np.uint64(0)
                for i in range(start, start + 2 * count, 2):
                    variable, update = operands[i] // ROW, operands[i + 1] // ROW
                    for word in range(8):
                        changed |= base[variable, word] ^ base[update, word]
                        base[variable, word] = base[update, word]
                if changed:
                    turn = operands[start + 2 * count]
            done += 1
            over = done == steps
            left = np.uint64(0)
            for word in range(8):
                over |= base[longer, word] != 0
                if draining:
                    base[active, word] &= ~base[ended, word]
                    left |= base[active, word]
            if over or (draining and left == 0):
                return done

    return interpret
