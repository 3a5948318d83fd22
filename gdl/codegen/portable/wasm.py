"""The programs of a game as a WebAssembly module, whose rows are vectors of 128 bits, and so 128 lanes.

The module exports its `memory`, in which row `n` begins at byte `16 * n`, and functions: `look`, `move`, and for
playouts `begin`, `finish`, `draw` and `play(steps)`, which makes up to `steps` steps, and ends early if all playouts
are over; it returns how many it has made. `draw` draws the random rows of a step, as `play` does before each. They come
from xoroshiro128+ (Blackman and Vigna, 2018), with two generators for each word of 64 bits, as in native code
(`gdl.codegen.llvm`). Their states are in four rows.

States outside have their bits in words of 32. `spread(from, stride, to)` makes 32 rows of one word of each lane, where
those words are `stride` bytes apart. `gather(from, count, stride, to)` makes such words of up to 32 rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from gdl.codegen.llvm.playout_loop import LANES
from gdl.codegen.netlist import NOT, A, B
from gdl.codegen.portable.game import PortableGame
from gdl.codegen.portable.programs import STORE, Piece, Program, Repeat
from gdl.codegen.two_inputs import Instruction

#: Bytes of a row, and of a page of memory.
_ROW: Final = 16
_PAGE: Final = 65_536

#: As many playouts are made together as in native code, unless a step has more operations than this: otherwise, weak
#: programs would take seconds for a move.
_LARGE: Final = 50_000
_FEW: Final = 128

#: The deepest expression whose values have no names.
_DEEP: Final = 40

_I32, _V128, _EMPTY = 0x7F, 0x7B, 0x40
_BLOCK, _LOOP, _END, _BR_IF, _CALL = b"\x02", b"\x03", b"\x0b", b"\x0d", b"\x10"
_GET, _SET, _TEE = b"\x20", b"\x21", b"\x22"
_I32_ADD, _I32_SUB, _I32_MUL, _I32_AND, _I32_SHL = b"\x6a", b"\x6b", b"\x6c", b"\x71", b"\x74"
_LESS, _EQUAL_ZERO = b"\x48", b"\x45"
_COPY, _FILL = b"\xfc\x0a\x00\x00", b"\xfc\x0b\x00"
_LOAD, _STORE, _V128_CONST = b"\xfd\x00", b"\xfd\x0b", b"\xfd\x0c"
_NOT, _OR, _XOR, _ANY = b"\xfd\x4d", b"\xfd\x50", b"\xfd\x51", b"\xfd\x53"

#: The types of functions: without parameters and results, from a number to one, and of one, three and four numbers.
_PLAIN, _COUNTING, _OF_ONE, _OF_THREE, _OF_FOUR = range(5)
_TYPES: Final = [
    b"\x60\x00\x00",
    b"\x60\x01\x7f\x01\x7f",
    *(b"\x60" + bytes([count, *[_I32] * count]) + b"\x00" for count in (1, 3, 4)),
]

#: The bits of a word outside, the number of such words in a row, and the rows of the generators' states.
_WORD: Final = 32
_GROUPS: Final = 4
_SEEDS: Final = 4

#: The instructions of functions of two values: `andnot` is the first one and not the second.
_CODES: Final = {A & B: b"\xfd\x4e", A & (B ^ NOT): b"\xfd\x4f", A | B: _OR, A ^ B: _XOR}


@final
@dataclass(frozen=True, slots=True)
class Module:
    """A module, what is needed to use it, as JSON, and the operations of its programs: see `PortableGame`."""

    code: bytes
    about: dict[str, Any]
    operations: tuple[int, int, int | None]


def wasm_module(game: PortableGame) -> Module:
    """Return the module of a game."""
    about = _about(game)
    return Module(_Module(game, about["rows"]).bytes(), about, game.operations)


def _about(game: PortableGame) -> dict[str, Any]:
    """Return what is needed to use the module of a game, as JSON: see `PortableGame.about`.

    Rows are added: those of the generators' states, and those for the words of states and of results; and the number
    of playouts that are made together.
    """
    about = game.about()
    # Rows are spread 32 at a time, beyond the last one that is wanted.
    seed = game.rows + _WORD
    given = seed + _SEEDS
    taken = given + _WORD * -(-len(about["facts"]) // _WORD)
    results = max(1 + len(about["moves"]) + len(about["goals"]), len(about["facts"]), len(about["percepts"]))
    end = taken + _WORD * -(-results // _WORD)
    about["rows"] |= {"seed": seed, "given": given, "taken": taken, "scratch": end, "end": end + _WORD}
    about["together"] = LANES if game.playouts is not None and game.playouts.step.operations <= _LARGE else _FEW
    return about


@final
class _Module:
    """A module under construction: the bodies of its functions, with their types."""

    def __init__(self, game: PortableGame, rows: Mapping[str, int]) -> None:
        self.functions: list[tuple[int, bytes]] = []
        self.exports: list[tuple[str, int]] = []
        self.rows = rows
        self._export("look", self._program(game.look))
        self._export("move", self._program(game.move))
        turn = self._function(_OF_ONE, *_turn())
        self._export("spread", self._function(_OF_THREE, *_spread(turn)))
        self._export("gather", self._function(_OF_FOUR, *_gather(turn, _ROW * self.rows["scratch"])))
        playouts = game.playouts
        if playouts is not None:
            step = self._program(playouts.step)
            self._export("begin", self._program(playouts.begin))
            self._export("finish", self._program(playouts.finish))
            drawing = _random_rows(rows["seed"], playouts.random, playouts.randoms, playouts.first)
            draw = self._function(_PLAIN, drawing, (0, 4))
            self._export("draw", draw)
            body = b"".join(
                [
                    _BLOCK + _byte(_EMPTY) + _LOOP + _byte(_EMPTY),
                    # Nothing is left to do.
                    _GET + _leb(1) + _GET + _leb(0) + b"\x4e" + _BR_IF + _leb(1),
                    _load(playouts.over),
                    _NOT + _ANY + _EQUAL_ZERO + _BR_IF + _leb(1),
                    _CALL + _leb(draw),
                    _CALL + _leb(step),
                    _const(_ROW * playouts.state) + _const(_ROW * playouts.next),
                    _const(_ROW * (playouts.next - playouts.state)) + _COPY,
                    _GET + _leb(1) + _const(1) + _I32_ADD + _SET + _leb(1),
                    b"\x0c" + _leb(0) + _END + _END + _GET + _leb(1),
                ]
            )
            self._export("play", self._function(_COUNTING, body, (1, 0)))

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
        return self._function(_PLAIN, b"".join(_CALL + _leb(number) for number in numbers), (0, 0))

    def _piece(self, piece: Piece) -> int:
        body, rows = _piece_body(piece)
        return self._function(_PLAIN, body, (0, rows))

    def _repeat(self, repeat: Repeat) -> int:
        inside = self._sequence(repeat.body)
        zeros = b"".join(_const(0) + _load(0) + _store(row) for row, _ in repeat.variables)
        body = [zeros, _LOOP, _byte(_EMPTY), _CALL, _leb(inside), _load(0), _SET, _leb(0)]
        for row, update in repeat.variables:
            body += [_load(row), _load(update), _XOR, _GET, _leb(0), _OR, _SET, _leb(0)]
            body += [_const(0), _load(update), _store(row)]
        body += [_GET, _leb(0), _ANY, _BR_IF, _leb(0), _END]
        return self._function(_PLAIN, b"".join(body), (0, 1))

    def bytes(self) -> bytes:
        pages = -(-_ROW * self.rows["end"] // _PAGE)
        exports = [_name(name) + b"\x00" + _leb(number) for name, number in self.exports]
        exports.append(_name("memory") + b"\x02" + _leb(0))
        ones = b"\x00" + _const(_ROW) + _END + _leb(_ROW) + b"\xff" * _ROW
        return b"\x00asm\x01\x00\x00\x00" + b"".join(
            [
                _section(1, _TYPES),
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


def _random_rows(seed: int, first: int, count: int, turn: int) -> bytes:
    """Return code that writes random rows, with four rows of locals: the states of the two generators, by turns."""
    add, left, right = b"\xfd\xce\x01", b"\xfd\xcb\x01", b"\xfd\xcd\x01"

    def rotated(local: int, places: int) -> bytes:
        one = _GET + _leb(local)
        return one + _const(places) + left + one + _const(64 - places) + right + _OR

    body = [_load(seed + number) + _SET + _leb(number) for number in range(_SEEDS)]
    for number in range(count):
        low = 2 * ((turn + number) % 2)
        high = low + 1
        body += [_const(0), _GET, _leb(low), _GET, _leb(high), add, _store(first + number)]
        body += [_GET, _leb(low), _GET, _leb(high), _XOR, _SET, _leb(high)]
        body += [rotated(low, 24), _GET, _leb(high), _XOR, _GET, _leb(high), _const(16), left, _XOR, _SET, _leb(low)]
        body += [rotated(high, 37), _SET, _leb(high)]
    body += [_const(0) + _GET + _leb(number) + _store(seed + number) for number in range(_SEEDS)]
    return b"".join(body)


def _turn() -> tuple[bytes, tuple[int, int]]:
    """Return code that exchanges rows and bits: bit `i` of row `j`, of 32, with bit `j` of row `i`, in each word.

    See H. Warren, Hacker's Delight, second edition, 7-3. Its parameter is the address of the rows.
    """
    left, right = b"\xfd\xab\x01", b"\xfd\xad\x01"
    at, count, row, other = 1, 2, 0, 1
    get_at = _GET + _leb(at)
    body = []
    for step in (16, 8, 4, 2, 1):
        mask = sum(1 << bit for bit in range(_WORD) if not bit & step).to_bytes(4, "little")
        beyond = _ROW * step
        body += [
            _const(0) + _SET + _leb(count) + _LOOP + _byte(_EMPTY),
            _GET + _leb(0) + _GET + _leb(count) + _const(4) + _I32_SHL + _I32_ADD + _SET + _leb(at),
            get_at + _load_at(0) + _SET + _leb(3 + row) + get_at + _load_at(beyond) + _SET + _leb(3 + other),
            # What is to be exchanged.
            _GET + _leb(3 + row) + _const(step) + right + _GET + _leb(3 + other) + _XOR,
            _V128_CONST + 4 * mask + _CODES[A & B] + _SET + _leb(5),
            get_at + _GET + _leb(3 + row) + _GET + _leb(5) + _const(step) + left + _XOR + _store(0),
            get_at + _GET + _leb(3 + other) + _GET + _leb(5) + _XOR + _store(step),
            # The next row whose number does not have this bit.
            _GET + _leb(count) + _const(step + 1) + _I32_ADD + _const(_WORD - 1 - step) + _I32_AND,
            _TEE + _leb(count) + _BR_IF + _leb(0) + _END,
        ]
    return b"".join(body), (2, 3)


def _spread(turn: int) -> tuple[bytes, tuple[int, int]]:
    """Return code of `spread`: see the module. Row `j` gets the words of lanes `j`, `32 + j`, `64 + j` and `96 + j`."""
    begin, at, row = 2, 3, 4
    body = [_GET + _leb(begin) + _SET + _leb(at) + _LOOP + _byte(_EMPTY)]
    body += [_V128_CONST + bytes(_ROW) + _SET + _leb(row)]
    for group in range(_GROUPS):
        word = b"\xfd\x56\x02\x00" + _byte(group)
        body += [_lane(0, group, 1) + _GET + _leb(row) + word + _SET + _leb(row)]
    body += [_GET + _leb(at) + _GET + _leb(row) + _store(0), _again(0, 1, at, _GET + _leb(begin))]
    return b"".join([*body, _GET + _leb(begin) + _CALL + _leb(turn)]), (1, 1)


def _gather(turn: int, scratch: int) -> tuple[bytes, tuple[int, int]]:
    """Return code of `gather`: see the module."""
    at = 4
    begin, size = _const(scratch), _GET + _leb(1) + _const(4) + _I32_SHL
    body = [
        begin + _GET + _leb(0) + size + _COPY,
        begin + size + _I32_ADD + _const(0) + _const(_ROW * _WORD) + size + _I32_SUB + _FILL,
        begin + _CALL + _leb(turn),
        begin + _SET + _leb(at) + _LOOP + _byte(_EMPTY),
    ]
    for group in range(_GROUPS):
        word = b"\xfd\x5a\x02\x00" + _byte(group)
        body.append(_lane(3, group, 2) + _GET + _leb(at) + _load_at(0) + word)
    body.append(_again(3, 2, at, begin))
    return b"".join(body), (1, 0)


def _lane(pointer: int, group: int, stride: int) -> bytes:
    """Return code for the address of the word of the lane that is 32 times `group` lanes after that of a pointer."""
    return _GET + _leb(pointer) + _GET + _leb(stride) + _const(_WORD * group) + _I32_MUL + _I32_ADD


def _again(pointer: int, stride: int, at: int, begin: bytes) -> bytes:
    """Return the end of a loop over the lanes of a word, by a pointer, and rows, from `begin` on."""
    advance = _GET + _leb(pointer) + _GET + _leb(stride) + _I32_ADD + _SET + _leb(pointer)
    advance += _GET + _leb(at) + _const(_ROW) + _I32_ADD + _TEE + _leb(at)
    return advance + begin + _I32_SUB + _const(_ROW * _WORD) + _LESS + _BR_IF + _leb(0) + _END


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
    return _const(0) + _load_at(_ROW * row)


def _load_at(offset: int) -> bytes:
    """Return code that loads a row; the address is below."""
    return _LOAD + b"\x04" + _leb(offset)


def _store(row: int) -> bytes:
    """Return code that stores a row; the address 0 is below it."""
    return _STORE + b"\x04" + _leb(_ROW * row)


def _name(text: str) -> bytes:
    return _leb(len(text)) + text.encode()


def _section(number: int, items: Sequence[bytes]) -> bytes:
    content = _leb(len(items)) + b"".join(items)
    return _byte(number) + _leb(len(content)) + content
