"""The errors of training."""

from __future__ import annotations

from typing import final

from gdl.errors import GdlError


@final
class NotTrainableError(GdlError):
    """A game of a kind that cannot be trained, for the given `reason`."""

    code = "not-trainable"

    def __init__(self, reason: str) -> None:
        """Keep the reason."""
        self.reason = reason
        super().__init__(reason)

    def __str__(self) -> str:
        """Return the code, the reason, and what can be trained."""
        needed = "training needs states that all roles see, and random games that end"
        return f"{self.code}: {self.reason}; {needed}"


@final
class CheckpointError(GdlError):
    """A training that cannot go on from its file."""

    code = "training-file"

    def __init__(self, file: str, reason: str) -> None:
        """Keep the name of the file and the reason."""
        self.file = file
        self.reason = reason
        super().__init__(file, reason)

    def __str__(self) -> str:
        """Return the file, the code, the reason, and the way out."""
        return f"{self.file}: {self.code}: {self.reason}; --restart starts anew"
