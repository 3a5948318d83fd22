"""The error of an adapter whose library is not installed. Each library belongs to an extra of the package."""

from __future__ import annotations

from gdl.errors import GdlError


class MissingLibraryError(GdlError):
    """An environment needs a library that is not installed."""

    code = "missing-library"
    template = "{code}: {0} is not installed; `pip install 'ggp[{1}]'` installs it"

    def __init__(self, library: str, extra: str) -> None:
        """Name the library and the extra of this package that installs it."""
        self.library = library
        self.extra = extra
        super().__init__(library, extra)
