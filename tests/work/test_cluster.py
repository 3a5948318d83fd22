"""Tournaments on a Ray cluster of several nodes: the same tables as here, whatever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.processes import descendants, soon
from support.ray_cluster import LOOPBACK, RayCluster
from support.tournament_players import players_in

from ggp.players.learned_values.value import read_value
from ggp.work.job import ATTEMPTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs ggp[ray]"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a loopback with several addresses"),
]

#: Seconds that a tournament may take, on a busy machine.
PATIENCE = 240


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with RayCluster(3) as made:
        yield made


class Tournament:
    """A tournament of 36 matches, by players whose moves depend on nothing but their seeds."""

    TOTAL = 36

    def __init__(self, folder: Path, logs: Path) -> None:
        """Use one `folder` for all tournaments that are compared, as seeds depend on the names of players."""
        self._log = folder / "log.txt"
        self._log.unlink(missing_ok=True)
        self._logs = logs
        # One of the players tells of each match, and takes its time.
        self._slow = players_in(folder, self._log)("Slow")

    def start(self, *options: str, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
        players = f"{self._slow},random,uct(simulations=5)"
        command = ["tournament", "tic_tac_toe", "--players", players, "--games", "12", "--seed", "1", "--json"]
        command += ["--player-logs", str(self._logs)]
        return start(command, *options, environment=environment)

    def processes(self) -> list[str]:
        """The processes that play its matches, on any node."""
        return [line for line in descendants(1).values() if f"match_process {4 << 30} {self._logs}" in line]

    def wait_for(self, matches: int) -> None:
        """Wait until some matches of the slow player are over."""
        wait_for(self._log, matches)


def wait_for(log: Path, matches: int) -> None:
    """Wait until the log lists this number of matches."""
    assert soon(lambda: log.exists() and len(log.read_text().splitlines()) >= matches, PATIENCE)


def start(command: list[str], *options: str, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ggp", *command, *options],
        env=environment or dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str], status: int = 0) -> dict[str, Any]:
    """Wait for a tournament, and return its JSON."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == status, err
    found: dict[str, Any] = json.loads(out)
    return found | {"stderr": err}


def tables(found: dict[str, Any]) -> Any:
    """The tables without the times of players, which differ from run to run."""
    lines = [line for table in found["tables"] for line in table["lines"]]
    for line in lines:
        assert line.pop("seconds") > 0
        assert line.pop("slowest") > 0
    return found["tables"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("players")


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    """The tables of the same tournament in processes of this machine."""
    return tables(ended(Tournament(folder, folder / "here").start("--jobs", "2")))


@pytest.fixture
def tournament(folder: Path, tmp_path: Path) -> Tournament:
    return Tournament(folder, tmp_path)


def test_three_nodes_give_the_same_tables(cluster: RayCluster, expected: Any, tournament: Tournament) -> None:
    environment = {**cluster.environment, "RAY_ADDRESS": cluster.address}
    running = tournament.start("--ray", "auto", environment=environment)
    tournament.wait_for(1)
    assert soon(lambda: len(tournament.processes()) > 1)
    found = ended(running)
    assert tables(found) == expected
    work = found["work"]
    assert (work["nodes"], work["cores"], work["done"], work["waiting"], work["failed"]) == (
        3,
        3,
        tournament.TOTAL,
        0,
        0,
    )
    assert soon(lambda: not tournament.processes())


def test_a_node_may_be_killed_and_replaced(cluster: RayCluster, expected: Any, tournament: Tournament) -> None:
    running = tournament.start("--ray", cluster.address, environment=cluster.environment)
    tournament.wait_for(6)
    cluster.do("kill")
    cluster.do("add")
    found = ended(running)
    assert tables(found) == expected
    assert (found["work"]["done"], found["lost"]) == (tournament.TOTAL, [])


def test_a_killed_command_continues_from_its_store(
    cluster: RayCluster, expected: Any, tournament: Tournament, tmp_path: Path
) -> None:
    options = ("--ray", cluster.address, "--store", str(tmp_path / "kept.sqlite"))
    running = tournament.start(*options, environment=cluster.environment)
    tournament.wait_for(6)
    running.kill()
    running.communicate()
    assert soon(lambda: not tournament.processes())
    found = ended(tournament.start(*options, environment=cluster.environment))
    assert tables(found) == expected
    assert 0 < found["work"]["done"] < tournament.TOTAL


def test_a_command_says_that_the_head_died_and_continues_without(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    held = players_in(tmp_path, log)("Held")
    command = ["tournament", "tic_tac_toe", "--players", f"{held},random", "--games", "20", "--seed", "1", "--json"]
    command += ["--store", str(tmp_path / "kept.sqlite")]
    with RayCluster(2) as cluster:
        running = start(command, "--ray", cluster.address, environment=cluster.environment)
        wait_for(log, 4)
        cluster.do("kill head")
        found = ended(running, 2)
        assert f"the head of the cluster, {cluster.address}, is gone" in found["stderr"]
        assert 0 < found["work"]["done"] < 20
    Path(f"{log}.go").touch()
    rest = ended(start(command, "--jobs", "2"))
    assert rest["work"]["done"] == 20 - found["work"]["done"]
    assert (rest["played"], rest["lost"]) == (20, [])


def test_files_are_checked_as_here(cluster: RayCluster) -> None:
    command = ["check", "tic_tac_toe", "battle", "wolf_sheep", "--simulate", "--seconds", "0"]
    command += ["--playouts", "3", "--json"]
    here = ended(start(command, "--jobs", "2"))
    there = ended(start(command, "--ray", cluster.address, environment=cluster.environment))
    assert [file["properties"] != [] for file in here["files"]] == [True] * 3
    assert there["files"] == here["files"]


def test_ctrl_c_leaves_no_process(cluster: RayCluster, tournament: Tournament) -> None:
    running = tournament.start("--ray", cluster.address, environment=cluster.environment)
    tournament.wait_for(1)
    running.send_signal(signal.SIGINT)
    assert ended(running, 130)["played"] < tournament.TOTAL
    assert soon(lambda: not tournament.processes())


def test_a_match_that_kills_its_process_is_set_aside(cluster: RayCluster, tmp_path: Path) -> None:
    killer = players_in(tmp_path, tmp_path / "log.txt")("Killer")
    command = ["tournament", "tic_tac_toe", "--players", f"{killer},random,legal", "--games", "1", "--json"]
    found = ended(start(command, "--ray", cluster.address, environment=cluster.environment), 1)
    assert found["played"] == 1
    assert [f"{ATTEMPTS} times" in lost["reason"] for lost in found["lost"]] == [True, True]
    assert found["work"]["retried"] == 2 * (ATTEMPTS - 1)
    assert found["stderr"].count(f"it runs again, attempt {ATTEMPTS} of {ATTEMPTS}") == 2


def test_bulk_playouts_have_the_same_sums(cluster: RayCluster) -> None:
    command = ["bench", "sums", "tic_tac_toe", "--playouts", "40000000", "--seed", "1", "--json"]
    here = ended(start(command, "--jobs", "1"))
    there = ended(start(command, "--ray", cluster.address, environment=cluster.environment))
    for found in (here, there):
        assert found.pop("work")["done"] == 3
        found.pop("stderr")
    assert here == there
    assert sum(here["counts"]["xplayer"].values()) == 40_000_000


def test_a_training_goes_on_when_a_node_dies(cluster: RayCluster, tmp_path: Path) -> None:
    """It learns the same as in processes of this machine."""

    def training(name: str, *options: str) -> subprocess.Popen[str]:
        command = ["train", "tic_tac_toe", "-o", str(tmp_path / f"{name}.learned"), "--seed", "3", "--no-measure"]
        return start([*command, "--rounds", "12", "--json"], *options, environment=cluster.environment)

    running = training("there", "--ray", cluster.address)
    assert running.stdout is not None
    assert json.loads(running.stdout.readline())["rounds"] < 12
    cluster.do("kill")
    cluster.do("add")
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, err
    last = json.loads(out.splitlines()[-1])
    assert (last["rounds"], last["work"]["done"], last["work"]["failed"]) == (12, 1 + 12 * 8, 0)
    training("here", "--jobs", "2").communicate(timeout=PATIENCE)
    there, wanted = (read_value(tmp_path / f"{name}.learned").arrays for name in ("there", "here"))
    assert there.keys() == wanted.keys()
    assert all(np.array_equal(there[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("address", [f"{LOOPBACK}:9", f"{LOOPBACK}:70000", "nonsense"])
def test_an_address_without_a_cluster_is_refused(address: str) -> None:
    refused = start(["tournament", "tic_tac_toe", "--players", "random,legal", "--ray", address])
    _, err = refused.communicate(timeout=PATIENCE)
    assert refused.returncode == 2
    assert err.startswith(f"no Ray cluster at {address}: ")
    assert len(err.splitlines()) == 1
