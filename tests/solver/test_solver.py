"""The solver's answers for small games, compared with naive ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from support.toy_files import ROOT
from support.toy_graphs import COMMON, UNEVEN, ZERO_SUM, GraphGame, random_game
from support.toy_rules import COIN, NIM, STUCK

import gdl
from gdl.engine import Engine
from gdl.errors import GoalError, TermError
from ggp.solver.budget import Stop
from ggp.solver.descriptions import positions_text, value_text
from ggp.solver.errors import LineError, NotSolvableError
from ggp.solver.line import position_after
from ggp.solver.solve import Answer, solve


def answer(game: Engine, moves: str = "", seconds: float | None = None, memory: float = 4.0) -> Answer:
    root, _ = position_after(game, moves)
    return solve(game, root, seconds=seconds, memory=memory, progress=lambda _: None)


def check(game: Engine, toy: GraphGame) -> None:
    """Everything that is said of a game is what a naive search says."""
    found = answer(game)
    assert found.solution is not None
    graph, worth = found.solution.graph, found.solution.worth
    bits = np.unpackbits(graph.states.view(np.uint8), axis=1, bitorder="little")
    nodes = []
    for row in bits:
        (fact,) = (graph.facts[place] for place in np.flatnonzero(row))
        nodes.append(int(fact.removeprefix("(at ").removesuffix(")")))
    assert sorted(nodes) == sorted(toy.reachable())
    part = GraphGame(
        toy.roles,
        {node: owner for node, owner in toy.owner.items() if node in nodes},
        {node: edges for node, edges in toy.edges.items() if node in nodes},
        {node: goals for node, goals in toy.goals.items() if node in nodes},
    )
    for role, own in enumerate(worth.sure):
        expected = part.sure(role)
        for number, node in enumerate(nodes):
            value = own.values[own.rank[number]] if own.rank[number] >= 0 else None
            said = None if value is None else (value, int(own.distance[number]))
            assert said == expected[node], (role, node)
    check_line(toy, found)


def check_line(toy: GraphGame, found: Answer) -> None:
    """The best line can be played, and ends as is said, when it is said."""
    assert found.solution is not None
    worth = found.solution.worth
    if not worth.opposed:
        assert found.line is None
        return
    assert found.line is not None
    path = [0]
    for step in found.line.steps:
        node = path[-1]
        move = step.moves[toy.owner[node]].text
        path.append(int(move.removeprefix("(go ").removesuffix(")")))
        assert path[-1] in toy.edges[node]
    verdict = worth.verdict(0)
    if verdict.goals is None:
        assert found.line.back_to is not None
        assert path[found.line.back_to] == path[-1]
    else:
        assert toy.goals[path[-1]] == verdict.goals
        assert verdict.plies == len(found.line.steps)


@pytest.mark.parametrize("goals", [ZERO_SUM, UNEVEN, COMMON], ids=["zero-sum", "uneven", "common"])
@pytest.mark.parametrize("seed", range(25))
def test_random_graphs_by_the_reasoner(seed: int, goals: tuple[tuple[int, ...], ...]) -> None:
    toy = random_game(seed, goals)
    check(gdl.Reasoner(toy.text), toy)


@pytest.mark.parametrize("goals", [ZERO_SUM, UNEVEN, COMMON], ids=["zero-sum", "uneven", "common"])
@pytest.mark.parametrize("seed", [1])
def test_random_graphs_by_the_simulator(seed: int, goals: tuple[tuple[int, ...], ...]) -> None:
    toy = random_game(seed, goals, nodes=20)
    check(gdl.compile(toy.text), toy)


@pytest.mark.parametrize("seed", range(5))
def test_three_roles(seed: int) -> None:
    toy = random_game(seed, ((100, 0, 0), (0, 100, 50), (20, 30, 100)))
    check(gdl.Reasoner(toy.text), toy)


def texts(found: Answer) -> tuple[str, list[str]]:
    assert found.solution is not None
    worth = found.solution.worth
    return value_text(worth, worth.verdict(0)), list(positions_text(worth))


def test_nim() -> None:
    value, positions = texts(answer(gdl.Reasoner(NIM)))
    assert value == "left wins in 3 plies: left 100, right 0"
    assert positions[0] == "8 can be reached"
    assert positions[1:] == ["5  left wins, in at most 3 plies", "3  right wins, in at most 1 ply"]


def test_a_game_of_which_nobody_can_force_the_end() -> None:
    """Each may step aside for ever, and loses if he does not."""
    toy = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (0, 3)}, {2: (0, 100), 3: (100, 0)})
    found = answer(gdl.Reasoner(toy.text))
    value, positions = texts(found)
    assert value == "endless: nobody can force a win, nor an end that suits both"
    assert positions[1] == "2  endless"
    assert found.line is not None
    assert found.line.back_to == 0
    assert len(found.line.steps) == 2


def test_positions_of_which_the_same_is_said_are_one_group() -> None:
    """In some of the endless positions, a role could lose if it wanted to; in others, nobody can end the game."""
    ways = {0: (1, 2, 4), 1: (0, 3), 4: (5,), 5: (4,)}
    toy = GraphGame(("left", "right"), {0: 0, 1: 1, 4: 1, 5: 0}, ways, {2: (0, 100), 3: (100, 0)})
    _, positions = texts(answer(gdl.Reasoner(toy.text)))
    assert positions == [
        "6 can be reached",
        "4  endless",
        "1  left wins, in at most 0 plies",
        "1  right wins, in at most 0 plies",
    ]


def test_endless_play_is_no_draw() -> None:
    """Left may take the draw, or go on for ever, as right may."""
    toy = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (0, 3)}, {2: (50, 50), 3: (100, 0)})
    value, _ = texts(answer(gdl.Reasoner(toy.text)))
    assert value.startswith("endless")
    assert "left can force an end with 50" in value
    drawn = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (3,)}, {2: (50, 50), 3: (0, 100)})
    assert texts(answer(gdl.Reasoner(drawn.text)))[0] == "draw in 1 ply: left 50, right 50"


def test_goals_that_are_not_opposed() -> None:
    toy = GraphGame(("left", "right"), {0: 0, 1: 1}, {0: (1, 2), 1: (3, 4)}, {2: (30, 0), 3: (100, 100), 4: (0, 10)})
    value, positions = texts(answer(gdl.Reasoner(toy.text)))
    assert "not opposed" in value
    assert value.endswith("left of 30, right of 0")
    assert positions[0] == "5 can be reached"


def test_tic_tac_toe_is_a_draw() -> None:
    game = gdl.compile(ROOT / "games/classics/tic_tac_toe.kif")
    found = answer(game)
    value, positions = texts(found)
    assert value == "draw in 9 plies: xplayer 50, oplayer 50"
    assert positions[0] == "5,478 can be reached"
    assert found.line is not None
    state = game.initial_state()
    for step in found.line.steps:
        state = game.next_state(state, step.moves)
    assert game.goals(state) == {"xplayer": 50, "oplayer": 50}


def test_from_a_position() -> None:
    game = gdl.compile(ROOT / "games/classics/tic_tac_toe.kif")
    value, _ = texts(answer(game, "(mark 1 1) (mark 1 2)"))
    assert value == "xplayer wins in 5 plies: xplayer 100, oplayer 0"


def test_the_end_of_a_game_is_a_position_too() -> None:
    found = answer(gdl.Reasoner(NIM), "(take two) (take two)")
    value, positions = texts(found)
    assert value == "the game is over: left 0, right 100"
    assert positions == ["right wins from one position that can be reached, in at most 0 plies"]
    assert found.line is not None
    assert found.line.steps == ()


@pytest.mark.parametrize(
    "moves",
    [
        "(take one) (take two)",
        "(take one) noop noop (take two)",
        "((take one) noop) (noop (take two))",
        "((take one) noop) noop (take two)",
    ],
)
def test_moves_to_a_position_may_be_written_in_several_ways(moves: str) -> None:
    state, line = position_after(gdl.Reasoner(NIM), moves)
    assert sorted(map(str, state)) == ["(control left)", "(heap 1)"]
    assert [[move.text for move in joint] for joint in line] == [["(take one)", "noop"], ["noop", "(take two)"]]


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("(take three)", r"ply 1: \(take three\) is not a legal move of left; legal: \(take one\), \(take two\)"),
        ("(take one) (take one) (take three)", "ply 3: .take three. is not a legal move of left; legal: .take one., "),
        ("(take two) (take two) (take one)", "ply 3: the game is over after 2 plies, but there are moves left"),
        ("(take one", "never closed"),
    ],
)
def test_moves_that_cannot_be_played(moves: str, message: str) -> None:
    with pytest.raises((LineError, TermError), match=message):
        position_after(gdl.Reasoner(NIM), moves)


def test_what_cannot_be_solved() -> None:
    with pytest.raises(NotSolvableError, match="chance has a part in it"):
        answer(gdl.Reasoner(COIN))
    hidden = COIN.replace("random", "tosser")
    with pytest.raises(NotSolvableError, match="do not see everything"):
        answer(gdl.Reasoner(hidden))
    open_ = "\n".join(line for line in hidden.splitlines() if "sees" not in line)
    for game in (gdl.Reasoner(open_), gdl.compile(open_)):
        with pytest.raises(NotSolvableError, match=r"several roles have a choice .* in the state \(coin "):
            answer(game)


def test_rules_at_fault() -> None:
    stuck = STUCK + "(role other) (legal other noop) (goal other 0)"
    for game in (gdl.Reasoner(stuck), gdl.compile(stuck)):
        with pytest.raises(NotSolvableError, match=r"has no legal move, and the game is not over, in the state on"):
            answer(game)
    ungoaled = NIM.replace("(<= (goal ?r 0) (true (control ?r)))\n", "")
    for game in (gdl.Reasoner(ungoaled), gdl.compile(ungoaled)):
        with pytest.raises(GoalError):
            answer(game)


def test_a_budget_of_time_is_kept_and_what_is_proved_is_told() -> None:
    found = answer(gdl.Reasoner.load(ROOT / "games/wolf_sheep.kif"), seconds=0.3)
    assert found.stop is Stop.TIME
    assert found.solution is None
    assert found.bounds is not None
    assert (found.bounds.least(0), found.bounds.least(1)) == (0, 100)


def test_a_part_of_the_states_proves_what_is_forced_in_it() -> None:
    """Near the beginning left has a win; far more states come after his other moves."""
    length = 400
    chain = {node: (node + 1,) for node in range(2, length)}
    toy = GraphGame(
        ("left", "right"),
        dict.fromkeys(range(length), 0),
        {0: (1, 2), 1: (length + 1,), **chain},
        {length: (0, 100), length + 1: (100, 0)},
    )
    game = gdl.Reasoner(toy.text)
    ticks = 0

    def interrupt(_: str) -> None:
        nonlocal ticks
        ticks += 1
        if ticks > 20:
            raise KeyboardInterrupt

    found = solve(game, game.initial_state(), seconds=None, memory=4, progress=interrupt)
    assert found.stop is Stop.INTERRUPTED
    assert found.bounds is not None
    assert found.bounds.closed
    assert found.bounds.best[0] is not None
    assert (found.bounds.best[0].value, found.bounds.best[0].plies) == (100, 2)


def test_diagonal_wolf_and_sheep() -> None:
    game = gdl.compile(ROOT / "games/variants/wolf_sheep_diagonal.kif")
    found = answer(game)
    value, positions = texts(found)
    assert value == "sheep wins in 44 plies: wolf 0, sheep 100"
    assert positions[0] == "783,163 can be reached"
    assert found.line is not None
    movers = [step.role for step in found.line.steps if step.role is not None]
    assert all(a != b for a, b in pairwise(movers)) or len(movers) < 44
    state = game.initial_state()
    for step in found.line.steps:
        assert not game.is_terminal(state)
        state = game.next_state(state, step.moves)
    assert game.goals(state) == {"wolf": 0, "sheep": 100}


@pytest.mark.parametrize(
    ("seconds", "memory", "message"),
    [
        (-1.0, 4.0, "seconds must not be negative: -1.0"),
        (float("nan"), 4.0, "seconds must not be negative: nan"),
        (None, 0.0, "memory must be positive and finite: 0.0"),
        (None, float("inf"), "memory must be positive and finite: inf"),
        (None, float("nan"), "memory must be positive and finite: nan"),
    ],
)
def test_limits_that_make_no_sense(seconds: float | None, memory: float, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        answer(gdl.Reasoner(NIM), seconds=seconds, memory=memory)
