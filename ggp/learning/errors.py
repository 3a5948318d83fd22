"""The errors of training."""

from __future__ import annotations

from typing import final

from gdl.errors import GdlError, NamedFileError


@final
class NotTrainableError(GdlError):
    """A game that cannot be trained as it was asked for, for the given `reason`; `needed` says what can."""

    code = "not-trainable"
    template = "{code}: {0}; {1}"

    def __init__(self, reason: str, needed: str = "") -> None:
        """Keep the reason and what is needed: by default, what every training needs."""
        self.reason = reason
        self.needed = needed or "training needs states that all roles see, and random games that end"
        super().__init__(reason, self.needed)


@final
class CheckpointError(NamedFileError):
    """A training run that cannot go on from its file."""

    code = "training-file"
    template = "{0}: {code}: {1}; --restart starts anew"
