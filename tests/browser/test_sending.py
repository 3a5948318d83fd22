"""Files that people send by the page: rules with script in their names, rules with mistakes, records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from visiting import Server, Visitor

import gdl
from ggp.match.match import play_match
from ggp.match.record import to_json
from ggp.match.settings import Settings
from ggp.players import make_player

pytestmark = pytest.mark.slow

EVIL = "<img/src=x/onerror=alert&quot>".replace("&quot", "``")

SCRIPTED = f"""
(role {EVIL}) (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 2 1 {EVIL})) (init (cell 2 2 b))
(init ({EVIL} {EVIL})) (<= (legal {EVIL} ({EVIL} ?x ?y)) (true (cell ?x ?y b)))
(<= (next (cell ?x ?y {EVIL})) (does {EVIL} ({EVIL} ?x ?y))) (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
(<= terminal (true (over))) (goal {EVIL} 0)
"""


def send(page: Any, server: Server, field: str, name: str, text: str) -> None:
    page.goto(server.address)
    page.locator(f"#{field}").set_input_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})


def test_script_in_names_is_text_and_nothing_else_is_asked_for(page: Any, server: Server) -> None:
    dialogs: list[str] = []
    asked: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    visitor = Visitor(page, server.address)
    send(page, server, "rules-file", "<b>evil.kif", SCRIPTED)
    page.locator("#uploaded", has_text="neither init nor next makes over true").get_by_role("link", name="Play").click()
    page.wait_for_url("**/new/**")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/match/**")
    visitor.sees(f"Your move: {EVIL}")
    visitor.click((0, 0))
    visitor.at(1, 1)
    assert EVIL in page.locator("#history").inner_text()
    assert page.locator("img").count() == 0
    assert not dialogs
    assert all(url.startswith(server.address) for url in asked)


def test_mistakes_in_rules_are_shown_with_their_places(page: Any, server: Server) -> None:
    send(page, server, "rules-file", "broken.kif", "(role robot)\n(<= (legal robot (press ?button)))")
    fault = page.locator("#send-rules .fault")
    fault.get_by_text("broken.kif:2:").wait_for()
    assert "^" in fault.inner_text()


def test_a_record_is_stepped_through(page: Any, server: Server) -> None:
    game = gdl.Reasoner.load(Path(__file__).parents[2] / "games" / "classics" / "tic_tac_toe.kif")
    players = {role: make_player("random") for role in game.roles}
    record = play_match(game, players, Settings(seed=3), name="tic_tac_toe")
    visitor = Visitor(page, server.address)
    send(page, server, "record-file", "match.json", json.dumps(to_json(record)))
    page.wait_for_url("**/match/**")
    plies = len(record.plies)
    visitor.at(0, plies)
    visitor.press("End")
    visitor.at(plies, plies)
    visitor.sees("Finished")
