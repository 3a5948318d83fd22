"""The player `learned`, and `auto` with learned values beside the rules."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.commands import Ggp
from support.executors import Here

import gdl
from gdl.engine import Engine
from gdl.terms import Term
from ggp.learning.self_play_process import actions
from ggp.learning.train import Settings, train
from ggp.match.lineup import LineupError
from ggp.match.match import Match, play_match
from ggp.match.settings import Settings as MatchSettings
from ggp.players import PlayerLoadError, Start, make_player
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.auto import AutoPlayer
from ggp.players.clock import NEVER
from ggp.players.learned import LearnedPlayer
from ggp.players.learned_values.array_file import ArrayFileError, packed
from ggp.players.learned_values.value import LearnedValue, read_value, rules_hash
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.learned_goals import LearnedGoals
from ggp.players.player import Player, Turn
from ggp.rules.shipped_games import find_game


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tic_tac_toe and values for it."""
    made = tmp_path_factory.mktemp("learned")
    shutil.copy(find_game("tic_tac_toe"), made / "tic_tac_toe.kif")
    game = gdl.compile(made / "tic_tac_toe.kif")
    list(train(game, made / "tic_tac_toe.learned", Settings(rounds=1, measure=False), Here(actions)))
    return made


def test_a_match_against_random(folder: Path) -> None:
    game = gdl.compile(folder / "tic_tac_toe.kif")
    for seed in range(4):
        own, other = make_player(f"learned({folder}/tic_tac_toe.learned,nodes=2000)"), make_player("random")
        players = dict(zip(game.roles, (own, other) if seed % 2 else (other, own), strict=True))
        record = play_match(game, players, MatchSettings(seed=seed))
        assert record.goals is not None
        assert (record.goals[1 - seed % 2] or 0) >= 50
        assert not any(any(ply.errors) for ply in record.plies)
        assert own.name == "learned(tic_tac_toe.learned)"


def test_values_are_those_of_the_network(folder: Path) -> None:
    game = gdl.compile(folder / "tic_tac_toe.kif")
    value = read_value(folder / "tic_tac_toe.learned")
    assert (value.network(game, "some").weights == value.arrays["weights"]).all()
    # In a file, facts may be in any order.
    links = value.arrays["links"].copy()
    links[:, 0] = len(value.facts) - 1 - links[:, 0]
    arrays = {**value.arrays, "weights": value.arrays["weights"][::-1], "links": links[::-1]}
    turned = LearnedValue(value.rules, value.facts[::-1], value.made, arrays).network(game, "some")
    assert (turned.weights == value.arrays["weights"]).all()
    holds = np.random.default_rng(1).integers(0, 2, (20, len(value.facts))).astype(np.float32)
    assert np.allclose(turned.values(holds), value.network(game, "some").values(holds), atol=1e-5)
    assert len(links) > 20


def test_values_of_a_duel_serve_mcts(folder: Path) -> None:
    game = gdl.compile(folder / "tic_tac_toe.kif")
    file = folder / "tic_tac_toe.learned"
    network = read_value(file).network(game, "some")
    states = random_states(game, 50)
    bits = np.frombuffer(b"".join(state.bits for state in states), np.uint64).reshape(len(states), -1)
    goals = LearnedGoals(game, [network]).goals(bits)
    holds = np.array([[fact in set(state) for fact in game.all_facts] for state in states], np.float32)
    first = np.clip(0.5 + network.values(holds) / 2, 0, 1)
    assert goals == pytest.approx(np.stack([first, 1 - first], axis=1), abs=1e-4)
    assert first.std() > 0.05
    for options in ("simulations=200", "weight=0.5", "simulations=200,weight=1", "prior=0"):
        assert isinstance(inside(make_player(f"learned({file},{options})")), MctsPlayer), options
    own, other = make_player(f"learned({file},simulations=200)"), make_player("random")
    record = play_match(game, dict(zip(game.roles, (own, other), strict=True)), MatchSettings(seed=1))
    assert record.goals is not None
    assert record.goals[0] == 100


def test_a_file_says_which_search_plays(folder: Path, tmp_path: Path) -> None:
    game = gdl.compile(folder / "tic_tac_toe.kif")
    value = read_value(folder / "tic_tac_toe.learned")
    assert value.search == "alphabeta"
    file = tmp_path / "tic_tac_toe.learned"
    list(train(game, file, Settings(rounds=1, measure=False, search="mcts"), Here(actions)))
    assert read_value(file).search == "mcts"
    assert same_arrays(read_value(file), value)
    assert isinstance(inside(make_player(f"learned({file})")), MctsPlayer)
    assert isinstance(inside(make_player(f"learned({file},nodes=5)")), AlphaBetaPlayer)
    # A training run that goes on keeps it.
    list(train(game, file, Settings(rounds=2, measure=False), Here(actions)))
    assert read_value(file).search == "mcts"
    list(train(game, file, Settings(rounds=3, measure=False, search="alphabeta"), Here(actions)))
    assert read_value(file).search == "alphabeta"
    file.write_bytes(packed(replace(value, search="minimax").file()))
    with pytest.raises(ArrayFileError, match="a search that this version does not have"):
        read_value(file)


def test_a_file_says_how_much_its_search_explores(folder: Path, tmp_path: Path) -> None:
    game = gdl.compile(folder / "tic_tac_toe.kif")
    file = tmp_path / "tic_tac_toe.learned"
    settings = Settings(rounds=1, measure=False, search="mcts", exploration=0.25)
    list(train(game, file, settings, Here(actions)))
    value = read_value(file)
    assert value.exploration == 0.25
    assert same_arrays(value, read_value(folder / "tic_tac_toe.learned"))
    assert explored(f"learned({file})") == 0.25
    assert explored(f"learned({file},exploration=0)") == 0
    assert explored(f"learned({file},exploration=0.5)") == 0.5
    # A training run that goes on keeps it.
    list(train(game, file, Settings(rounds=2, measure=False), Here(actions)))
    assert read_value(file).exploration == 0.25
    list(train(game, file, Settings(rounds=3, measure=False, exploration=0.0), Here(actions)))
    assert read_value(file).exploration == 0
    for wrong in (-1.0, 11.0, float("nan"), "much"):
        contents = value.file()
        file.write_bytes(packed(replace(contents, about={**contents.about, "exploration": wrong})))
        with pytest.raises(ArrayFileError, match="the exploration is not in the format"):
            read_value(file)


def explored(name: str) -> float:
    """Return how much `learned` explores beside priors."""
    player = inside(make_player(name))
    assert isinstance(player, MctsPlayer)
    return player._options["prior_exploration"]


def inside(player: Player) -> object:
    """Return the search by which `learned` plays."""
    assert isinstance(player, LearnedPlayer)
    return player._player


def same_arrays(one: LearnedValue, other: LearnedValue) -> bool:
    return all(np.array_equal(one.arrays[name], other.arrays[name]) for name in other.arrays)


def random_states(game: gdl.Simulator, count: int) -> list[gdl.PackedState]:
    """States of random matches."""
    dice, found = Random(1), []
    while len(found) < count:
        state = game.initial_state()
        while not game.is_terminal(state):
            found.append(state)
            state = game.next_state(state, [dice.choice(game.legal_moves(state, role)) for role in game.roles])
    return found[:count]


def test_the_hash_of_rules() -> None:
    one = "(role a) (role b) (legal a x) (legal b x) (<= terminal (true (at ?x)) (not (true (on ?x)))) (goal a 1)"
    text = gdl.Rulesheet(one)
    assert rules_hash(text) == rules_hash(
        gdl.Rulesheet("; a comment\n" + one.replace(") (", ")\n( ").replace("?x", "?X"))
    )
    assert rules_hash(text) == rules_hash(gdl.Rulesheet(one.upper()))
    assert rules_hash(text) != rules_hash(gdl.Rulesheet(one.replace("(goal a 1)", "(goal a 2)")))


def test_other_rules_are_refused_before_the_match(folder: Path) -> None:
    game = gdl.Reasoner.load(find_game("connect_four"))
    player = make_player(f"learned({folder}/tic_tac_toe.learned)")
    players = {"red": player, "yellow": make_player("random")}
    expected = r"cannot play red: .*tic_tac_toe\.learned: it was learned for other rules"
    with pytest.raises(LineupError, match=expected):
        Match(game, players, MatchSettings(seed=1))
    with pytest.raises(ArrayFileError, match="learned for other rules"):
        player.start(Start("match", game, "red", 1), NEVER)


def test_other_roles_are_refused(folder: Path) -> None:
    value = read_value(folder / "tic_tac_toe.learned")
    rules = "(role a) (role b) (role c) (legal a x) (legal b x) (legal c x) terminal (goal a 1)"
    assert value.refusal(gdl.Reasoner(rules)) == "the number of roles in this game is 3, not 2"


def changed(value: LearnedValue, change: str) -> LearnedValue:
    arrays = dict(value.arrays)
    facts, rules = value.facts, value.rules
    match change:
        case "shape":
            arrays["heads"] = arrays["heads"][:-1]
        case "missing":
            del arrays["weights"]
        case "not finite":
            arrays["weights"] = arrays["weights"] * float("nan")
        case "links":
            arrays["links"] = arrays["links"].astype(np.float32)
        case "huge":
            arrays["weights"] = arrays["weights"] + np.float32(30_000)
        case "huge base":
            arrays["heads"] = arrays["heads"] + np.float32(1e30)
        case "facts":
            facts = ("(cell 9 9 x)", *facts[1:])
    return LearnedValue(rules, facts, value.made, arrays)


@pytest.mark.parametrize("change", ["shape", "missing", "not finite", "facts", "links", "huge", "huge base"])
def test_values_that_do_not_fit_the_compiled_game(folder: Path, tmp_path: Path, change: str) -> None:
    path = tmp_path / "other.learned"
    path.write_bytes(packed(changed(read_value(folder / "tic_tac_toe.learned"), change).file()))
    if change != "facts":
        with pytest.raises(ArrayFileError, match=r"no array|not finite|too large"):
            read_value(path)
        return
    value, game = read_value(path), gdl.compile(folder / "tic_tac_toe.kif")
    with pytest.raises(ArrayFileError, match="it does not fit the compiled game, so train again"):
        value.network(game, str(path))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "name a file of `ggp train`"),
        ("none.learned", "none.learned: learned-file: No such file"),
        ("none.learned,nodes=1,weight=0.5", "nodes is for alphabeta"),
        ("none.learned,nodes=1,prior=0.5", "nodes is for alphabeta"),
        (
            "none.learned,depth=1",
            "learned: no option depth; the options are FILE, nodes, simulations, ponder, weight, prior, exploration",
        ),
    ],
)
def test_files_that_cannot_be_loaded(options: str, expected: str) -> None:
    with pytest.raises(PlayerLoadError, match=expected):
        make_player(f"learned({options})")


def test_the_command_line_refuses_damaged_files_and_other_rules(folder: Path, tmp_path: Path, ggp: Ggp) -> None:
    cut = tmp_path / "cut.learned"
    cut.write_bytes((folder / "tic_tac_toe.learned").read_bytes()[:-1])
    found = ggp("play", "tic_tac_toe", "--player", f"learned({cut})")
    assert (found.status, found.out) == (2, "")
    assert "its checksum is wrong" in found.err
    found = ggp("play", "connect_four", "--player", f"learned({folder}/tic_tac_toe.learned)", "--seed", "1")
    assert (found.status, found.out) == (2, "")
    assert "it was learned for other rules" in found.err


#: Rules of another game, with a role of the same name.
TOY = """(role xplayer) (role oplayer) (init on) (legal xplayer go) (legal oplayer go) (<= terminal (not (true on)))
(goal xplayer 50) (goal oplayer 50)"""


class TestAuto:
    def started(self, rules: Path) -> AutoPlayer:
        player = AutoPlayer(simulations=50)
        player.start(Start("match", gdl.compile(rules), "xplayer", 1), NEVER)
        return player

    def test_it_takes_values_beside_the_rules_and_says_so(self, folder: Path) -> None:
        player = self.started(folder / "tic_tac_toe.kif")
        assert player.chosen is not None
        assert player.chosen.name == "learned(tic_tac_toe.learned)"
        assert player.note == "plays with tic_tac_toe.learned"

    @pytest.mark.parametrize("name", [".", "", "nul\0", "x" * 5000])
    def test_rules_need_not_be_in_a_file(self, name: str) -> None:
        player = AutoPlayer(simulations=50)
        player.start(Start("match", gdl.Reasoner(gdl.Rulesheet(TOY, name)), "xplayer", 1), NEVER)
        assert player.chosen is not None
        assert player.note == ""

    def test_it_takes_a_file_for_rules_that_come_as_text(self, folder: Path) -> None:
        player = AutoPlayer(simulations=50)
        player.learned_file = folder / "tic_tac_toe.learned"
        text = (folder / "tic_tac_toe.kif").read_text(encoding="utf-8")
        player.start(Start("match", gdl.Reasoner(text), "xplayer", 1, rules=text), NEVER)
        assert player.note == "plays with tic_tac_toe.learned"

    def test_it_can_be_told_to_take_no_notice(self, folder: Path) -> None:
        player = make_player("auto(simulations=50,learned=0)")
        player.start(Start("match", gdl.compile(folder / "tic_tac_toe.kif"), "xplayer", 1), NEVER)
        assert isinstance(player, AutoPlayer)
        assert player.chosen is not None
        assert player.chosen.name == "mcts"
        assert player.note == ""

    @pytest.mark.parametrize(
        ("spoil", "expected"),
        [
            (lambda path: path.write_bytes(b"nonsense"), "not a file that `ggp train` has written"),
            (lambda path: path.with_suffix(".kif").write_text(TOY), "it was learned for other rules"),
        ],
    )
    def test_it_does_without_values_that_do_not_fit_and_says_why(
        self, folder: Path, tmp_path: Path, spoil: Callable[[Path], object], expected: str
    ) -> None:
        for name in ("tic_tac_toe.kif", "tic_tac_toe.learned"):
            shutil.copy(folder / name, tmp_path / name)
        spoil(tmp_path / "tic_tac_toe.learned")
        player = self.started(tmp_path / "tic_tac_toe.kif")
        assert player.chosen is not None
        assert player.chosen.name == "mcts"
        assert player.note == f"does not use tic_tac_toe.learned: {expected}"

    @pytest.mark.parametrize(
        ("change", "expected"),
        [("shape", "no array heads of type float32"), ("facts", "it does not fit the compiled game, so train again")],
    )
    @pytest.mark.parametrize("load", [gdl.compile, gdl.Reasoner.load])
    def test_it_plays_without_values_that_turn_out_to_be_of_no_use(
        self, folder: Path, tmp_path: Path, load: Callable[[Path], Engine], change: str, expected: str
    ) -> None:
        for name in ("tic_tac_toe.kif", "tic_tac_toe.learned"):
            shutil.copy(folder / name, tmp_path / name)
        file = tmp_path / "tic_tac_toe.learned"
        file.write_bytes(packed(changed(read_value(file), change).file()))
        game, notes = load(tmp_path / "tic_tac_toe.kif"), []

        class Observed(AutoPlayer):
            def move(self, turn: Turn) -> Term | str:
                found = super().move(turn)
                notes.append(self.note)
                return found

        player = Observed(simulations=50)
        record = play_match(game, {"xplayer": player, "oplayer": make_player("random")}, MatchSettings(seed=1))
        assert not any(any(row) for row in record.error_rows)
        assert set(notes) == {notes[0]}
        assert notes[0].startswith(f"does not use tic_tac_toe.learned: {expected}")

    def test_a_match_on_the_screen_says_it(self, folder: Path, ggp: Ggp) -> None:
        found = ggp("play", folder / "tic_tac_toe.kif", "--simulations", "50", "--seed", "1", "--quiet")
        assert found.status == 0
        assert found.err.splitlines() == [
            "xplayer plays with tic_tac_toe.learned",
            "oplayer plays with tic_tac_toe.learned",
        ]
