"""The game of a match is compiled by a process that outlives the match."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from support.processes import descendants, soon
from support.served import TIC_TAC_TOE
from support.toy_rules import NIM

from gdl.simulator.cache import CIRCUIT, VARIABLE, circuit_entries
from ggp.network.protocol.match_process import GameCompiler, MatchProcesses, ProcessSettings
from ggp.network.protocol.messages import Start

pytest.importorskip("llvmlite")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an empty cache."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def compiled(rules: str, folder: Path) -> bool:
    return circuit_entries(folder, rules, 60).read(CIRCUIT) is not None


def compilers() -> list[int]:
    return [number for number, words in descendants(os.getpid()).items() if "compiler_child" in words]


@pytest.mark.parametrize("player", [pytest.param("mcts", marks=pytest.mark.slow), "random"])
def test_the_game_of_a_match_that_is_over_if_its_player_searches_it(player: str, cache: Path, tmp_path: Path) -> None:
    async def work() -> None:
        processes = MatchProcesses(ProcessSettings(player, tmp_path))
        try:
            await processes.prepare()
            match = processes.take()
            match.start(Start("m", "xplayer", TIC_TAC_TOE, 60, 60), 1, 0.0, lambda _: None)
            await match.kill()
            assert bool(compilers()) == (player == "mcts")
            assert player != "mcts" or await asyncio.to_thread(soon, lambda: compiled(TIC_TAC_TOE, cache))
        finally:
            await processes.close()

    asyncio.run(work())
    assert soon(lambda: not compilers())


def test_only_the_latest_game(cache: Path) -> None:
    compiler = GameCompiler()
    try:
        for rules in (TIC_TAC_TOE, NIM, NIM):
            compiler.compile(rules)
        assert soon(lambda: compiled(NIM, cache))
        assert soon(lambda: len(compilers()) == 1)
    finally:
        compiler.close()
    assert soon(lambda: not compilers())


def test_rules_with_mistakes(cache: Path) -> None:
    compiler = GameCompiler()
    compiler.compile("(role")
    assert soon(lambda: bool(compilers()))
    compiler.close()
    assert soon(lambda: not compilers())
    assert not list(cache.rglob(CIRCUIT))
