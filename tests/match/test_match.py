"""The match runner: its course, what players are told, and its ends."""

from __future__ import annotations

import threading
from itertools import islice
from types import MappingProxyType
from typing import Final

import pytest
from support.toy_games import NOOP, Endless, Nim, OneRound
from support.toy_players import SEED, Scripted, nim
from support.toy_rules import COIN, NIM

import gdl
from gdl.terms import Term
from ggp.match.match import Match, play_match
from ggp.match.record import Result
from ggp.match.settings import Settings
from ggp.players import End, Player, Turn, make_player
from ggp.players.clock import NEVER, Deadline
from ggp.players.prompt import Prompt


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
    assert left.ends == [End("finished", (take_one, NOOP), 100, ply=3, own_move=take_one)]
    assert right.ends == [End("finished", (take_one, NOOP), 0, ply=3, own_move=NOOP)]


def test_without_clocks_there_is_no_deadline_and_no_thread() -> None:
    threads = []

    def move(turn: Turn) -> Term:
        threads.append(threading.current_thread())
        return turn.legal[0]

    left = Scripted(move)
    nim(left, Scripted())
    assert {turn.deadline for turn in left.turns} == {NEVER}
    assert set(threads) == {threading.current_thread()}


def test_deadlines_are_told_when_the_players_are_asked() -> None:
    deadlines: list[Deadline] = []

    def asking(ply: int, deadline: Deadline) -> Deadline:
        assert ply == len(deadlines)
        deadlines.append(deadline)
        return deadline

    players = {role: make_player("legal") for role in ("left", "right")}
    settings = Settings(1, start_clock=50, play_clock=20)
    with Match(gdl.Reasoner(NIM), players, settings, asking=asking) as match:
        plies = match.plies()
        next(plies)
        assert len(deadlines) == 2
        assert 40 < deadlines[0].left() <= 50
        assert 10 < deadlines[1].left() <= 20
        asked = 2 + sum(1 for _ in plies)
    assert len(deadlines) == asked, "nothing is due after the end"


def test_the_deadline_that_is_made_when_players_are_asked_is_theirs() -> None:
    left = Scripted()
    with Match(
        gdl.Reasoner(NIM),
        {"left": left, "right": make_player("legal")},
        Settings(1, play_clock=20),
        asking=lambda ply, deadline: deadline.earlier(ply),
    ) as match:
        plies = match.plies()
        for ply in (1, 2, 3):
            next(plies)
            assert 15 < left.turns[-1].deadline.left() <= 20 - ply


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
        assert record.rules_error == "derivation-limit: deriving count/1 takes more than 10 rows"

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

    def test_its_name_may_be_in_capitals(self) -> None:
        game = OneRound(("guesser", "Random"), self.goals)
        record = play_match(game, {"guesser": make_player("greedy")}, SEED)
        assert record.players == ("greedy", "random")
        assert record.rules_error == ""
        assert record.result is Result.FINISHED

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

    def test_no_thread_outlives_an_interrupt_while_players_are_told_of_the_end(self) -> None:
        def interrupt(_: End) -> None:
            raise KeyboardInterrupt

        before = set(threading.enumerate())
        left = Prompt(Scripted(), ready=1.0, thinking=1.0)
        match = Match(Nim(), {"left": left, "right": Scripted(stop=interrupt)}, SEED)
        begun = set(threading.enumerate()) - before
        with pytest.raises(KeyboardInterrupt):
            match.close()
        assert [thread.name for thread in begun] == ["player of left"]
        for thread in begun:
            thread.join(timeout=10)
            assert not thread.is_alive()

    def test_plies_go_on_where_they_were_left(self) -> None:
        with Match(Nim(), {"left": Scripted(), "right": Scripted()}, SEED) as match:
            first = list(islice(match.plies(), 2))
            rest = list(match.plies())
        assert match.record.plies == (*first, *rest)
        assert match.record.result is Result.FINISHED


class TestLineup:
    def test_every_role_needs_a_player(self) -> None:
        with pytest.raises(ValueError, match="no player for right"):
            Match(Nim(), {"left": Scripted()}, SEED)

    def test_an_unknown_role(self) -> None:
        players = {"left": Scripted(), "right": Scripted(), "lef": Scripted()}
        with pytest.raises(gdl.UnknownRoleError, match="did you mean left"):
            Match(Nim(), players, SEED)
