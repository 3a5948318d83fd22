"""Arrays in messages between a training run and the processes that play its games."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ggp.players.learned_values.array_file import ArrayFile, packed, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FORMAT: Final = "ggp-message-2"


def text_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return arrays by name as text, for JSON."""
    return b64encode(packed(ArrayFile(_FORMAT, {}, dict(arrays)))).decode()


def arrays_of(text: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a text that `text_of` has made; they cannot be written to."""
    return unpacked(b64decode(text), _FORMAT).arrays
