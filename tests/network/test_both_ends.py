"""`ggp host` and `ggp join` with each other: every game, hidden information, and both commands as processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.hidden_numbers import RULES as HIDDEN
from support.joined import joined
from support.served import PATIENCE, Served, served
from support.toy_files import start

from gdl import Reasoner
from ggp.match.match import play_match
from ggp.match.record import MatchRecord, Result
from ggp.match.settings import Settings
from ggp.network.host.connections import Address, ExchangeError, Network
from ggp.network.host.remote_player import RemotePlayer
from ggp.network.protocol.player_server import NetworkPlayerSettings
from ggp.players.simple import RandomPlayer
from ggp.rules.shipped_games import find_game

#: At random a match of wolf and sheep takes 116 plies, but now and then more than the usual limit of 500.
MAX_PLIES = 10_000


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network() as network:
        yield network


def match_of(game: Reasoner, network: Network, *, turns: bool = False, seed: int = 1) -> MatchRecord:
    """A match between players at sockets."""
    with ExitStack() as stack:
        ends: dict[str, Served] = {}
        for role in game.roles:
            ends[role] = stack.enter_context(served(RandomPlayer, NetworkPlayerSettings(seed=seed)))
        players = {
            role: RemotePlayer(Address("127.0.0.1", end.port), network, turns=turns) for role, end in ends.items()
        }
        settings = Settings(seed, MAX_PLIES, PATIENCE, PATIENCE)
        record = play_match(game, players, settings)  # type: ignore[arg-type]
        for end in ends.values():
            assert end.told("finished after")
            assert not any(event.warning for event in end.events), end.events
    return record


def test_a_token(network: Network) -> None:
    with served(RandomPlayer, token="open.sesame") as end:
        address = Address.parse(f"http://127.0.0.1:{end.port}/open.sesame")
        assert RemotePlayer(address, network).introduce(PATIENCE).result().name == "ggp"
        with pytest.raises(ExchangeError, match="HTTP status 404: no-token"):
            RemotePlayer(Address("127.0.0.1", end.port), network).introduce(PATIENCE).result()


def errors_of(record: MatchRecord) -> list[str]:
    rows = [record.initial_errors, *(ply.errors for ply in record.plies), record.last_errors]
    return [error for row in rows for error in row if error]


@pytest.mark.parametrize("name", ["sliding_pieces", "wolf_sheep"])
def test_every_game(name: str, network: Network) -> None:
    record = match_of(Reasoner.load(find_game(name)), network)
    assert record.result is Result.FINISHED
    assert errors_of(record) == []


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_hidden_information(turns: bool, seed: int, network: Network) -> None:
    record = match_of(Reasoner(HIDDEN), network, turns=turns, seed=seed)
    assert record.result is Result.FINISHED
    assert errors_of(record) == []
    assert record.goals[1] == 100


#: The matches of each game between processes.
MATCHES = 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["battle", "wolf_sheep"])
def test_matches_between_processes(name: str, tmp_path: Path) -> None:
    roles = Reasoner.load(find_game(name)).roles
    with ExitStack() as stack:
        ends = [stack.enter_context(joined("--player", "random"))[0] for _ in roles]
        seats = [f"--player={role}=http://127.0.0.1:{end.port}" for role, end in zip(roles, ends, strict=True)]
        clocks = ("--start-clock", "30", "--play-clock", "30")  # no machine is that busy
        limits = (*clocks, "--max-plies", str(MAX_PLIES), "--matches", str(MATCHES))
        host = start("host", name, *limits, "--record", tmp_path, "-q", *seats)
        _, err = host.communicate()
    assert err == ""  # nothing is told but the results
    records = [json.loads(file.read_text()) for file in tmp_path.glob("*.json")]
    assert [record["result"] for record in records] == ["finished"] * MATCHES
    assert [error for record in records for row in record["errors"] for error in row if error] == []
