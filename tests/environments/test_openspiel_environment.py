"""Rule files as games of OpenSpiel: their types, their nodes beside the Reasoner's, what agents see, and copies."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.conformance import HEAP
from support.hidden_games import COIN, DIE, KUHN, PENNIES
from support.openspiel_walk import walk
from support.toy_files import SPREAD

import gdl

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
openspiel = pytest.importorskip("ggp.environments.openspiel")
parameters = pytest.importorskip("ggp.environments.openspiel.parameters")
tree_module = pytest.importorskip("ggp.environments.openspiel.tree")

PUBLIC = Path(__file__).parents[2].parent / "shared" / "rulesheets"
SMALL = {"kuhn": KUHN, "pennies": PENNIES, "die": DIE, "coin": COIN, "heap": HEAP}

#: Public files that take from one to three minutes each.
SLOW = ("quad", "zhadu", "knightfight", "gt_two_thirds_6p")
#: Files of public collections: two and more players, at once, one role, chance, and hidden states.
FILES = [
    *("nim1", "chomp", "toetictac", "breakthroughWalls", "connectFour"),
    *("tictactoe_3player", "3pConnectFour", "4pttc", "gt_prisoner", "biddingTicTacToe"),
    *("point_grab", "colonelBlotto", "tron_10x10", "lightsOn", "eightPuzzle"),
    *(
        "gdl2/MontyHall",
        "gdl2/KriegTictactoe",
        "gdl2/Mastermind448",
        "gdl2/rockpaperscissors",
        "gdl2/BlindBreakthrough",
    ),
    *(
        pytest.param(name, marks=pytest.mark.exhaustive)
        for name in ("quad", "zhadu", "knightfight", "gt_two_thirds_6p")
    ),
]


def game_of(rules: str, **options: Any) -> Any:
    return openspiel.load(gdl.Rulesheet(rules), **options)


def utilities(game: Any) -> Callable[[list[int]], list[float]]:
    """The utilities for goal values, by the documentation."""

    def found(goals: list[int]) -> list[float]:
        if str(game.get_type().utility) != "Utility.ZERO_SUM":
            return [goal / 100 for goal in goals]
        share = sum(goals) / 2
        return [(goal - share) / max(share, 100 - share) for goal in goals]

    return found


@pytest.mark.parametrize("name", [*SMALL, "tic_tac_toe", "connect_four"])
def test_openspiel_finds_nothing_wrong(name: str) -> None:
    game = game_of(SMALL[name]) if name in SMALL else openspiel.load(name)
    pyspiel.random_sim_test(game, 5, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [*SMALL, "tic_tac_toe"])
def test_nodes_are_those_of_the_reasoner(name: str) -> None:
    game = game_of(SMALL[name]) if name in SMALL else openspiel.load(name)
    reasoner = gdl.Reasoner(SMALL[name]) if name in SMALL else gdl.Reasoner.load("games/classics/tic_tac_toe.kif")
    assert all(walk(game, reasoner, utilities(game), seed) for seed in range(20))


@pytest.mark.slow
@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
def test_shipped_games(path: Path) -> None:
    game = openspiel.load(path, max_plies=5000)
    pyspiel.random_sim_test(game, 2, serialize=True, verbose=False)
    assert walk(game, gdl.Reasoner.load(path), utilities(game), seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_public_files(name: str) -> None:
    path = PUBLIC / f"{name}.kif"
    if not path.exists():
        pytest.skip("there are no public files here")
    game = openspiel.load(path)
    pyspiel.random_sim_test(game, 3, serialize=True, verbose=False)
    assert walk(game, gdl.Reasoner.load(path), utilities(game), seed=1)


def type_of(game: Any) -> tuple[str, ...]:
    kind = game.get_type()
    return tuple(
        str(value).partition(".")[2] for value in (kind.dynamics, kind.chance_mode, kind.information, kind.utility)
    )


def test_types_are_as_the_rules_have_them() -> None:
    perfect, imperfect = "PERFECT_INFORMATION", "IMPERFECT_INFORMATION"
    assert type_of(openspiel.load("tic_tac_toe")) == ("SEQUENTIAL", "DETERMINISTIC", perfect, "ZERO_SUM")
    assert type_of(game_of(KUHN)) == ("SEQUENTIAL", "EXPLICIT_STOCHASTIC", imperfect, "ZERO_SUM")
    assert type_of(game_of(PENNIES)) == ("SIMULTANEOUS", "DETERMINISTIC", perfect, "ZERO_SUM")
    assert type_of(game_of(DIE)) == ("SEQUENTIAL", "EXPLICIT_STOCHASTIC", perfect, "GENERAL_SUM")
    assert type_of(game_of(KUHN, general_sum=True, simultaneous=True))[0::3] == ("SIMULTANEOUS", "GENERAL_SUM")


def test_the_length_and_the_utilities_of_a_game() -> None:
    game = game_of(KUHN)
    assert (game.num_players(), game.max_game_length(), game.max_chance_outcomes()) == (2, 4, 7)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)
    game = game_of(DIE)
    assert (game.num_players(), game.max_game_length(), game.max_chance_outcomes()) == (1, 2, 4)
    assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (0, 1, None)
    assert openspiel.load("connect_four").max_game_length() == 500
    assert openspiel.load("connect_four", max_plies=50).max_game_length() == 50
    assert openspiel.load("tic_tac_toe", max_plies=100).max_game_length() == 9


def test_players_other_than_agents_have_openspiels_numbers() -> None:
    names = ("CHANCE", "SIMULTANEOUS", "TERMINAL")
    assert [getattr(tree_module, name) for name in names] == [int(getattr(pyspiel.PlayerId, name)) for name in names]


def test_three_players_with_a_constant_sum_have_shares() -> None:
    rules = """(role a) (role b) (role c) (init p) (<= (legal a x) (true p)) (<= (legal a y) (true p))
    (legal b m) (legal c m)
    (<= (next ?m) (does a ?m)) (<= terminal (not (true p)))
    (goal a 30) (<= (goal b 60) (true x)) (<= (goal b 30) (true y))
    (<= (goal c 0) (true x)) (<= (goal c 30) (true y))"""
    game = game_of(rules)
    assert type_of(game)[3] == "CONSTANT_SUM"
    assert game.utility_sum() == pytest.approx(0.9)
    state = game.new_initial_state()
    state.apply_action(state.string_to_action("x"))
    assert state.returns() == [0.3, 0.6, 0.0]


def test_forced_moves_are_made_at_once() -> None:
    # Only the dealing of cards and three decisions are left of five plies.
    state = game_of(KUHN).new_initial_state()
    state.apply_action(state.string_to_action("(deal king queen)"))
    for player, move in enumerate(["pass", "bet"]):
        assert state.current_player() == player
        state.apply_action(state.string_to_action(move))
    state.apply_action(state.string_to_action("bet"))
    assert state.returns() == [1.0, -1.0]
    assert len(state.history()) == 4


def test_a_match_that_is_too_long_is_cut_without_a_winner() -> None:
    game = openspiel.load("tic_tac_toe", max_plies=3)
    state = game.new_initial_state()
    for _ in range(3):
        assert "of 3" in str(state)
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    assert openspiel.load("tic_tac_toe", max_plies=3, general_sum=True).new_initial_state().child(0).returns() == [0, 0]


def test_a_choice_of_chance_at_the_same_time_comes_after_the_agents() -> None:
    state = game_of(DIE).new_initial_state()
    state.apply_action(state.string_to_action("(name 3)"))
    assert state.is_chance_node()
    assert str(state).endswith("chosen: gambler (name 3)")
    outcomes = state.chance_outcomes()
    assert outcomes == [(number, 0.25) for number in range(4)]
    fell = {state.action_to_string(-1, outcome): state.child(outcome) for outcome, _ in outcomes}
    assert {move: "first" in str(child) for move, child in fell.items()} == {f"(fall {n})": n == 3 for n in range(1, 5)}


def test_information_states_have_percepts_and_own_moves() -> None:
    game = game_of(KUHN)
    state = game.new_initial_state()
    for move in ("(deal king queen)", "pass", "bet"):
        state.apply_action(state.string_to_action(move))
    alice = "alice: 1 wait sees (card king); 2 pass sees (did alice pass); 3 wait sees (did bob bet)"
    assert state.information_state_string(0) == alice
    assert state.observation_string(0) == alice.replace("1 wait sees (card king); ", "")
    assert state.information_state_string(1).startswith("bob: 1 wait sees (card queen); 2 wait sees")
    tensor = np.array(state.information_state_tensor(0)).reshape(game.information_state_tensor_shape())
    legend = game.tree.observer.legend
    rows = [{legend[i] for i in np.flatnonzero(row)} for row in tensor]
    assert rows == [
        {"sees (card king)", "did wait"},
        {"sees (did alice pass)", "did pass"},
        {"sees (did bob bet)", "did wait"},
        set(),
    ]
    assert np.array_equal(state.observation_tensor(0), np.max(tensor[1:], axis=0))


def test_a_constant_sum_is_looked_for_in_further_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    # One end in 16 has another sum; the first look saw too few of them.
    rules = """(role a) (role b) (role random) (bit 0) (bit 1) (init (at 0)) (init all)
    (after 0 1) (after 1 2) (after 2 3) (after 3 4)
    (<= (legal random ?b) (bit ?b)) (legal a m) (legal b m) (<= (next (at ?m)) (true (at ?n)) (after ?n ?m))
    (<= (next all) (true all) (does random 1)) (<= terminal (true (at 4)))
    (goal a 50) (<= (goal b 50) (not (true all))) (<= (goal b 60) (true all))"""
    classify = tree_module.classify_game
    seen = {"constant_sum": True, "total": 100, "proved": frozenset()}
    monkeypatch.setattr(tree_module, "classify_game", lambda game: replace(classify(game), **seen))
    assert type_of(game_of(rules))[3] == "GENERAL_SUM"
    assert type_of(game_of(rules.replace("60", "50")))[3] == "ZERO_SUM"


def test_agents_with_the_same_information_are_in_the_same_information_state() -> None:
    game, known = game_of(KUHN), {}
    for cards in ("(deal king queen)", "(deal king jack)"):
        state = game.new_initial_state()
        state.apply_action(state.string_to_action(cards))
        known[cards] = (state.information_state_string(0), tuple(state.information_state_tensor(0)))
        assert "king" in str(state)
    assert len(set(known.values())) == 1


def test_observations_are_those_of_the_environments() -> None:
    game = openspiel.load("tic_tac_toe")
    state = game.new_initial_state()
    state.apply_action(state.string_to_action("(mark 2 2)"))
    legend = game.tree.observer.legend
    assert game.observation_tensor_shape() == [len(legend)]
    seen = {legend[i] for i in np.flatnonzero(state.observation_tensor(1))}
    assert "(cell 2 2 x)" in seen
    assert seen == {fact.text for fact in state.node.position.state} & set(legend)
    assert state.information_state_string(1) == f"oplayer: {state.history_str()}"


def test_observers_by_openspiels_interface() -> None:
    observation = pytest.importorskip("open_spiel.python.observation")
    game = game_of(KUHN)
    state = game.new_initial_state().child(0)
    observer = observation.make_observation(game, observation.INFO_STATE_OBS_TYPE)
    observer.set_from(state, 0)
    assert observer.tensor.tolist() == state.information_state_tensor(0)
    assert list(observer.dict) == ["information_state"]
    assert observer.string_from(state, 0) == state.information_state_string(0)
    everyone = pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ValueError, match="a single player"):
        game.make_py_observer(everyone)
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"a": 1})
    with pytest.raises(ValueError, match="public and private"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False, public_info=False))


@pytest.mark.parametrize("name", ["a game.kif", "a,b.kif", "a=b.kif", "(a.kif", "50%.kif", "a%2Cb.kif", "ä.kif"])
def test_files_of_any_name_are_found_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_text(HEAP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    games = [openspiel.load(path), openspiel.load(name), pyspiel.load_game("ggp", {"rules": name})]
    monkeypatch.chdir(path.parent.parent)
    for game in games:
        again = pyspiel.load_game(str(game))
        assert str(again) == str(game) == str(games[0])
        assert again.tree is game.tree


def test_options_are_part_of_the_text_of_a_game() -> None:
    game = openspiel.load("tic_tac_toe", max_plies=7, simultaneous=True)
    assert str(game) == "ggp(max_plies=7,rules=classics/tic_tac_toe,simultaneous=True)"
    again = pyspiel.load_game(str(game))
    assert again.max_game_length() == 7
    assert type_of(again)[0] == "SIMULTANEOUS"
    assert str(openspiel.load("tic_tac_toe")) == "ggp(rules=classics/tic_tac_toe)"


def played(game: Any) -> Any:
    state = game.new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    return state


@pytest.mark.slow
def test_states_are_restored_by_another_process(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.kif"
    path.write_text(KUHN, encoding="utf-8")
    code = (
        "import pickle, sys, pyspiel, ggp.environments.openspiel\n"
        "game, state = pyspiel.deserialize_game_and_state(sys.stdin.buffer.read().decode())\n"
        "print(game, state, state.information_state_string(0), state.returns(), sep='\\n')\n"
    )
    for game in (openspiel.load(path), game_of(KUHN)):
        state = played(game)
        saved = pyspiel.serialize_game_and_state(game, state)
        done = subprocess.run([sys.executable, "-c", code], input=saved.encode(), capture_output=True, check=True)
        expected = [str(game), str(state), state.information_state_string(0), str(state.returns())]
        assert done.stdout.decode() == "\n".join(expected) + "\n"


def test_states_and_games_can_be_pickled_and_copied() -> None:
    game = game_of(KUHN)
    state = played(game)
    for copy in (pickle.loads(pickle.dumps(state)), state.clone()):
        assert str(copy) == str(state)
        assert copy.history() == state.history()
        assert copy.node.legal == state.node.legal
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_states_of_other_rules_are_not_restored(tmp_path: Path) -> None:
    path = tmp_path / "game.kif"
    path.write_text(HEAP, encoding="utf-8")
    game = openspiel.load(path)
    saved = pyspiel.serialize_game_and_state(game, game.new_initial_state())
    path.write_text(f"{HEAP} (other rules)", encoding="utf-8")
    with pytest.raises(ValueError, match="the rules have changed"):
        pyspiel.deserialize_game_and_state(saved)


def test_games_are_compiled_once_but_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    original = tree_module.EnvironmentGame
    monkeypatch.setattr(tree_module, "EnvironmentGame", lambda rules: made.append(1) or original(rules))
    games = [game_of(f"{HEAP} (note 1)") for _ in range(3)]
    assert len(made) == 1
    assert games[0].tree is games[1].tree
    assert tree_module._kept.cache_info().maxsize == 16


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, ValueError, "needs rules"),
        ({"rules": "no_such_game"}, gdl.GdlError, "unknown-game"),
        ({"rules": "text:abc"}, ValueError, "damaged"),
        ({"rules": "tic_tac_toe", "max_plies": -1}, ValueError, "must not be negative"),
        ({"rules": "tic_tac_toe", "observation": "smell"}, ValueError, "unknown observation 'smell'"),
    ],
)
def test_bad_parameters(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pyspiel.load_game("ggp", given)


def test_bytes_that_are_not_utf8_are_kept() -> None:
    text = "; caf\udce9\n" + HEAP
    given = parameters.Parameters(parameters.rules_parameter(gdl.Rulesheet(text)))
    assert given.source().text == text
    assert tree_module.Tree(given, given.source()).digest


def test_bad_rules(tmp_path: Path) -> None:
    path = tmp_path / "bad.kif"
    path.write_text("(role a) (<= (p ?x) terminal)", encoding="utf-8")
    with pytest.raises(gdl.RulesheetError):
        openspiel.load(path)
    with pytest.raises(TypeError, match="expected the rules of a game"):
        openspiel.load(5)
    with pytest.raises(ValueError, match="no role is left for an agent"):
        game_of("(role random) (legal random m) terminal")


def test_illegal_actions() -> None:
    state = openspiel.load("tic_tac_toe").new_initial_state()
    state.apply_action(0)
    with pytest.raises(ValueError, match="0 is not a legal action of oplayer"):
        state.apply_action(0)
    state = game_of(KUHN).new_initial_state()
    with pytest.raises(ValueError, match="is not an outcome of chance"):
        state.apply_action(6)
    state = game_of(PENNIES).new_initial_state()
    with pytest.raises(ValueError, match="is not a legal action of even"):
        state.apply_actions([0, 5])


#: After a line that random play does not find, both have a choice, or the sum is another one.
RARE = " ".join(f"(rare {i} {i + 1})" for i in range(40))
LATE = f"""{RARE} (role a) (role b) (init (at 0)) (<= (next (at ?m)) (true (at ?n)) (rare ?n ?m) (does a up))
(<= (next down) (does a down)) (<= (legal a up) (true (at ?n)) (rare ?n ?m)) (<= (legal a down) (true (at ?n)))
(legal b m) (<= terminal (true down)) (<= terminal (true (at 40)))
(<= (goal a 100) (true down)) (<= (goal a 60) (not (true down)))
(<= (goal b 0) (true down)) (<= (goal b 90) (not (true down)))"""


def play(state: Any, actions: list[int]) -> None:
    for action in actions:
        state.apply_action(action)


def test_another_sum_than_seen_is_an_error() -> None:
    state = game_of(LATE).new_initial_state()
    assert type_of(state.get_game())[3] == "ZERO_SUM"
    up = state.string_to_action("up")
    play(state, [up] * 40)
    with pytest.raises(ValueError, match=r"another sum .* general_sum=True"):
        state.returns()
    state = game_of(LATE, general_sum=True).new_initial_state()
    play(state, [up] * 40)
    assert state.returns() == [0.6, 0.9]


def test_several_choices_that_were_not_seen_are_an_error() -> None:
    rules = LATE.replace("(legal b m)", "(legal b m) (<= (legal b n) (true (at 39)))")
    state = game_of(rules).new_initial_state()
    up = state.string_to_action("up")
    with pytest.raises(ValueError, match=r"a and b have a choice in the same state.* simultaneous=True"):
        play(state, [up] * 40)
    state = game_of(rules, simultaneous=True).new_initial_state()
    for _ in range(39):
        assert [len(state.legal_actions(player)) for player in range(2)] == [2, 1]
        state.apply_actions([up, state.legal_actions(1)[0]])
    assert len(state.legal_actions(1)) == 2


def test_without_openspiel_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import ggp.environments; import ggp.environments.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert "MissingOpenSpielError: no-openspiel: OpenSpiel cannot be imported" in last
    assert "pip install 'open_spiel" in last


def test_importing_the_environments_does_not_load_openspiel() -> None:
    code = "import sys, ggp.environments.observations, ggp.environments.length; sys.exit('pyspiel' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
