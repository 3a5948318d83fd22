"""Data sets: every row is what the Reasoner says, in both formats, and files are whole."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Ggp
from support.environments import SMALL, small
from support.processes import soon

import gdl
from gdl.engine import is_nature
from ggp.environments.datasets import DatasetError, Matches, Written, write_dataset
from ggp.environments.game import EnvironmentGame
from ggp.environments.observations import FactsObserver, observer_of
from ggp.environments.perspective import Side
from ggp.players import make_player

GAMES: dict[tuple[str, Side], EnvironmentGame] = {}


def game_of(name: str, perspective: Side = "fixed") -> EnvironmentGame:
    if name in SMALL:
        return small(name)
    return GAMES.setdefault((name, perspective), EnvironmentGame(name, perspective=perspective))


def matches(game: EnvironmentGame, number: int, player: str, *, text: bool = False, max_plies: int = 500) -> Matches:
    return Matches(number, dict.fromkeys(game.agent_roles, player), 7, max_plies, text)


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns of a file as lists and arrays, and what it is about."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            columns: dict[str, Any] = {name: file[name] for name in file.files}
        about = json.loads(columns.pop("about").item())
        if "state" in columns:
            columns["state"] = [text.decode() for text in columns["state"].tolist()]
        return columns, about
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = parquet.read_table(path)
    columns = {}
    for name in table.column_names:
        values = table[name].to_pylist()
        if name in ("observation", "mask"):
            columns[name] = np.array([list(value) for value in values], np.uint8)
        else:
            columns[name] = values if name == "state" else np.array(values)
    return columns, json.loads(parquet.read_metadata(path).metadata[b"ggp"])


def agrees(game: EnvironmentGame, path: Path, written: Written, replayed: int = 1000) -> None:
    """Replay the first matches of a file with the Reasoner."""
    columns, about = read(path)
    engine = game.simulator.reasoner
    assert about["moves"] == [move.text for move in game.actions]
    observer = observer_of(game)
    legend = observer.legend
    assert tuple(about["observation"]) == legend
    observed = np.unpackbits(columns["observation"], axis=1, count=len(legend), bitorder="little")
    masks = np.unpackbits(columns["mask"], axis=1, count=len(game.actions), bitorder="little")
    assert about["matches"] == written.matches
    assert len(observed) == written.rows
    numbers = columns["match"]
    assert (np.diff(numbers) >= 0).all()
    chance = any(map(is_nature, game.roles))
    state, ply, last = engine.initial_state(), 0, -1
    chosen: dict[str, Any] = {}
    for row, number in enumerate(numbers):
        if number >= replayed:
            break
        role, action = int(columns["role"][row]), int(columns["action"][row])
        if number != last:
            state, ply, last, chosen = engine.initial_state(), 0, number, {}
        while ply < columns["ply"][row]:  # plies without a choice have no rows
            if not chance:
                joint = {name: chosen.get(name) or engine.legal_moves(state, name)[0] for name in game.roles}
                state = engine.next_state(state, joint)
            ply, chosen = ply + 1, {}
        if "state" in columns:
            shown = engine.state([f"{text}"[6:-1] for text in _facts(columns["state"][row])])
            assert chance or shown == state
            state = shown
        legal = {game.action(move, role) for move in engine.legal_moves(state, game.roles[role])}
        assert set(np.flatnonzero(masks[row])) == legal
        assert action in legal
        assert len(legal) > 1 or game.hides_states
        if isinstance(observer, FactsObserver) and game.perspective == "fixed":
            seen = {text for text, one in zip(legend, observed[row], strict=True) if one}
            assert seen == {fact.text for fact in state} & set(legend)
        chosen[game.roles[role]] = game.move(action, role)
        if row + 1 == len(numbers) or numbers[row + 1] != number:
            goals = columns["goals"][row]
            if chance or goals[0] == -1:
                continue
            while True:
                joint = {name: chosen.get(name) or engine.legal_moves(state, name)[0] for name in game.roles}
                state, chosen = engine.next_state(state, joint), {}
                if engine.is_terminal(state):
                    break
                assert all(len(engine.legal_moves(state, name)) == 1 for name in game.roles)
            assert goals.tolist() == [engine.goal(state, name) for name in game.agent_roles]


def _facts(text: str) -> list[str]:
    return text.replace(") (true ", ")\n(true ").split("\n")


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize(
    ("name", "player", "text"),
    [
        ("tic_tac_toe", "random", False),
        ("tic_tac_toe", "greedy", True),
        ("pennies", "random", True),
        ("pennies", "legal", False),
        ("dice", "random", True),
        ("cards", "random", True),
        ("three", "random", False),
    ],
)
def test_rows_agree_with_the_reasoner(name: str, player: str, text: bool, ending: str, tmp_path: Path) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    game, path = game_of(name), tmp_path / f"games.{ending}"
    written = write_dataset(path, game, matches(game, 6, player, text=text), make_player)
    assert (written.matches, written.truncated) == (6, 0)
    agrees(game, path, written)


@pytest.mark.parametrize("player", ["random", "legal"])
def test_rows_from_the_movers_side(player: str, tmp_path: Path) -> None:
    game, fixed = game_of("breakthrough", "mover"), game_of("breakthrough")
    files = [tmp_path / "mover.npz", tmp_path / "fixed.npz"]
    for path, one in zip(files, (game, fixed), strict=True):
        written = write_dataset(path, one, matches(one, 2, player), make_player)
    agrees(game, files[0], written if player == "legal" else Written(2, 0, len(read(files[0])[0]["match"])))
    columns, about = read(files[0])
    assert about["perspective"] == "mover"
    observed = np.unpackbits(columns["observation"], axis=1, count=len(about["observation"]), bitorder="little")
    begin = np.flatnonzero(columns["ply"] == 0)[0]
    first = observer_of(game)
    assert isinstance(first, FactsObserver)
    own = [number for number, text in enumerate(about["observation"]) if text == "(control white)"]
    assert observed[begin][own] == observed[begin + 1][own] == 1  # each role has the move, as the first one sees it


def test_a_seed_repeats_all(tmp_path: Path) -> None:
    game = game_of("tic_tac_toe")
    for player in ("random", "greedy"):
        found = []
        for name in ("a.npz", "b.npz"):
            write_dataset(tmp_path / name, game, matches(game, 20, player), make_player)
            found.append((tmp_path / name).read_bytes())
        one, other = (np.load(tmp_path / name) for name in ("a.npz", "b.npz"))
        assert all(np.array_equal(one[column], other[column]) for column in one.files)
        assert len({tuple(one["action"][one["match"] == number]) for number in range(20)}) > 1 or player == "greedy"


def test_matches_that_are_cut_off_have_no_goals(tmp_path: Path) -> None:
    game = game_of("tic_tac_toe")
    for player in ("random", "legal"):
        written = write_dataset(tmp_path / "a.npz", game, matches(game, 5, player, max_plies=3), make_player)
        assert (written.truncated, written.rows) == (5, 15)
        assert (read(tmp_path / "a.npz")[0]["goals"] == -1).all()


def test_an_interrupt_leaves_the_matches_that_were_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.environments.datasets._LANES", 10)
    game, path = game_of("tic_tac_toe"), tmp_path / "a.npz"

    def interrupt(written: Written) -> None:
        if written.matches >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(path, game, matches(game, 1000, "random"), make_player, interrupt)
    columns, about = read(path)
    assert about["matches"] == 30
    assert sorted(set(columns["match"].tolist())) == list(range(30))
    agrees(game, path, Written(30, 0, len(columns["match"])))
    before = path.read_bytes()

    def none_yet(_: str) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(path, game, matches(game, 1000, "greedy"), none_yet)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["a.npz"]


def test_a_game_without_choices_has_no_rows(tmp_path: Path) -> None:
    game = EnvironmentGame(
        gdl.compile("(role r) (legal r m) (init a) (<= (next b) (true a)) (<= terminal (true b)) (goal r 9)")
    )
    for player in ("random", "legal"):
        with pytest.raises(DatasetError, match="ever has a choice"):
            write_dataset(tmp_path / "a.npz", game, matches(game, 5, player), make_player)
    assert not list(tmp_path.iterdir())


class TestCommand:
    def test_it_plays_and_says_what_the_file_has(self, ggp: Ggp, tmp_path: Path) -> None:
        path = tmp_path / "games.npz"
        outcome = ggp("dataset", "tic_tac_toe", "-o", path, "--games", 50, "--seed", 1, "--player", "xplayer=legal")
        assert outcome.status == 0, outcome.err
        columns, about = read(path)
        assert outcome.out.splitlines() == [f"{path}   50 matches, {len(columns['match'])} rows   seed 1"]
        assert about["players"] == {"xplayer": "legal", "oplayer": "random"}

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["-o", "games.csv"], "games.csv: dataset: the name of the file must end with .npz or .parquet"),
            (["-o", "no/games.npz"], "the folder for no/games.npz does not exist"),
            (["-o", "games.npz", "--perspective", "up"], "up is no side"),
            (["-o", "games.npz", "--player", "nobody"], "no player nobody"),
            (
                ["-o", "games.npz", "--player", "mine.py:Broken"],
                "games.npz: dataset: match 0: OSError: lost (mine.py:4",
            ),
        ],
    )
    def test_what_is_refused(
        self, arguments: list[str], reason: str, ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("mine.py").write_text(
            "class Broken:\n    name = 'broken'\n    def start(self, start, deadline): pass\n"
            "    def move(self, turn): raise OSError('lost')\n    def stop(self, end): pass\n"
        )
        outcome = ggp("dataset", "tic_tac_toe", "--games", "3", *arguments)
        assert outcome.status == 2
        assert reason in outcome.err
        assert not list(tmp_path.glob("*.npz"))

    def test_parquet_needs_its_library(self, ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        outcome = ggp("dataset", "tic_tac_toe", "-o", tmp_path / "a.parquet", "--games", 3)
        assert outcome.status == 2
        assert "pyarrow is not installed; `pip install 'ggp[parquet]'` installs it" in outcome.err
        assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_a_signal_leaves_a_whole_file(ending: str, tmp_path: Path) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = tmp_path / f"games.{ending}"
    for i in range(3):
        command = [sys.executable, "-m", "ggp", "dataset", "connect_four", "-o", path, "--games", "100000000"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert soon(lambda: any(one.name.endswith(".tmp") for one in tmp_path.iterdir()))
        time.sleep(1.5 + 0.13 * i)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130, told
        if not told.startswith(str(path)):  # it came before the first matches were over
            continue
        if ending == "npz":
            with np.load(path) as file:
                numbers, about = file["match"], json.loads(file["about"].item())
        else:
            parquet = pytest.importorskip("pyarrow.parquet")
            numbers = parquet.read_table(path, columns=["match"])["match"].to_numpy()
            about = json.loads(parquet.read_metadata(path).metadata[b"ggp"])
        assert f"{about['matches']:,} matches, {len(numbers):,} rows" in told
        assert numbers[-1] == about["matches"] - 1
        path.unlink()
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_million_rows_of_connect_four_take_seconds(tmp_path: Path) -> None:
    game, path = game_of("connect_four"), tmp_path / "games.npz"
    write_dataset(path, game, matches(game, 100, "random"), make_player)
    begin = time.process_time()
    written = write_dataset(path, game, matches(game, 47_000, "random"), make_player)
    spent = time.process_time() - begin
    assert written.rows > 1_000_000
    assert spent < 2
    agrees(game, path, written, replayed=100)
