"""Types for the parameters of compiled functions, and for the fields of named tuples that are passed to them.

They are annotations, so that types are written once: mypy reads the array, and Numba the number of dimensions. An array
is contiguous; its name ends with the number of dimensions. `READ` stands for arrays that may be read-only.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Form(NamedTuple):
    """The number of dimensions of an array, if it may be read-only, and the type of its records, if it has any."""

    dimensions: int
    readonly: bool = False
    record: np.dtype[Any] | None = None


_ONE, _TWO, _THREE = Form(1), Form(2), Form(3)
_ONE_READ, _TWO_READ = Form(1, readonly=True), Form(2, readonly=True)

#: A 64-bit integer of either kind; for parts, as Python passes `int` to compiled functions.
Int: TypeAlias = int | np.int64

B_1: TypeAlias = Annotated[NDArray[np.bool_], _ONE]
B_2: TypeAlias = Annotated[NDArray[np.bool_], _TWO]
U8_1: TypeAlias = Annotated[NDArray[np.uint8], _ONE]
U8_2: TypeAlias = Annotated[NDArray[np.uint8], _TWO]
U16_1: TypeAlias = Annotated[NDArray[np.uint16], _ONE]
U32_1: TypeAlias = Annotated[NDArray[np.uint32], _ONE]
I8_1: TypeAlias = Annotated[NDArray[np.int8], _ONE]
I8_2: TypeAlias = Annotated[NDArray[np.int8], _TWO]
I16_1: TypeAlias = Annotated[NDArray[np.int16], _ONE]
I16_2: TypeAlias = Annotated[NDArray[np.int16], _TWO]
I32_1: TypeAlias = Annotated[NDArray[np.int32], _ONE]
I32_1_READ: TypeAlias = Annotated[NDArray[np.int32], _ONE_READ]
I32_2: TypeAlias = Annotated[NDArray[np.int32], _TWO]
I32_3: TypeAlias = Annotated[NDArray[np.int32], _THREE]
I64_1: TypeAlias = Annotated[NDArray[np.int64], _ONE]
I64_2: TypeAlias = Annotated[NDArray[np.int64], _TWO]
U64_1: TypeAlias = Annotated[NDArray[np.uint64], _ONE]
U64_1_READ: TypeAlias = Annotated[NDArray[np.uint64], _ONE_READ]
U64_2: TypeAlias = Annotated[NDArray[np.uint64], _TWO]
U64_2_READ: TypeAlias = Annotated[NDArray[np.uint64], _TWO_READ]
U64_3: TypeAlias = Annotated[NDArray[np.uint64], _THREE]
F32_1: TypeAlias = Annotated[NDArray[np.float32], _ONE]
F32_2: TypeAlias = Annotated[NDArray[np.float32], _TWO]
F64_1: TypeAlias = Annotated[NDArray[np.float64], _ONE]
F64_2: TypeAlias = Annotated[NDArray[np.float64], _TWO]
