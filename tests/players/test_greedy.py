"""The greedy player: it wins where it can, and avoids what loses at once."""

from __future__ import annotations

import pytest
from support.asked import moves_of
from support.toy_games import NOOP, Nim, OneRound, ToyState, facts

from gdl.terms import Constant, Term
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import Turn, make_player
from ggp.players.clock import Deadline
from ggp.players.greedy import SAMPLE, GreedyPlayer


class TestGreedy:
    def test_it_wins_where_it_can(self) -> None:
        for heap in (1, 2, 3):
            state = facts(("heap", heap), ("control", "left"))
            assert moves_of("greedy", Nim(), "left", state) == {f"(take {heap})": 30}

    def test_it_does_not_let_the_next_player_win(self) -> None:
        # Of one, two or three right would take all.
        for heap, safe in ((5, {"(take 1)"}), (6, {"(take 1)", "(take 2)"})):
            state = facts(("heap", heap), ("control", "left"))
            assert set(moves_of("greedy", Nim(), "left", state)) == safe

    def test_it_plays_any_move_where_all_are_lost(self) -> None:
        state = facts(("heap", 4), ("control", "left"))
        assert set(moves_of("greedy", Nim(), "left", state)) == {"(take 1)", "(take 2)", "(take 3)"}

    def test_it_plays_any_safe_move(self) -> None:
        state = facts(("heap", 10), ("control", "left"))
        assert set(moves_of("greedy", Nim(), "left", state)) == {"(take 1)", "(take 2)", "(take 3)"}

    def test_it_beats_random(self) -> None:
        wins = 0
        for seed in range(40):
            players = {"left": make_player("greedy"), "right": make_player("random")}
            wins += play_match(Nim(21), players, Settings(seed=seed)).goals[0] == 100
        assert wins > 30

    def test_a_win_counts_only_if_it_is_certain(self) -> None:
        # `bold` wins only if the other plays `x`; `sure` wins against both.
        goals = {("bold", "x"): (100, 0), ("bold", "y"): (0, 100), ("sure", "x"): (100, 0), ("sure", "y"): (100, 0)}
        assert moves_of("greedy", OneRound(("a", "b"), goals), "a") == {"sure": 30}

    def test_of_moves_that_may_lose_it_prefers_the_higher_worst_goal(self) -> None:
        goals = {("p", "x"): (0, 100), ("p", "y"): (90, 0), ("q", "x"): (40, 60), ("q", "y"): (40, 60)}
        assert moves_of("greedy", OneRound(("a", "b"), goals), "a") == {"q": 30}

    def test_a_draw_is_better_than_a_loss(self) -> None:
        goals = {("p", "x"): (0, 100), ("p", "y"): (50, 50), ("q", "x"): (50, 50), ("q", "y"): (50, 50)}
        assert moves_of("greedy", OneRound(("a", "b"), goals), "a") == {"q": 30}

    def test_more_than_all_others_is_a_win_and_a_higher_one_is_better(self) -> None:
        goals = {("p", "x"): (30, 20), ("q", "x"): (60, 50), ("r", "x"): (50, 50)}
        assert moves_of("greedy", OneRound(("a", "b"), goals), "a") == {"q": 30}

    def test_three_roles(self) -> None:
        goals = {("p", "x", "m"): (20, 10, 30), ("q", "x", "m"): (30, 20, 10)}
        assert moves_of("greedy", OneRound(("a", "b", "c"), goals), "a") == {"q": 30}

    def test_alone_only_100_is_a_win_and_only_0_is_lost(self) -> None:
        goals = {("p",): (0,), ("q",): (40,), ("r",): (70,)}
        assert set(moves_of("greedy", OneRound(("a",), goals), "a")) == {"q", "r"}
        assert moves_of("greedy", OneRound(("a",), {**goals, ("s",): (100,)}), "a") == {"s": 30}

    def test_a_win_shared_by_all_is_a_win(self) -> None:
        goals = {("p", "x"): (100, 100), ("q", "x"): (90, 80)}
        assert moves_of("greedy", OneRound(("a", "b"), goals), "a") == {"p": 30}

    def test_roles_without_goals_do_no_harm(self) -> None:
        goals = {("p", "x"): (None, None), ("q", "x"): (100, None)}
        assert moves_of("greedy", OneRound(("a", "b"), goals), "a") == {"q": 30}

    def test_chance_threatens_nothing(self) -> None:
        class Toss(Nim):
            """Nim against chance."""

            def __init__(self) -> None:
                super().__init__()
                self.roles = ("left", "random")

            def legal_moves(self, state: ToyState, role: str) -> tuple[Term, ...]:
                return super().legal_moves(state, "right" if role == "random" else role)

            def goal(self, state: ToyState, role: str) -> int:
                return super().goal(state, "right" if role == "random" else role)

        state = facts(("heap", 5), ("control", "left"))
        assert set(moves_of("greedy", Toss(), "left", state)) == {"(take 1)", "(take 2)", "(take 3)"}

    def test_of_very_many_joint_moves_it_looks_at_some(self) -> None:
        class Crowd(OneRound):
            looked_at = 0

            def next_state(self, state: ToyState, moves: object) -> ToyState:
                self.looked_at += 1
                return super().next_state(state, moves)  # type: ignore[arg-type]

        many = [str(n) for n in range(SAMPLE + 1)]
        goals = {(a, b): (50, 50) for a in ("p", "q") for b in many}
        game = Crowd(("a", "b"), goals)
        moves_of("greedy", game, "a", seeds=1)
        assert game.looked_at == 2 * SAMPLE

    def test_without_time_it_still_answers(self) -> None:
        played = moves_of("greedy", Nim(), "left", deadline=Deadline.after(-1.0))
        assert set(played) == {"(take 1)", "(take 2)", "(take 3)"}

    def test_with_time_it_looks(self) -> None:
        state = facts(("heap", 3), ("control", "left"))
        assert moves_of("greedy", Nim(), "left", state, deadline=Deadline.after(1000.0)) == {"(take 3)": 30}

    def test_it_cannot_move_before_it_started(self) -> None:
        turn = Turn(1, Nim().initial_state(), (NOOP, Constant("go")))
        with pytest.raises(RuntimeError, match="before start"):
            GreedyPlayer().move(turn)
