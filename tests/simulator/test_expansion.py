"""Bits of packed states as arrays of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.simulator.bits import bit_position
from gdl.simulator.expansion import Expansion


def unpacked(words: np.ndarray, bits: list[int]) -> np.ndarray:
    """The same bits, read one by one."""
    flags = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    return np.array([[row[bit] if bit >= 0 else 0 for bit in bits] for row in flags]).reshape(len(words), len(bits))


@given(
    st.lists(st.integers(-1, 191), max_size=90)
    | st.builds(lambda a, b: list(range(a, a + b)), *[st.integers(0, 95)] * 2),
    st.integers(0, 5),
    st.sampled_from([np.bool_, np.int8, np.uint8, np.float32]),
    st.integers(0, 2**32),
)
def test_bits_are_written_in_order(bits: list[int], states: int, dtype: type, seed: int) -> None:
    words = np.random.default_rng(seed).integers(0, 2**64, (states, 3), np.uint64, endpoint=False)
    # Nothing is written beyond the array, which is part of a larger one.
    memory = np.full(states * len(bits) + 70, 7).astype(dtype)
    out = memory[: states * len(bits)].reshape(states, len(bits))
    Expansion(bits).write(words, out)
    assert (out == unpacked(words, bits)).all()
    assert (memory[states * len(bits) :] == np.array(7).astype(dtype)).all()
    for row, one in zip(words, unpacked(words, bits), strict=True):
        assert Expansion(bits).one(row.tobytes()).tolist() == one.tolist()


def test_arrays_need_not_be_contiguous() -> None:
    words = np.array([[0b1011], [0b0110]], np.uint64)
    memory = np.zeros((2, 8), np.int8)
    Expansion([0, 1, 2, 3]).write(words, memory[:, ::2])
    assert memory.tolist() == [[1, 0, 1, 0, 0, 0, 1, 0], [0, 0, 1, 0, 1, 0, 0, 0]]


@pytest.mark.parametrize(("shape", "dtype"), [((1, 5), np.int8), ((2, 4), np.int8), ((2, 5), np.float64)])
def test_arrays_of_other_shapes_and_types_are_refused(shape: tuple[int, int], dtype: type) -> None:
    with pytest.raises(ValueError, match="expected"):
        Expansion(range(5)).write(np.zeros((2, 1), np.uint64), np.zeros(shape, dtype))


@given(st.sets(st.integers(0, 63), min_size=1), st.data())
def test_the_position_of_a_bit(places: set[int], data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, len(places) - 1))
    half = 1 << max(places).bit_length() >> 1
    word = np.uint64(sum(1 << place for place in places))
    assert positions(word, rank, half) == sorted(places)[rank]


def positions(word: np.uint64, rank: int, half: int) -> int:
    from numba import njit

    if not hasattr(positions, "compiled"):
        positions.compiled = njit(lambda a, b, c: bit_position(a, b, c))  # type: ignore[attr-defined]
    return int(positions.compiled(word, rank, half))  # type: ignore[attr-defined]


@given(st.data())
def test_packed_bits_are_the_same_bits(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 200))
    bits = data.draw(
        st.lists(st.integers(-1, count - 1), min_size=1, max_size=300)
        | st.integers(0, count - 1).map(lambda first: list(range(first, count)))
    )
    words = np.random.default_rng(count).integers(0, 2**63, (3, -(-count // 64)), np.uint64) * np.uint64(2)
    expansion = Expansion(bits)
    plain = np.empty((3, len(bits)), np.uint8)
    expansion.write(words, plain)
    packed = np.full((3, expansion.packed_size), 7, np.uint8)
    expansion.pack(words, packed)
    assert (packed == np.packbits(plain, axis=1, bitorder="little")).all()
    apart = np.full((3, 2 * expansion.packed_size), 7, np.uint8)[:, ::2]
    expansion.pack(words, apart)
    assert (apart == packed).all()


@pytest.mark.parametrize(("shape", "dtype"), [((2, 2), np.uint8), ((2, 1), np.int8), ((1, 1), np.uint8)])
def test_packed_bits_need_bytes(shape: tuple[int, int], dtype: type) -> None:
    with pytest.raises(ValueError, match="uint8"):
        Expansion(range(5)).pack(np.zeros((2, 1), np.uint64), np.zeros(shape, dtype))
