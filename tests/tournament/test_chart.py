"""The chart of ratings."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

from support.tournaments import NIM, PLAN, ended

from ggp.tournament.chart import rating_chart
from ggp.tournament.standings import tables


class TestChart:
    def test_it_shows_every_player_of_every_table(self) -> None:
        plan = replace(PLAN, contests=(NIM, replace(NIM, name="a < b")), players=("a", "b & c"))
        found = tables(plan, [ended(0, 100, 0), ended(1, 100, 0), ended(2, 100, 0)])
        root = ElementTree.fromstring(rating_chart(found, title="x & y"))
        texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts[0] == "x & y"
        assert texts.count("a") == texts.count("b & c") == 3
        assert {"nim", "a < b", "all games", "0"} < {*texts}
        circles = list(root.iter("{http://www.w3.org/2000/svg}circle"))
        assert len(circles) == 6
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        assert all(0 < float(circle.attrib["cx"]) < width for circle in circles)
        heights = [float(circle.attrib["cy"]) for circle in circles]
        assert all(one + 16 <= other for one, other in pairwise(heights))
        assert heights[-1] < height

    def test_long_names_are_shown_by_their_ends(self) -> None:
        name = "/home/somebody/players/of/mine/best.py:Best"
        plan = replace(PLAN, players=("a", name))
        chart = rating_chart(tables(plan, [ended(0, 100, 0)]), title="t")
        assert ">.../players/of/mine/best.py:Best<" in chart
        assert f"{name} in nim" in chart
