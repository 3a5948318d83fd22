"""`ggp inspect`: the sizes of a circuit, stage by stage."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ggp.cli import build


def run(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(build(), ["inspect", *args])
    return result.exit_code, result.output


def test_stages_of_a_game() -> None:
    status, output = run("tic_tac_toe")
    assert status == 0
    stages = [line.split()[0] for line in output.splitlines() if line and line.split()[-1].replace(".", "").isdigit()]
    assert stages[-5:] == ["complements", "absorption", "proof", "invariants", "mover's"]
    assert "10 groups of facts that exclude each other" in output
    assert "moves chosen from 9 rows" in output


def test_a_step_of_several_plies() -> None:
    assert "one step      2 plies, one in each phase; " in run("connect_four")[1]
    assert json.loads(run("connect_four", "--json")[1])["plies"] == 2


def test_as_json_with_a_rate() -> None:
    status, output = run("tic_tac_toe", "--json", "--seconds", "0.1")
    assert status == 0
    found = json.loads(output)
    assert found["facts"] == 29
    assert found["moves"] == 20
    assert found["invariants"]["groups"] == 10
    assert found["operations"] > 100
    assert found["plies"] == 1
    assert found["rate"]["steps_per_second"] > 0
    assert found["rate"]["operations_per_cycle"] > 0


@pytest.mark.parametrize(
    "args", [["no_such_game"], ["tic_tac_toe", "--seconds", "-1"], ["tic_tac_toe", "--seconds", "nan"]]
)
def test_what_cannot_be_used_has_status_2(args: list[str]) -> None:
    assert run(*args)[0] == 2
