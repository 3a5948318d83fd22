"""The Numba types of the compiled functions' arguments. This module loads Numba."""

from __future__ import annotations

from typing import Any, Final

import numba
from numba import types

from gdl.codegen.compiled_functions import (
    F32_2,
    I32_1,
    I32_2,
    I32_3,
    I64_1,
    U64_1,
    U64_2,
    named_tuple,
)
from ggp.players.mcts.requests import Looked, Paths, Requests
from ggp.players.mcts.tree import JOINT, Tree

FLAGS: Final = types.Array(types.boolean, 1, "C")
F64_1, F64_2 = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")

_JOINTS: Any = types.Array(numba.from_dtype(JOINT), 1, "C")

TREE: Final = named_tuple(
    Tree,
    counts=I64_1,
    random=U64_1,
    words=U64_1,
    values=F64_1,
    numbers=I32_1,
    shape=I64_1,
    table=I32_1,
    joints=_JOINTS,
    joint_table=I32_1,
    outcomes=F32_2,
    limits=F32_2,
    nature=I64_1,
    worth=F64_2,
)
PATHS: Final = named_tuple(
    Paths, nodes=I32_2, links=I32_2, edges=I32_3, moves=I32_2, known=I32_2, lengths=I32_1, leaves=I32_1, ends=I32_1
)
REQUESTS: Final = named_tuple(Requests, parents=I32_1, states=U64_2, moves=I32_2, links=I32_1, making=FLAGS)
LOOKED: Final = named_tuple(Looked, terminal=FLAGS, goals=F32_2, offsets=I64_1, moves=I32_1)

#: Goals (n, roles) with flags or with weights, (n,); and two flags.
ENDS: Any = types.Tuple([FLAGS, F32_2])  # type: ignore[no-untyped-call]
TRYING: Any = types.UniTuple(types.boolean, 2)  # type: ignore[no-untyped-call]
VALUES: Any = types.Tuple([F32_2, I32_1])  # type: ignore[no-untyped-call]
