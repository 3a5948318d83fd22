"""Pages that `ggp export` writes: opened from a disk without a network, they play."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.toy_files import rule_file
from support.toy_rules import NIM
from visiting import PATIENCE, breaks_no_rule

import gdl
from ggp.match.record import read_record
from ggp.match.replay import Replay
from ggp.rules.shipped_games import find_game
from ggp.server.export.page import page as made_page
from ggp.server.export.wrapped import module_of


def write(path: Path, out: Path, players: dict[str, str]) -> Path:
    simulator = gdl.Simulator.load(path)
    assert isinstance(simulator, gdl.Simulator)
    made = made_page(path, simulator, module_of(simulator), "", players)
    out.write_text(made.text, encoding="utf-8")
    return out


@pytest.fixture(scope="module")
def tic_tac_toe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    return write(find_game("tic_tac_toe"), folder / "game.html", {"xplayer": "human", "oplayer": "level 2"})


@pytest.fixture
def alone(chromium: Any) -> Iterator[Any]:
    """A page on a phone without a network; neither requests nor complaints are allowed."""
    context = chromium.new_context(viewport={"width": 390, "height": 800}, offline=True)
    context.set_default_timeout(1000 * PATIENCE)
    complaints: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    yield opened
    context.close()
    assert not complaints


def open_page(alone: Any, path: Path) -> None:
    alone.goto(path.as_uri())
    alone.wait_for_selector("#players .player")


def play(alone: Any) -> None:
    """Play to the end, by the first legal move each time."""
    for _ in range(40):
        alone.wait_for_function(
            "() => /^Your move|Finished/.test(document.getElementById('status').textContent)"
            " || document.querySelector('dialog.curtain[open]')"
        )
        if alone.query_selector("dialog.curtain[open]"):
            alone.click("dialog.curtain button")
        elif "Finished" in alone.inner_text("#status"):
            return
        else:
            # The moves are replaced at any time, so they are clicked where they are.
            alone.evaluate("document.querySelector('#moves button.move')?.click()")
    raise AssertionError(alone.inner_text("#status"))


@pytest.mark.slow
def test_a_match_is_played_saved_and_opened_again(alone: Any, tic_tac_toe: Path, tmp_path: Path) -> None:
    open_page(alone, tic_tac_toe)
    alone.click(".cell[data-place='0,1,1']")
    alone.wait_for_function("() => document.getElementById('where').textContent === '2 / 2'")
    alone.click("#thoughts-card summary")  # what programs think is shown to those who ask for it
    assert "simulations" in alone.inner_text("#thoughts")
    alone.click("#undo")
    alone.wait_for_function("() => document.getElementById('where').textContent === '0 / 0'")
    play(alone)
    with alone.expect_download() as waiting:
        alone.click("#record")
    saved = tmp_path / "match.json"
    waiting.value.save_as(saved)
    record = read_record(saved)
    replay = Replay(record, gdl.Reasoner.load(find_game("tic_tac_toe")))
    assert len(list(replay.plies())) == len(record.plies)
    assert str(record.result.value) == "finished"

    alone.reload()
    alone.wait_for_selector("#players .player")
    alone.click("#setup-card summary")
    alone.set_input_files("#open-record", str(saved))
    alone.wait_for_function("() => document.getElementById('status').textContent.includes('Finished')")
    assert alone.inner_text("#where") == f"{len(record.plies)} / {len(record.plies)}"
    for text, words in (
        ("{", "it is not JSON"),
        (json.dumps({"moves": [], "gameRoleNames": ["white"], "gameName": "chess"}), "another game, chess"),
        (json.dumps({"moves": [["(mark 9 9)", "noop"]], "gameRoleNames": ["xplayer", "oplayer"]}), "Ply 1"),
    ):
        alone.set_input_files("#open-record", {"name": "x.json", "mimeType": "", "buffer": text.encode()})
        alone.wait_for_function(f"() => document.querySelector('#setup-card .fault').textContent.includes({words!r})")


@pytest.mark.slow
def test_a_damaged_page_says_so(alone: Any, tic_tac_toe: Path, tmp_path: Path) -> None:
    text = tic_tac_toe.read_text(encoding="utf-8")
    damaged = tmp_path / "damaged.html"
    damaged.write_text(re.sub(r'(id="code">[^<]{400})[^<]*', r"\1", text), encoding="utf-8")
    alone.goto(damaged.as_uri())
    alone.wait_for_function("() => document.getElementById('status').textContent.includes('damaged')")
    damaged.write_text(text[: len(text) // 2], encoding="utf-8")
    alone.goto(damaged.as_uri())
    alone.wait_for_selector("text=This file is not whole")


@pytest.mark.slow
def test_people_at_one_screen_hand_it_over(alone: Any, tmp_path: Path) -> None:
    people = {"alice": "human", "bob": "human"}
    open_page(alone, write(find_game("kuhn_poker"), tmp_path / "kuhn.html", people))
    alone.wait_for_selector("dialog.curtain[open]")
    assert "Hand over to alice" in alone.inner_text("dialog.curtain")
    alone.click("dialog.curtain button")
    alone.wait_for_selector("#moves button.move")
    assert re.fullmatch(r"Board after ply 1: hand of alice, 1 \w+", alone.inner_text("#words"))
    play(alone)


@pytest.mark.slow
def test_programs_play_against_each_other(alone: Any, tmp_path: Path) -> None:
    rules = rule_file(tmp_path, NIM, "nim.kif")
    open_page(alone, write(rules, tmp_path / "nim.html", {"left": "level 7", "right": "level 7"}))
    alone.wait_for_function("() => document.getElementById('status').textContent.includes('left won')")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_break_no_rule_of_accessibility(chromium: Any, tic_tac_toe: Path, theme: str) -> None:
    # axe-core is added by the test, which the page's policy forbids.
    context = chromium.new_context(color_scheme=theme, bypass_csp=True)
    opened = context.new_page()
    open_page(opened, tic_tac_toe)
    opened.click("#setup-card summary")
    breaks_no_rule(opened)
    context.close()
