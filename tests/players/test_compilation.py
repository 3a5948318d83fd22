"""Games compiled in the background, for players that ask for them."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from textwrap import dedent

import pytest
from support.toy_files import ROOT
from support.toy_games import Nim

import gdl
from ggp.players import Start
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import NotCompiledError, compilation, compiled_game
from ggp.rules.shipped_games import find_game


class TestCompiled:
    def test_a_simulator_is_ready(self) -> None:
        game = gdl.compile(find_game("tic_tac_toe"))
        start = Start("match", game, "xplayer", 1)
        assert compilation(start).ready() is game
        assert compiled_game(compilation(start)) is game

    def test_players_of_the_same_rules_share_one(self) -> None:
        text = find_game("tic_tac_toe").read_text()
        starts = [Start("match", gdl.Reasoner(text), role, 1) for role in ("xplayer", "oplayer")]
        first, second = (compilation(start).result() for start in starts)
        assert first is second
        assert isinstance(first, gdl.Simulator)

    def test_rules_that_cannot_be_compiled(self) -> None:
        start = Start("match", Nim(), "left", 1, rules="(role ?x")
        making = compilation(start)
        assert making.result() is None
        assert making.over
        assert "\n" not in making.reason
        assert making.reason
        with pytest.raises(NotCompiledError, match=re.escape(making.reason)):
            compiled_game(making)

    def test_work_that_is_late(self) -> None:
        hold = threading.Event()
        work = Background(lambda: hold.wait(10), "test")
        assert work.result(Deadline(0.0)) is None
        assert work.ready() is None
        assert not work.over
        assert work.reason == ""
        hold.set()
        assert work.result() is True
        assert work.ready() is True

    def test_a_mistake_of_the_work_is_raised(self) -> None:
        def work() -> int:
            raise ValueError("wrong")

        failing = Background(work, "test")
        with pytest.raises(ValueError, match="wrong"):
            failing.result()
        assert failing.reason == "wrong"

    def test_others_are_not_held_up_meanwhile(self) -> None:
        # In a process of its own, where nothing else is at work.
        script = """
            import gc, sys, threading
            from ggp.players.background import Background

            def settings():
                return sys.getswitchinterval(), gc.isenabled()

            usual = settings()
            begun, go_on = threading.Barrier(3), [threading.Event(), threading.Event()]
            works = [Background(lambda e=e: (begun.wait(), e.wait(), settings())[2], "test") for e in go_on]
            begun.wait()
            short = settings()
            go_on[0].set()
            print(short == works[0].result() == settings(), short[0] < usual[0], short[1])
            go_on[1].set()
            print(works[1].result() == short, settings() == usual)
        """
        done = subprocess.run(
            [sys.executable, "-c", dedent(script)], capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert done.stdout.split() == ["True", "True", "False", "True", "True"]
