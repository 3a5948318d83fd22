"""Files of arrays with a header and a checksum, which are read without running anything that they contain.

A file is, in this order: `MAGIC`; the length of the header, 4 bytes; the header, a JSON object in UTF-8; the arrays,
compressed by zlib; and the SHA-256 of all bytes before it. The header has the `format`, which says what the arrays are
for, `about`, an object, and `arrays`, a list of their names, types and shapes, in the order of the arrays. Numbers are
little-endian, and arrays have no gaps. docs/reference/learned-files.md describes the files for other programs.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from gdl.errors import NamedFileError
from gdl.system.files import read_input

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The first bytes of a file. Like those of PNG files, they show when a transfer has changed line ends.
MAGIC: Final = b"\x89GGPL\r\n\n"

#: The types of arrays, as in the header.
_TYPES: Final = {"float32": "<f4", "int16": "<i2", "int32": "<i4", "uint64": "<u8"}

#: The maximum size of a file, and of its arrays, in bytes.
_LARGEST: Final = 1 << 30

#: The maximum size of the header in bytes, and of the list of arrays and the dimensions of each: sizes are multiplied
#: only after that. A header has the facts of a game, an array of a network three dimensions.
_LONGEST_HEADER: Final = 64 << 20
_MOST_ARRAYS: Final = 10_000
_MOST_DIMENSIONS: Final = 4

_DIGEST: Final = 32


@final
class ArrayFileError(NamedFileError):
    """A file that is damaged, or is not what it should be."""

    code = "learned-file"


@final
@dataclass(frozen=True, slots=True)
class ArrayFile:
    """The contents of a file."""

    format: str
    about: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def packed(file: ArrayFile, level: int = 1) -> bytes:
    """Return the bytes of a file; `level` says how much time to spend on making it small, 1 to 9."""
    import numpy as np

    listed = [(name, _type_name(array), array.shape) for name, array in file.arrays.items()]
    header = json.dumps({"format": file.format, "about": file.about, "arrays": listed}).encode()
    arrays = b"".join(
        np.ascontiguousarray(array, _TYPES[kind]).tobytes()
        for array, (_, kind, _) in zip(file.arrays.values(), listed, strict=True)
    )
    content = b"".join([MAGIC, len(header).to_bytes(4, "little"), header, zlib.compress(arrays, level)])
    return content + sha256(content).digest()


def read_arrays(path: str | Path, *wanted: str, header: bool = False) -> ArrayFile:
    """Read a file of one of the formats `wanted`. Raises ArrayFileError.

    With `header`, leave out the arrays. This needs no numpy and takes a hundredth of the time, but the checksum is
    looked at in either case.
    """
    try:
        data = read_input(path, _LARGEST)
    except (OSError, ValueError) as error:
        raise ArrayFileError(str(path), getattr(error, "strerror", None) or str(error)) from None
    try:
        return unpacked(data, *wanted, header=header)
    except _DamageError as error:
        raise ArrayFileError(str(path), str(error)) from None


@final
class _DamageError(Exception):
    """The reason why bytes are not a file of arrays."""


def unpacked(data: bytes, *wanted: str, header: bool = False) -> ArrayFile:
    """Return the contents of a file of one of the formats `wanted`; with `header`, those of the header alone."""
    begin = len(MAGIC) + 4
    if not data.startswith(MAGIC):
        raise _DamageError("not a file that `ggp train` has written")
    if len(data) < begin + _DIGEST or sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise _DamageError("the file is damaged: it was cut off or changed, as its checksum is wrong")
    end = begin + int.from_bytes(data[len(MAGIC) : begin], "little")
    # From here on, only a file that was made on purpose can be wrong.
    if end - begin > _LONGEST_HEADER:
        raise _DamageError("the header is not in the format")
    try:
        fields = json.loads(data[begin:end])
        kind, about, listed = str(fields["format"]), dict(fields["about"]), list(fields["arrays"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _DamageError("the header is not in the format") from None
    if kind not in wanted:
        raise _DamageError(f"of the format {kind!r:.60}, not {' or '.join(wanted)}")
    return ArrayFile(kind, about, {} if header else _arrays(data[end:-_DIGEST], listed))


def _arrays(data: bytes, listed: list[Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file by name, from their compressed bytes and the list in the header."""
    import numpy as np

    if len(listed) > _MOST_ARRAYS:
        raise _DamageError("the list of arrays is not in the format")
    claims = [_claim(entry) for entry in listed]
    sizes = [dtype.itemsize * prod(shape) for _, dtype, shape in claims]
    if sum(sizes) > _LARGEST:
        raise _DamageError(f"its arrays are larger than {_LARGEST >> 20:,} MB")
    held = _inflated(data, sum(sizes))
    arrays: dict[str, NDArray[Any]] = {}
    place = 0
    for (name, dtype, shape), size in zip(claims, sizes, strict=True):
        if name in arrays:
            raise _DamageError("the arrays are not those of the header")
        arrays[name] = np.frombuffer(held, dtype, prod(shape), place).reshape(shape)
        place += size
    return arrays


def _inflated(data: bytes, size: int) -> bytes:
    """Return compressed bytes as they were, if there were `size` of them."""
    inflater = zlib.decompressobj()
    try:
        # Never more than the header claims: a small file could hold very much.
        held = inflater.decompress(data, size + 1)
    except zlib.error:
        raise _DamageError("the arrays are not those of the header") from None
    if len(held) != size or not inflater.eof or inflater.unused_data:
        raise _DamageError("the arrays are not those of the header")
    return held


def _claim(entry: Any) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    """Return the name, type and shape of an array in the header."""
    import numpy as np

    try:
        name, kind, shape = entry
        sizes = tuple(shape)
        fits = isinstance(name, str) and len(sizes) <= _MOST_DIMENSIONS
        if fits and all(type(size) is int and 0 <= size <= _LARGEST for size in sizes):
            return name, np.dtype(_TYPES[kind]), sizes
    except (ValueError, KeyError, TypeError):
        pass
    raise _DamageError("the list of arrays is not in the format")


def _type_name(array: NDArray[Any]) -> str:
    name = array.dtype.newbyteorder("=").name
    if name not in _TYPES:
        raise TypeError(f"arrays of {name} are not written")
    return name
