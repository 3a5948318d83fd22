"""Players for local matches by name: those of ggp in this process, all others in processes of their own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, final

from ggp.match.channels import PlayerError
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.isolation.log import LogFolder, PlayerLog
from ggp.match.isolation.reserve import Reserve
from ggp.match.isolation.wire import Reply
from ggp.players import Player, PlayerLoadError, is_foreign, make_player
from ggp.players.clock import Deadline

#: The default limit of the memory of a player's process, in bytes of its address space.
MEMORY: Final = 4 << 30

#: Seconds in which the class of a player has to be loaded.
LOADING: Final = 300.0


@final
class LocalPlayers:
    """Makes players by name. A context manager that ends the processes it has started.

    A player that is not part of ggp runs in a process of its own: its failures are its own, its memory is limited, and
    its output goes to a log. It is started when the player is made, and used again for later matches.
    """

    def __init__(self, *, memory: int | None = MEMORY, logs: Path | None = None) -> None:
        """Limit the memory of each process, in bytes; None stands for no limit.

        `logs` is the folder for logs, by default a temporary one. A log is created with the first output of its player.
        """
        self._memory = memory
        self._folder = LogFolder(logs)
        self._logs: dict[str, PlayerLog] = {}
        #: The reserve of each player, and the reply of a process that has loaded it.
        self._loaded: dict[str, tuple[Reserve, Reply]] = {}

    def __enter__(self) -> LocalPlayers:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes."""
        for reserve, _ in self._loaded.values():
            reserve.close()

    @property
    def logs(self) -> dict[str, Path]:
        """The logs of the players that have written something."""
        return {name: log.path for name, log in self._logs.items() if log.path is not None}

    def make(self, name: str) -> Player:
        """Return a new player. Raises UnknownPlayerError, PlayerLoadError."""
        if not is_foreign(name):
            return make_player(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        reserve, loaded = self._loaded[name]
        return IsolatedPlayer(loaded.name, reserve, compiles=loaded.compiles)

    def _load(self, name: str) -> tuple[Reserve, Reply]:
        log = self._logs.setdefault(name, PlayerLog(name, self._folder))
        with ExitStack() as opened:
            made = Reserve(name, rehearse=False, tidy=True, memory=self._memory, log=log)
            reserve = opened.enter_context(made)
            try:
                loaded = reserve.wait_until_ready(Deadline.after(LOADING))
            except PlayerError as error:
                raise PlayerLoadError(name, str(error)) from None
            if loaded is None:
                raise PlayerLoadError(name, f"not loaded within {LOADING:g} seconds")
            opened.pop_all()
        return reserve, loaded
