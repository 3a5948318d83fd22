"""The players, and how they are found by name."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from support.toy_games import NOOP, Nim, OneRound, ToyState, facts
from support.toy_rules import COIN

import gdl
from gdl.engine import Engine, State
from gdl.terms import Constant, Term
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import PLAYERS, PlayerLoadError, Start, Turn, UnknownPlayerError, make_player
from ggp.players.clock import NEVER, Deadline
from ggp.players.greedy import SAMPLE, GreedyPlayer


def moves_of(
    name: str, game: Engine, role: str, state: State | None = None, *, seeds: int = 30, deadline: Deadline = NEVER
) -> Counter[str]:
    """What a player of this name plays in a state, for many seeds."""
    state = game.initial_state() if state is None else state
    legal = game.legal_moves(state, role)
    played: Counter[str] = Counter()
    for seed in range(seeds):
        player = make_player(name)
        player.start(Start("match", game, role, seed), NEVER)
        played[str(player.move(Turn(1, state, legal, deadline=deadline)))] += 1
    return played


def test_legal_plays_the_first_move() -> None:
    assert moves_of("legal", Nim(), "left") == {"(take 1)": 30}


def test_random_plays_each_move_and_follows_its_seed() -> None:
    played = moves_of("random", Nim(), "left", seeds=300)
    assert set(played) == {"(take 1)", "(take 2)", "(take 3)"}
    assert min(played.values()) > 60  # a hundred each is expected; so few have a probability below 1e-6
    assert played == moves_of("random", Nim(), "left", seeds=300)


#: Players of every game: OpenSpiel's plays those that it has.
GENERAL = [name for name in PLAYERS if name != "openspiel"]


@pytest.mark.parametrize("name", GENERAL)
def test_every_player_plays_a_match_without_errors(name: str) -> None:
    record = play_match(Nim(30), {role: make_player(name) for role in ("left", "right")}, Settings(seed=3))
    assert record.completed
    assert all(ply.errors == ("", "") for ply in record.plies)
    assert record.players == (name, name)


@pytest.mark.parametrize("name", GENERAL)
def test_every_player_plays_without_seeing_the_state(name: str) -> None:
    game = gdl.Reasoner(COIN)
    record = play_match(game, {role: make_player(name) for role in ("guesser", "other")}, Settings(seed=3))
    assert record.completed
    assert not any(any(ply.errors) for ply in record.plies)


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


class TestByName:
    def test_unknown_names_have_near_misses(self) -> None:
        with pytest.raises(UnknownPlayerError) as caught:
            make_player("Gredy")
        assert caught.value.code == "unknown-player"
        assert str(caught.value).startswith(
            "unknown-player: no player Gredy; the players are auto, random, legal, greedy"
        )
        assert str(caught.value).endswith("did you mean greedy?")

    def test_options_in_brackets(self) -> None:
        assert make_player("mcts(simulations=100, exploration=0.7)").name == "mcts"
        assert make_player("random()").name == "random"

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("mcts(depth=3)", "no option depth"),
            ("mcts(leaves)", "'leaves' is not OPTION=NUMBER"),
            ("mcts(leaves=many)", "'leaves=many' is not OPTION=NUMBER"),
            ("mcts(leaves=0)", "option leaves is 0, but has to be 1 or more"),
            ("random(luck=1)", "unexpected keyword argument 'luck'"),
        ],
    )
    def test_options_that_a_player_does_not_take(self, name: str, reason: str) -> None:
        with pytest.raises(PlayerLoadError) as caught:
            make_player(name)
        assert reason in str(caught.value)

    @pytest.mark.parametrize("name", ["", ":", "x:", ":X", "nobody"])
    def test_other_unknown_names(self, name: str) -> None:
        with pytest.raises(UnknownPlayerError):
            make_player(name)

    def test_a_class_in_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.py"
        file.write_text(
            "from dataclasses import dataclass\n"
            "@dataclass\n"
            "class Last:\n"
            "    name: str = 'last'\n"
            "    def start(self, start, deadline): pass\n"
            "    def move(self, turn): return turn.legal[-1]\n"
            "    def stop(self, end): pass\n"
        )
        player = make_player(f"{file}:Last")
        assert player.name == "last"
        record = play_match(Nim(), {"left": player, "right": make_player("legal")}, Settings(seed=1))
        assert record.plies[0].moves == ("(take 3)", "noop")

    def test_a_class_in_a_module(self) -> None:
        assert make_player("ggp.players.simple:LegalPlayer").name == "legal"

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
            ("def", "SyntaxError: "),
            ("raise SystemExit(3)", "SystemExit: 3"),
            ("", "AttributeError: module 'ggp_player_mine' has no attribute 'Mine'"),
            ("class Mine:\n    def __init__(self, x): pass", "TypeError: "),
            ("class Mine:\n    name = property(lambda self: 1 / 0)", "ZeroDivisionError: division by zero"),
            ("class Mine:\n    name = 'x'\n    def move(self, turn): pass", "not a player: it has no start, stop"),
        ],
    )
    def test_code_that_cannot_be_loaded(self, tmp_path: Path, text: str, reason: str) -> None:
        file = tmp_path / "mine.py"
        file.write_text(text)
        with pytest.raises(PlayerLoadError) as caught:
            make_player(f"{file}:Mine")
        assert str(caught.value).startswith(f"player-load: {file}:Mine: {reason}")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(PlayerLoadError, match="FileNotFoundError"):
            make_player(f"{tmp_path}/none.py:Mine")


def test_random_players_do_not_touch_the_global_generator() -> None:
    random.seed(1)
    before = random.getstate()
    play_match(Nim(30), {role: make_player("greedy") for role in ("left", "right")}, Settings(seed=3))
    assert random.getstate() == before
