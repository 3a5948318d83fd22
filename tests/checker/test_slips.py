"""Slips of the finger: for every name of a game, two adjacent letters are swapped."""

from __future__ import annotations

import re

import pytest
from support.toy_files import ROOT

from gdl.checker import check
from gdl.checker.slips import one_slip

#: Comments, which are left alone, and names; a slip in a number or a variable is another matter.
WORDS = re.compile(r";[^\n]*|(?<![^\s()])[a-z_]{3,}(?![^\s()])")

#: What is told of a slip at another line than its own: of a move that `input` has not, where it is legal.
ELSEWHERE = {"tic_tac_toe.kif": {(48, "noop")}, "wolf_sheep.kif": {(66, "noop")}}


@pytest.mark.parametrize("path", ["classics/tic_tac_toe.kif", pytest.param("wolf_sheep.kif", marks=pytest.mark.slow)])
def test_every_slip_is_told_at_its_line(path: str) -> None:
    file = ROOT / "games" / path
    text = file.read_text(encoding="utf-8")
    assert [one for one in check(text) if one.severity != "hint"] == []
    elsewhere, most = set(), 0
    for found in WORDS.finditer(text):
        word = found.group()
        if word[0] == ";":
            continue
        slip = word[0] + word[2] + word[1] + word[3:] if word[1] != word[2] else word + word[-1]
        told = [one for one in check(f"{text[: found.start()]}{slip}{text[found.end() :]}") if one.severity != "hint"]
        assert told, (word, slip)
        line = text.count("\n", 0, found.start()) + 1
        lines = {place.line for one in told for place in (one.location, *(note.location for note in one.notes))}
        if line not in lines:
            elsewhere.add((line, word))
        most = max(most, len(told))
    assert elsewhere == ELSEWHERE[file.name]
    # What only follows from a slip is told as a note.
    assert most <= 6


@pytest.mark.parametrize(
    ("written", "meant", "near"),
    [
        ("left", "left", False),
        ("lefft", "left", True),
        ("lef", "left", True),
        ("lift", "left", True),
        ("letf", "left", True),
        ("felt", "left", False),
        ("tfel", "left", False),
        ("", "l", True),
    ],
)
def test_one_slip(written: str, meant: str, near: bool) -> None:
    assert one_slip(written, meant) is near
    assert one_slip(meant, written) is near
