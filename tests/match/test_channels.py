"""Clocks, and the threads in which players are asked where one runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future

import pytest
from support.toy_games import Endless
from support.toy_players import Scripted, fail, nim

from gdl.terms import Term
from ggp.match.match import play_match
from ggp.match.record import Result
from ggp.match.settings import LONGEST_CLOCK, Policy, Settings
from ggp.players import End, Start, Turn
from ggp.players.clock import Deadline

#: Short, but long enough for a player that answers at once on a busy machine.
CLOCK = 1.0


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """The event that players that never return wait for, so that their threads end with the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.slow
def test_a_late_move_is_replaced_and_the_match_goes_on(release: threading.Event) -> None:
    left = Scripted(lambda turn: release.wait() if turn.ply == 1 else turn.legal[0])
    record = nim(left, Scripted(lambda turn: turn.legal[-1]), Settings(seed=1, play_clock=CLOCK, max_plies=2))
    assert record.plies[0].errors == ("TO", "")
    assert record.plies[0].moves[0] in {"(take 1)", "(take 2)", "(take 3)"}
    assert record.plies[0].seconds[0] >= CLOCK


def test_a_player_that_never_returns_is_late_at_every_ply(release: threading.Event) -> None:
    left = Scripted(lambda _: release.wait())
    record = nim(left, Scripted(), Settings(seed=1, play_clock=0.1, max_plies=3))
    assert [ply.errors[0] for ply in record.plies] == ["TO", "TO", "TO"]
    assert record.last_errors == ("TO", "")  # it could not say farewell either
    assert [turn.ply for turn in left.turns] == [1]


def test_a_player_that_never_rests_is_late_too(release: threading.Event) -> None:
    def spin(turn: Turn) -> Term:
        while not release.is_set():
            pass
        return turn.legal[0]

    record = nim(Scripted(spin), Scripted(), Settings(seed=1, play_clock=0.1, max_plies=1))
    assert record.plies[0].errors[0] == "TO"


def test_an_answer_to_an_earlier_question_is_not_taken() -> None:
    first_question_over = threading.Event()

    def move(turn: Turn) -> str:
        if turn.ply == 1:
            first_question_over.wait()
            return "one"
        return "two"

    def other(turn: Turn) -> Term:
        if turn.ply == 2:
            first_question_over.set()
        return turn.legal[0]

    players = {"a": Scripted(move), "b": Scripted(other)}
    game = Endless(("a", "b"))
    record = play_match(game, players, Settings(seed=1, play_clock=CLOCK, max_plies=2))
    assert record.plies[0].errors == ("TO", "")
    assert record.plies[1].errors == ("", "")
    assert record.plies[1].moves[0] == "two"


@pytest.mark.slow
def test_questions_missed_while_late_are_not_asked_later() -> None:
    over = threading.Event()
    left = Scripted(lambda turn: over.wait() and turn.legal[0] if turn.ply == 1 else turn.legal[0])

    def other(turn: Turn) -> Term:
        if turn.ply == 3:
            over.set()
        return turn.legal[0]

    players = {"a": left, "b": Scripted(other)}
    record = play_match(Endless(("a", "b")), players, Settings(seed=1, play_clock=CLOCK, max_plies=3))
    assert [ply.errors[0] for ply in record.plies] == ["TO", "TO", ""]
    assert [turn.ply for turn in left.turns] == [1, 3]


def test_a_slow_start_is_recorded_as_late(release: threading.Event) -> None:
    left = Scripted(start=lambda *_: release.wait())
    settings = Settings(seed=1, start_clock=0.1, play_clock=0.1, max_plies=1)
    record = nim(left, Scripted(), settings)
    assert record.initial_errors == ("TO", "")
    assert record.plies[0].errors[0] == "TO"


def test_roles_think_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=10)
    players = {role: Scripted(lambda turn: (meeting.wait(), turn.legal[0])[1]) for role in ("a", "b")}
    settings = Settings(seed=1, play_clock=20.0, max_plies=2)
    record = play_match(Endless(("a", "b")), players, settings)
    assert all(ply.errors == ("", "") for ply in record.plies)


def test_an_early_move_is_taken_at_once() -> None:
    # Were the clocks waited for, the test would not end within hours.
    record = nim(Scripted(), Scripted(), Settings(seed=1, start_clock=1000.0, play_clock=LONGEST_CLOCK))
    assert record.result is Result.FINISHED


def test_no_thread_outlives_a_match_of_players_that_answer() -> None:
    before = set(threading.enumerate())  # such as players of other tests that still think
    nim(Scripted(), Scripted(), Settings(seed=1, play_clock=60.0))
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
        assert not thread.is_alive()


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e12])
def test_clocks_without_sense_are_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="the play clock must be positive"):
        Settings(seed=1, play_clock=seconds)
    with pytest.raises(ValueError, match="the start clock must be positive"):
        Settings(seed=1, start_clock=seconds)


@pytest.mark.slow
def test_a_late_move_may_disqualify(release: threading.Event) -> None:
    settings = Settings(seed=1, policy=Policy.DISQUALIFY, play_clock=CLOCK)
    record = nim(Scripted(lambda _: release.wait()), Scripted(), settings)
    assert record.goals == (0, 100)
    assert record.last_errors == ("TO", "")


class Elsewhere:
    """Answers by futures, which a test completes or not."""

    name = "elsewhere"
    grace = 0.0

    def __init__(self, answer: Callable[[Turn], object]) -> None:
        self.futures: list[Future[object]] = []
        self._answer = answer

    def start(self, start: Start, deadline: Deadline) -> Future[object]:  # noqa: ARG002
        return self._done(None)

    def move(self, turn: Turn) -> Future[object]:
        answer = self._answer(turn)
        return answer if isinstance(answer, Future) else self._done(answer)

    def stop(self, end: End) -> Future[object]:  # noqa: ARG002
        return self._done(None)

    def _done(self, value: object) -> Future[object]:
        future: Future[object] = Future()
        future.set_result(value)
        return future


def failed(error: Exception) -> Future[object]:
    future: Future[object] = Future()
    future.set_exception(error)
    return future


class TestElsewhere:
    def test_without_clocks_it_is_waited_for(self) -> None:
        def move(turn: Turn) -> Future[object]:
            future: Future[object] = Future()
            threading.Timer(0.02, future.set_result, [turn.legal[0]]).start()
            return future

        record = nim(Elsewhere(move), Scripted(), Settings(seed=1))
        assert record.result is Result.FINISHED
        assert not any(any(ply.errors) for ply in record.plies)
        assert record.plies[0].seconds[0] >= 0.01

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            (lambda _: "(take 9)", "IL (take 9)"),
            (lambda _: failed(ConnectionError("nobody is there")), "CE nobody is there"),
            (lambda _: failed(ValueError()), "CE ValueError"),
            (lambda _: failed(TimeoutError()), "TO"),
            (lambda _: Future(), "TO"),
        ],
        ids=["illegal", "error", "error without words", "its own word of the clock", "silence"],
    )
    def test_what_goes_wrong(self, answer: Callable[[Turn], object], error: str) -> None:
        record = nim(Elsewhere(answer), Scripted(), Settings(seed=1, play_clock=0.2, max_plies=1))
        assert record.plies[0].errors == (error, "")

    def test_a_question_that_cannot_be_put(self) -> None:
        record = nim(Elsewhere(fail), Scripted(), Settings(seed=1, play_clock=CLOCK, max_plies=1))
        assert record.plies[0].errors[0].startswith("CE ZeroDivisionError: division by zero (")

    def test_an_answer_to_an_earlier_question_is_not_taken(self) -> None:
        first: Future[object] = Future()

        def move(turn: Turn) -> object:
            if turn.ply == 1:
                return first
            # Cancelled already: nobody waits for it.
            assert first.cancelled()
            return "two"

        players = {"a": Elsewhere(move), "b": Scripted()}
        record = play_match(Endless(("a", "b")), players, Settings(seed=1, play_clock=0.2, max_plies=2))
        assert [ply.errors[0] for ply in record.plies] == ["TO", ""]
        assert record.plies[1].moves[0] == "two"

    def test_a_move_within_the_grace_counts(self) -> None:
        def move(turn: Turn) -> Future[object]:
            future: Future[object] = Future()
            threading.Timer(0.2, future.set_result, [turn.legal[0]]).start()
            return future

        player = Elsewhere(move)
        player.grace = 20.0
        record = nim(player, Scripted(), Settings(seed=1, play_clock=0.1, max_plies=1))
        assert record.plies[0].errors == ("", "")
