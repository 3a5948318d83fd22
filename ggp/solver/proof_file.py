"""Read proofs from files, which may be damaged or made to do harm.

All sizes are checked before memory is allocated: a file of a few bytes may claim to hold any number of states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np

from gdl.system.files import open_input
from ggp.solver.errors import ProofFileError
from ggp.solver.proof import FORMAT, Proof

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The arrays of a proof, with their types and numbers of dimensions.
_ARRAYS: Final = {"about": (np.uint8, 1), "states": (np.uint64, 2), "rank": (np.int16, 2), "distance": (np.int32, 2)}

#: The maximum number of bytes of `about`. As Python objects, it may take twenty times as much.
_LONGEST_ABOUT: Final = 16 << 20

#: The maximum length of a reason from a library.
_LONGEST_REASON: Final = 200

#: Goal values beyond this are not those of any game.
_HIGHEST_GOAL: Final = 2**31 - 1


@final
class _Damage(Exception):
    """The reason why a file is not a proof."""


def read_proof(path: Path, memory: float = 2.0) -> Proof:
    """Read a proof whose arrays take at most `memory` GB from a file. Raises ProofFileError."""
    try:
        with open_input(path) as file:
            about, states, rank, distance = _arrays(file, memory)
        return _proof(json.loads(about.tobytes()), states, rank, distance)
    except OSError as error:
        raise ProofFileError(str(path), error.strerror or "not a proof") from None
    except _Damage as error:
        raise ProofFileError(str(path), str(error)) from None
    except Exception as error:  # zipfile, zlib, NumPy and json raise errors of many kinds for damaged files
        reason = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        raise ProofFileError(str(path), f"not a proof ({reason})") from None


def _arrays(file: IO[bytes], memory: float) -> list[NDArray[Any]]:
    """Return the arrays of a proof, in the order of `_ARRAYS`."""
    with ZipFile(file) as archive:
        members = [member.filename for member in archive.infolist()]
        if sorted(members) != sorted(f"{name}.npy" for name in _ARRAYS):
            raise _Damage("not a proof (an archive with other members)")
        claims = [_claim(archive, name) for name in _ARRAYS]
        size = sum(claim.bytes for claim in claims)
        if size > memory * 1e9:
            raise _Damage(f"needs {size / 1e9:,.2f} GB of memory, and the limit is {memory:g} GB (--memory)")
        return [_array(archive, claim) for claim in claims]


@final
@dataclass(frozen=True, slots=True)
class _Claim:
    """The type and shape of an array according to its header."""

    name: str
    kind: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """The size of the array."""
        size = self.kind.itemsize
        for length in self.shape:
            size *= length
        return size


def _claim(archive: ZipFile, name: str) -> _Claim:
    """Check an array's header, and that the claimed size is the size of its member of the archive."""
    member = archive.getinfo(f"{name}.npy")
    if member.flag_bits & 1 or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise _Damage(f"not a proof ({name} is encrypted, or compressed by an unknown method)")
    with archive.open(member) as entry:
        shape, kind = _header(entry)
        begin = entry.tell()
    wanted, dimensions = _ARRAYS[name]
    if kind != wanted or len(shape) != dimensions or min(shape) < 0:
        raise _Damage(f"not a proof ({name} has another type or shape)")
    claim = _Claim(name, kind, shape)
    if claim.bytes != member.file_size - begin:
        raise _Damage(f"not a proof ({name} has another size than it claims)")
    if name == "about" and claim.bytes > _LONGEST_ABOUT:
        raise _Damage(f"not a proof (about has {claim.bytes:,} bytes)")
    return claim


def _header(entry: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if np.lib.format.read_magic(entry) != (1, 0):
        raise _Damage("not a proof (arrays in another version of the format)")
    shape, by_column, kind = np.lib.format.read_array_header_1_0(entry)
    if by_column:
        raise _Damage("not a proof (arrays stored by column)")
    return shape, kind


def _array(archive: ZipFile, claim: _Claim) -> NDArray[Any]:
    """Read an array whose header has been checked."""
    array = np.empty(claim.shape, claim.kind)
    rest = array.reshape(-1).view(np.uint8).data
    with archive.open(f"{claim.name}.npy") as entry:
        _header(entry)
        while rest:
            count = entry.readinto(rest)  # type: ignore[attr-defined]
            if not count:
                raise _Damage(f"not a proof ({claim.name} is cut off)")
            rest = rest[count:]
        entry.read(1)  # at the end, zipfile compares the checksum
    return array


def _proof(
    about: Mapping[str, Any], states: NDArray[np.uint64], rank: NDArray[np.int16], distance: NDArray[np.int32]
) -> Proof:
    if about["format"] != FORMAT:
        raise _Damage(f"not of the format {FORMAT}")
    proof = Proof(
        roles=tuple(map(_text, about["roles"])),
        facts=tuple(map(_text, about["facts"])),
        moves=tuple(tuple(map(_text, joint)) for joint in about["moves"]),
        values=tuple(tuple(map(_goal, values)) for values in about["values"]),
        states=states,
        rank=rank,
        distance=distance,
    )
    shape = (len(proof.roles), len(proof.states))
    words = max(1, -(-len(proof.facts) // 64))
    fits = len(states) > 0 and states.shape[1] == words and len(proof.values) == len(proof.roles)
    if not fits or rank.shape != shape or distance.shape != shape:
        raise _Damage("not a proof (arrays that do not fit together)")
    return proof


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} instead of text")
    return value


def _goal(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _HIGHEST_GOAL:
        raise ValueError("a value that is not a goal")
    return value
