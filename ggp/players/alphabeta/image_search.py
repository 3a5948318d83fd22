"""A search for the images of a game in another process, while a player gets ready.

search = ImageSearch()
search.begin(simulator, duel=True, seconds=10.0)
search.ready()       # the images, once they have been found
search.end()         # they come too late
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.system.childprocess import PICKLES, Child, limit_process
from ggp.players.background import Background

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.learned_values.images import Images

#: The module of the other process, and its memory in bytes.
_MODULE: Final = "ggp.players.learned_values.images"
_MEMORY: Final = 4 << 30

#: The name of the entry in the cache for the seconds after which a search was given up. With this many times as much
#: time, it is tried again.
_GIVEN_UP: Final = "given-up"
_LONGER: Final = 1.5


@final
class ImageSearch:
    """Finds the images of a game. Calls return at once, and may come from different threads."""

    def __init__(self) -> None:
        """Search for nothing yet."""
        self._child: Child | None = None
        self._images: Background[Images | None] | None = None
        self._over = False

    def begin(self, simulator: Simulator, *, duel: bool, seconds: float) -> None:
        """Begin to find what `find_images` returns, unless a search was given up after about as many seconds before."""
        self._images = Background(lambda: self._found(simulator, duel, seconds), "images")

    def ready(self) -> Images | None:
        """Return the images; None if they have not been found, or not yet."""
        return None if self._images is None else self._images.ready()

    def end(self) -> None:
        """End the search: its process would take time from the player during moves."""
        self._over = True
        if self._child is not None:
            self._child.kill()

    def _found(self, simulator: Simulator, duel: bool, seconds: float) -> Images | None:
        from ggp.players.learned_values.images import kept_images

        try:
            return kept_images(simulator, duel, lambda: self._searched(simulator, duel, seconds))
        except EOFError:
            return None

    def _searched(self, simulator: Simulator, duel: bool, seconds: float) -> Images:
        """Return what the other process finds. Raises EOFError if there is too little time for it."""
        from ggp.players.learned_values.images import Images, image_entries, questions

        entries, began = image_entries(simulator, duel), monotonic()
        given_up = float(entries.read(_GIVEN_UP) or 0.0)
        if seconds < _LONGER * given_up:
            raise EOFError
        child = self._child = Child(_MODULE, framing=PICKLES, background=True)
        try:
            if self._over:  # meanwhile
                raise EOFError
            limit_process(child.pid, memory=_MEMORY)
            child.send((*questions(simulator), duel))
            return Images(*child.receive())
        except EOFError:
            entries.write(_GIVEN_UP, str(max(given_up, monotonic() - began)).encode())
            raise
        finally:
            child.end()
