"""Goal values are whole numbers from 0 to 100: every engine, search, player and command says so alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.commands import Ggp
from support.goal_games import Checker, check_goals
from support.processors import interpreting
from support.toy_files import rule_file

import gdl
from ggp.environments.game import EnvironmentGame
from ggp.environments.lanes import Lanes
from ggp.environments.rewards import Rewards
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.solver.errors import NotSolvableError
from ggp.solver.position_value import value_of
from ggp.solver.worth import Sure, Worth

#: The random games of every run, of long ones, and of the exhaustive one.
FEW, MORE, MOST = range(3), range(3, 60), range(1_000, 3_000)

ALONE = """(role a) (init s) (legal a x) (legal a y) (<= (next t) (does a x)) (<= (next u) (does a y))
(<= terminal (true t)) (<= terminal (true u)) (<= (goal a {}) (true t)) (<= (goal a {}) (true u))"""

#: A goal that 16 bits do not hold; a negative one; 257 at once, of which 8 bits make one; two spellings of one number.
CASES = {
    "40000": ALONE.format(40000, 0),
    "-1": ALONE.format(-1, 0),
    "257 goals": ALONE.format("?x", 5).replace("(goal a ?x)", "(goal a ?x) (v ?x)")
    + "".join(f"(v {number})" for number in range(257)),
    "two spellings": ALONE.format("07", 3) + "(<= (goal a 7) (true t))",
    "duel": """(role a) (role b) (init s) (legal a x) (legal a y) (legal b noop)
    (<= (next t) (does a x)) (<= (next u) (does a y)) (<= terminal (true t)) (<= terminal (true u))
    (<= (goal a 40000) (true t)) (<= (goal b 0) (true t)) (<= (goal a 10) (true u)) (<= (goal b 20) (true u))""",
}


@pytest.mark.parametrize("text", CASES.values(), ids=list(CASES))
def test_what_is_no_goal_value_is_none_anywhere(text: str) -> None:
    with interpreting():
        checker = Checker(text)
        # The end after x has no goal value, the other one has.
        assert [row[0] >= 0 for row in checker.expected] == [False, True]
        checker.check()


@pytest.mark.parametrize(
    ("name", "player"),
    [("40000", "planner"), ("40000", "auto"), ("duel", "alphabeta"), ("duel", "mcts"), ("-1", "mcts")],
)
def test_players_take_it_for_half_a_win(name: str, player: str) -> None:
    game = gdl.compile(CASES[name])
    record = play_match(game, {role: make_player(player) for role in game.roles}, Settings(seed=1))
    assert not any(any(ply.errors) for ply in record.plies)
    assert record.plies[0].moves[0] == "x"
    assert record.goal_values[0] is None


def test_commands_name_it(ggp: Ggp, tmp_path: Path) -> None:
    file = rule_file(tmp_path, CASES["40000"])
    for command in ("solve", "check"):
        done = ggp(command, str(file))
        assert done.status != 0
        assert "a whole number from 0 to 100" in done.out + done.err
        assert "40000" in done.out + done.err


def test_random_games_go_as_the_oracle_says() -> None:
    assert check_goals(FEW)["ends without goals"] > 0


@pytest.mark.slow
def test_more_random_games_go_as_the_oracle_says() -> None:
    assert check_goals(MORE)["games"] == len(MORE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", MOST[::100])
def test_many_random_games_go_as_the_oracle_says(first: int) -> None:
    check_goals(range(first, first + 100))


# Other numbers that are kept in few bits


def crowd(roles: int, choosing: int) -> str:
    """A game of one ply: so many roles choose at once, the others have one move."""
    text = "(init s) (<= (next t) (true s)) (<= terminal (true t)) (<= (goal ?r 50) (role ?r))"
    return text + "".join(f"(role r{i}) (legal r{i} x) " + f"(legal r{i} y) " * (i < choosing) for i in range(roles))


def test_more_roles_than_8_bits_hold() -> None:
    with interpreting():
        together = gdl.compile(crowd(257, 257), cache=False)
        alone = gdl.compile(crowd(257, 0) + "(legal r200 y)", cache=False)
    with pytest.raises(NotSolvableError, match="several roles"):
        value_of(together, together.initial_state())
    answer = value_of(alone, alone.initial_state()).details
    assert answer.solution.graph.mover[0] == 200
    assert [group.states for group in answer.solution.worth.groups()] == [2]
    game = EnvironmentGame(alone)
    with pytest.raises(ValueError, match="257 roles; at most 123 play in lanes"):
        Lanes(game, 1, asked=game.agents, max_plies=9, rewards=Rewards(0.0, 100.0))


def test_more_plies_than_32_bits_hold() -> None:
    game = EnvironmentGame(gdl.compile(CASES["40000"]))
    lanes = Lanes(game, 1, asked=game.agents, max_plies=2**32, rewards=Rewards(0.0, 100.0))
    lanes.reset()
    assert not lanes.over.any()


def test_more_outcomes_than_16_bits_hold() -> None:
    """Each of three roles chooses its own goal in turn."""
    text = "(role a) (role b) (role c) (init (turn a)) (after a b) (after b c) (after c nobody)"
    text += "".join(f"(v {number})" for number in range(33))
    text += """(<= (legal ?r (take ?x)) (true (turn ?r)) (v ?x)) (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s)) (<= (next (has ?r ?x)) (does ?r (take ?x)))
        (<= (next (has ?r ?x)) (true (has ?r ?x))) (<= terminal (true (turn nobody)))
        (<= (goal ?r ?x) (true (has ?r ?x)))"""
    game = gdl.compile(text)
    worth = value_of(game, game.initial_state()).details.solution.worth  # type: ignore[union-attr]
    assert len(worth.outcomes) == 33**3
    assert worth.verdict(0).sure == (32, 32, 32)


def test_more_verdicts_than_64_bits_hold() -> None:
    ranks = [np.array([0, 2 * (role == 0)], np.int16) for role in range(40)]
    sure = tuple(Sure((0, 50, 100), rank, np.zeros(2, np.int32)) for rank in ranks)
    worth = Worth(tuple(f"r{role}" for role in range(40)), (), (100,) * 40, sure)
    assert [group.states for group in worth.groups()] == [1, 1]
