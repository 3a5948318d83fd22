"""A match of a server, without the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import gdl
from ggp.match.settings import Settings
from ggp.players.player import Turn
from ggp.server.game.play import Playing, WebPlayer, aborted

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
    thoughts = [news["thought"] for news in heard if news["say"] == "thought"]
    assert [(news["role"], news["note"]) for news in thoughts[:1]] == [
        ("xplayer", "its thoughts are unavailable: ValueError: not for you")
    ]
    assert heard[-1]["say"] == "match"
    assert heard[-1]["standing"]["goals"] == [100, 0]


PEOPLE = {"xplayer": "human", "oplayer": "human"}


class News:
    """Keeps the newest standing that a match has sent."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.newest: Mapping[str, Any] = {}

    def tell(self, news: Mapping[str, Any]) -> None:
        if news["say"] == "match":
            with self.changed:
                self.newest = news
                self.changed.notify_all()

    def until(self, plies: int, waiting: list[str]) -> bool:
        def ready() -> bool:
            return bool(self.newest) and (self.newest["standing"]["plies"], self.newest["waiting"]) == (plies, waiting)

        with self.changed:
            return self.changed.wait_for(ready, timeout=30)


def people(folder: Path, news: Callable[[Mapping[str, Any]], None]) -> Playing:
    game = gdl.Reasoner.load(Path(__file__).parent.parent.parent / "games" / "classics" / "tic_tac_toe.kif")
    playing = Playing(game, PEOPLE, Settings(seed=1), folder / "match.json", news, nullcontext(), name="tic_tac_toe")
    playing.start(None)
    return playing


def test_the_last_standing_that_is_told_is_the_newest(tmp_path: Path) -> None:
    news = News()

    def tell(one: Mapping[str, Any]) -> None:
        if threading.current_thread() is threading.main_thread():
            time.sleep(0.5)  # it is held up, while the match goes on
        news.tell(one)

    playing = people(tmp_path, tell)
    assert news.until(0, ["xplayer"])
    assert playing.play("xplayer", 1, "(mark 1 1)")
    assert news.until(1, ["oplayer"])
    time.sleep(0.2)
    assert news.until(1, ["oplayer"])
    playing.change(aborted)


def test_moves_are_taken_back_although_the_next_person_is_just_being_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = WebPlayer.move

    def move(person: WebPlayer, turn: Turn) -> Future[object]:
        if person.role == "oplayer" and turn.ply == 2:
            playing.change(lambda record: record.before(0))
        return asked(person, turn)

    monkeypatch.setattr(WebPlayer, "move", move)
    news = News()
    playing = people(tmp_path, news.tell)
    assert news.until(0, ["xplayer"])
    assert playing.play("xplayer", 1, "(mark 1 1)")
    assert news.until(0, ["xplayer"])
    assert playing.record is not None
    assert not playing.record.plies
    playing.change(aborted)


@pytest.mark.slow
def test_a_person_moves_at_once(tmp_path: Path) -> None:
    """Programs get ready meanwhile: ten seconds, and no more than two after the person's move."""
    news = News()
    game = gdl.Reasoner.load(Path(__file__).parent.parent.parent / "games" / "classics" / "tic_tac_toe.kif")
    names = {"xplayer": "human", "oplayer": "mcts"}
    playing = Playing(game, names, Settings(seed=1), tmp_path / "m.json", news.tell, nullcontext(), name="ttt")
    began = time.monotonic()
    playing.start(None)
    assert news.until(0, ["xplayer"])
    assert time.monotonic() - began < 8.0
    assert playing.play("xplayer", 1, "(mark 1 1)")
    moved = time.monotonic()
    assert news.until(2, ["xplayer"])
    assert time.monotonic() - moved < 8.0
    assert playing.record is not None
    assert playing.record.plies[1].errors == ("", "")
    playing.change(aborted)


def test_it_tells_what_the_compilation_is_doing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, grounding = ("reading", 0.1), ("grounding", 0.2)
    states = iter([((), True), ((reading,), False), ((reading, grounding), False), ((reading, grounding), True)])
    monkeypatch.setattr("ggp.server.game.play.compilation_stages", lambda _: next(states))
    monkeypatch.setattr("ggp.server.game.play.compilation_failure", lambda _: "" if len(told) < 2 else "too large")
    monkeypatch.setattr("ggp.server.game.play._LOOK", 0.01)
    told: list[tuple[str, str]] = []
    done = threading.Event()

    def tell(news: Mapping[str, Any]) -> None:
        if news["say"] == "doing":
            told.append((news["doing"], news["slow"]))
            if not news["doing"]:
                done.set()

    playing = people(tmp_path, tell)
    assert done.wait(30)
    assert told == [("reading", ""), ("grounding", ""), ("", "too large")]
    playing.change(aborted)
