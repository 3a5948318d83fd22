"""The interpreter's inner loops, compiled by Numba; this module loads Numba.

A gate loads a few vectors of 512 bits, computes one or a few operations, and stores the result. `_typed` writes this in
LLVM's terms, as Numba does not vectorize loops over eight words. A few equal gates share one jump.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from gdl.codegen.array_types import I64_2, U16_1, U32_1, U64_2
from gdl.codegen.compiled_functions import compiled
from gdl.codegen.formulas import Formula, formulas
from gdl.codegen.interpreter.operations import COUNT, OPERATIONS, RANDOM, STOP, TOGETHER, Operation
from gdl.codegen.netlist import NOT, A, B, C

_ROW = ir.VectorType(ir.IntType(64), 8)
_INT = ir.IntType(64)


def _typed(_context: Any, base: Any, code: Any, _start: Any, unit: Any) -> Any:
    """Return the types of `_gates`, and a function that generates its code."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        memory, words = (
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        )
        features = context.codegen().magic_tuple()[2].split(",")
        _Cases(builder, "+avx512f" in features, unit.literal_value, memory, words).build(arguments[2])
        return context.get_dummy_value()

    return types.void(base, code, types.int64, unit), generate


#: `_gates(base, code, start, unit)`: execute the code from `start` up to the next STOP.
_gates: Any = intrinsic(prefer_literal=True)(_typed)


class _Cases:
    """The code for all operations, under construction."""

    def __init__(self, builder: Any, ternary: bool, unit: int, memory: Any, words: Any) -> None:
        self.builder = builder
        self.ternary = ternary
        self.unit = unit
        self.memory = memory
        self.words = words

    def build(self, start: Any) -> None:
        builder = self.builder
        builder.function.attributes.add("optsize")  # unrolled loops would only cause mispredicted jumps
        entry, head, done = builder.block, builder.append_basic_block("next"), builder.append_basic_block("done")
        unknown = builder.append_basic_block("unknown")
        builder.branch(head)
        builder.position_at_end(head)
        self.at = builder.phi(self.words.type)
        with builder.goto_block(entry):
            self.at.add_incoming(builder.gep(self.words, [start]), builder.block)
        switch = builder.switch(builder.load(self.at), unknown)
        kinds: list[tuple[int, int, int, Callable[[list[Any]], None]]] = [
            (number, TOGETHER, gates.reads + len(gates.stored), partial(self.gates, gates))
            for number, gates in enumerate(OPERATIONS)
        ]
        kinds += [(COUNT, 1, 2, self.add_ones), (RANDOM, 1, 3, self.random)]
        for number, times, width, body in kinds:
            block = builder.append_basic_block(f"operation{number}")
            switch.add_case(number, block)
            builder.position_at_end(block)
            self.loaded: dict[int, Any] = {}
            for i in range(times):
                body([self.place(1 + i * width + j) for j in range(width)])
            self.at.add_incoming(builder.gep(self.at, [_INT(1 + times * width)]), builder.block)
            builder.branch(head)
        switch.add_case(STOP, done)
        builder.position_at_end(unknown)
        builder.unreachable()
        builder.position_at_end(done)

    def place(self, number: int) -> Any:
        """Return a pointer to the row that an operand stands for."""
        builder = self.builder
        offset = builder.zext(self.word(number), _INT)
        memory = self.memory if self.unit == 8 else builder.bitcast(self.memory, _ROW.as_pointer())
        return builder.bitcast(builder.gep(memory, [offset]), _ROW.as_pointer())

    def word(self, number: int) -> Any:
        """Return a word of the code, counted from the operation.

        Words of 16 bits are loaded in pairs, as the number of loads limits the speed.
        """
        builder = self.builder
        if self.words.type.pointee.width != 16:
            return builder.load(builder.gep(self.at, [_INT(number)]))
        both = self.loaded.get(number // 2)
        if both is None:
            two = ir.IntType(32)
            both = builder.load(builder.bitcast(builder.gep(self.at, [_INT(number & ~1)]), two.as_pointer()))
            both.align = 2
            self.loaded[number // 2] = both
        return builder.lshr(both, both.type(16)) if number % 2 else builder.and_(both, both.type(0xFFFF))

    def load(self, place: Any) -> Any:
        row = self.builder.load(place)
        row.align = 8
        return row

    def store(self, value: Any, place: Any) -> None:
        self.builder.store(value, place).align = 8

    def gates(self, operation: Operation, places: list[Any]) -> None:
        values = [self.load(place) for place in places[: operation.reads]]
        for table, arguments in operation.gates:
            values.append(self.gate(table, [values[argument] for argument in arguments]))
        for number, place in zip(operation.stored, places[operation.reads :], strict=True):
            self.store(values[operation.reads + number], place)

    def gate(self, table: int, rows: list[Any]) -> Any:
        if self.ternary and len(rows) == 3:
            kind = ir.FunctionType(_ROW, [_ROW, _ROW, _ROW, ir.IntType(32)])
            function = self.called("llvm.x86.avx512.pternlog.q.512", kind)
            return self.builder.call(function, [*rows, ir.IntType(32)(table)])
        return self.formula(formulas()[table], dict(zip((A, B, C), rows, strict=False)))

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
        """Make a row of random bits, and the next state of its generator, xoroshiro128+ in each word."""
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


@lru_cache
def interpreter(words: Any, unit: int) -> Any:
    """Return the compiled interpreter for code of 16-bit or 32-bit words (NumPy types), and rows in a unit.

    Its arguments are code, segments, pairs, base. It evaluates the code once, and releases the GIL.
    """
    function = _interpreter(unit)
    function.__annotations__["code"] = U16_1 if words == np.uint16 else U32_1
    return compiled(function)


def _interpreter(unit: int) -> Callable[..., None]:
    """Return the interpreter for rows in a unit, before it is compiled."""

    def interpret(code: Any, segments: I64_2, pairs: I64_2, base: U64_2) -> None:
        turn = 0
        while turn < len(segments):
            start, begin, first, last = segments[turn]
            _gates(base, code, start, unit)
            turn += 1
            if begin >= 0:
                changed = np.uint64(0)
                for pair in range(first, last):
                    variable, update = pairs[pair]
                    for word in range(8):
                        changed |= base[variable, word] ^ base[update, word]
                        base[variable, word] = base[update, word]
                if changed:
                    turn = begin

    return interpret
