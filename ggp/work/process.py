"""A process that does jobs: what a module does that `ggp.work.worker` starts.

It reads one JSON object per line, and writes one in reply to each. Rules and engines stay loaded between jobs.

    {"do": "rules", "name": ..., "text": ...}       -> {}           rules by their content, before the jobs about them
    {"do": KIND, "rules": DIGEST, SETTING: ...}     -> the answer   a job
    any failure                                     -> {"error": ...}

The process ends when its input ends, so that none is left behind if the parent is killed.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from traceback import format_exception_only
from typing import Any, NoReturn, final

from gdl.errors import GdlError, Source
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.system.childprocess import JSON_LINES, Parent
from ggp.rules.engine_choice import EngineChoice, compiled_or_reasoner
from ggp.work.job import WorkError, digest_of

#: Does a job of one kind: it gets the game, or None for a job without rules, and the settings by name.
Action = Callable[..., dict[str, Any]]


@final
class Answers:
    """Answers requests one after another, by an action for each kind of job."""

    def __init__(self, games: Games, **actions: Action) -> None:
        """Answer jobs by `actions`, by kind: with the job's settings as named arguments."""
        self._games = games
        self._actions = {"rules": games.add, **actions}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request. Never raises."""
        fields = dict(request)
        try:
            return self._actions[fields.pop("do")](**fields)
        except GdlError as error:
            return {"error": str(error)}
        except Exception as error:  # who asks reports any failure and continues
            return {"error": "".join(format_exception_only(error)).strip()}


@final
class Games:
    """The games of a process, by the digest of their rules. Each is compiled once, when it is first needed."""

    def __init__(self) -> None:
        """Have no games."""
        self._sources: dict[str, Source] = {}
        self._loaded: dict[tuple[str, str], EngineChoice] = {}

    def add(self, name: str, text: str) -> dict[str, Any]:
        """Keep rules, and answer nothing."""
        source = Source(name, text)
        self._sources[digest_of(source)] = source
        return {}

    def source(self, rules: str) -> Source:
        """Return the rules with a digest. Raises KeyError if they were not added."""
        return self._sources[rules]

    def load(self, rules: str, engine: str = "") -> EngineChoice:
        """Return the game of rules with a digest, on the engine that has a name, or by default on the fastest one.

        Raises RulesheetError, and WorkError if the rules cannot be compiled here, but must: engines draw random numbers
        differently, and a result must not depend on the machine.
        """
        if (rules, engine) not in self._loaded:
            reasoner = Reasoner(Rulesheet.of_source(self._sources[rules]))
            choice = EngineChoice(reasoner, None, "")
            if engine != "reasoner":
                choice = compiled_or_reasoner(reasoner, lambda _: None)  # whoever gives the jobs tells the reason
            if engine == "simulator" and choice.engine != engine:
                raise WorkError(f"{reasoner.rulesheet.name} was compiled, but cannot be compiled here: {choice.reason}")
            self._loaded[rules, engine] = self._loaded[rules, choice.engine] = choice
        return self._loaded[rules, engine]


def serve(games: Games, **actions: Action) -> NoReturn:
    """Answer requests until the input ends; it is the main function of a process. Arguments as for `Answers`."""
    parent = Parent(JSON_LINES)
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    parent.listen(requests.put)
    answers = Answers(games, **actions)
    while True:
        parent.send(answers.answer(requests.get()))
