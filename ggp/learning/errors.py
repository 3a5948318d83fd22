"""The errors of training."""

from __future__ import annotations

from typing import final

from gdl.errors import GdlError


@final
class NotTrainableError(GdlError):
    """A game that cannot be trained as it was asked for, for the given `reason`; `needed` says what can."""

    code = "not-trainable"

    def __init__(self, reason: str, needed: str = "") -> None:
        """Keep the reason and what is needed: by default, what every training needs."""
        self.reason = reason
        self.needed = needed or "training needs states that all roles see, and random games that end"
        super().__init__(reason, self.needed)

    def __str__(self) -> str:
        """Return the code, the reason, and what can be trained."""
        return f"{self.code}: {self.reason}; {self.needed}"


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
