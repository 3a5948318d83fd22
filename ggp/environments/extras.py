"""Libraries that only some environments need: extras of the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gdl.errors import GdlError


class MissingExtraError(GdlError, ImportError):
    """An optional library is not installed."""

    code = "missing-extra"

    def __init__(self, extra: str, missing: str) -> None:
        """Name the extra of this package, and the module that is missing."""
        self.extra = extra
        self.missing = missing
        super().__init__(extra, missing)

    def __str__(self) -> str:
        """Return what is missing, and the command that installs it."""
        return f"{self.code}: there is no module {self.missing}; `pip install 'ggp[{self.extra}]'` installs it"


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Raise MissingExtraError instead of ModuleNotFoundError for imports of an extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(extra, error.name or extra) from None
