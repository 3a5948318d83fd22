"""Players of local matches that are not part of ggp: their failures, their limits and their output."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.hostile_players import hostile
from support.toy_games import Nim

import ggp
from gdl import Reasoner
from ggp.match.isolation import isolated_player
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.isolation.local import LocalPlayers
from ggp.match.isolation.log import LARGEST_LOG, LogFolder, PlayerLog
from ggp.match.lineup import LineupError
from ggp.match.match import play_match
from ggp.match.record import MatchRecord
from ggp.match.settings import Settings
from ggp.players import PlayerLoadError, UnknownPlayerError
from ggp.players.simple import LegalPlayer
from ggp.rules.shipped_games import find_game

GAME = Reasoner.load(find_game("tic_tac_toe"))

#: Enough for a player that does nothing, and too little for one that allocates 10 GB.
MEMORY = 2 << 30


class Hostiles:
    """Matches between the hostile player and an honest one."""

    def __init__(self, folder: Path, locals_: LocalPlayers) -> None:
        self.name = hostile(folder)
        self.locals = locals_

    def play(self, what: str, clock: float | None = None, plies: int = 3) -> MatchRecord:
        players = {"xplayer": self.locals.make(self.name), "oplayer": LegalPlayer()}
        return play_match(GAME, players, Settings(1, plies, clock, clock), name=what)

    @property
    def log(self) -> str:
        return self.locals.logs[self.name].read_text()


@pytest.fixture(scope="module")
def hostiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostiles]:
    folder = tmp_path_factory.mktemp("hostile")
    with LocalPlayers(memory=MEMORY, logs=folder / "logs") as players:
        yield Hostiles(folder, players)


def test_an_honest_match_has_no_faults(hostiles: Hostiles) -> None:
    record = hostiles.play("nothing", 30.0, plies=9)
    assert record.players == ("hostile", "legal")
    assert not any(record.initial_errors + record.last_errors)
    assert not any(error for ply in record.plies for error in ply.errors)


def test_output_goes_to_the_log(hostiles: Hostiles, capfd: pytest.CaptureFixture[str]) -> None:
    record = hostiles.play("nothing")
    assert capfd.readouterr() == ("", "")
    # A thread copies the output, and may not have copied that of the match before until this one began.
    entry = rf"--- {re.escape(record.match_id)}, xplayer, process \d+\n(the end\n)?ready to nothing\nthe end\n"
    deadline = time.monotonic() + 10.0
    while not re.search(entry, hostiles.log):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert hostiles.locals.logs[hostiles.name].name == "Hostile.log"


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("exit", "CE exit status 3; last output: ready to exit I give up"),
        ("crash", r'CE signal SIGSEGV; last output: Fatal Python error: Segmentation fault File ".*", line \d+ in .*'),
        ("eat", r"CE MemoryError \(hostile.py:\d+ in eat\)"),
        ("engine", r"CE ValueError: Reasoner \(hostile.py:\d+ in engine\)"),
        ("forge", r"CE not a reply; last output: ready to forge"),
    ],
)
def test_failures_are_recorded_and_the_match_goes_on(hostiles: Hostiles, what: str, error: str) -> None:
    record = hostiles.play(what)
    assert re.fullmatch(error, record.plies[0].errors[0])
    assert [ply.errors for ply in record.plies[1:]] == [("", ""), ("", "")]
    assert not any(record.last_errors)


def test_a_new_process_is_told_the_past(hostiles: Hostiles) -> None:
    record = hostiles.play("remember")
    own = [ply.moves[0] for ply in record.plies]
    deadline = time.monotonic() + 10.0
    while len(lines := [line for line in hostiles.log.splitlines() if line.startswith("past")]) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert lines == [f"past {own[:1]}", f"past {own[:1]}"]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["hold", "shout"])
def test_a_player_that_overruns_its_clock_is_late_and_replaced(
    hostiles: Hostiles, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated_player, "OVERRUN", 0.1)
    clock = 0.3
    began = time.monotonic()
    player = hostiles.locals.make(hostiles.name)
    assert isinstance(player, IsolatedPlayer)
    match = ggp.Match(GAME, {"xplayer": player, "oplayer": LegalPlayer()}, Settings(1, 2, 30.0, clock), name=what)
    with match:
        plies = match.plies()
        first = next(plies)
        assert first.errors == ("TO", "")
        assert clock <= first.seconds[0] < clock + 2.0  # the load of the machine, not the time of pow
        time.sleep(1.5)  # a person thinks, and a new process gets ready
        assert next(plies).errors[1] == ""
    assert time.monotonic() - began < 20.0


def test_a_hanging_process_ends_with_its_match(hostiles: Hostiles) -> None:
    began = time.monotonic()
    record = hostiles.play("hold", 0.3, plies=1)
    assert record.last_errors == ("TO", "")
    assert time.monotonic() - began < 10.0
    assert hostiles.play("nothing", 30.0).plies[0].errors == ("", "")


def test_a_player_that_compiles_gets_the_compiled_game(tmp_path: Path) -> None:
    with LocalPlayers(logs=tmp_path) as players:
        player = players.make(hostile(tmp_path, "Compiled"))
        assert isinstance(player, IsolatedPlayer)
        assert player.compiles
        record = play_match(GAME, {"xplayer": player, "oplayer": LegalPlayer()}, Settings(1, 1), name="engine")
    assert record.plies[0].errors[0].startswith("CE ValueError: Simulator (hostile.py:")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Leaving", "exit status 4; last output: on my way"),
        ("Nobody", "AttributeError: module 'ggp_player_hostile' has no attribute 'Nobody'"),
    ],
)
def test_players_that_cannot_be_loaded_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    with LocalPlayers(logs=tmp_path) as players:
        full = hostile(tmp_path, name)
        with pytest.raises(PlayerLoadError) as caught:
            players.make(full)
    assert str(caught.value) == f"player-load: {full}: {reason}"


def test_own_players_need_no_process() -> None:
    with LocalPlayers() as players:
        assert isinstance(players.make("legal"), LegalPlayer)
        assert not isinstance(players.make("mcts(simulations=5)"), IsolatedPlayer)
        with pytest.raises(UnknownPlayerError):
            players.make("nobody")
    assert players.logs == {}


def test_in_python(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    name = hostile(tmp_path)
    record = ggp.play(GAME, {"xplayer": name, "oplayer": LegalPlayer()}, max_plies=1, player_logs=tmp_path / "logs")
    error = "AttributeError: 'Hostile' object has no attribute 'tic_tac_toe'"
    assert record.plies[0].errors[0].startswith(f"CE {error} (hostile.py:")
    assert caplog.messages == [f"output of {name}: {tmp_path / 'logs' / 'Hostile.log'}"]


def test_an_engine_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LineupError) as caught:
        ggp.play(Nim(), {"left": hostile(tmp_path), "right": "legal"}, player_logs=tmp_path)
    text = "hostile needs the text of the rules, which this engine lacks; pass an object"
    assert str(caught.value) == f"lineup: {text}"


def test_a_log_keeps_the_latest_output(tmp_path: Path) -> None:
    log = PlayerLog("some.py:Player(a=1)", LogFolder(tmp_path / "new"))
    assert log.path is None
    for number in range(300):
        log.write("process 1", b"%d\n" % number + b"x" * 10_000)
        assert log.path is not None
        assert log.path.stat().st_size <= LARGEST_LOG
    log.close()
    log.write("process 1", b"too late")
    assert log.path.name == "Player_a_1.log"
    text = log.path.read_text()
    assert text.startswith("--- earlier output has been dropped\n")
    assert text.endswith("299\n" + "x" * 10_000)
