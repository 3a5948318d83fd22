"""Execute assembly for rows of up to 512 bits, or for processors by Arm, without such a processor."""

from __future__ import annotations

import re
from collections.abc import Callable
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


def executed_neon(text: str, memory: dict[str, Row], registers: int) -> None:
    """Execute a function for processors by Arm; addresses in `memory` are such as `[x0, #64]`."""
    values = {number: (number, ~number & WORD) for number in range(32)}
    #: What general registers hold, as above; a constant is added to nothing.
    general = {**{f"x{number}": (f"x{number}", 0) for number in range(6)}, "sp": ("sp", 0)}
    stack: dict[int, int] = {}
    *instructions, last = text[text.index(":\n") + 2 :].splitlines()
    assert last == "ret"
    for instruction in instructions:
        name, to, *operands = re.findall(r"[\w.#-]+", instruction)
        numbers = [int(operand[1:]) for operand in operands if operand.startswith("#")]
        if name in ("stp", "ldp"):
            _, top = general["sp"]
            after = "]," in instruction
            place = top + (0 if after else sum(numbers))
            if after or instruction.endswith("!"):
                general["sp"] = "sp", top + sum(numbers)
            for i, register in enumerate((int(to[1:]), int(operands[0][1:]))):
                if name == "stp":
                    stack[place + 8 * i] = values[register][0]
                else:
                    values[register] = stack.pop(place + 8 * i), 0
        elif name in ("movz", "movn"):
            general[to] = "", numbers[0] if name == "movz" else ~numbers[0]
        elif name == "movk":
            general[to] = "", general[to][1] & ~(0xFFFF << 16) | numbers[0] << 16
        elif to.startswith("x"):
            assert name == "add"
            (base, one), (_, other) = map(general.__getitem__, operands)
            general[to] = base, one + other
        elif name in ("ldr", "str"):
            base, offset = general[operands[0]]
            assert all(number in range(0, 1 << 16, 16) for number in numbers)
            offset += numbers[0] if numbers else general[operands[1]][1]
            if name == "ldr":
                values[int(to[1:])] = memory[f"[{base}, #{offset}]"]
            else:
                memory[f"[{base}, #{offset}]"] = values[int(to[1:])]
        else:
            places = [int(found) for found in re.findall(r"v(\d+)", instruction)]
            assert max(places) < registers
            shape = operands[0].partition(".")[2]
            rows = [values[place] for place in places]
            values[places[0]] = (
                _neon_word(name, shape, [row[0] for row in rows], numbers),
                _neon_word(name, shape, [row[1] for row in rows], numbers),
            )
    assert not stack
    assert general["sp"] == ("sp", 0)
    assert all(values[number][0] == number for number in range(8, 16))


#: Functions of 64-bit words by instructions of NEON; the first argument is what the result replaces.
_NEON: Final[dict[str, Callable[..., int]]] = {
    "mov": lambda _, a: a,
    "mvn": lambda _, a: ~a,
    "and": lambda _, a, b: a & b,
    "orr": lambda _, a, b: a | b,
    "eor": lambda _, a, b: a ^ b,
    "bic": lambda _, a, b: a & ~b,
    "orn": lambda _, a, b: a | ~b,
    "bsl": lambda to, a, b: to & a | ~to & b,
    "bit": lambda to, a, b: b & a | ~b & to,
    "bif": lambda to, a, b: b & to | ~b & a,
    "add": lambda _, a, b: a + b,
    "shl": lambda _, a, by: a << by,
    "sri": lambda to, a, by: to >> 64 - by << 64 - by | a >> by,
    "movi": lambda _, number: -(number & 1),
    "cnt": lambda _, a: int.from_bytes(bytes(byte.bit_count() for byte in _bytes(a)), "little"),
}


def _neon_word(name: str, shape: str, words: list[int], numbers: list[int]) -> int:
    if name != "uaddlp":
        return _NEON[name](*words, *numbers) & WORD
    size = {"16b": 8, "8h": 16, "4s": 32}[shape]
    parts = [words[1] >> by & (1 << size) - 1 for by in range(0, 64, size)]
    return sum(parts[i] + parts[i + 1] << i * size for i in range(0, len(parts), 2))


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
