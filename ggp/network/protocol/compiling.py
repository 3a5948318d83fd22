"""Compile the games of matches in a process that outlives them.

The process of a match is killed with the match, and with it the one that compiles its game. Where matches are short,
or the machine is busy, a large game would never be compiled. Both processes use one cache, and only one of them makes a
circuit, while the other waits for it (`gdl.simulator.cache.Cache.making`).
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import final

from gdl.compile_budget import CompileBudget
from gdl.errors import GdlError
from gdl.language.parser import source_of
from gdl.simulator.cache import default_folder
from gdl.simulator.compiler_process import CompilerProcess


@final
class GameCompiler:
    """Compiles one game at a time, that of the latest match. Calls return at once; they come from one thread."""

    def __init__(self) -> None:
        """Compile nothing yet."""
        self._rules = ""
        self._process: CompilerProcess | None = None

    def compile(self, rules: str) -> None:
        """Compile a game unless that has been done or begun; stop compiling any other. Errors are for its players."""
        if rules == self._rules:
            return
        self.close()
        self._rules = rules
        folder = default_folder()
        if folder is None:  # nobody could read the result
            return
        process = self._process = CompilerProcess(source_of(rules, "<START>"), CompileBudget(), folder)

        def compile_it() -> None:
            with suppress(GdlError):
                process.circuit()

        threading.Thread(target=compile_it, name="compiling", daemon=True).start()

    def close(self) -> None:
        """Stop compiling."""
        if self._process is not None:
            self._process.end()
            self._process = None
        self._rules = ""
