"""The match runner: its course, its clocks, and whatever players may do to it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import islice
from types import MappingProxyType
from typing import Final

import pytest
from toy_games import NOOP, Endless, Nim, OneRound
from toy_rules import COIN, NIM

import gdl
from gdl.terms import Term
from ggp.clock import NEVER, Deadline
from ggp.match import Match, play_match
from ggp.players import End, Player, Start, Turn, make_player
from ggp.record import MatchRecord, Result
from ggp.settings import Policy, Settings

SEED = Settings(seed=1)
#: Short, but long enough for a player that answers at once on a busy machine.
CLOCK = 1.0


class Scripted:
    """Does what a test says; keeps what it was told."""

    def __init__(
        self,
        move: Callable[[Turn], object] = lambda turn: turn.legal[0],
        start: Callable[[Start, Deadline], object] = lambda *_: None,
        stop: Callable[[End], object] = lambda _: None,
    ) -> None:
        self.name = "scripted"
        self.turns: list[Turn] = []
        self.starts: list[Start] = []
        self.ends: list[End] = []
        self._move, self._start, self._stop = move, start, stop

    def start(self, start: Start, deadline: Deadline) -> None:
        self.starts.append(start)
        self._start(start, deadline)

    def move(self, turn: Turn) -> Term:
        self.turns.append(turn)
        return self._move(turn)  # type: ignore[return-value]

    def stop(self, end: End) -> None:
        self.ends.append(end)
        self._stop(end)


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """What players that never return wait for, so that their threads end with the test."""
    event = threading.Event()
    yield event
    event.set()


def fail(*_: object) -> object:
    raise ZeroDivisionError("division by\nzero")


def nim(left: Player, right: Player, settings: Settings = SEED, heap: int = 10) -> MatchRecord:
    return play_match(Nim(heap), {"left": left, "right": right}, settings, name="nim")


def test_a_match_from_start_to_end() -> None:
    left, right = Scripted(), Scripted(lambda turn: turn.legal[-1])
    record = nim(left, right)
    assert record.result is Result.FINISHED
    assert record.completed
    assert [ply.moves for ply in record.plies] == [
        ("(take 1)", "noop"),
        ("noop", "(take 3)"),
        ("(take 1)", "noop"),
        ("noop", "(take 3)"),
        ("(take 1)", "noop"),
        ("noop", "(take 1)"),
    ]
    assert record.initial_state == "((heap 10) (control left))"
    assert record.plies[-1].state == "((heap 0) (control left))"
    assert [ply.choices for ply in record.plies] == [(3, 1), (1, 3), (3, 1), (1, 3), (2, 1), (1, 1)]
    assert record.goals == (0, 100)
    assert (record.roles, record.players) == (("left", "right"), ("scripted", "scripted"))
    assert record.initial_errors == ("", "")
    assert all(ply.errors == ("", "") for ply in record.plies)
    assert record.last_errors == ()
    assert record.game_name == "nim"
    assert record.match_id.startswith("nim.")


def test_what_players_are_told() -> None:
    left, right = Scripted(), Scripted()
    settings = Settings(seed=5, play_clock=60.0)
    record = nim(left, right, settings, heap=3)
    assert [start.role for start in left.starts + right.starts] == ["left", "right"]
    assert left.starts[0].seed != right.starts[0].seed
    assert left.starts[0].match_id == record.match_id
    assert (left.starts[0].start_clock, left.starts[0].play_clock) == (None, 60.0)
    assert [turn.ply for turn in left.turns] == [1, 2, 3]
    assert left.turns[0].moves is None
    assert left.turns[0].own_move is None
    take_one = gdl.parse_term("(take 1)")
    assert right.turns[1].moves == (take_one, NOOP)
    assert right.turns[1].own_move == NOOP
    assert 50 < left.turns[0].deadline.left() <= 60
    assert [str(fact) for fact in right.turns[1].state or ()] == ["(heap 2)", "(control right)"]
    assert left.ends == [End("finished", (take_one, NOOP), 100)]
    assert right.ends == [End("finished", (take_one, NOOP), 0)]


def test_without_clocks_there_is_no_deadline_and_no_thread() -> None:
    threads = []

    def move(turn: Turn) -> Term:
        threads.append(threading.current_thread())
        return turn.legal[0]

    left = Scripted(move)
    nim(left, Scripted())
    assert {turn.deadline for turn in left.turns} == {NEVER}
    assert set(threads) == {threading.current_thread()}


def test_the_seed_settles_the_match() -> None:
    def played(seed: int) -> list[tuple[str, ...]]:
        record = nim(make_player("random"), make_player("random"), Settings(seed=seed), heap=60)
        return [ply.moves for ply in record.plies]

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_one_players_randomness_does_not_depend_on_the_others() -> None:
    def replies(left: Player) -> list[Term | None]:
        right = Scripted()
        play_match(Endless(("left", "right")), {"left": left, "right": right}, Settings(seed=1, max_plies=20))
        return [turn.own_move for turn in right.turns]

    assert replies(make_player("random")) == replies(make_player("legal"))


def test_the_ply_limit_ends_a_match_as_unfinished() -> None:
    player = Scripted()
    record = play_match(Endless(), {"counter": player}, Settings(seed=1, max_plies=7))
    assert record.result is Result.UNFINISHED
    assert len(record.plies) == 7
    assert record.goals == ()
    assert not record.completed
    assert player.ends[0].result == "unfinished"
    assert player.ends[0].goal is None


def test_a_match_that_ends_on_its_last_ply_is_finished() -> None:
    assert nim(Scripted(), Scripted(), Settings(seed=1, max_plies=10)).result is Result.FINISHED
    assert nim(Scripted(), Scripted(), Settings(seed=1, max_plies=9)).result is Result.UNFINISHED


def test_a_terminal_start_is_a_match_without_plies() -> None:
    left = Scripted()
    record = nim(left, Scripted(), heap=0)
    assert (record.result, record.plies, record.goals) == (Result.FINISHED, (), (0, 100))
    assert left.turns == []
    assert len(left.ends) == 1


def test_moves_may_be_text_in_any_case() -> None:
    record = nim(Scripted(lambda turn: str(turn.legal[-1]).upper()), Scripted())
    assert record.plies[0].moves == ("(take 3)", "noop")
    assert record.plies[0].errors == ("", "")


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
    assert error.startswith("CE ZeroDivisionError: division by zero (test_match.py:")
    assert error.endswith(" in fail)")
    assert all(ply.errors[0] == error and ply.errors[1] == "" for ply in record.plies)


def test_a_crash_deep_in_other_code_is_placed_in_the_players() -> None:
    def move(turn: Turn) -> object:
        return gdl.parse_term(f"({turn.ply}")

    error = nim(Scripted(move), Scripted()).plies[0].errors[0]
    assert error.startswith("CE TermError: ")
    assert error.endswith(" in move)")
    assert "(test_match.py:" in error


def test_a_player_that_leaves_by_exit_has_crashed() -> None:
    def leave(turn: Turn) -> object:  # noqa: ARG001
        raise SystemExit(3)

    assert nim(Scripted(leave), Scripted()).plies[0].errors[0].startswith("CE SystemExit: 3 (")


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
        assert right.ends == [End("disqualified", (gdl.parse_term("(take 1)"), NOOP), 0)]

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

    def test_a_late_move(self, release: threading.Event) -> None:
        settings = Settings(seed=1, policy=Policy.DISQUALIFY, play_clock=CLOCK)
        record = nim(Scripted(lambda _: release.wait()), Scripted(), settings)
        assert record.goals == (0, 100)
        assert record.last_errors == ("TO", "")


class TestClocks:
    def test_a_late_move_is_replaced_and_the_match_goes_on(self, release: threading.Event) -> None:
        left = Scripted(lambda turn: release.wait() if turn.ply == 1 else turn.legal[0])
        record = nim(left, Scripted(lambda turn: turn.legal[-1]), Settings(seed=1, play_clock=CLOCK, max_plies=2))
        assert record.plies[0].errors == ("TO", "")
        assert record.plies[0].moves[0] in {"(take 1)", "(take 2)", "(take 3)"}
        assert record.plies[0].seconds[0] >= CLOCK

    def test_a_player_that_never_returns_is_late_at_every_ply(self, release: threading.Event) -> None:
        left = Scripted(lambda _: release.wait())
        record = nim(left, Scripted(), Settings(seed=1, play_clock=0.1, max_plies=3))
        assert [ply.errors[0] for ply in record.plies] == ["TO", "TO", "TO"]
        assert record.last_errors == ("TO", "")  # it could not say farewell either
        assert [turn.ply for turn in left.turns] == [1]

    def test_a_player_that_never_rests_is_late_too(self, release: threading.Event) -> None:
        def spin(turn: Turn) -> Term:
            while not release.is_set():
                pass
            return turn.legal[0]

        record = nim(Scripted(spin), Scripted(), Settings(seed=1, play_clock=0.1, max_plies=1))
        assert record.plies[0].errors[0] == "TO"

    def test_an_answer_to_an_earlier_question_is_not_taken(self) -> None:
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

    def test_questions_missed_while_late_are_not_asked_later(self) -> None:
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

    def test_a_slow_start_is_recorded_as_late(self, release: threading.Event) -> None:
        left = Scripted(start=lambda *_: release.wait())
        settings = Settings(seed=1, start_clock=0.1, play_clock=0.1, max_plies=1)
        record = nim(left, Scripted(), settings)
        assert record.initial_errors == ("TO", "")
        assert record.plies[0].errors[0] == "TO"

    def test_roles_think_at_the_same_time(self) -> None:
        meeting = threading.Barrier(2, timeout=10)
        players = {role: Scripted(lambda turn: (meeting.wait(), turn.legal[0])[1]) for role in ("a", "b")}
        settings = Settings(seed=1, play_clock=20.0, max_plies=2)
        record = play_match(Endless(("a", "b")), players, settings)
        assert all(ply.errors == ("", "") for ply in record.plies)

    def test_an_early_move_is_taken_at_once(self) -> None:
        # Were the clocks waited for, the test would not end within hours.
        record = nim(Scripted(), Scripted(), Settings(seed=1, start_clock=1000.0, play_clock=1000.0))
        assert record.result is Result.FINISHED

    def test_no_thread_outlives_a_match_of_players_that_answer(self) -> None:
        nim(Scripted(), Scripted(), Settings(seed=1, play_clock=60.0))
        for thread in threading.enumerate():
            if thread.name.startswith("player of"):
                thread.join(timeout=10)
                assert not thread.is_alive()

    @pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
    def test_clocks_without_sense_are_refused(self, seconds: float) -> None:
        with pytest.raises(ValueError, match="a play clock of"):
            Settings(seed=1, play_clock=seconds)
        with pytest.raises(ValueError, match="a start clock of"):
            Settings(seed=1, start_clock=seconds)


class TestRulesAtFault:
    def test_no_legal_move(self) -> None:
        record = play_match(Endless(fault="no move"), {"counter": Scripted()}, SEED)
        assert record.result is Result.STUCK
        assert len(record.plies) == 3
        assert record.rules_error == "no-legal-move: counter has no legal move, and the state is not terminal"
        assert record.goals == ()

    def test_a_derivation_without_end(self) -> None:
        record = play_match(Endless(fault="endless derivation"), {"counter": Scripted()}, SEED)
        assert record.result is Result.STUCK
        assert len(record.plies) == 2
        assert record.rules_error.startswith("endless-derivation: count grew")

    def test_no_goal(self) -> None:
        record = play_match(Endless(fault="no goal"), {"counter": Scripted()}, SEED)
        assert record.result is Result.FINISHED
        assert record.goals == (None,)
        assert record.rules_error == "goal-value: counter has no goal value in this state"

    def test_an_error_of_the_runner_itself_is_not_hidden(self) -> None:
        class Broken(Nim):
            def is_terminal(self, state: object) -> bool:
                raise KeyError(str(state))

        left = Scripted()
        match = Match(Broken(), {"left": left, "right": Scripted()}, SEED)
        with pytest.raises(KeyError), match:
            list(match.plies())
        assert match.record.result is Result.ABORTED
        assert left.ends == [End("aborted")]


class TestChance:
    goals: Final = MappingProxyType(
        {(a, b): (100 if a == b else 0, None) for a in ("heads", "tails") for b in ("heads", "tails")}
    )

    def test_the_runner_moves_the_role_random(self) -> None:
        game = OneRound(("guesser", "random"), self.goals)
        tossed = {
            play_match(game, {"guesser": make_player("legal")}, Settings(seed=seed)).plies[0].moves
            for seed in range(20)
        }
        assert tossed == {("heads", "heads"), ("heads", "tails")}

    def test_it_needs_no_goal(self) -> None:
        game = OneRound(("guesser", "random"), self.goals)
        record = play_match(game, {"guesser": make_player("legal")}, SEED)
        assert record.goals[0] in (0, 100)
        assert record.goals[1] is None
        assert record.rules_error == ""
        assert record.players == ("legal", "random")

    def test_nobody_else_can_play_it(self) -> None:
        game = OneRound(("guesser", "random"), self.goals)
        players = {"guesser": make_player("legal"), "random": make_player("legal")}
        with pytest.raises(gdl.UnknownRoleError, match="no role random; the roles are guesser"):
            Match(game, players, SEED)


class TestHiddenInformation:
    def test_players_see_their_percepts_and_not_the_state(self) -> None:
        game = gdl.Reasoner(COIN)
        guesser, other = Scripted(), Scripted()
        record = play_match(game, {"guesser": guesser, "other": other}, SEED)
        assert record.result is Result.FINISHED
        coin = record.plies[0].moves[0].removeprefix("(toss ").removesuffix(")")
        first, second = guesser.turns
        assert (first.state, first.moves, first.own_move, first.percepts) == (None, None, None, ())
        assert (second.state, second.moves, second.own_move) == (None, None, NOOP)
        assert [str(percept) for percept in second.percepts] == [f"(coin {coin})"]
        assert other.turns[1].percepts == ()
        assert other.ends[0].moves is None
        assert guesser.starts[0].hidden

    def test_in_other_games_they_see_the_state(self) -> None:
        left = Scripted()
        players = {"left": left, "right": Scripted()}
        record = play_match(gdl.Reasoner(NIM), players, SEED)
        assert not left.starts[0].hidden
        assert left.starts[0].rules == record.rules == NIM
        assert "(heap 4)" in {str(fact) for fact in left.turns[0].state or ()}
        assert [str(move) for move in left.turns[1].moves or ()] == ["(take one)", "noop"]


class TestClosing:
    def test_a_match_left_early_is_aborted_and_whole(self) -> None:
        left = Scripted()
        with Match(Nim(), {"left": left, "right": Scripted()}, SEED) as match:
            played = list(islice(match.plies(), 3))
        assert match.record.result is Result.ABORTED
        assert match.record.plies == tuple(played)
        assert left.ends[0].result == "aborted"
        assert list(match.plies()) == []

    def test_an_interrupt_in_a_players_move_aborts_the_match(self) -> None:
        def interrupt(turn: Turn) -> object:
            if turn.ply == 3:
                raise KeyboardInterrupt
            return turn.legal[0]

        left = Scripted(interrupt)
        match = Match(Nim(), {"left": left, "right": Scripted()}, SEED)
        with pytest.raises(KeyboardInterrupt), match:
            list(match.plies())
        assert match.record.result is Result.ABORTED
        assert len(match.record.plies) == 2
        assert left.ends[0].result == "aborted"

    def test_closing_twice_tells_the_players_once(self) -> None:
        left = Scripted()
        match = Match(Nim(), {"left": left, "right": Scripted()}, SEED)
        match.close()
        match.close()
        assert len(left.ends) == 1

    def test_plies_go_on_where_they_were_left(self) -> None:
        with Match(Nim(), {"left": Scripted(), "right": Scripted()}, SEED) as match:
            first = list(islice(match.plies(), 2))
            rest = list(match.plies())
        assert match.record.plies == (*first, *rest)
        assert match.record.result is Result.FINISHED


class TestSeating:
    def test_every_role_needs_a_player(self) -> None:
        with pytest.raises(ValueError, match="no player for right"):
            Match(Nim(), {"left": Scripted()}, SEED)

    def test_an_unknown_role(self) -> None:
        players = {"left": Scripted(), "right": Scripted(), "lef": Scripted()}
        with pytest.raises(gdl.UnknownRoleError, match="did you mean left"):
            Match(Nim(), players, SEED)
