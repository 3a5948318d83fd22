"""Damaged proofs: each ends in a clear error or is found wrong, and takes no more memory than allowed."""

from __future__ import annotations

import json
import os
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import Ggp
from support.profiles import examples
from support.toy_graphs import COMMON, random_game

import gdl
from gdl.errors import GdlError
from ggp.solver.errors import ProofFileError
from ggp.solver.line import position_after
from ggp.solver.proof import proof_of, write_proof
from ggp.solver.proof_file import read_proof
from ggp.solver.solve import solve
from ggp.solver.verify import WrongProofError, verify

RULES = random_game(1, COMMON).text
GAME = gdl.Reasoner(RULES)


def _written() -> bytes:
    root, played = position_after(GAME, "")
    answer = solve(GAME, root, seconds=None, memory=4, progress=lambda _: None)
    assert answer.solution is not None
    file = Path(os.environ["XDG_DATA_HOME"]).parent / f"proof-{os.getpid()}.npz"
    write_proof(file, proof_of(answer.solution, played))
    written = file.read_bytes()
    file.unlink()
    return written


PROOF = _written()
MEMBERS = {name: zipfile.ZipFile(BytesIO(PROOF)).read(name) for name in zipfile.ZipFile(BytesIO(PROOF)).namelist()}
ABOUT = json.loads(MEMBERS["about.npy"][128:])


def packed(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def changed(**members: bytes) -> bytes:
    """The proof with other members."""
    return packed(list({**MEMBERS, **{f"{name}.npy": content for name, content in members.items()}}.items()))


def header(shape: tuple[int, ...], kind: str) -> bytes:
    file = BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
    return file.getvalue()


def about(text: bytes) -> bytes:
    return changed(about=header((len(text),), "|u1") + text)


def described(**fields: Any) -> bytes:
    return about(json.dumps({**ABOUT, **fields}).encode())


def with_flag() -> bytes:
    """The proof with members that are said to be encrypted."""
    data = bytearray(PROOF)
    data[data.find(b"PK\3\4") + 6] |= 1
    data[data.find(b"PK\1\2") + 8] |= 1
    return bytes(data)


def with_method(number: int) -> bytes:
    """The proof with a member that is said to be compressed by another method."""
    data = bytearray(PROOF)
    data[data.find(b"PK\3\4") + 8] = number
    data[data.find(b"PK\1\2") + 10] = number
    return bytes(data)


UNKNOWN = "not a proof (about is encrypted, or compressed by an unknown method)"
OTHER = "not a proof (an archive with other members)"
SIZE = "not a proof (states has another size than it claims)"
KIND = "not a proof (states has another type or shape)"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (with_flag(), UNKNOWN),
        (with_method(12), UNKNOWN),
        (with_method(99), UNKNOWN),
        (packed(list(MEMBERS.items()), zipfile.ZIP_LZMA), UNKNOWN),
        (changed(states=header((10**11, 1), "<u8")), SIZE),
        (changed(states=header((1, 10**11), "<u8")), SIZE),
        (changed(states=header((-1, 1), "<u8")), KIND),
        (changed(states=header((1,), "<u8")), KIND),
        (changed(states=header((1, 1), "<f8")), KIND),
        (changed(states=header((1, 1), ">u8")), KIND),
        (changed(states=header((1, 1), "|O")), KIND),
        (changed(extra=b""), OTHER),
        (packed([*MEMBERS.items()][:-1]), OTHER),
        (packed([("../../states.npy", b"")]), OTHER),
        (about(b"[" * 200_000), "not a proof (RecursionError: maximum recursion depth exceeded"),
        (about(b"[]"), "not a proof (TypeError: "),
        (about(b"9" * 10_000), "not a proof (ValueError: "),
        (about(b"\xff"), "not a proof (UnicodeDecodeError: "),
        (described(format="ggp-proof-9"), "not of the format ggp-proof-1"),
        (described(values=[[float("inf")]] * 2), "not a proof (ValueError: a value that is not a goal)"),
        (described(values=[[10**30]] * 2), "not a proof (ValueError: a value that is not a goal)"),
        (described(roles=[["left"], None]), "not a proof (TypeError: list instead of text)"),
        (described(facts=ABOUT["facts"] * 70), "not a proof (arrays that do not fit together)"),
        (described(roles=[]), "not a proof (arrays that do not fit together)"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_each_kind_of_damage_is_named(data: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "proof.npz"
    file.write_bytes(data)
    with pytest.raises(ProofFileError) as caught:
        read_proof(file)
    assert caught.value.reason == reason or (caught.value.reason.startswith(reason) and reason[-1] in " d")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(tmp_path: Path) -> None:
    file = tmp_path / "proof.npz"
    file.write_bytes(packed([*MEMBERS.items(), ("states.npy", MEMBERS["states.npy"])]))
    with pytest.raises(ProofFileError, match="an archive with other members"):
        read_proof(file)


def test_no_memory_is_allocated_for_what_is_too_large(tmp_path: Path) -> None:
    """Half a gigabyte of zeros, in a file of half a megabyte."""
    file = tmp_path / "proof.npz"
    rows = 5 << 20
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in MEMBERS.items():
            if name != "states.npy":
                archive.writestr(name, content)
        with archive.open("states.npy", "w") as entry:
            entry.write(header((rows, 1), "<u8"))
            for _ in range(rows * 8 >> 20):
                entry.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ProofFileError) as caught:
            read_proof(file, memory=0.01)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()
    assert str(caught.value) == (f"{file}: proof-file: needs 0.04 GB of memory, and the limit is 0.01 GB (--memory)")


def test_the_status_of_a_damaged_proof_is_2(ggp: Ggp, tmp_path: Path) -> None:
    rules, file = tmp_path / "toy.kif", tmp_path / "proof.npz"
    rules.write_text(RULES)
    file.write_bytes(with_flag())
    done = ggp("solve", rules, "--verify", file)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"{file}: proof-file: {UNKNOWN}\n"


def test_only_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ProofFileError, match="not a regular file"):
            read_proof(place)


#: Values that are odd in a JSON text.
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["(", "?x", "\udcff"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)

CHANGES = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8)


def _flipped(data: bytes, changes: list[tuple[int, int]]) -> bytes:
    out = bytearray(data)
    for place, value in changes:
        out[place % len(out)] = value
    return bytes(out)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A proof with changed bytes, in the file or within its members, cut off, or with other fields."""
    way = draw(st.integers(0, 4))
    if way == 0:
        return _flipped(PROOF, draw(CHANGES))
    if way == 1:
        return PROOF[: draw(st.integers(0, len(PROOF)))] + draw(st.binary(max_size=30))
    if way == 2:  # the headers, mostly
        name = draw(st.sampled_from(list(MEMBERS)))
        content = MEMBERS[name]
        changes = draw(CHANGES)
        return changed(**{name.removesuffix(".npy"): _flipped(content[:128], changes) + content[128:]})
    if way == 3:
        name = draw(st.sampled_from(list(MEMBERS)))
        return changed(**{name.removesuffix(".npy"): _flipped(MEMBERS[name], draw(CHANGES))})
    field = draw(st.sampled_from(sorted(ABOUT)))
    value = draw(ODD | st.just(ABOUT[field]).map(lambda own: [*own, *own]))
    return described(**{field: value})


@examples(40, thorough=600)
@given(damaged())
def test_any_damage_ends_in_a_clear_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.npz"
    file.write_bytes(data)
    reason = ""
    try:
        verify(read_proof(file, memory=0.1), GAME, None, lambda _: None)
    except (GdlError, WrongProofError) as error:
        reason = str(error)
    assert len(reason) < 2000
