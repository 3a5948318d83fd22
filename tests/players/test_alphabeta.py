"""Alpha-beta against naive minimax by the Reasoner, its learning, and the player around it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.toy_games import Nim

import gdl
from gdl.engine import Engine
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import Start, Turn, make_player
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.alphabeta.lessons import Lessons
from ggp.players.alphabeta.search import Search, hashed
from ggp.players.alphabeta.search_memory import BEST_GOAL, HEADS, START, UNIT, WORST_GOAL
from ggp.players.alphabeta.values import INFINITE, WIN, plies_to_end
from ggp.players.clock import NEVER, Deadline
from ggp.players.compilation import compilation
from ggp.players.learned_values.images import Images, find_images
from ggp.players.learned_values.network import Network, unpacked
from ggp.players.learned_values.units import POINT
from ggp.rules.shipped_games import find_game


def forever() -> float:
    return 1.0


def search_of(game: gdl.Simulator, me: int = 0) -> Search:
    search = Search(game, me, megabytes=1)
    search.shuffle(1)
    return search


def maze(seed: int, nodes: int = 14, *, cycles: bool = False) -> str:
    """A game on a random graph: at each node one of two roles moves on, at the leaves each has a goal.

    Without cycles all edges lead to later nodes. Some nodes have one way on, and a role may move several times in a
    row.
    """
    dice = random.Random(seed)
    lines = ["(role a) (role b) (init (at 0))", "(<= (next (at ?n)) (does ?r (go ?n)) (mover ?m ?r) (true (at ?m)))"]
    lines.append("(<= (legal ?r (go ?n)) (true (at ?m)) (mover ?m ?r) (edge ?m ?n))")
    lines.append("(<= (legal ?r noop) (role ?r) (true (at ?m)) (not (mover ?m ?r)))")
    lines += ["(<= terminal (true (at ?n)) (leaf ?n))", "(<= (goal ?r ?v) (true (at ?n)) (worth ?n ?r ?v))"]
    leaves = nodes // 3
    for node in range(nodes - leaves):
        lines.append(f"(mover {node} {dice.choice('ab')})")
        others = range(1, nodes) if cycles else range(node + 1, nodes)
        for target in dice.sample(others, min(len(others), dice.choice((1, 2, 3)))):
            lines.append(f"(edge {node} {target})")
    for leaf in range(nodes - leaves, nodes):
        value = dice.choice((0, 25, 50, 75, 100))
        lines += [f"(leaf {leaf})", f"(worth {leaf} a {value})", f"(worth {leaf} b {100 - value})"]
    return "\n".join(lines)


def naive(game: Engine, state: Any, ply: int, best: int, worst: int) -> int:
    """The value of a state of a game without cycles to the first role, by trying everything."""
    if game.is_terminal(state):
        found = game.goal(state, game.roles[0]) - game.goal(state, game.roles[1])
        return WIN - ply if found >= best else ply - WIN if found <= worst else found * POINT
    first, second = (game.legal_moves(state, role) for role in game.roles)
    values = [naive(game, game.next_state(state, (a, b)), ply + 1, best, worst) for a in first for b in second]
    return max(values) if len(first) > 1 else min(values)


@pytest.mark.parametrize("seed", range(6))
def test_the_value_is_that_of_naive_minimax(seed: int) -> None:
    rules = maze(seed)
    reasoner, game = gdl.Reasoner(rules), gdl.compile(rules)
    search = search_of(game)
    found = search.run(game.initial_state().bits, forever)
    # A win is the best that the rules have left once what cannot be reached is gone.
    best, worst = int(search.memory.setup[BEST_GOAL]), int(search.memory.setup[WORST_GOAL])
    assert found.value == naive(reasoner, reasoner.initial_state(), 0, best, worst)
    assert found.proved


@pytest.mark.parametrize("seed", range(4))
def test_every_state_of_tic_tac_toe_on_the_way(seed: int) -> None:
    """From positions of a random playout the value, with the plies to the end, is that of naive minimax."""
    path = find_game("tic_tac_toe")
    reasoner, game, dice = gdl.Reasoner.load(path), gdl.compile(path), random.Random(seed)
    state = reasoner.initial_state()
    for _ in range(4):
        state = reasoner.next_state(state, [dice.choice(reasoner.legal_moves(state, role)) for role in reasoner.roles])
    search = search_of(game, seed % 2)
    while not reasoner.is_terminal(state):
        found = search.run(game.state(state).bits, forever)
        assert found.value == naive(reasoner, state, 0, 100, -100)
        assert found.proved
        legal = [reasoner.legal_moves(state, role) for role in reasoner.roles]
        chosen = [game.all_moves(role)[found.move] for role in reasoner.roles]
        moves = [move if len(own) > 1 else own[0] for own, move in zip(legal, chosen, strict=True)]
        state = reasoner.next_state(state, moves)


def test_the_wolf_wins_in_thirteen_plies() -> None:
    game = gdl.compile(find_game("wolf_sheep"))
    found = search_of(game).run(game.initial_state().bits, forever)
    assert plies_to_end(found.value) == 13
    assert found.value > 0


def test_a_search_in_slices_is_the_same_search() -> None:
    game = gdl.compile(find_game("connect_four"))
    bits = game.initial_state().bits
    whole, sliced = search_of(game), search_of(game)
    assert whole.at_depth(bits, 7) == sliced.at_depth(bits, 7, slices=37)
    assert whole.nodes == sliced.nodes
    assert np.array_equal(whole.memory.table, sliced.memory.table)


def test_a_bound_of_nodes_is_kept() -> None:
    game = gdl.compile(find_game("connect_four"))
    search = search_of(game)
    found = search.run(game.initial_state().bits, forever, nodes=5_000)
    assert search.nodes == 5_000
    assert not found.proved
    assert found.move in search.choices(game.initial_state().bits)[0]


def test_no_time_no_move() -> None:
    game = gdl.compile(find_game("tic_tac_toe"))
    assert search_of(game).run(game.initial_state().bits, lambda: -1.0).move == -1


def test_what_comes_back_is_even_and_not_proved() -> None:
    # Going round is all there is to do, but for one way to lose.
    rules = """(role a) (role b) (init (at 0)) (step 0 1) (step 1 2) (step 2 3) (step 3 0)
    (<= (legal a on) (true (at ?n))) (<= (legal a lose) (true (at 0))) (legal b noop)
    (<= (next (at ?n)) (does a on) (true (at ?m)) (step ?m ?n)) (<= (next (at end)) (does a lose))
    (<= terminal (true (at end))) (goal a 0) (goal b 100)
    (<= (goal a 100) (true (at never))) (<= (goal b 0) (true (at never))) (<= (next (at never)) (true (at never)))"""
    game = gdl.compile(rules)
    found = search_of(game).run(game.initial_state().bits, forever, deepest=20)
    assert found.value == 0
    assert not found.proved
    assert game.all_moves("a")[found.move].text == "on"


def test_a_state_of_the_match_counts_as_come_back() -> None:
    rules = """(role a) (role b) (init (at 0)) (legal b noop)
    (<= (legal a left) (true (at 0))) (<= (legal a right) (true (at 0))) (<= (legal a stop) (not (true (at 0))))
    (<= (next (at 1)) (does a left)) (<= (next (at 2)) (does a right)) (<= (next (at end)) (does a stop))
    (<= terminal (true (at end))) (<= (goal a 50) (true (at end))) (<= (goal b 50) (true (at end)))
    (<= (goal a 100) (true (at 9))) (<= (goal b 0) (true (at 9))) (<= (goal a 0) (true (at 8)))
    (<= (goal b 100) (true (at 8)))"""
    game = gdl.compile(rules)
    search = search_of(game)
    assert search.run(game.initial_state().bits, forever).proved
    search = search_of(game)
    search.remember(game.state("(at 1)").bits)
    search.remember(game.state("(at 2)").bits)
    assert not search.run(game.initial_state().bits, forever, deepest=8).proved


@pytest.mark.parametrize(("me", "expected"), [(0, -1), (1, 1)])
def test_where_both_choose_the_other_is_taken_to_know(me: int, expected: int) -> None:
    """Matching pennies: whoever is known to move first loses."""
    game = gdl.compile(PENNIES)
    found = search_of(game, me).run(game.initial_state().bits, forever)
    assert found.value == expected * (WIN - 2)  # each choice counts as a ply


PENNIES = """(role a) (role b) (init start) (<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
(<= (next same) (does a ?m) (does b ?m)) (<= (next other) (does a heads) (does b tails))
(<= (next other) (does a tails) (does b heads)) (<= terminal (true same)) (<= terminal (true other))
(<= (goal a 100) (true same)) (<= (goal b 0) (true same)) (<= (goal a 0) (true other)) (<= (goal b 100) (true other))"""


def test_the_hash_is_that_of_the_compiled_code() -> None:
    game = gdl.compile(find_game("breakthrough"))
    search, bits = search_of(game), game.initial_state().bits
    search.run(bits, forever, deepest=1)
    assert int(search.memory.hashes[0]) == hashed(bits)


class TestLearning:
    def test_the_fit_is_that_of_a_ridge_regression(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """With more states than facts and with fewer, facts that never hold, and one that always does."""
        random, facts = np.random.default_rng(1), 60
        monkeypatch.setattr("ggp.players.learned_values.network._CHUNK", 64)
        for count in (400, 40):
            holds = (random.random((count, facts)) < 0.3).astype(np.uint8)
            holds[:, 7], holds[:, 9] = 0, 1
            states = np.packbits(np.pad(holds, ((0, 0), (0, 4))), axis=1, bitorder="little").view(np.uint64)
            values = (20 * holds[:, 1] - 30 * holds[:, 2] + 5 + random.normal(0, 3, count)).astype(np.float32)
            network = Network(facts, 1)
            network.fit(states, values)
            centred = holds - holds.mean(axis=0)
            goals = values / 100
            wanted = np.linalg.solve(centred.T @ centred + 30 * np.eye(facts), centred.T @ (goals - goals.mean()))
            assert np.allclose(network.weights[:, -1], wanted, atol=1e-5)
            expected = network.values(holds.astype(np.float32))
            assert expected.mean() == pytest.approx(goals.mean(), abs=1e-4)

    def test_a_long_fit_is_made_from_fewer_states(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("ggp.players.learned_values.network._FIT", 1.0)
        monkeypatch.setattr("ggp.players.learned_values.network._LEAST_FIT", 50)
        states = np.arange(1000, dtype=np.uint64).reshape(-1, 1)
        values = (states[:, 0] % 2 * 100).astype(np.float32)
        network = Network(10, 1)
        network.fit(states, values)
        assert 0 < network.weights[0, -1] < 0.4  # by 50 states and the penalty of 30; by all of them, 0.9

    def test_the_search_values_states_as_the_network_does(self) -> None:
        game = gdl.compile(find_game("breakthrough"))
        search, facts = search_of(game), len(game.all_facts)
        start = game.initial_state().bits
        states, values = search.playouts(start, 500, seed=3)
        network = Network(facts, seed=5)
        network.fit(states, values)
        for _ in range(3):
            network.learn(states, values)
        search.install(network)
        rows = unpacked(states[:50], facts)
        hidden = np.clip(rows @ network.weights[:, :16] + network.heads[16:32], 0, 1)
        expected = rows @ network.weights[:, 16] + hidden @ network.heads[:16] + network.heads[32]
        assert np.allclose(network.values(rows), expected, atol=1e-4)
        found = [search.at_depth(state.tobytes(), 0) / POINT for state in states[:50]]
        assert np.abs(np.clip(100 * expected, -100, 100) - found).max() < 1.5

    def test_a_pawn_before_its_goal_is_worth_something(self) -> None:
        game = gdl.compile(find_game("breakthrough"))
        search, state = search_of(game), game.initial_state()
        Lessons(search, len(game.all_facts), state.bits, seed=1).playouts(forever)
        texts = [fact.text for fact in state]
        ahead = game.state([text.replace("(cell 4 7 black)", "(cell 4 7 white)") for text in texts])
        assert search.at_depth(ahead.bits, 0) > search.at_depth(state.bits, 0)

    def test_the_same_seed_teaches_the_same(self) -> None:
        game = gdl.compile(find_game("tic_tac_toe"))
        start = game.initial_state().bits
        taught = []
        for _ in range(2):
            search = search_of(game)
            lessons = Lessons(search, len(game.all_facts), start, seed=7)
            lessons.playouts(forever)
            lessons.games(forever, 3)
            assert lessons.states == 1_500
            taught.append(
                (search.memory.sums.copy(), search.memory.setup[START : HEADS + 16].copy(), search.memory.setup[UNIT])
            )
        assert np.array_equal(taught[0][0], taught[1][0])
        assert np.array_equal(taught[0][1], taught[1][1])

    def test_lessons_end_with_the_time(self) -> None:
        game = gdl.compile(find_game("tic_tac_toe"))
        search = search_of(game)
        lessons = Lessons(search, len(game.all_facts), game.initial_state().bits, seed=7)
        lessons.games(counting_down(2))
        # The first one is short, as it is not known yet how long a state takes.
        assert lessons.states == 16 + 32

    def test_a_game_without_choices_teaches_nothing(self) -> None:
        game = gdl.compile(
            "(role a) (role b) (init 0) (legal a go) (legal b noop) (<= (next 1) (true 0)) (<= (next 2) (true 1)) "
            "(<= terminal (true 2)) (goal a 100) (goal b 0)"
        )
        search = search_of(game)
        lessons = Lessons(search, len(game.all_facts), game.initial_state().bits, seed=7)
        lessons.playouts(forever)
        lessons.games(forever, 2)
        assert search.run(game.initial_state().bits, forever).proved

    def test_lessons_are_about_images_as_soon_as_there_are_some(self) -> None:
        game = gdl.compile(find_game("tic_tac_toe"))
        images = find_images(game, duel=True)
        asked = 0

        def known() -> Images | None:
            nonlocal asked
            asked += 1
            return images if asked > 2 else None

        taught = []
        for found in (lambda: None, known):
            lessons = Lessons(search_of(game), len(game.all_facts), game.initial_state().bits, 7, found)
            networks = []
            for _ in range(3):
                lessons.games(forever, 1)
                networks.append(lessons._network.weights.copy())
            taught.append(networks)
        plain, imaged = taught
        assert asked == 3
        assert np.array_equal(plain[1], imaged[1])
        assert not np.array_equal(plain[2], imaged[2])

    def test_later_lessons_go_on_from_those_that_are_kept(self, tmp_path: Path) -> None:
        game = gdl.compile(find_game("tic_tac_toe"), cache=tmp_path)
        entries = game.entries("lessons")

        def lessons(seed: int) -> tuple[Lessons, Search]:
            search = search_of(game)
            made = Lessons(search, len(game.all_facts), game.initial_state().bits, seed)
            made.recall(entries)
            return made, search

        first, taught = lessons(1)
        first.keep(entries)  # nothing yet
        assert entries.read("lessons") is None
        first.games(forever, 3)
        first.keep(entries)
        second, search = lessons(2)
        assert second.states == first.states == 1_500
        assert second.plies == first.plies
        assert np.array_equal(search.memory.sums, taught.memory.sums)
        second.games(forever, 1)
        second.keep(entries)
        third, search = lessons(3)
        assert third.states == 2_000
        assert not np.array_equal(search.memory.sums, taught.memory.sums)


def counting_down(times: int) -> Callable[[], float]:
    """A clock that has run out once it has been asked so many times."""
    left = times

    def time_left() -> float:
        nonlocal left
        left -= 1
        return 1e9 if left >= 0 else -1.0

    return time_left


@dataclass(frozen=True, slots=True)
class Countdown(Deadline):
    """A deadline that has passed once it has been asked so many times."""

    asked: list[int] | None = None

    def left(self) -> float:
        assert self.asked is not None
        self.asked[0] -= 1
        return 10.0 if self.asked[0] >= 0 else 0.0


class TestPlayer:
    def player(self, game: Engine, role: str, **options: Any) -> AlphaBetaPlayer:
        player = AlphaBetaPlayer(**options)
        player.start(Start("match", game, role, seed=1), NEVER)
        return player

    @pytest.mark.parametrize("other", [pytest.param("random", marks=pytest.mark.slow), "greedy"])
    @pytest.mark.parametrize("role", ["xplayer", "oplayer"])
    def test_it_never_loses_tic_tac_toe(self, role: str, other: str) -> None:
        game = gdl.compile(find_game("tic_tac_toe"))
        for seed in range(3):
            players = {r: AlphaBetaPlayer(nodes=20_000) if r == role else make_player(other) for r in game.roles}
            record = play_match(game, players, Settings(seed=seed))
            assert record.goals is not None
            assert record.goals[game.roles.index(role)] >= 50
            assert not any(any(ply.errors) for ply in record.plies)

    @pytest.mark.slow
    def test_the_same_seed_gives_the_same_match_with_either_engine(self) -> None:
        path = find_game("connect_four")
        courses = []
        for game in (gdl.compile(path), gdl.Reasoner.load(path)):
            players = {role: AlphaBetaPlayer(nodes=300) for role in game.roles}
            record = play_match(game, players, Settings(seed=4, max_plies=8))
            courses.append([ply.moves for ply in record.plies])
            assert not any(any(ply.errors) for ply in record.plies)
        assert courses[0] == courses[1]

    def test_it_answers_when_the_time_is_over(self) -> None:
        game = gdl.compile(find_game("connect_four"))
        player, state = self.player(game, "red"), game.initial_state()
        legal = game.legal_moves(state, "red")
        for asked in (0, 1, 2, 20):
            deadline = Countdown(1.0, asked=[asked])
            assert player.move(Turn(1, state, legal, deadline=deadline)) in legal

    def test_matching_pennies_is_played_at_random(self) -> None:
        game = gdl.compile(PENNIES)
        state = game.initial_state()
        played = set()
        for seed in range(12):
            player = AlphaBetaPlayer(nodes=100)
            player.start(Start("match", game, "a", seed), NEVER)
            played.add(player.move(Turn(1, state, game.legal_moves(state, "a"))).text)
        assert played == {"heads", "tails"}

    def test_a_move_that_is_better_whatever_the_other_does(self) -> None:
        rules = PENNIES.replace("(<= (legal ?r tails) (role ?r))", "(<= (legal ?r tails) (role ?r)) (legal a win)")
        game = gdl.compile(rules + "(<= (next same) (does a win))")
        state = game.initial_state()
        player = self.player(game, "a", nodes=100)
        assert player.move(Turn(1, state, game.legal_moves(state, "a"))).text == "win"

    @pytest.mark.parametrize(
        ("rules", "reason"),
        [
            ("(role r) (legal r go) terminal (goal r 100)", "the number of roles in this game is 1, not 2"),
            ("(role r) (role random) (legal r go) (legal random go) terminal", "this game has a chance role"),
        ],
    )
    def test_games_that_it_is_not_made_for_are_played_as_greedy_does(self, rules: str, reason: str) -> None:
        game = gdl.Reasoner(rules)
        player = self.player(game, "r")
        assert player.reason == reason
        state = game.initial_state()
        assert player.move(Turn(1, state, game.legal_moves(state, "r"))).text == "go"

    def test_a_game_without_rules(self) -> None:
        game = Nim(10)
        player = self.player(game, "left")
        state = game.initial_state()
        assert player.move(Turn(1, state, game.legal_moves(state, "left"))) in game.legal_moves(state, "left")
        assert player.reason == "no-rules: the game was not made from a rule text"

    def test_a_game_without_kernels(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(_: gdl.Simulator) -> None:
            raise gdl.CompileError("the game", "generating code", "seconds")

        game = gdl.compile(find_game("tic_tac_toe"), cache=False)
        monkeypatch.setattr(gdl.Simulator, "kernels", property(refused))
        player, state = self.player(game, "xplayer"), game.initial_state()
        legal = game.legal_moves(state, "xplayer")
        assert player.move(Turn(1, state, legal)) in legal
        assert "generating code needs more seconds" in player.reason

    def test_until_the_game_is_compiled_it_plays_as_greedy_does(self, monkeypatch: pytest.MonkeyPatch) -> None:
        hold = threading.Event()
        game = gdl.Reasoner.load(find_game("tic_tac_toe"))
        monkeypatch.setattr(
            "ggp.players.alphabeta.alphabeta.compilation", lambda start: hold.wait(10) and compilation(start)
        )
        player = AlphaBetaPlayer(nodes=100)
        player.start(Start("match", game, "xplayer", 1), Deadline(0.0))
        state = game.initial_state()
        legal = game.legal_moves(state, "xplayer")
        assert player.move(Turn(1, state, legal)) in legal
        assert player.reason == "the game is not compiled yet"
        hold.set()
        assert player._preparing is not None
        player._preparing.result()
        assert player.move(Turn(1, state, legal)) in legal
        assert player.reason == ""


def test_values() -> None:
    assert plies_to_end(WIN - 3) == 3
    assert plies_to_end(7 - WIN) == 7
    assert plies_to_end(100 * POINT) is None
    assert WIN < INFINITE < 2**15
