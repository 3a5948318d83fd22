"""Execute assembly for rows of 512 bits without a processor that has such registers."""

from __future__ import annotations

import re
from typing import Final

from gdl.codegen.netlist import A, B, C

WORDS: Final = 8
WORD: Final = 2**64 - 1

#: A row: eight words.
Row = tuple[int, ...]

_IMMEDIATE: Final = re.compile(r"\$(-?\d+)")
_ADDRESS: Final = re.compile(r"(-?\d+)\((%\w+)\)")

#: Registers that a function must restore, by the conventions of Linux.
_KEPT: Final = {"%rbx", "%rbp", "%r12", "%r13", "%r14", "%r15", "%rsp"}


def executed(text: str, memory: dict[str, Row], registers: int) -> None:
    """Execute a function on some memory, by addresses such as `64(%rdi)`; every address that is read must be there.

    Addresses in `memory` are relative to what registers hold at the beginning.
    """
    values: dict[str, Row] = {}
    #: What general registers hold: the register that held it at the beginning, and a number to add.
    general: dict[str, tuple[str, int]] = {}
    stack: list[tuple[str, tuple[str, int]]] = []

    def held(register: str) -> tuple[str, int]:
        return general.get(register, (register, 0))

    def placed(operand: str) -> str:
        if (found := _ADDRESS.fullmatch(operand)) is None:
            return operand
        register, offset = held(found[2])
        return f"{offset + int(found[1])}({register})"

    *instructions, last = text.split(":\n", 1)[1].splitlines()
    assert last == "ret"
    assert "vzeroupper" in instructions
    for instruction in instructions:
        name, _, rest = instruction.partition(" ")
        operands = rest.split(", ")
        number = int(found[1]) if (found := _IMMEDIATE.fullmatch(operands[0])) else None
        *sources, to = map(placed, operands[number is not None :])
        if name == "vzeroupper":
            continue
        if name in ("leaq", "addq", "pushq", "popq"):
            if name == "pushq":
                stack.append((to, held(to)))
            elif name == "popq":
                pushed, general[to] = stack.pop()
                assert pushed == to
            else:
                assert to not in _KEPT or to in [pushed for pushed, _ in stack]
                if number is None:
                    address = _ADDRESS.fullmatch(sources[0])
                    assert address is not None
                    general[to] = address[2], int(address[1])
                else:
                    register, offset = held(to)
                    general[to] = register, offset + number
            continue
        for operand in (*sources, to):
            assert not operand.startswith("%zmm") or int(operand[4:]) < registers

        # A destination is read only if it matters. What it held before is then unknown.
        read = [values.get(place, (0,) * WORDS) if place.startswith("%") else memory[place] for place in sources]
        (values if to.startswith("%") else memory)[to] = tuple(
            _word(name, number, [row[i] for row in read], values.get(to, (0x5A,) * WORDS)[i]) for i in range(WORDS)
        )
    assert not stack
    assert all(held(register) == (register, 0) for register in _KEPT)


def _word(name: str, number: int | None, sources: list[int], to: int) -> int:
    if name in ("vpternlogq", "vpternlogd"):
        assert number is not None
        third, second = sources
        return looked_up(number, to, second, third)
    if name == "vmovdqa64":
        return sources[0]
    if name == "vpopcntq":
        return sources[0].bit_count()
    if name == "vpsllq":
        assert number is not None
        return sources[0] << number & WORD
    if name == "vprolq":
        assert number is not None
        return (sources[0] << number | sources[0] >> 64 - number) & WORD
    second, first = sources
    return {
        "vpandq": first & second,
        "vporq": first | second,
        "vpxorq": first ^ second,
        "vpxord": first ^ second,
        "vpandnq": ~first & second & WORD,
        "vpaddq": first + second & WORD,
    }[name]


def looked_up(table: int, a: int, b: int, c: int) -> int:
    """Return a three-input function of words."""
    found = 0
    for row in range(8):
        if table >> row & 1:
            places = zip((a, b, c), (A, B, C), strict=True)
            one = WORD
            for value, place in places:
                one &= value if place >> row & 1 else ~value
            found |= one
    return found & WORD
