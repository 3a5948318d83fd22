"""Typical mistakes of authors in shipped games: each is found, at the right line, and mended where that is possible.

docs/notes/mistakes.md has the results as a table, which is compared with what is found here.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache

import pytest
from support.toy_files import ROOT
from support.typical_mistakes import MISTAKES

from gdl.checker import Diagnostic, check
from gdl.language.parser import source_of
from ggp.rules.checking.mending import mended

GAMES = ("tic_tac_toe", "connect_four", "breakthrough")
CODE = re.compile(r"\[([a-z-]+)\]")
NOTE = ROOT / "docs" / "notes" / "mistakes.md"


@cache
def rules(game: str) -> str:
    return (ROOT / "games" / "classics" / f"{game}.kif").read_text(encoding="utf-8")


@cache
def table() -> dict[str, tuple[frozenset[str], bool]]:
    """The codes, one of which is reported, and whether it is mended, by mistake, as the note says."""
    rows = [line.strip("| \n").split(" | ") for line in NOTE.read_text(encoding="utf-8").splitlines()]
    return {row[0]: (frozenset(CODE.findall(row[1])), row[2] == "yes") for row in rows if len(row) == 3}


def places(before: str, after: str) -> set[int]:
    """The lines that changed, with those of the statement around them and the next; line 1 if something is missing."""
    old, new = before.split("\n"), after.split("\n")
    lines = {1}
    for tag, _, _, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            while start > 0 and new[start : start + 1] and new[start].startswith((" ", ")")):
                start -= 1
            lines |= set(range(start + 1, max(start + 1, end) + 2))
    return lines


def problems(text: str) -> list[Diagnostic]:
    return [one for one in check(text) if one.severity != "hint"]


def test_the_note_lists_the_mistakes() -> None:
    assert len(MISTAKES) >= 30
    assert table().keys() - {"mistake"} == MISTAKES.keys() | {"---"}


@pytest.mark.parametrize("game", [GAMES[0], *(pytest.param(game, marks=pytest.mark.slow) for game in GAMES[1:])])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_and_mended(name: str, game: str) -> None:
    text = MISTAKES[name](rules(game))
    where = places(rules(game), text)
    found = [one for one in problems(text) if one.location.line in where]
    codes, mends = table()[name]
    assert codes & {one.code for one in found}
    if mends:
        after = mended(source_of(text, "game.kif"), guesses=True).text
        assert after != text
        assert problems(after) == []


@pytest.mark.parametrize("game", GAMES)
def test_without_mistakes_nothing_is_found(game: str) -> None:
    assert problems(rules(game)) == []
