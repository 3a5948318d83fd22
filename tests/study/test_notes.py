"""The page about studies of the shipped games: none is missing."""

from __future__ import annotations

import re

from support.toy_files import ROOT

NOTE = (ROOT / "docs" / "notes" / "studies.md").read_text(encoding="utf-8")
SHIPPED = sorted(path.stem for path in (ROOT / "games").rglob("*.kif"))

#: What the paragraph about a game calls it, if not by its name.
CALLED = {
    "blind_breakthrough_6x6": "Blind breakthrough",
    "fox_game": "The fox game",
    "fox_game_two_foxes": "variant with two foxes",
    "goofspiel_4": "Goofspiel",
    "kriegspiel_tic_tac_toe": "Kriegspiel tic-tac-toe",
    "liars_dice_1": "Liar's dice",
    "monty_hall": "Monty Hall problem",
    "rock_paper_scissors": "Rock, paper, scissors",
    "sliding_pieces_classic": "The classic start",
    "tic_tac_toe": "Tic-tac-toe",
    "wolf_sheep": "Wolf and sheep",
    "wolf_sheep_diagonal": "variant on the diagonals",
}


def test_the_table_has_a_row_for_each_game() -> None:
    rows = re.findall(r"^\| (\w+) \|", NOTE, re.MULTILINE)
    assert sorted(set(rows) - {"game"}) == SHIPPED
    assert len(rows) == len(SHIPPED) + 1
    assert f"Of the {len(SHIPPED)} games" in NOTE


def test_a_paragraph_is_about_each_game() -> None:
    told = {" ".join(name.split()).lower() for name in re.findall(r"\*\*(.*?)\*\*", NOTE, re.DOTALL)}
    assert {CALLED.get(game, game.replace("_", " ")).lower() for game in SHIPPED} <= told
