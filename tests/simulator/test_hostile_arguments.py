"""No argument of a public function crashes the process: wrong ones raise TypeError, ValueError or GdlError."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support.toy_rules import COIN, NIM

import gdl
from gdl.simulator.arrays import Playouts

pytest.importorskip("llvmlite")


@pytest.fixture(scope="module")
def game() -> gdl.Simulator:
    return gdl.compile(NIM)


def states(game: gdl.Simulator, count: int) -> Any:
    return game.arrays.pack([game.initial_state()] * count)


def refused(call: Callable[[], object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message) + "$"):
        call()


# Numbers


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (2.0, TypeError, "must be a whole number, not 2.0"),
        (True, TypeError, "must be a whole number, not True"),
        (np.True_, TypeError, "must be a whole number, not np.True_"),
        ("2", TypeError, "must be a whole number, not '2'"),
        (None, TypeError, "must be a whole number, not None"),
        (np.float64(2), TypeError, "must be a whole number, not np.float64(2.0)"),
        (-1, ValueError, ""),
        (2**64, ValueError, ""),
        (10**500, ValueError, ""),
    ],
)
def test_seeds_and_counts(game: gdl.Simulator, value: Any, kind: type[Exception], message: str) -> None:
    rows = states(game, 2)
    bounds = {-1: "-1", 2**64: str(2**64), 10**500: "a number of 1661 bits"}
    for name, call in (
        ("seed", lambda: game.playouts(2, seed=value)),
        ("seed", lambda: game.arrays.playouts(rows, value)),
        ("seed", lambda: Playouts(game.arrays, value)),
        ("n", lambda: game.playouts(value)),
        ("max_plies", lambda: game.playouts(2, max_plies=value)),
        ("max_plies", lambda: game.arrays.playouts(rows, 0, value)),
        ("max_plies", lambda: Playouts(game.arrays, 0).run(rows, value)),
    ):
        if kind is TypeError:
            refused(call, kind, f"{name} {message}")
        elif name == "seed":
            refused(call, kind, f"seed must be from 0 to 2^64 - 1, not {bounds[value]}")
        else:
            refused(call, kind, f"{name} must be at {'least 1' if value < 0 else 'most 2^62'}, not {bounds[value]}")


def test_integral_numbers_of_any_type(game: gdl.Simulator) -> None:
    expected = game.playouts(100, seed=2**64 - 1, max_plies=5)
    found = game.playouts(np.int8(100), seed=np.uint64(2**64 - 1), max_plies=np.uint16(5))  # type: ignore[arg-type]
    assert (found.counts, found.cut) == (expected.counts, expected.cut)


# Arrays


def test_moves_out_of_range(game: gdl.Simulator) -> None:
    """Each of these made the process die of a segmentation fault, or wrote beyond its memory."""
    arrays, last = game.arrays, len(game.all_moves(game.roles[0])) - 1
    for count in (1, 512, 700):
        rows = states(game, count)
        _, joint = arrays.joint_moves(arrays.look(rows))
        good = np.repeat(joint[:1], count, axis=0)
        for wrong, kind in itertools.product((-1, last + 1, 10**6, -(2**31), 2**31 - 1), (np.int32, np.int64)):
            moves = good.astype(kind)
            moves[-1, 0] = wrong
            text = f"moves of {game.roles[0]} have numbers from 0 to {last}, not {wrong} as in row {count - 1}"
            refused(lambda moves=moves, rows=rows: arrays.move(rows, moves), ValueError, text)  # type: ignore[misc]
        huge = good.astype(np.int64) + 2**32  # the same numbers in 32 bits
        with pytest.raises(ValueError, match="have numbers from"):
            arrays.move(rows, huge)
        assert (arrays.move(rows, good.astype(np.uint8)) == arrays.move(rows, good)).all()


def hostile(right: Any) -> Iterator[tuple[Any, type[Exception] | None]]:
    """Yield arrays in place of one of the right type and shape, each with the expected error; None if it will do."""
    rows, width = right.shape
    for shape in ((rows, width + 1), (rows, 0), (rows * width,), (rows, width, 1), ()):
        yield np.zeros(shape, right.dtype), ValueError
    for kind in (np.float64, bool, object, "U3", np.complex64):
        yield np.zeros(right.shape, kind), TypeError
    for bad in (None, "text", [["a"] * width] * rows, {}, 5.0):
        yield bad, TypeError
    read_only = right.copy()
    read_only.flags.writeable = False
    yield read_only, None
    wide = np.zeros((2 * rows, 3 * width), right.dtype)
    wide[::2, ::3] = right
    yield wide[::2, ::3], None
    yield np.asfortranarray(right), None
    yield right[::-1][::-1], None
    unaligned = np.frombuffer(b"\0" + right.tobytes(), right.dtype, offset=1).reshape(right.shape)
    assert rows == 0 or not unaligned.flags.aligned
    yield unaligned, None
    yield np.broadcast_to(right[:1], right.shape), None


@pytest.mark.parametrize("rules", [NIM, COIN], ids=["nim", "coin"])
@pytest.mark.parametrize("count", [3, 512])
def test_arrays_of_any_kind(rules: str, count: int) -> None:
    arrays = gdl.compile(rules).arrays
    rows = states(arrays.simulator, count)
    looked = arrays.look(rows)
    moves = np.repeat(arrays.joint_moves(looked[:1])[1][:1], count, axis=0)
    calls: list[tuple[Callable[[Any], Any], Any]] = [
        (arrays.look, rows),
        (lambda given: arrays.move(given, moves), rows),
        (lambda given: arrays.playouts(given, 1), rows),
        (lambda given: Playouts(arrays, 1).run(given, 100), rows),
        (lambda given: [state.bits for state in arrays.unpack(given)], rows),
        (arrays.joint_moves, looked),
        (arrays.facts, rows),
        (lambda given: arrays.legal(given, arrays.simulator.roles[0]), looked),
        (arrays.terminal, looked),
        (arrays.goal_values, looked),
        (lambda given: arrays.move(rows, given), moves),
    ]
    for call, right in calls:
        expected = call(right)
        for given, error in hostile(right):
            if error is None:
                found = call(given)
                assert all(np.array_equal(*pair) for pair in zip(found, expected, strict=True))
            else:
                with pytest.raises((TypeError, ValueError)):
                    call(given)
    with pytest.raises(ValueError, match="must have the shape"):
        arrays.values_of(np.zeros((count, 0), np.uint64))
    for changed in (np.int64, ">u8", np.uint32):
        refused(
            lambda changed=changed: arrays.look(rows.astype(changed)),  # type: ignore[misc]
            TypeError,
            f"states must be an array of uint64, not of {np.dtype(changed)}",
        )


def test_no_states(game: gdl.Simulator) -> None:
    arrays = game.arrays
    none = states(game, 0)
    looked = arrays.look(none)
    assert looked.shape == (0, arrays.look_words)
    assert [len(found) for found in arrays.joint_moves(looked)] == [0, 0]
    assert len(arrays.move(none, np.zeros((0, 2), np.int32))) == len(arrays.playouts(none)) == 0
    assert len(Playouts(arrays, 1).run(none, 5)) == len(arrays.terminal(looked)) == len(arrays.goal_values(looked)) == 0
    assert arrays.unpack(none) == []


def test_bits_at_random(game: gdl.Simulator) -> None:
    """Nothing is said about the results, except that there are some."""
    arrays, random = game.arrays, np.random.default_rng(1)
    rows = random.integers(0, 2**64, (600, arrays.state_words), np.uint64)
    looked = arrays.look(rows)
    arrays.joint_moves(looked)
    arrays.playouts(rows, 3, 50)
    Playouts(arrays, 3).run(rows, 50)
    arrays.goal_values(random.integers(0, 2**64, looked.shape, np.uint64))
    refused(lambda: arrays.unpack(rows), ValueError, "the bits are not those of states of this game")


def test_more_joint_moves_than_anyone_can_list() -> None:
    """The product of the numbers of moves once overflowed, and the loop never ended."""
    names = " ".join(f"(role r{i})" for i in range(16))
    numbers = " ".join(f"(n {i})" for i in range(16))
    arrays = gdl.compile(
        f"{names}{numbers}(init s)(<= (legal ?r ?n) (role ?r) (n ?n))(<= terminal (not (true s)))"
    ).arrays
    looked = arrays.look(arrays.pack([arrays.simulator.initial_state()] * 2))
    refused(lambda: arrays.joint_moves(looked), ValueError, "state 0 has more than 2^40 joint moves")


# States


def test_states_made_by_hand(game: gdl.Simulator) -> None:
    size = len(game.initial_state().bits)
    for bits in (b"", b"\1", bytes(size - 1), bytes(size + 1), bytearray(size), None, "x" * size):
        state = gdl.PackedState(game, bits)  # type: ignore[arg-type]
        for call in (
            lambda state=state: game.is_terminal(state),
            lambda state=state: game.legal_moves(state, game.roles[0]),
            lambda state=state: game.next_state(state, ["noop", "noop"]),
            lambda state=state: game.playouts(2, state),
            lambda state=state: game.arrays.pack([state]),
            lambda state=state: list(state),
        ):
            refused(call, ValueError, f"a state of this game has {size} bytes, not {bits!r}")
    full = gdl.PackedState(game, b"\xff" * size)
    game.is_terminal(full)
    refused(lambda: list(full), ValueError, "the bits are not those of a state of this game")
    for other in (None, 5, "state", [], game):
        with pytest.raises(TypeError, match="expected a state of this game"):
            game.is_terminal(other)  # type: ignore[arg-type]
