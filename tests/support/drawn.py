"""Drawings of positions."""

from __future__ import annotations

from xml.etree import ElementTree

import gdl
from ggp.board import Layout, find_boards
from support.toy_files import ROOT

GAMES = ROOT / "games"


def loaded(name: str) -> tuple[gdl.Reasoner, Layout]:
    game = gdl.Reasoner.load(GAMES / f"{name}.kif")
    return game, find_boards(game)


def by_class(text: str, name: str) -> list[ElementTree.Element]:
    """The elements of a drawing that have a class."""
    return [one for one in ElementTree.fromstring(text).iter() if name in one.get("class", "").split()]
