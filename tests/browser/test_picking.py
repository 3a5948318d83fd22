"""Moves made part by part, in any order, for every shipped game: by the module of the page itself."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.drawn import GAMES
from visiting import Server

from ggp.board.wishes import Wishes
from ggp.server.game.table import Table

pytestmark = pytest.mark.slow

#: Makes every move of each list of choices by its parts, and returns those that come out as others.
MAKE = """
async (lists) => {
    const { Picking } = await import("/static/picking.js");
    const wrong = [];
    const make = (choices, parts) => {
        const picking = new Picking(choices);
        picking.clear();
        let made = null;
        for (const part of parts) {
            // What has no words is clicked on one cell; the lane means the same.
            if (part.cells.length) made = picking.click((part.lane ?? part.cells).at(-1)) ?? made;
            const due = part.word && made === null && (!part.cells.length || picking.picks.at(-1)?.word === undefined);
            if (due) made = picking.say(part.word, part.slot ?? "");
        }
        return made;
    };
    for (const choices of lists) {
        for (const { move, parts } of choices) {
            if (make(choices, parts) !== move) wrong.push([move, parts, make(choices, parts)]);
            const free = parts.length > 1 && parts.every(({ word }) => word);
            if (free && make(choices, parts.toReversed()) !== move) wrong.push([move, "reversed"]);
        }
    }
    return wrong;
}
"""


def test_every_move_of_every_shipped_game_is_made_at_the_board(page: Any, server: Server) -> None:
    draw = random.Random(1)
    lists = []
    for path in sorted(GAMES.rglob("*.kif")):
        table = Table(path.read_text(encoding="utf-8"), path.name, Wishes())
        state = table.game.initial_state()
        for ply in range(8):
            found = table.shown(state, ply)
            lists += [own for own in found["choices"].values() if len(own) > 1]
            if found["terminal"]:
                break
            legal = {role: table.game.legal_moves(state, role) for role in table.game.roles}
            state = table.game.next_state(state, {role: draw.choice(moves) for role, moves in legal.items()})
    page.goto(server.address)
    assert sum(map(len, lists)) > 1000
    assert page.evaluate(MAKE, lists) == []


#: Three ways, of which two have the same beginning: the last cell of one, a piece that is the only one, a second click.
WAYS = [
    {"move": "short", "label": "short", "parts": [{"cells": ["a"]}, {"cells": ["b"]}]},
    {"move": "long", "label": "long", "parts": [{"cells": ["a"]}, {"cells": ["c"]}, {"cells": ["d"]}]},
    {"move": "pass", "label": "pass", "parts": [{"cells": [], "word": "pass"}]},
]


@pytest.mark.parametrize(
    ("clicks", "move", "chosen"),
    [
        (["b"], "short", ["a", "b"]),  # the only piece is chosen from the beginning
        (["d"], "long", ["a"]),
        (["c", "d"], "long", ["a", "c", "d"]),
        (["a"], None, ["a"]),  # the first click on it means it
        (["a", "a"], None, []),
        (["c", "c"], None, ["a"]),
        (["c", "a"], None, []),
        (["a", "a", "d", "c"], None, ["d", "c"]),  # in any order
        (["a", "a", "d", "c", "a"], "long", ["d", "c", "a"]),
    ],
)
def test_clicks_on_a_way(page: Any, server: Server, clicks: list[str], move: str | None, chosen: list[str]) -> None:
    page.goto(server.address)
    script = """async ([choices, clicks]) => {
        const { Picking } = await import("/static/picking.js");
        const picking = new Picking(choices);
        return [clicks.map((cell) => picking.click(cell)).at(-1), picking.chosen];
    }"""
    assert page.evaluate(script, [WAYS, clicks]) == [move, chosen]
