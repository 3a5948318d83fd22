"""Machine code that transposes rows of lanes into words of states, and back."""

from __future__ import annotations

from typing import final

from gdl.codegen.interface import Target

#: The number of rows transposed at once.
BLOCK = 64


@final
class _Lines:
    """Assembly of a function without jumps, under construction."""

    def __init__(self, head: str, target: Target) -> None:
        self.text = [head]
        self.target = target
        self._count = 0

    def value(self, text: str) -> str:
        """Emit an instruction, and return the name of its value."""
        self._count += 1
        self.text.append(f"  %v{self._count} = {text}")
        return f"%v{self._count}"

    def transposed(self, names: list[str]) -> None:
        """Transpose 64 values in place: bit `j` of each word of value `i` becomes bit `i` of value `j`."""
        kind, splat = self.target.type, self.target.splat
        # Blocks of half the size change places, from 32 by 32 down to single bits (Hacker's Delight, section 7-3).
        step = BLOCK // 2
        mask = (1 << step) - 1
        while step:
            for low in range(BLOCK):
                if low & step:
                    continue
                high = low + step
                moved = self.value(f"lshr {kind} {names[low]}, {splat(step)}")
                mixed = self.value(f"xor {kind} {moved}, {names[high]}")
                swapped = self.value(f"and {kind} {mixed}, {splat(_signed(mask))}")
                names[high] = self.value(f"xor {kind} {names[high]}, {swapped}")
                back = self.value(f"shl {kind} {swapped}, {splat(step)}")
                names[low] = self.value(f"xor {kind} {names[low]}, {back}")
            step //= 2
            mask ^= mask << step

    def rows(self) -> list[str]:
        """Load the 64 rows at `%rows`."""
        return self.vectors("%rows", self.target.bits // 8)

    def vectors(self, base: str, align: int) -> list[str]:
        """Load 64 vectors that lie next to each other."""
        kind, size = self.target.type, self.target.bits // 8
        places = [self.value(f"getelementptr i8, ptr {base}, i64 {i * size}") for i in range(BLOCK)]
        return [self.value(f"load {kind}, ptr {place}, align {align}") for place in places]

    def word(self, row: str, number: int) -> str:
        """Return one word of a row."""
        return row if self.target.words == 1 else self.value(f"extractelement {self.target.type} {row}, i64 {number}")

    def lane(self, base: str, number: int) -> str:
        """Return the address of a lane."""
        shift = self.value(f"mul i64 %stride, {number}")
        return self.value(f"getelementptr i8, ptr {base}, i64 {shift}")

    def ended(self) -> str:
        return "\n".join([*self.text, "  ret void", "}"])


def gather(target: Target) -> str:
    """Return the assembly of `gather`."""
    kind, words = target.type, target.words
    lines = _Lines("define void @gather(ptr %rows, ptr %to, i64 %stride, i64 %mask) #0 {", target)
    names = lines.rows()
    lines.transposed(names)
    mask = "%mask"
    for word in range(words if words > 1 else 0):
        mask = lines.value(f"insertelement {kind} {'poison' if word == 0 else mask}, i64 %mask, i64 {word}")
    names = [lines.value(f"and {kind} {name}, {mask}") for name in names]
    for word in range(words):
        for i in range(BLOCK):
            lines.text.append(
                f"  store i64 {lines.word(names[i], word)}, ptr {lines.lane('%to', 64 * word + i)}, align 8"
            )
    return lines.ended()


def spread(target: Target) -> str:
    """Return the assembly of `spread`."""
    kind, words, size = target.type, target.words, target.bits // 8
    lines = _Lines("define void @spread(ptr %from, i64 %stride, ptr %rows) #0 {", target)
    names = []
    for i in range(BLOCK):
        row = "poison"
        for word in range(words):
            bits = lines.value(f"load i64, ptr {lines.lane('%from', 64 * word + i)}, align 8")
            row = bits if words == 1 else lines.value(f"insertelement {kind} {row}, i64 {bits}, i64 {word}")
        names.append(row)
    lines.transposed(names)
    for i in range(BLOCK):
        place = lines.value(f"getelementptr i8, ptr %rows, i64 {i * size}")
        lines.text.append(f"  store {kind} {names[i]}, ptr {place}, align {size}")
    return lines.ended()


def column_spread(target: Target) -> str:
    """Return the assembly of `column_spread`."""
    kind, size = target.type, target.bits // 8
    lines = _Lines("define void @column_spread(ptr %column, ptr %rows) #0 {", target)
    names = lines.vectors("%column", 8)
    lines.transposed(names)
    for i in range(BLOCK):
        place = lines.value(f"getelementptr i8, ptr %rows, i64 {i * size}")
        lines.text.append(f"  store {kind} {names[i]}, ptr {place}, align {size}")
    return lines.ended()


def column_gather(target: Target) -> str:
    """Return the assembly of `column_gather`."""
    kind, words, size = target.type, target.words, target.bits // 8
    lines = _Lines("define void @column_gather(ptr %rows, ptr %column, ptr %still, i64 %mask) #0 {", target)
    names = lines.rows()
    lines.transposed(names)
    mask = "poison"
    for number in range(words):
        mask = lines.value(f"insertelement {kind} {mask}, i64 %mask, i64 {number}")
    for i in range(BLOCK):
        found = lines.value(f"and {kind} {names[i]}, {mask}")
        place = lines.value(f"getelementptr i8, ptr %column, i64 {i * size}")
        kept = lines.value(f"load {kind}, ptr {place}, align 8")
        byte = lines.value(f"getelementptr i8, ptr %still, i64 {i * words}")
        still = lines.value(f"load <{words} x i8>, ptr {byte}, align 1")
        change = lines.value(f"icmp eq <{words} x i8> {still}, zeroinitializer")
        word = lines.value(f"select <{words} x i1> {change}, {kind} {found}, {kind} {kept}")
        lines.text.append(f"  store {kind} {word}, ptr {place}, align 8")
    return lines.ended()


def _signed(mask: int) -> int:
    return mask - (1 << 64) if mask >> 63 else mask
