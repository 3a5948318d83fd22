"""Tournaments in one call."""

from __future__ import annotations

from pathlib import Path

import pytest

import ggp
from ggp.rules.shipped_games import UnknownGameError
from ggp.tournament.plan import PlanError
from ggp.tournament.store import StoreError
from ggp.work.job import WorkError


def test_a_round_robin(tmp_path: Path) -> None:
    store = tmp_path / "kept.sqlite"
    stages: list[str] = []
    found = ggp.tournament.play(
        "tic_tac_toe", ["greedy", "random"], games=4, seed=1, jobs=1, store=store, progress=stages.append
    )
    assert repr(found) == "<TournamentResult of 4 matches: greedy leads>"
    (table,) = found.tables
    assert [line.player for line in table.lines] == ["greedy", "random"]
    assert str(found).startswith("tic_tac_toe\n  greedy")
    assert "<td>greedy</td><td>4</td>" in found._repr_html_()
    assert stages == ["compiling tic_tac_toe", *(f"{number} of 4 matches" for number in range(1, 5))]
    again = ggp.tournament.play("tic_tac_toe", ["greedy", "random"], games=4, jobs=1, store=store)
    assert again.plan.seed == 1
    assert again.outcomes == found.outcomes
    with pytest.raises(StoreError):
        ggp.tournament.play("tic_tac_toe", ["greedy", "legal"], games=4, jobs=1, store=store)


def test_what_is_no_tournament_is_said() -> None:
    with pytest.raises(UnknownGameError):
        ggp.tournament.play("tic_tac_to", ["greedy", "random"], jobs=1)
    with pytest.raises(PlanError):
        ggp.tournament.play("tic_tac_toe", ["greedy"], jobs=1)
    with pytest.raises(WorkError, match="gredy"):
        ggp.tournament.play("tic_tac_toe", ["gredy", "random"], jobs=1)
    with pytest.raises(ValueError, match="clock"):
        ggp.tournament.play("tic_tac_toe", ["greedy", "random"], jobs=1, play_clock=0)
    with pytest.raises(TypeError, match="a tournament has no option playclock"):
        ggp.tournament.play("tic_tac_toe", ["greedy", "random"], jobs=1, playclock=1)  # type: ignore[call-arg]


def test_the_package_has_only_what_it_exports() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ggp.tournament.nothing  # type: ignore[attr-defined]  # noqa: B018
