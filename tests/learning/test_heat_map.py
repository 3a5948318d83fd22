"""Boards that are shaded by what their cells add to a learned value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.commands import Ggp

import gdl
from ggp.board import find_boards
from ggp.learning.heat_map import heat_map
from ggp.learning.value_parts import value_parts
from ggp.players.learned_values.value import SUFFIX, read_value
from ggp.rules.shipped_games import find_game

RULES = find_game("breakthrough")
FILE = RULES.with_suffix(SUFFIX)
MOVES = "(move 4 2 4 3) (move 5 7 5 6) (move 4 3 5 4) (move 5 6 4 5)"


def test_shades_are_the_sums_of_the_facts_on_a_cell() -> None:
    game = gdl.Reasoner.load(RULES)
    parts = value_parts(read_value(FILE), game.initial_state(), str(FILE))
    shades = heat_map(find_boards(game), parts)
    assert len(shades) == 32
    assert max(abs(shade.gain) for shade in shades.values()) == 1
    most = max(abs(part.adds) for part in parts.parts if part.fact.text.startswith("(cell "))
    strongest = next(shade for shade in shades.values() if abs(shade.gain) == 1)
    assert abs(float(strongest.about.removesuffix(" points"))) == pytest.approx(most, abs=0.051)
    # White is the first role: its pawns are good for it, on the whole, and those of black bad.
    whites, blacks = ([shade.gain for place, shade in shades.items() if place.row in rows] for rows in ((6, 7), (0, 1)))
    assert sum(whites) > 0 > sum(blacks)


def test_the_command_draws_them(ggp: Ggp, tmp_path: Path) -> None:
    output = tmp_path / "heat.svg"
    done = ggp("render", "breakthrough", "--value", str(FILE), "--moves", MOVES, "-o", str(output))
    assert (done.status, done.err) == (0, "")
    text = output.read_text()
    assert "Good for white: blue; for black: orange" in text
    opacities = [float(found) for found in re.findall(r'class="(?:first|second)-gains" opacity="([0-9.]+)"', text)]
    assert len(opacities) == 32
    assert max(opacities) == 1
    assert len(re.findall(r"<title>[+-][0-9.]+ points</title>", text)) == 32


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("connect_four", "--value", str(FILE)), "it was learned for other rules"),
        (("breakthrough", "--value", "none.learned"), "none.learned: learned-file: No such file"),
        (("breakthrough", "--animate", "--value", str(FILE)), "it is for a position of a rule file"),
    ],
)
def test_what_cannot_be_drawn(ggp: Ggp, arguments: tuple[str, ...], reason: str) -> None:
    done = ggp("render", *arguments)
    assert done.status == 2
    assert reason in " ".join(done.err.split())
