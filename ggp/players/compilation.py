"""Compile the game of a match in a background thread, so that no deadline is missed because of it.

    making = compilation(start)
    simulator = making.result(deadline)   # None if it is not ready in time
    ...
    simulator = making.ready()            # later, without waiting: None if it is still not ready
    making.reason                         # why it failed, in one line; "" if it has not failed
    compilation_stages(rules)             # the time that each stage took, and True if it is over
    compilation_failure(rules)            # why it failed, whoever started it

`simulator.state(state)` converts a state of the match to the Simulator's own. Before a match, when nothing else is
waiting, `ggp.rules.engine_choice` compiles the game.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Final, final

from gdl.engine import rule_text
from gdl.errors import GdlError
from gdl.language.parser import UNNAMED
from ggp.players.background import Background
from ggp.players.player import Start

if TYPE_CHECKING:
    from gdl.simulator.partial_game import PartialGame
    from gdl.simulator.simulator import Simulator

#: The number of compiled games kept in a process, to be shared by the players of a match and by later matches.
_GAMES: Final = 4


def compilation(start: Start) -> Background[Simulator]:
    """Start compiling the game of a match, or join a compilation of the same rules in this process.

    If the game is a Simulator already, the result is ready at once. For a game that was not made from rules, and for
    one of which only a part could be compiled, the compilation fails.
    """
    from gdl.simulator.partial_game import PartialGame
    from gdl.simulator.simulator import Simulator

    game = start.game
    if isinstance(game, Simulator):
        return _finished(game)
    if isinstance(game, PartialGame):
        return Background(partial(_whole, game), "no compilation")
    text = start.rules or rule_text(game)
    return _compilations.start(text).making if text.strip() else Background(_no_rules, "no compilation")


def compilation_stages(rules: str) -> tuple[tuple[tuple[str, float], ...], bool]:
    """Return the stages of the compilation of a rule text in this process and their seconds, and True if it is over.

    There are no stages if it was not compiled.
    """
    known = _compilations.known(rules)
    return ((), True) if known is None else (known.stages(), known.making.over)


def compilation_failure(rules: str) -> str:
    """Return why a rule text could not be compiled in this process, in one line; empty if that has not failed."""
    known = _compilations.known(rules)
    return "" if known is None else known.making.reason.removeprefix(f"{UNNAMED}: ")


def compiled_game(making: Background[Simulator]) -> Simulator:
    """Wait for a compiled game and return it. Raises NotCompiledError with the reason if compiling failed."""
    simulator = making.result()
    if simulator is None:
        raise NotCompiledError(making.reason)
    return simulator


@final
class NotCompiledError(GdlError):
    """The game could not be compiled."""

    code = "not-compiled"


@final
class _Compilation:
    """The compilation of one rule text, and the times of its stages."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begun: list[tuple[str, float]] = []
        self._ended = 0.0
        self.making = Background(self._make, "compilation")

    def stages(self) -> tuple[tuple[str, float], ...]:
        begun = list(self._begun)
        ends = [*(at for _, at in begun[1:]), self._ended or time.monotonic()]
        return tuple((stage, end - at) for (stage, at), end in zip(begun, ends, strict=False))

    def _make(self) -> Simulator:
        import gdl

        # Before the first stage, the rules are read and the cache is searched.
        self._begin("reading")
        rules = gdl.Rulesheet(self._text) if "(" not in self._text else self._text
        try:
            return _whole(gdl.compile(rules, separate_process=True, progress=self._begin))
        finally:
            self._ended = time.monotonic()

    def _begin(self, stage: str) -> None:
        if not self._ended:  # code for further uses may be generated later
            self._begun.append((stage, time.monotonic()))


@final
class _Compilations:
    """The compilations of this process; the least recently used ones are evicted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, _Compilation] = OrderedDict()

    def start(self, text: str) -> _Compilation:
        with self._lock:
            if text not in self._known:
                self._known[text] = _Compilation(text)
                if len(self._known) > _GAMES:
                    self._known.popitem(last=False)
            self._known.move_to_end(text)
            return self._known[text]

    def known(self, text: str) -> _Compilation | None:
        with self._lock:
            return self._known.get(text)


_compilations: Final = _Compilations()


def _finished(simulator: Simulator) -> Background[Simulator]:
    finished = Background(lambda: simulator, "compilation")
    finished.result()
    return finished


def _whole(game: Simulator | PartialGame) -> Simulator:
    """Return a game that is compiled whole. Raises CompileError for others: searches use the Reasoner."""
    from gdl.simulator.simulator import Simulator

    if not isinstance(game, Simulator):
        raise game.refusal
    return game


def _no_rules() -> Simulator:
    raise _NoRulesError


@final
class _NoRulesError(GdlError):
    """The game was not made from rules."""

    code = "no-rules"
    template = "{code}: the game was not made from a rule text"
