"""Titles made of the names of rule files."""

from __future__ import annotations

import pytest

from ggp.rules.titles import title_of


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("wolf_sheep", "Wolf sheep"),
        ("classics/connect_four", "Connect four"),
        ("ticTacToe", "Tic tac toe"),
        ("biddingTicTacToe_10coins", "Bidding tic tac toe 10coins"),
        ("dotsAndBoxes", "Dots and boxes"),
        ("3pConnectFour", "3p connect four"),
        ("connectFour_9x6", "Connect four 9x6"),
        ("amazons_8x8", "Amazons 8x8"),
        ("kalaha6x2x4", "Kalaha 6x2x4"),
        ("connect4", "Connect 4"),
        ("Mastermind448", "Mastermind 448"),
        ("hanoi6Disks", "Hanoi 6 disks"),
        ("sudokuGrade6E", "Sudoku grade 6E"),
        ("ticTacHeavenFC", "Tic tac heaven FC"),
        ("GDLChess", "GDL chess"),
        ("WOLFSHEEP", "Wolfsheep"),
        ("checkers-mustjump", "Checkers-mustjump"),
        ("tpeg", "Tpeg"),
        ("éléphant_vert", "Éléphant vert"),
        ("", ""),
        ("_", ""),
    ],
)
def test_titles(name: str, title: str) -> None:
    assert title_of(name) == title
