"""A match of a server, without the server."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import gdl
from ggp.match.settings import Settings
from ggp.server.play import Playing

PLAYER = """
class Secretive:
    name = "secretive"
    def start(self, start, deadline): pass
    def move(self, turn): return turn.legal[0]
    def thought(self): raise ValueError("not for you")
    def stop(self, end): pass
"""


def test_a_program_that_fails_to_tell_what_it_thinks_is_told_of_and_plays_on(tmp_path: Path) -> None:
    (tmp_path / "secretive.py").write_text(PLAYER)
    game = gdl.Reasoner.load(Path(__file__).parent.parent.parent / "games" / "classics" / "tic_tac_toe.kif")
    names = {"xplayer": f"{tmp_path / 'secretive.py'}:Secretive", "oplayer": "legal"}
    heard: list[Mapping[str, Any]] = []
    over = threading.Event()

    def tell(news: Mapping[str, Any]) -> None:
        heard.append(news)
        if news["say"] == "failed" or (news["say"] == "match" and news["standing"]["result"] == "finished"):
            over.set()

    file = tmp_path / "match.json"
    Playing(game, names, Settings(seed=1), file, tell, nullcontext(), name="tic_tac_toe").start(None)
    assert over.wait(30)
    thoughts = [news for news in heard if news["say"] == "thought"]
    assert [(news["role"], news["note"]) for news in thoughts[:1]] == [
        ("xplayer", "its thoughts are unavailable: ValueError: not for you")
    ]
    assert heard[-1]["say"] == "match"
    assert heard[-1]["standing"]["goals"] == [100, 0]
