"""Execute assembly for rows of up to 512 bits without a processor that has such registers."""

from __future__ import annotations

import re
from typing import Final

from gdl.codegen.netlist import A, B, C

WORD: Final = 2**64 - 1

#: A row: its words.
Row = tuple[int, ...]

_IMMEDIATE: Final = re.compile(r"\$(-?\d+)")
_ADDRESS: Final = re.compile(r"(-?\d+)\((%\w+)\)")

#: Registers that a function must restore, by the conventions of Linux.
_KEPT: Final = {"%rbx", "%rbp", "%r12", "%r13", "%r14", "%r15", "%rsp"}


def executed(text: str, memory: dict[str, Row], registers: int, words: int) -> None:
    """Execute a function on some memory, by addresses such as `64(%rdi)`; every address that is read must be there.

    Rows have some words. Addresses in `memory` are relative to what registers hold at the beginning.
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

    data, code = re.split(r"\.type .*,@function\n.*:\n", text)
    constants = {
        f"{name}(%rip)": tuple(int(word) for word in re.findall(r"\d+", rows))
        for name, rows in re.findall(r"^(\.L.*):\n((?:\.quad .*\n)+)", data, re.MULTILINE)
    }
    assert all(len(row) == words for row in constants.values())
    *instructions, last = code.splitlines()
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
            assert operand[2:4] != "mm" or int(operand[4:]) < registers

        # A destination is read only if it matters. What it held before is then unknown.
        read = [
            values.get(place, (0,) * words) if place.startswith("%") else {**memory, **constants}[place]
            for place in sources
        ]
        (values if to.startswith("%") else memory)[to] = (
            _shuffled(*read)
            if name == "vpshufb"
            else tuple(
                _word(name, number, [row[i] for row in read], values.get(to, (0x5A,) * words)[i]) for i in range(words)
            )
        )
    assert not stack
    assert all(held(register) == (register, 0) for register in _KEPT)


def _word(name: str, number: int | None, sources: list[int], to: int) -> int:
    if name in ("vpternlogq", "vpternlogd"):
        assert number is not None
        third, second = sources
        return looked_up(number, to, second, third)
    if name.startswith("vmovdqa"):
        return sources[0]
    if name == "vpopcntq":
        return sources[0].bit_count()
    if name == "vpsllq":
        assert number is not None
        return sources[0] << number & WORD
    if name == "vpsrlq":
        assert number is not None
        return sources[0] >> number
    if name == "vprolq":
        assert number is not None
        return (sources[0] << number | sources[0] >> 64 - number) & WORD
    second, first = sources
    if name == "vpaddb":
        return int.from_bytes(bytes(map(lambda a, b: a + b & 255, *map(_bytes, (first, second)))), "little")
    if name == "vpsadbw":
        return sum(map(lambda a, b: abs(a - b), *map(_bytes, (first, second))))
    if name == "vpaddq":
        return first + second & WORD
    if name == "vpcmpeqd":
        return sum(0xFFFFFFFF << by for by in (0, 32) if (first ^ second) >> by & 0xFFFFFFFF == 0)
    return {
        "vpand": first & second,
        "vpor": first | second,
        "vpxor": first ^ second,
        "vpxord": first ^ second,
        "vpandn": ~first & second & WORD,
    }[name.removesuffix("q")]


def _bytes(word: int) -> bytes:
    return word.to_bytes(8, "little")


def _shuffled(indices: Row, table: Row) -> Row:
    """Return the bytes of a table at some indices, both in halves of sixteen bytes."""
    found = []
    for i in range(0, len(table), 2):
        bytes_, places = (b"".join(map(_bytes, row[i : i + 2])) for row in (table, indices))
        half = bytes(0 if place & 128 else bytes_[place & 15] for place in places)
        found += [int.from_bytes(half[:8], "little"), int.from_bytes(half[8:], "little")]
    return tuple(found)


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
