"""Proofs in files: every state with the value that each role can force there, so that others can check it.

A proof is a NumPy archive (.npz). `about` is a JSON text with the roles, the facts, the moves that lead to the position
and the goal values. `states`, (states, words) uint64, has the states, in which bit `i` is fact `i`; the position itself
comes first, and each other state after one of its predecessors. `rank`, (roles, states) int16, is the index of the
value that the role can force in its list of values, or -1. `distance`, (roles, states) int32, is in plies, or -1.

`ggp.solver.proof_file` reads these files.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.system.files import whole_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggp.solver.graph import Solution

FORMAT: Final = "ggp-proof-1"


@final
@dataclass(frozen=True, slots=True)
class Proof:
    """The contents of a file; the fields are described at the top of the module."""

    roles: tuple[str, ...]
    facts: tuple[str, ...]
    #: The joint moves that lead to the position, as KIF.
    moves: tuple[tuple[str, ...], ...]
    values: tuple[tuple[int, ...], ...]
    states: NDArray[np.uint64]
    rank: NDArray[np.int16]
    distance: NDArray[np.int32]


def proof_of(solution: Solution, moves: Sequence[Sequence[Any]]) -> Proof:
    """Return the proof of a solution for the position after some joint moves."""
    graph, sure = solution.graph, solution.worth.sure
    return Proof(
        roles=graph.roles,
        facts=graph.facts,
        moves=tuple(tuple(str(move) for move in joint) for joint in moves),
        values=tuple(own.values for own in sure),
        states=graph.states,
        rank=np.stack([own.rank for own in sure]),
        distance=np.stack([own.distance for own in sure]),
    )


def write_proof(path: Path, proof: Proof) -> None:
    """Write a proof to a file, as a whole or not at all. Raises OSError."""
    about = {
        "format": FORMAT,
        "roles": proof.roles,
        "moves": proof.moves,
        "values": proof.values,
        "facts": proof.facts,
    }
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    arrays = {"about": text, "states": proof.states, "rank": proof.rank, "distance": proof.distance}
    with (
        whole_file(path) as file,
        # The fastest level is enough, as the arrays are mostly zeros.
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for key, array in arrays.items():
            with archive.open(f"{key}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)
