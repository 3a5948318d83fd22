"""Evaluations of positions in a game process: one request at a time, in a thread of its own, which can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from ggp.players.analyst import Analyst, Evaluation, mistake_of
from ggp.server.messages import News

#: Consecutive positions of a match that were not solved, after which the earlier ones are not tried: a game is solved
#: from its end.
_UNSOLVED: Final = 2

Send = Callable[[News], None]


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """States to be evaluated, by their plies in a line of joint moves, each for some seconds. `name` is in the news."""

    name: str
    states: Mapping[int, State]
    line: tuple[tuple[str, ...], ...]
    seconds: float
    stopped: threading.Event = field(default_factory=threading.Event)


class Evaluating:
    """Evaluates positions of one game, and sends what it finds."""

    def __init__(self, game: Reasoner, send: Send, threads: int = 1) -> None:
        """Evaluate nothing yet, and later in `threads` threads. `send` is called with the news."""
        self._game = game
        self._threads = threads
        self._send = send
        self._analyst: Analyst | None = None
        self._request: EvaluationRequest | None = None
        self._thread: threading.Thread | None = None

    def begin(self, request: EvaluationRequest) -> None:
        """Evaluate the states of a request, from the last one to the first, instead of what is being evaluated.

        It sends an `evaluation` of each state (several, if there is only one state), and `evaluated` at the end. With
        several states, an evaluation names the `mistake` in the move that follows it.
        """
        self.stop()
        self._request = request
        self._thread = threading.Thread(target=self._run, args=(request,), name="evaluating", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop what is being evaluated, and wait until it has ended."""
        if self._request is not None and self._thread is not None:
            self._request.stopped.set()
            self._thread.join()
        self._request = self._thread = None

    def _run(self, request: EvaluationRequest) -> None:
        error = ""
        try:
            if self._analyst is None:
                self._analyst = Analyst(self._game, self._threads)
            if len(request.states) == 1:
                self._evaluate_one(self._analyst, request)
            else:
                self._evaluate_all(self._analyst, request)
        except GdlError as found:
            error = str(found)
        except Exception as found:  # an internal error must not look like an endless evaluation
            error = f"{type(found).__name__}: {found}"
        self._send({"say": "evaluated", "name": request.name, "error": error, "stopped": request.stopped.is_set()})

    def _evaluate_one(self, analyst: Analyst, request: EvaluationRequest) -> None:
        ((ply, state),) = request.states.items()
        for evaluation in analyst.evaluate(state, request.seconds, request.stopped):
            self._tell(request, ply, evaluation)

    def _evaluate_all(self, analyst: Analyst, request: EvaluationRequest) -> None:
        known: dict[int, Evaluation] = {}
        unsolved = 0
        for ply in sorted(request.states, reverse=True):
            evaluations = analyst.evaluate(
                request.states[ply], request.seconds, request.stopped, solve=unsolved < _UNSOLVED, patient=True
            )
            *_, latest = [None, *evaluations]
            if latest is None or request.stopped.is_set():
                return
            unsolved = 0 if latest.exact else unsolved + 1
            known[ply] = latest
            following = known.get(ply + 1)
            mistake = None
            if following is not None:
                mistake = mistake_of(latest, following, dict(zip(self._game.roles, request.line[ply], strict=True)))
            self._tell(request, ply, latest, mistake=None if mistake is None else asdict(mistake))

    def _tell(self, request: EvaluationRequest, ply: int, evaluation: Evaluation, **more: Any) -> None:
        known = asdict(evaluation) | more
        self._send({"say": "evaluation", "name": request.name, "ply": ply, "evaluation": known})
