"""Training for games that are no duels: the same seed gives the same networks, and what is learned is of use."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Ggp
from support.executors import Here

import gdl
from ggp.learning import trainer as training
from ggp.learning.checkpoint import read_checkpoint, write_checkpoint
from ggp.learning.errors import CheckpointError, NotTrainableError
from ggp.learning.measuring import Measuring
from ggp.learning.roles import split
from ggp.learning.self_play_process import actions
from ggp.learning.train import MODULE, Settings, train, value_of
from ggp.learning.trainer import Trainer, method_for
from ggp.match.lineup import LineupError
from ggp.match.match import Match, play_match
from ggp.match.settings import Settings as MatchSettings
from ggp.players import PlayerLoadError, Start, make_player
from ggp.players.auto import AutoPlayer
from ggp.players.clock import NEVER
from ggp.players.learned_values.array_file import ArrayFileError, packed
from ggp.players.learned_values.value import BY_ROLE, LearnedValue, read_value
from ggp.rules.shipped_games import find_game
from ggp.work.job import Executor
from ggp.work.pool import open_executor

#: Three roles, moves at the same time, chance, and one role.
GAMES = ("odd_one_out", "harvest", "pig", "lights_out")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of a tenth of a second."""
    monkeypatch.setattr(training, "_NODES", 2_000)
    monkeypatch.setattr(training, "_PLAYOUTS", 1_000)


def game(name: str) -> gdl.Simulator:
    return gdl.compile(find_game(name))


def learned(trainer: Trainer) -> dict[str, Any]:
    arrays = dict(trainer.arrays())
    for number, network in enumerate(trainer.networks):
        arrays |= {f"{number}_{name}": array for name, array in network.progress().items()}
    return {name: array.copy() for name, array in arrays.items()}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def here() -> Here:
    return Here(actions)


def rounds(name: str, number: int, seed: int = 1, executor: Executor | None = None) -> dict[str, Any]:
    with Trainer(game(name), seed, executor or here()) as trainer:
        for _ in range(number):
            trainer.round()
        return learned(trainer)


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("harvest", "lights_out")),
        *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("odd_one_out", "pig")),
    ],
)
def test_the_seed_determines_what_is_learned_and_the_number_of_processes_does_not(name: str) -> None:
    once = rounds(name, 3)
    for jobs in (1, 3):
        with open_executor(MODULE, jobs=jobs) as pool:
            assert same(rounds(name, 3, executor=pool), once)
    assert not same(rounds(name, 3, seed=2), once)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["odd_one_out", pytest.param("pig", marks=pytest.mark.exhaustive)])
def test_a_training_that_goes_on_learns_what_an_uninterrupted_one_does(name: str, tmp_path: Path) -> None:
    simulator, path = game(name), tmp_path / "some.training"
    with Trainer(simulator, 5, here()) as whole:
        for done in range(4):
            if done == 2:
                write_checkpoint(path, whole, 12.5)
            whole.round()
        wanted, progress = learned(whole), whole.progress
        assert whole.earlier() is not None
    with Trainer(simulator, 0, here()) as trainer:
        assert read_checkpoint(path, trainer, None) == 12.5
        for _ in range(2):
            trainer.round()
        assert trainer.progress == progress
        assert same(learned(trainer), wanted)


def test_a_training_of_another_kind_does_not_go_on(tmp_path: Path) -> None:
    path = tmp_path / "some.training"
    with Trainer(game("lights_out"), 5, here()) as trainer:
        trainer.method.roles = ("robot", "other")
        write_checkpoint(path, trainer, 1.0)
    with Trainer(game("lights_out"), 5, here()) as trainer, pytest.raises(CheckpointError, match="of another kind"):
        read_checkpoint(path, trainer, None)


@pytest.mark.parametrize("name", [pytest.param("odd_one_out", marks=pytest.mark.slow), "lights_out"])
@pytest.mark.slow
def test_measuring_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.learning.measuring.NODES", 50)
    with Trainer(game(name), 1, here()) as trainer, Measuring(trainer) as measuring:
        for _ in range(3):
            trainer.round()
            assert 0 <= measuring.expected() <= 100
            score = measuring.against_earlier()
        auto = None
        while auto is None:
            auto = measuring.against_auto(value_of(trainer))
        assert same(learned(trainer), rounds(name, 3))
    assert score is not None
    assert score.games >= 16
    assert 0 <= score.points <= score.games


def test_all_splits_of_roles_are_played() -> None:
    assert [split(turn, 3) for turn in range(7)] == [1, 2, 3, 4, 5, 6, 1]


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("(role random) (legal random go) (init a) (<= terminal (true b)) (next b)", "no role but chance"),
        ("(role r) (legal r go) (init a) (next a) (<= terminal (true b)) (goal r 1)", "has come to an end"),
        ("(role r) (legal r go) (init a) (<= terminal (true a)) (goal r 1)", "is over at its start"),
    ],
)
def test_what_cannot_be_trained(rules: str, reason: str) -> None:
    with pytest.raises(NotTrainableError, match=rf"not-trainable: .*{reason}; training needs states that all roles"):
        method_for(gdl.compile(rules))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with games and values for them, after two rounds of training."""
    made = tmp_path_factory.mktemp("roles")
    for name in ("odd_one_out", "lights_out"):
        path = made / f"{name}.kif"
        shutil.copy(find_game(name), path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(training, "_NODES", 20_000)
            patch.setattr(training, "_PLAYOUTS", 4_000)
            list(train(gdl.compile(path), made / f"{name}.learned", Settings(rounds=2, measure=False), here()))
    return made


def test_a_file_has_a_network_for_each_role(folder: Path) -> None:
    simulator = gdl.compile(folder / "odd_one_out.kif")
    value = read_value(folder / "odd_one_out.learned")
    assert (value.file().format, value.roles) == (BY_ROLE, ("red", "green", "blue"))
    assert value.arrays["weights"].shape == (3, len(simulator.all_facts), 17)
    # In a file, facts may be in any order.
    links = value.arrays["links"].copy()
    links[:, 0] = len(value.facts) - 1 - links[:, 0]
    arrays = {**value.arrays, "weights": value.arrays["weights"][:, ::-1], "links": links[::-1]}
    turned = LearnedValue(value.rules, value.facts[::-1], value.made, arrays, value.roles)
    holds = np.random.default_rng(1).integers(0, 2, (20, len(value.facts))).astype(np.float32)
    for one, other in zip(value.networks(simulator, "a"), turned.networks(simulator, "b"), strict=True):
        assert np.allclose(one.values(holds), other.values(holds), atol=1e-5)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"heads": np.zeros((2, 33), np.float32)}, "no array heads for 3 roles"),
        ({"weights": np.zeros((3, 63), np.float32)}, "no array weights"),
        ({"weights": np.float32(np.zeros((3, 63, 16)))}, "no array weights"),
    ],
)
def test_values_that_do_not_fit(folder: Path, tmp_path: Path, change: dict[str, Any], expected: str) -> None:
    value = read_value(folder / "odd_one_out.learned")
    path = tmp_path / "some.learned"
    spoilt = LearnedValue(value.rules, value.facts, value.made, {**value.arrays, **change}, value.roles)
    path.write_bytes(packed(spoilt.file()))
    with pytest.raises(ArrayFileError, match=f"learned-file: {expected}"):
        read_value(path)
    others = LearnedValue(value.rules, value.facts, value.made, value.arrays, ("red", "blue", "green"))
    with pytest.raises(ArrayFileError, match="its roles are other ones"):
        others.networks(gdl.compile(folder / "odd_one_out.kif"), str(path))


def test_matches_with_learned_values(folder: Path) -> None:
    game = gdl.compile(folder / "odd_one_out.kif")
    points = 0.0
    for seed in range(6):
        own = make_player(f"learned({folder}/odd_one_out.learned,simulations=100)")
        players = {role: own if number == seed % 3 else make_player("random") for number, role in enumerate(game.roles)}
        record = play_match(game, players, MatchSettings(seed=seed))
        assert record.goals is not None
        assert not any(any(ply.errors) for ply in record.plies)
        points += (record.goals[seed % 3] or 0) / 100
    assert own.name == "learned(odd_one_out.learned)"
    assert points >= 3  # two would be a third of the points
    with pytest.raises(LineupError, match=r"odd_one_out\.learned: it was learned for other rules"):
        Match(gdl.Reasoner.load(find_game("pig")), {"left": own, "right": make_player("random")}, MatchSettings(seed=1))


def test_with_no_weight_learned_values_change_no_move(folder: Path) -> None:
    game = gdl.compile(folder / "odd_one_out.kif")

    def moves(player: str) -> list[Any]:
        players = {role: make_player(player) for role in game.roles}
        return [ply.moves for ply in play_match(game, players, MatchSettings(seed=3)).plies]

    file = f"{folder}/odd_one_out.learned"
    plain = moves("mcts(simulations=200)")
    assert moves(f"learned({file},simulations=200,weight=0)") == plain
    assert moves(f"learned({file},simulations=200,weight=1)") != plain


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("nodes=5", "nodes is for values of a duel"),
        ("weight=1.5", "weight is 1.5, but must be a number from 0 to 1"),
        ("depth=1", "learned: no option depth; the options are FILE, nodes, simulations, ponder, weight"),
    ],
)
def test_options_that_do_not_suit_the_values(folder: Path, options: str, expected: str) -> None:
    with pytest.raises(PlayerLoadError, match=expected):
        make_player(f"learned({folder}/odd_one_out.learned,{options})")


def test_alphabeta_cannot_play_with_values_of_roles(tmp_path: Path) -> None:
    wanted = Settings(rounds=1, measure=False, search="alphabeta")
    with pytest.raises(NotTrainableError, match=r"alphabeta cannot play .*; it needs two roles that take turns"):
        list(train(game("pig"), tmp_path / "pig.learned", wanted, Here(actions)))


@pytest.mark.parametrize(
    ("name", "chosen", "note"),
    [
        ("odd_one_out", "learned(odd_one_out.learned)", "plays with odd_one_out.learned"),
        ("lights_out", "planner(lights_out.learned)", "plays with lights_out.learned"),
    ],
)
def test_auto_takes_values_beside_the_rules(folder: Path, name: str, chosen: str, note: str) -> None:
    game = gdl.compile(folder / f"{name}.kif")
    player = AutoPlayer(simulations=50)
    player.start(Start("match", game, game.roles[0], 1), NEVER)
    assert player.chosen is not None
    assert (player.chosen.name, player.note) == (chosen, note)


def test_what_the_value_of_a_role_is_made_of(folder: Path, ggp: Ggp) -> None:
    file = folder / "odd_one_out.learned"
    found = ggp("explain", "value", folder / "odd_one_out.kif", file, "--role", "GREEN", "--lines", "3")
    assert found.status == 0
    assert found.lines[0].endswith(" points: the goal of green, before any search")
    game = gdl.compile(folder / "odd_one_out.kif")
    value = read_value(file)
    holds = {fact.text.lower() for fact in game.initial_state()}
    row = np.array([[fact in holds for fact in value.facts]], np.float32)
    assert float(found.lines[0].split()[0]) == pytest.approx(
        100 * float(value.networks(game, "")[1].values(row)[0]), abs=0.06
    )
    first = ggp("explain", "value", folder / "odd_one_out.kif", file, "--lines", "3")
    assert first.lines[0].endswith("the goal of red, before any search")


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        ("explain", ("value", "connect_four", "FILE", "--role", "red"), "one value for both roles"),
        ("explain", ("value", "connect_four", "FILE", "--role", "blue"), "unknown-role: no role blue"),
        ("render", ("connect_four", "--role", "red"), "this is for --value"),
    ],
)
def test_roles_that_have_no_value(ggp: Ggp, command: str, arguments: tuple[str, ...], expected: str) -> None:
    file = str(find_game("connect_four").with_suffix(".learned"))
    found = ggp(command, *(file if argument == "FILE" else argument for argument in arguments))
    assert found.status == 2
    assert expected in " ".join(found.err.split())


def test_a_board_is_shaded_for_a_role(folder: Path, ggp: Ggp, tmp_path: Path) -> None:
    output = tmp_path / "heat.svg"
    file = folder / "odd_one_out.learned"
    options = ("--value", file, "--role", "blue", "--moves", "(place 2 2)")
    done = ggp("render", folder / "odd_one_out.kif", *options, "-o", output)
    assert (done.status, done.err) == (0, "")
    text = output.read_text()
    assert "Good for blue: blue; bad: orange" in text
    assert "points</title>" in text


def test_auto_goes_on_without_values_that_do_not_fit_the_compiled_game(folder: Path, tmp_path: Path) -> None:
    value = read_value(folder / "lights_out.learned")
    (tmp_path / "lights_out.kif").write_bytes((folder / "lights_out.kif").read_bytes())
    other = LearnedValue(value.rules, ("(other)", *value.facts[1:]), value.made, value.arrays, value.roles)
    (tmp_path / "lights_out.learned").write_bytes(packed(other.file()))
    game, player = gdl.Reasoner.load(tmp_path / "lights_out.kif"), AutoPlayer(simulations=50)
    record = play_match(game, {game.roles[0]: player}, MatchSettings(seed=1, max_plies=2))
    assert not any(any(row) for row in record.error_rows)
    assert player.note == (
        "does not use lights_out.learned: it does not fit the compiled game, so train again: its facts are other ones"
    )
