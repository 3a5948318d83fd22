"""Files of arrays: what is written comes back, and whatever is damaged is refused."""

from __future__ import annotations

import json
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp.players.learned_values.array_file import MAGIC, ArrayFile, ArrayFileError, packed, read_arrays

FILE = ArrayFile(
    "ggp-test-1",
    {"a": 1},
    {"w": np.arange(4, dtype=np.float32).reshape(2, 2), "s": np.array([2**63 + 1], np.uint64)},
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.learned"


def reason(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    with pytest.raises(ArrayFileError) as caught:
        read_arrays(path, "ggp-test-1")
    assert str(caught.value).startswith(f"{path}: learned-file: ")
    return caught.value.reason


def test_what_is_written_comes_back(path: Path) -> None:
    path.write_bytes(packed(FILE))
    found = read_arrays(path, "ggp-test-1")
    assert (found.format, found.about) == (FILE.format, FILE.about)
    assert list(found.arrays) == ["w", "s"]
    for name, array in FILE.arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert np.array_equal(found.arrays[name], array)


def test_every_changed_bit_is_noticed(path: Path) -> None:
    data = packed(FILE)
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        expected = "not a file that" if place < len(MAGIC) else "its checksum is wrong"
        assert expected in reason(path, bytes(changed)), place


def test_every_cut_is_noticed(path: Path) -> None:
    data = packed(FILE)
    for length in range(len(data)):
        expected = "not a file that" if length < len(MAGIC) else "its checksum is wrong"
        assert expected in reason(path, data[:length]), length
    assert "its checksum is wrong" in reason(path, data + b"\0")


def forged(header: Any, arrays: bytes = b"") -> bytes:
    """A file with a right checksum, however wrong the rest of it is."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = MAGIC + len(text).to_bytes(4, "little") + text + arrays
    return content + sha256(content).digest()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (b"\xff", "the header is not in the format"),
        (b"[" * 100_000, "the header is not in the format"),
        ([], "the header is not in the format"),
        ({"format": "ggp-test-1", "about": {}}, "the header is not in the format"),
        ({"format": "ggp-test-2", "about": {}, "arrays": []}, "of the format 'ggp-test-2', not ggp-test-1"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "object", [1]]]}, "the list of arrays is not in"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [-1]]]}, "the list of arrays is not in"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [True]]]}, "the list of arrays is not in"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32"]]}, "the list of arrays is not in"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [[[], "float32", [1]]]}, "the list of arrays is not in"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [2**20, 2**20]]]}, "larger than 1,024 MB"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [0] * 65]]}, "the list of arrays is not in"),
        (
            {"format": "ggp-test-1", "about": {}, "arrays": [["a", "int16", [0] * 200_000]]},
            "the list of arrays is not in",
        ),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "int16", [2**30] * 200_000]]}, "the list of arrays is"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "int16", [10**400]]]}, "the list of arrays is not in"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "int16", [0]]] * 20_000}, "the list of arrays is not"),
        ({"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [0]]] * 2}, "are not those of"),
        ({"format": "ggp-test-1", "about": {}, "arrays": []}, "are not those of"),
    ],
)
def test_a_file_made_on_purpose(path: Path, header: Any, expected: str) -> None:
    assert expected in reason(path, forged(header, b"12345678"))


@pytest.mark.parametrize("count", [0, 1, 3, 100_000_000])
def test_arrays_that_are_longer_or_shorter_than_the_header_says(path: Path, count: int) -> None:
    header = {"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [count]]]}
    assert "are not those of" in reason(path, forged(header, zlib.compress(b"12345678")))


def test_what_follows_the_arrays_is_refused(path: Path) -> None:
    header = {"format": "ggp-test-1", "about": {}, "arrays": [["a", "float32", [2]]]}
    path.write_bytes(forged(header, zlib.compress(b"12345678")))
    assert read_arrays(path, "ggp-test-1").arrays["a"].tobytes() == b"12345678"
    for rest in (zlib.compress(b"12345678") + b"more", zlib.compress(b"12345678")[:-1]):
        assert "are not those of" in reason(path, forged(header, rest))


def test_a_length_beyond_the_end(path: Path) -> None:
    content = MAGIC + (2**32 - 1).to_bytes(4, "little") + b"{}"
    assert reason(path, content + sha256(content).digest()) == "the header is not in the format"


@given(st.binary(max_size=200))
def test_bytes_at_random_are_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    assert reason(tmp_path_factory.mktemp("random") / "some.learned", forged(data))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", Path("nul\0")):
        with pytest.raises(ArrayFileError):
            read_arrays(path, "ggp-test-1")


def test_arrays_of_objects_are_not_written() -> None:
    with pytest.raises(TypeError, match="object"):
        packed(ArrayFile("ggp-test-1", {}, {"a": np.array([{}], object)}))
