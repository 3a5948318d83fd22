"""`ggp study`: its table, its JSON, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.commands import Ggp
from support.toy_rules import NIM

import ggp.study.strong_play as strong_play
import ggp.study.study as studies
from ggp.match.record import read_record
from ggp.rules.engine_choice import EngineChoice
from ggp.study.ladder import SEEN
from ggp.work.pool import Pool

#: The first match of the strongest player against itself.
TASK = strong_play.tasks_of(SEEN, 2, 1, 0)[0]


class NoTime(Pool):
    """A pool without any time."""

    def run(self, *_: object, **__: object) -> Iterator[Any]:
        yield from ()


def test_a_table(ggp: Ggp, nim: Path) -> None:
    found = ggp("study", nim, "--time", "600", "--playouts", "200", "--matches", "0")
    assert found.status == 0
    assert "kind          two players, in turns, constant sum" in found.lines
    assert "perfect play  left wins in 3 plies: left 100, right 0" in found.lines
    assert "states        8 can be reached (exact)" in found.lines
    assert "random play, 200 playouts" in found.lines


def test_the_same_seed_gives_the_same_object(ggp: Ggp, nim: Path) -> None:
    def fields() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            ggp("study", nim, "--time", "600", "--playouts", "200", "--matches", "0", "--json").out
        )
        del found["seconds"]
        return found

    one = fields()
    assert one == fields()
    assert one["command"] == "study"
    assert one["random"]["matches"] == 200
    figures = {figure["figure"]: figure for figure in one["random"]["figures"]}
    assert figures["completion"]["value"] == 1
    assert figures["length"]["interval"][0] < figures["length"]["value"]


def test_an_interrupt_shows_what_is_known(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> Iterator[None]:
        raise KeyboardInterrupt

    monkeypatch.setattr(studies, "theory_of", interrupted)
    found = ggp("study", nim, "--playouts", "200", "--matches", "0")
    assert found.status == 130
    assert "random play, 200 playouts" in found.lines
    assert found.err.splitlines()[-1] == "interrupted"


@pytest.mark.slow
def test_strong_play(ggp: Ggp, nim: Path) -> None:
    arguments = ("study", nim, "--time", "600", "--playouts", "200", "--matches", "2", "--json")
    one, other = (json.loads(ggp(*arguments, "--jobs", jobs).out) for jobs in ("1", "2"))
    del one["seconds"], other["seconds"]
    assert [found["strong"].pop("work")["cores"] for found in (one, other)] == [1, 2]
    assert one == other
    strong = one["strong"]
    figures = {figure["figure"]: figure for figure in strong["figures"]}
    assert strong["matches"] == 2
    # Whoever begins wins with four, three plies later: one, and then what is left of three.
    assert figures["wins of left"]["value"] == 1
    assert [rung["matches"] for rung in strong["ladder"]] == [2] * 6
    assert [rung["against"] for rung in strong["restricted"]] == ["random", "greedy"]
    assert strong["samples"][0]["goals"] == [100, 0]
    assert one["unreached"] == []


@pytest.mark.slow
def test_strong_play_with_hidden_states_is_the_same_in_any_number_of_processes(ggp: Ggp) -> None:
    arguments = ("study", "leduc_poker", "--time", "600", "--playouts", "50", "--matches", "2", "--json")
    one, other = (json.loads(ggp(*arguments, "--jobs", jobs).out) for jobs in ("1", "2"))
    assert one["strong"]["played"] == 16
    work = [found["strong"].pop("work") for found in (one, other)]
    assert [(state["cores"], state["done"], state["failed"]) for state in work] == [(1, 16, 0), (2, 16, 0)]
    assert one["strong"] == other["strong"]


class Interrupted(Pool):
    """A pool that is interrupted."""

    def run(self, *_: object, **__: object) -> Iterator[Any]:
        raise KeyboardInterrupt
        yield


def test_an_interrupt_of_strong_play_tells_what_is_missing(
    ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strong_play, "open_executor", lambda module, **_: Interrupted(1, module))
    found = ggp("study", nim, "--time", "600", "--playouts", "200", "--matches", "3")
    assert found.status == 130
    assert found.lines[-1] == "not reached   strong play: 0 of 27 matches in the time"


def test_matches_that_are_not_reached_are_told(ggp: Ggp, nim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strong_play, "open_executor", lambda module, **_: NoTime(1, module))
    found = ggp("study", nim, "--time", "600", "--playouts", "200", "--matches", "3")
    assert found.lines[-1] == "not reached   strong play: 0 of 27 matches in the time"
    fields = json.loads(ggp("study", nim, "--time", "600", "--playouts", "200", "--matches", "3", "--json").out)
    assert (fields["playouts"], fields["matches"]) == (200, 3)
    assert (fields["strong"]["planned"], fields["strong"]["played"], fields["strong"]["failed"]) == (27, 0, 0)
    assert fields["no_strong"] is None


def test_why_there_was_no_strong_play(ggp: Ggp, nim: Path) -> None:
    none = json.loads(ggp("study", nim, "--time", "600", "--playouts", "200", "--matches", "0", "--json").out)
    assert none["strong"] is None
    assert none["no_strong"] == "no matches were asked for"
    assert none["theory"]["goals"] == {"left": 100, "right": 0}


@pytest.mark.slow
def test_players_search_games_with_hidden_states(ggp: Ggp) -> None:
    arguments = ("study", "kuhn_poker", "--playouts", "200", "--time", "600", "--matches", "2", "--jobs", "1", "--json")
    hidden = json.loads(ggp(*arguments).out)
    assert hidden["no_strong"] is None
    strong = hidden["strong"]
    assert strong["player"] == "ismcts(simulations=1024)"
    assert (strong["planned"], strong["played"], strong["failed"]) == (16, 16, 0)
    assert [rung["matches"] for rung in strong["ladder"]] == [2] * 6
    assert [rung["against"] for rung in strong["restricted"]] == ["random"]
    # Both roles say what they expect with the cards that they see, and how their moves compare.
    figures = {figure["figure"]: figure["value"] for figure in strong["figures"]}
    assert 0 < figures["uncertainty"] < 1
    assert 0 < figures["narrowness"] <= 1
    assert hidden["theory"]["exploitability"] <= 0.001
    assert hidden["theory"]["goals"] == {"alice": pytest.approx(48.6, abs=0.2), "bob": pytest.approx(51.4, abs=0.2)}


def test_hidden_states_need_a_compiled_game_for_strong_play(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "compiled_or_reasoner", lambda reasoner, _: EngineChoice(reasoner, None, "too large"))
    found = json.loads(ggp("study", "kuhn_poker", "--playouts", "20", "--time", "600", "--json").out)
    assert found["engine"] == "reasoner"
    assert found["strong"] is None
    assert found["no_strong"] == "the players that search games with hidden states need the game compiled"


@pytest.mark.slow
def test_two_games_are_compared(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.kif"
    longer.write_text(NIM.replace("(init (heap 4))", "(init (heap 3))"))
    page = tmp_path / "page.html"
    found = ggp("study", nim, longer, "--time", "600", "--playouts", "500", "--matches", "0", "--page", page)
    assert found.status == 0
    assert found.lines[0] == "from nim to longer   seed 0"
    row = next(line for line in found.lines if line.startswith("length"))
    assert row.endswith("significant")
    assert "perfect play  right wins in 2 plies: left 0, right 100" in found.lines
    ElementTree.fromstring(page.read_text().partition("<body>")[2].partition("</body>")[0].join(("<b>", "</b>")))


@pytest.mark.slow
def test_a_page_and_records_of_a_study(ggp: Ggp, nim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strong_play, "tasks_of", lambda *_: [TASK])
    page = tmp_path / "page.html"
    found = ggp("study", nim, "--time", "600", "--playouts", "200", "--jobs", "1", "--page", page, "-o", tmp_path)
    assert found.status == 0
    assert read_record(tmp_path / "nim-1.json").goals == (100, 0)
    text = page.read_text()
    assert "<svg" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    ElementTree.fromstring(text.partition("<body>")[2].partition("</body>")[0].join(("<b>", "</b>")))


def test_three_games_are_too_many(ggp: Ggp, nim: Path) -> None:
    found = ggp("study", nim, nim, nim)
    assert found.status == 2
    assert "one game, or two to compare, not 3" in found.err


@pytest.mark.parametrize("option", ["--time", "--memory"])
def test_a_limit_that_makes_no_sense(ggp: Ggp, nim: Path, option: str) -> None:
    found = ggp("study", nim, option, "0")
    assert found.status == 2
    assert f"{option} must be positive and finite" in found.err
