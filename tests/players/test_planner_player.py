"""The player `planner`: it plays what it has planned, is in time without a plan, and stops when the match ends."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.puzzles import COLOURS, DEAD, LATE, TOKENS, WALK
from support.toy_games import Nim, OneRound

import gdl
from gdl.engine import Engine
from gdl.simulator.packed_state import PackedState
from ggp.learning.value_parts import value_parts
from ggp.match.match import Match
from ggp.match.settings import Settings
from ggp.players import PlayerLoadError, make_player
from ggp.players.clock import NEVER, Deadline
from ggp.players.learned_values.array_file import ArrayFileError, packed
from ggp.players.learned_values.network import Network
from ggp.players.learned_values.role_networks import stacked
from ggp.players.learned_values.value import LearnedValue, facts_of, read_value, rules_hash
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.solver.planner import Plan, Values, plan


def goal_of(game: Engine, player: Player, **clocks: float) -> tuple[int | None, list[str]]:
    with Match(game, {game.roles[0]: player}, Settings(seed=1, max_plies=50, **clocks)) as match:
        for _ in match.plies():
            pass
    assert not any(any(ply.errors) for ply in match.record.plies)
    return match.record.goals[0], [ply.moves[0] for ply in match.record.plies]


@pytest.mark.parametrize(("text", "goal"), [(TOKENS, 100), (WALK, 100), (LATE, 70), (DEAD, 50), (COLOURS, 100)])
def test_it_reaches_the_highest_goal(text: str, goal: int) -> None:
    assert goal_of(gdl.compile(text), PlannerPlayer())[0] == goal


def test_a_game_that_is_given_as_rules_is_compiled() -> None:
    assert goal_of(gdl.Reasoner(TOKENS), PlannerPlayer(), start_clock=20, play_clock=5)[0] == 100


def test_a_game_without_rules_is_planned_state_by_state() -> None:
    game = OneRound(("one",), {("a",): [30], ("b",): [100], ("c",): [0]})
    assert goal_of(game, PlannerPlayer()) == (100, ["b"])


def test_without_any_time_it_plays_legal_moves() -> None:
    player = PlannerPlayer()
    game = gdl.compile(WALK)
    player.start(Start("m", game, "r", 1), Deadline.after(-1))
    state = game.initial_state()
    begun = time.monotonic()
    legal = game.legal_moves(state, "r")
    assert player.move(Turn(1, state, legal, deadline=Deadline.after(0.001))) in legal
    assert time.monotonic() - begun < 5
    player.stop(End("aborted"))


def test_it_plans_anew_where_another_move_was_made() -> None:
    player = PlannerPlayer()
    game = gdl.compile(WALK)
    player.start(Start("m", game, "r", 1), NEVER)
    state = game.initial_state()
    assert player.move(Turn(1, state, game.legal_moves(state, "r"))) == gdl.parse_term("right")
    # From 2, the far end is four plies away, as many as are left.
    moves = (gdl.parse_term("left"),)
    state = game.next_state(state, moves)
    for ply in range(2, 6):
        assert not game.is_terminal(state)
        moves = (player.move(Turn(ply, state, game.legal_moves(state, "r"), moves)),)
        state = game.next_state(state, moves)
    assert game.goal(state, "r") == 100
    player.stop(End("finished"))


def test_in_games_of_several_roles_it_plays_legal_moves() -> None:
    with Match(Nim(5), {"left": PlannerPlayer(), "right": PlannerPlayer()}, Settings(seed=1)) as match:
        for _ in match.plies():
            pass
    assert not any(any(ply.errors) for ply in match.record.plies)


def test_a_move_needs_a_start() -> None:
    with pytest.raises(RuntimeError, match="before start"):
        PlannerPlayer().move(Turn(1, None, (gdl.parse_term("a"),)))


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    """Values for TOKENS, which mean nothing."""
    return written(tmp_path / "tokens.learned", gdl.compile(TOKENS))


def written(file: Path, game: gdl.Simulator, roles: int = 1) -> Path:
    facts = facts_of(game)
    networks = [Network(len(facts), seed) for seed in range(roles)]
    for network in networks:
        network.weights[:, -1] = 0.01
    names = tuple(f"{game.roles[0]}{number or ''}" for number in range(roles))
    value = LearnedValue(rules_hash(game.rulesheet), facts, {}, stacked(networks), names)
    file.write_bytes(packed(value.file()))
    return file


@pytest.mark.parametrize("clocks", [{}, {"start_clock": 20, "play_clock": 5}])
def test_a_plan_gets_the_values_of_states(
    learned: Path, monkeypatch: pytest.MonkeyPatch, clocks: dict[str, float]
) -> None:
    found: list[float] = []

    def watched(simulator: gdl.Simulator, state: PackedState, *, values: Values, **options: Any) -> Plan:
        found.extend(values(simulator.arrays.pack([state])).tolist())
        return plan(simulator, state, values=values, **options)

    monkeypatch.setattr("ggp.players.planner.plan", watched)
    player = make_player(f"planner({learned})")
    assert player.name == "planner(tokens.learned)"
    game = gdl.compile(TOKENS)
    assert goal_of(game, player, **clocks)[0] == 100
    expected = value_parts(read_value(learned), game.initial_state(), "").value
    assert found[0] == pytest.approx(expected, abs=1e-3)
    assert expected != 0


def test_values_that_do_not_fit(learned: Path, tmp_path: Path) -> None:
    player = PlannerPlayer(str(learned))
    assert player.refusal(gdl.compile(TOKENS)) == ""
    assert PlannerPlayer().refusal(gdl.compile(WALK)) == ""
    assert player.refusal(gdl.compile(WALK)) == f"{learned}: it was learned for other rules"
    with pytest.raises(ArrayFileError, match="it was learned for other rules"):
        player.start(Start("m", gdl.compile(WALK), "r", 1), NEVER)
    with pytest.raises(PlayerLoadError, match="No such file"):
        make_player(f"planner({tmp_path}/none.learned)")
    two = PlannerPlayer(str(written(tmp_path / "two.learned", gdl.compile(TOKENS), 2)))
    assert "its values are not those of one role" in two.refusal(gdl.compile(TOKENS))
    value = read_value(learned)
    learned.write_bytes(packed(replace(value, arrays={**value.arrays, "heads": value.arrays["heads"][:, :3]}).file()))
    with pytest.raises(PlayerLoadError, match="no array heads"):
        make_player(f"planner({learned})")
    # What only the compiled game shows.
    learned.write_bytes(packed(replace(value, facts=("(other)", *value.facts[1:])).file()))
    broken = PlannerPlayer(str(learned))
    with pytest.raises(ArrayFileError, match="it does not fit the compiled game, so train again"):
        broken.start(Start("m", gdl.Reasoner(TOKENS), "r", 1), Deadline.after(30))


def test_stop_ends_the_search() -> None:
    """A game that cannot be searched through: the search goes on until it is told to stop."""
    names = " ".join(f"(switch s{number})" for number in range(40))
    text = f"""
    (role r) {names} (<= (legal r (flip ?s)) (switch ?s)) (init (last s0))
    (<= (next (on ?s)) (does r (flip ?s)) (not (true (on ?s))))
    (<= (next (on ?s)) (true (on ?s)) (does r (flip ?t)) (distinct ?s ?t)) (<= (next (last ?s)) (does r (flip ?s)))
    (<= terminal (true (on s1)) (not (true (on s1))))
    (goal r 0)
    """
    player = PlannerPlayer()
    player.start(Start("m", gdl.compile(text), "r", 1), Deadline.after(1))
    player.stop(End("aborted"))
    for thread in threading.enumerate():
        if thread.name == "planner":
            thread.join(20)
            assert not thread.is_alive()
