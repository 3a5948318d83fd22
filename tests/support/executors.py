"""An executor that does jobs in the test's own process, from requests and answers as JSON like any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Self, TypeVar

from ggp.work.job import Done, Job, Lost, Progress, digest_of
from ggp.work.process import Action, Answers, Games

T = TypeVar("T")


class Here:
    """Does jobs one after another, the last one first: results must not depend on their order."""

    def __init__(self, actions: Callable[[Games], Mapping[str, Action]]) -> None:
        games = Games()
        self.progress = Progress(cores=1)
        self._answers = Answers(games, **actions(games))
        self._known: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, job: Job) -> dict[str, Any]:
        request: dict[str, Any] = {"do": job.kind, **job.settings}
        if job.rules is not None:
            digest = request["rules"] = digest_of(job.rules)
            if digest not in self._known:
                self._known.add(digest)
                self._answers.answer({"do": "rules", "name": job.rules.name, "text": job.rules.text})
        answer: dict[str, Any] = json.loads(json.dumps(self._answers.answer(json.loads(json.dumps(request)))))
        return answer

    def run(self, tasks: Sequence[T], job: Callable[[T], Job], *, until: float = inf) -> Iterator[Done[T] | Lost[T]]:
        assert until == inf
        self.progress.begin(len(tasks))
        for task in reversed(tasks):
            answer = self.ask(job(task))
            result = Lost(task, answer["error"]) if "error" in answer else Done(task, answer)
            self.progress.count(result)
            yield result
