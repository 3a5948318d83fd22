"""A host whose pages are looked at."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from support.remote_players import unused_port


class Hosting:
    """`ggp host` in a process of its own, that can be killed and started again at the same address."""

    def __init__(self, *arguments: str | Path) -> None:
        self._arguments = [*map(str, arguments), "--port", str(port := unused_port())]
        self.address = f"http://127.0.0.1:{port}/"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "ggp", "host", *self._arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        assert self._process.stderr.readline() == f"spectators: {self.address}\n"

    def end(self, by: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(by)
            self._process.communicate(timeout=60)
            self._process = None
