"""The programs of a game as a WebAssembly module, whose rows are vectors of 128 bits, and so 128 lanes.

The module exports its `memory`, in which row `n` begins at byte `16 * n`, and four functions without results: `look`,
`move`, and for playouts `finish` and `play(steps)`, which makes up to `steps` steps, and ends early if all playouts
are over; it returns how many it has made. Random bits come from xoroshiro128+ (Blackman and Vigna, 2018), with a
generator for each half of the lanes. Its state is in the last two rows, `seed`, which must not be zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, final

from gdl.codegen.netlist import NOT, A, B
from gdl.codegen.portable.game import PortableGame
from gdl.codegen.portable.programs import STORE, Piece, Program, Repeat
from gdl.codegen.two_inputs import Instruction

#: Bytes of a row, and of a page of memory.
_ROW: Final = 16
_PAGE: Final = 65_536

#: The deepest expression whose values have no names.
_DEEP: Final = 40

_I32, _V128, _EMPTY = 0x7F, 0x7B, 0x40
_BLOCK, _LOOP, _END, _BR_IF, _CALL = b"\x02", b"\x03", b"\x0b", b"\x0d", b"\x10"
_GET, _SET, _TEE = b"\x20", b"\x21", b"\x22"
_LOAD, _STORE = b"\xfd\x00", b"\xfd\x0b"
_NOT, _OR, _XOR, _ANY = b"\xfd\x4d", b"\xfd\x50", b"\xfd\x51", b"\xfd\x53"

#: The instructions of functions of two values: `andnot` is the first one and not the second.
_CODES: Final = {A & B: b"\xfd\x4e", A & (B ^ NOT): b"\xfd\x4f", A | B: _OR, A ^ B: _XOR}


def wasm_module(game: PortableGame) -> bytes:
    """Return the module of a game."""
    return _Module(game).bytes()


def seed_row(game: PortableGame) -> int:
    """Return the first of the two rows of the random generators."""
    return game.rows


@final
class _Module:
    """A module under construction: the bodies of its functions, with their types."""

    def __init__(self, game: PortableGame) -> None:
        self.game = game
        self.functions: list[tuple[int, bytes]] = []
        self.exports: list[tuple[str, int]] = []
        self._export("look", self._program(game.look))
        self._export("move", self._program(game.move))
        playouts = game.playouts
        if playouts is not None:
            step = self._program(playouts.step)
            self._export("finish", self._program(playouts.finish))
            draw = self._function(0, _random_rows(seed_row(game), playouts.random, playouts.randoms), (0, 5))
            size = playouts.next - playouts.state
            over = playouts.state + len(playouts.facts)
            body = b"".join(
                [
                    _BLOCK + _byte(_EMPTY) + _LOOP + _byte(_EMPTY),
                    # Nothing is left to do.
                    _GET + _leb(1) + _GET + _leb(0) + b"\x4e" + _BR_IF + _leb(1),
                    *(_load(row) for row in (over,)),
                    _NOT + _ANY + b"\x45" + _BR_IF + _leb(1),
                    *((_CALL + _leb(draw),) if playouts.randoms else ()),
                    _CALL + _leb(step),
                    _const(_ROW * playouts.state) + _const(_ROW * playouts.next) + _const(_ROW * size),
                    b"\xfc\x0a\x00\x00",
                    _GET + _leb(1) + _const(1) + b"\x6a" + _SET + _leb(1),
                    b"\x0c" + _leb(0) + _END + _END + _GET + _leb(1),
                ]
            )
            self._export("play", self._function(1, body, (1, 0)))

    def _export(self, name: str, number: int) -> None:
        self.exports.append((name, number))

    def _function(self, kind: int, body: bytes, local: tuple[int, int]) -> int:
        """Add a function of a type, with numbers of locals of 32 bits and of rows, and return its number."""
        groups = [(count, what) for count, what in zip(local, (_I32, _V128), strict=True) if count]
        declared = _leb(len(groups)) + b"".join(_leb(count) + _byte(what) for count, what in groups)
        whole = declared + body + _END
        self.functions.append((kind, _leb(len(whole)) + whole))
        return len(self.functions) - 1

    def _program(self, program: Program) -> int:
        return self._sequence(program.parts)

    def _sequence(self, parts: Iterable[Piece | Repeat]) -> int:
        """Add a function that executes some parts, and return its number."""
        numbers = [self._repeat(part) if isinstance(part, Repeat) else self._piece(part) for part in parts]
        if len(numbers) == 1:
            return numbers[0]
        return self._function(0, b"".join(_CALL + _leb(number) for number in numbers), (0, 0))

    def _piece(self, piece: Piece) -> int:
        body, rows = _piece_body(piece)
        return self._function(0, body, (0, rows))

    def _repeat(self, repeat: Repeat) -> int:
        inside = self._sequence(repeat.body)
        zeros = b"".join(_const(0) + _load(0) + _store(row) for row, _ in repeat.variables)
        body = [zeros, _LOOP, _byte(_EMPTY), _CALL, _leb(inside), _load(0), _SET, _leb(0)]
        for row, update in repeat.variables:
            body += [_load(row), _load(update), _XOR, _GET, _leb(0), _OR, _SET, _leb(0)]
            body += [_const(0), _load(update), _store(row)]
        body += [_GET, _leb(0), _ANY, _BR_IF, _leb(0), _END]
        return self._function(0, b"".join(body), (0, 1))

    def bytes(self) -> bytes:
        pages = -(-_ROW * (seed_row(self.game) + 2) // _PAGE)
        exports = [_name(name) + b"\x00" + _leb(number) for name, number in self.exports]
        exports.append(_name("memory") + b"\x02" + _leb(0))
        ones = b"\x00" + _const(_ROW) + _END + _leb(_ROW) + b"\xff" * _ROW
        return b"\x00asm\x01\x00\x00\x00" + b"".join(
            [
                # Types: without parameters and results, and from a number to a number.
                _section(1, [b"\x60\x00\x00", b"\x60\x01\x7f\x01\x7f"]),
                _section(3, [_leb(kind) for kind, _ in self.functions]),
                _section(5, [b"\x00" + _leb(pages)]),
                _section(7, exports),
                _section(10, [body for _, body in self.functions]),
                _section(11, [ones]),
            ]
        )


def _piece_body(piece: Piece) -> tuple[bytes, int]:
    """Return the body of a function for a piece, and the number of its locals.

    A value that is used once is computed where it is used. The others are locals, which are reused.
    """
    uses = Counter(value for _, arguments, _ in piece.instructions for value in arguments)
    waiting: dict[int, Instruction] = {}
    depth: dict[int, int] = {}
    #: Code, and the values that locals get and give.
    tokens: list[bytes | tuple[bytes, int]] = []
    named: set[int] = set()

    def put(value: int) -> None:
        instruction = waiting.pop(value, None)
        if instruction is not None:
            compute(instruction)
        elif value in named:
            tokens.append((_GET, value))
        else:
            tokens.append(_load(piece.loads[value]))
            if uses[value] > 1:
                named.add(value)
                tokens.append((_TEE, value))

    def compute(instruction: Instruction) -> None:
        kind, arguments, _ = instruction
        if kind == A ^ B and 1 in arguments:  # ones
            put(arguments[0] + arguments[1] - 1)
            tokens.append(_NOT)
            return
        if kind == (A ^ NOT) & B:
            kind, arguments = A & (B ^ NOT), arguments[::-1]
        for value in arguments:
            put(value)
        tokens.append(_CODES[kind])

    for instruction in piece.instructions:
        kind, arguments, result = instruction
        if kind == STORE:
            tokens.append(_const(0))
            put(arguments[0])
            tokens.append(_store(result))
            continue
        depth[result] = 1 + max(depth.get(value, 0) if value in waiting else 0 for value in arguments)
        if uses[result] == 1 and depth[result] < _DEEP:
            waiting[result] = instruction
        else:
            compute(instruction)
            named.add(result)
            tokens.append((_SET, result))
    return _with_locals(tokens)


def _with_locals(tokens: Sequence[bytes | tuple[bytes, int]]) -> tuple[bytes, int]:
    """Return code in which values have locals, and the number of these: one is free again after its last use."""
    last = {token[1]: place for place, token in enumerate(tokens) if isinstance(token, tuple)}
    local: dict[int, int] = {}
    free: list[int] = []
    count = 0
    code = bytearray()
    for place, token in enumerate(tokens):
        if isinstance(token, bytes):
            code += token
            continue
        access, value = token
        if value not in local:
            if not free:
                free.append(count)
                count += 1
            local[value] = free.pop()
        code += access + _leb(local[value])
        if last[value] == place:
            free.append(local[value])
    return bytes(code), count


def _random_rows(seed: int, first: int, count: int) -> bytes:
    """Return code that writes random rows, with five rows of locals: two of state, two of constants, one of results."""
    add, left, right = b"\xfd\xce\x01", b"\xfd\xcb\x01", b"\xfd\xcd\x01"

    def rotated(local: int, places: int) -> bytes:
        one = _GET + _leb(local)
        return one + _const(places) + left + one + _const(64 - places) + right + _OR

    body = [_load(seed), _SET, _leb(0), _load(seed + 1), _SET, _leb(1)]
    for row in range(first, first + count):
        body += [_const(0), _GET, _leb(0), _GET, _leb(1), add, _store(row)]
        body += [_GET, _leb(0), _GET, _leb(1), _XOR, _SET, _leb(1)]
        body += [rotated(0, 24), _GET, _leb(1), _XOR, _GET, _leb(1), _const(16), left, _XOR, _SET, _leb(0)]
        body += [rotated(1, 37), _SET, _leb(1)]
    body += [_const(0), _GET, _leb(0), _store(seed), _const(0), _GET, _leb(1), _store(seed + 1)]
    return b"".join(body)


# ------------------------------------------------------------------------------------------ encoding


def _byte(value: int) -> bytes:
    return bytes((value,))


def _leb(value: int) -> bytes:
    """Return a number without sign, in groups of seven bits."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _const(value: int) -> bytes:
    """Return code for a number: its last group of seven bits must not look like that of a negative one."""
    found = bytearray(b"\x41")
    while value > 0x3F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _load(row: int) -> bytes:
    return _const(0) + _LOAD + b"\x04" + _leb(_ROW * row)


def _store(row: int) -> bytes:
    """Return code that stores a row; the address 0 is below it."""
    return _STORE + b"\x04" + _leb(_ROW * row)


def _name(text: str) -> bytes:
    return _leb(len(text)) + text.encode()


def _section(number: int, items: Sequence[bytes]) -> bytes:
    content = _leb(len(items)) + b"".join(items)
    return _byte(number) + _leb(len(content)) + content
