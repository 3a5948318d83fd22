"""Execute assembly for rows of 512 bits without a processor that has such registers."""

from __future__ import annotations

import re
from typing import Final

from gdl.codegen.netlist import A, B, C

WORDS: Final = 8
WORD: Final = 2**64 - 1

#: A row: eight words.
Row = tuple[int, ...]

_IMMEDIATE: Final = re.compile(r"\$(\d+)")


def executed(text: str, memory: dict[str, Row], registers: int) -> None:
    """Execute a function on some memory, by addresses such as `64(%rdi)`; every address that is read must be there."""
    values: dict[str, Row] = {}
    instructions = text.split(":\n", 1)[1].splitlines()
    assert instructions[-2:] == ["vzeroupper", "ret"]
    for instruction in instructions[:-2]:
        name, _, rest = instruction.partition(" ")
        operands = rest.split(", ")
        number = int(found[1]) if (found := _IMMEDIATE.fullmatch(operands[0])) else None
        *sources, to = operands[number is not None :]
        for operand in (*sources, to):
            assert not operand.startswith("%zmm") or int(operand[4:]) < registers

        # A destination is read only if it matters. What it held before is then unknown.
        read = [values.get(place, (0,) * WORDS) if place.startswith("%") else memory[place] for place in sources]
        (values if to.startswith("%") else memory)[to] = tuple(
            _word(name, number, [row[i] for row in read], values.get(to, (0x5A,) * WORDS)[i]) for i in range(WORDS)
        )


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
