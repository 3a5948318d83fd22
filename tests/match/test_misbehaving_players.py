"""Illegal moves, crashes and disqualification: whatever players may do to a match."""

from __future__ import annotations

import asyncio

import pytest
from support.toy_games import NOOP, Endless
from support.toy_players import SEED, Scripted, fail, nim

import gdl
from ggp.match.match import play_match
from ggp.match.record import Result
from ggp.match.settings import Policy, Settings
from ggp.players import End, Turn


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("(take 9)", "IL (take 9)"),
        ("(take", "IL (take"),
        ("", "IL "),
        ("(take\x1b[31m\n 9)", "IL (take\N{REPLACEMENT CHARACTER}[31m 9)"),
        ("?x", "IL ?x"),
        (None, "IL not a move: NoneType"),
        (3, "IL not a move: int"),
        (NOOP, "IL noop"),
        ("(f " * 5000 + ")" * 5000, "IL " + "(f " * 99 + "..."),
    ],
    ids=["unknown", "unbalanced", "empty", "control characters", "variable", "None", "int", "not now", "long"],
)
def test_an_illegal_move_is_recorded_and_replaced(answer: object, error: str) -> None:
    record = nim(Scripted(lambda turn: answer if len(turn.legal) > 1 else turn.legal[0]), Scripted())
    assert record.result is Result.FINISHED
    assert record.plies[0].errors == (error, "")
    assert record.plies[0].moves[0] in {"(take 1)", "(take 2)", "(take 3)"}


def test_replacements_are_random_and_follow_from_the_seed() -> None:
    def moves(seed: int) -> list[str]:
        settings = Settings(seed=seed, max_plies=40)
        record = play_match(Endless(), {"counter": Scripted(lambda _: "nonsense")}, settings)
        return [ply.moves[0] for ply in record.plies]

    assert moves(1) == moves(1)
    assert set(moves(1)) == {"one", "two"}
    assert moves(1) != moves(2)


def test_a_crash_is_recorded_with_its_place_and_replaced() -> None:
    record = nim(Scripted(fail), Scripted())
    assert record.result is Result.FINISHED
    error = record.plies[0].errors[0]
    assert error.startswith("CE ZeroDivisionError: division by zero (toy_players.py:")
    assert error.endswith(" in fail)")
    assert all(ply.errors[0] == error and ply.errors[1] == "" for ply in record.plies)


def test_a_crash_deep_in_other_code_is_placed_in_the_players() -> None:
    def move(turn: Turn) -> object:
        return gdl.parse_term(f"({turn.ply}")

    error = nim(Scripted(move), Scripted()).plies[0].errors[0]
    assert error.startswith("CE TermError: ")
    assert error.endswith(" in move)")
    assert "(toy_players.py:" in error


def test_a_player_that_leaves_by_exit_has_crashed() -> None:
    def leave(turn: Turn) -> object:  # noqa: ARG001
        raise SystemExit(3)

    assert nim(Scripted(leave), Scripted()).plies[0].errors[0].startswith("CE SystemExit: 3 (")


@pytest.mark.parametrize(
    "settings", [SEED, Settings(seed=1, start_clock=60.0)], ids=["direct", "in a thread without play clock"]
)
def test_what_is_no_ordinary_exception_is_a_crash_too(settings: Settings) -> None:
    def cancel(turn: Turn) -> object:  # noqa: ARG001
        raise asyncio.CancelledError

    record = nim(Scripted(cancel), Scripted(), settings)
    assert record.result is Result.FINISHED
    assert record.plies[0].errors[0].startswith("CE CancelledError (")


def test_an_interrupt_from_a_players_own_thread_is_a_crash() -> None:
    def interrupt(turn: Turn) -> object:  # noqa: ARG001
        raise KeyboardInterrupt

    record = nim(Scripted(interrupt), Scripted(), Settings(seed=1, start_clock=60.0))
    assert record.plies[0].errors[0].startswith("CE KeyboardInterrupt (")


def test_an_error_that_cannot_be_printed_is_still_recorded() -> None:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise ValueError

    def explode(turn: Turn) -> object:  # noqa: ARG001
        raise Unprintable

    assert nim(Scripted(explode), Scripted()).plies[0].errors[0].startswith("CE Unprintable: (its message cannot")


def test_a_crash_at_the_start_is_recorded_and_the_player_still_asked() -> None:
    left = Scripted(start=fail)
    record = nim(left, Scripted())
    assert record.initial_errors[0].startswith("CE ZeroDivisionError")
    assert record.initial_errors[1] == ""
    assert record.result is Result.FINISHED
    assert record.plies[0].errors == ("", "")


def test_a_crash_at_the_farewell_is_recorded() -> None:
    record = nim(Scripted(stop=fail), Scripted())
    assert record.result is Result.FINISHED
    assert record.last_errors[0].startswith("CE ZeroDivisionError")
    assert record.last_errors[1] == ""


@pytest.mark.parametrize("settings", [SEED, Settings(seed=1, play_clock=60.0)], ids=["direct", "threads"])
def test_a_crash_in_one_ply_leaves_the_next_alone(settings: Settings) -> None:
    left = Scripted(lambda turn: fail() if turn.ply == 1 else turn.legal[0])
    record = nim(left, Scripted(), settings)
    assert record.plies[0].errors[0].startswith("CE")
    assert record.plies[2].errors == ("", "")


class TestDisqualification:
    settings = Settings(seed=1, policy=Policy.DISQUALIFY)

    def test_the_offender_has_0_and_the_other_100(self) -> None:
        left, right = Scripted(), Scripted(lambda turn: "(take 4)" if turn.ply == 4 else turn.legal[0])
        record = nim(left, right, self.settings)
        assert record.result is Result.DISQUALIFIED
        assert record.completed
        assert record.goals == (100, 0)
        assert record.disqualified == ("right",)
        assert len(record.plies) == 3
        assert record.last_errors == ("", "IL (take 4)")
        assert right.ends == [End("disqualified", (gdl.parse_term("(take 1)"), NOOP), 0, ply=3, own_move=NOOP)]

    def test_several_offenders_in_one_ply(self) -> None:
        players = {"a": Scripted(fail), "b": Scripted(), "c": Scripted(lambda _: None)}
        record = play_match(Endless(("a", "b", "c")), players, self.settings)
        assert record.goals == (0, 100, 0)
        assert record.disqualified == ("a", "c")
        assert record.plies == ()
        assert record.last_errors[0].startswith("CE")
        assert record.last_errors[1:] == ("", "IL not a move: NoneType")

    def test_a_crash_at_the_start(self) -> None:
        left = Scripted()
        record = nim(left, Scripted(start=fail), self.settings)
        assert record.goals == (100, 0)
        assert record.initial_errors[1].startswith("CE")
        assert record.last_errors == ()
        assert left.turns == []
        assert left.ends[0].result == "disqualified"

    def test_chance_has_no_goal(self) -> None:
        record = play_match(Endless(("a", "random")), {"a": Scripted(fail)}, self.settings)
        assert record.goals == (0, None)
