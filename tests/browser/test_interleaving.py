"""The board is right in whatever order people point and click, and news and answers come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from visiting import Server

pytestmark = pytest.mark.slow

#: Plays out so many random interleavings with the page, and returns those after which a wrong board was left.
RUN = """
async ([interleavings, steps]) => {
    let random = 1;
    const draw = (most) => {
        random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
        return most ? Math.floor((random / 2 ** 32) * most) : 0;
    };
    const one = (list) => list[draw(list.length)];
    const moves = () => [...document.querySelectorAll("#moves .move")];
    const WHAT = "point point leave click cell program back answer answer news timer".split(" ");
    const wrong = [];
    let previews = 0;
    for (let number = 0; number < interleavings; number += 1) {
        const log = [];
        let pointed = null; // the move that is pointed at, in the position of so many marks
        for (let step = 0; step < steps; step += 1) {
            const what = one(WHAT);
            const button = one(moves());
            if (what === "point" && button) {
                button.dispatchEvent(new Event("pointerover", { bubbles: true }));
                pointed = { move: button.dataset.move, marks: fake.marks };
                log.push(`point ${button.dataset.move}`);
            } else if (what === "leave") {
                document.getElementById("moves").dispatchEvent(new Event("pointerleave"));
                pointed = null;
                log.push(what);
            } else if (what === "click" && button) {
                button.focus(); // which the page loses, as its list is made anew
                pointed = { move: button.dataset.move, marks: fake.marks };
                button.click();
                log.push(`click ${button.dataset.move}`);
            } else if (what === "cell") {
                const pressed = new KeyboardEvent("keydown", { key: "Enter", bubbles: true });
                one([...document.querySelectorAll("[data-place]")]).dispatchEvent(pressed);
                log.push(what);
            } else if (what === "program" && fake.marks.length % 2 && fake.free().length > 2) {
                fake.plays(one(fake.free()));
                log.push(what);
            } else if (what === "back" && fake.marks.length > 1 && (draw(3) === 0 || fake.free().length < 4)) {
                fake.takesBack();
                log.push(what);
            } else if (what in fake.steps) {
                fake.steps[what](draw);
                log.push(what);
            }
            await fake.settled();
        }
        await fake.rest();
        // What was pointed at in another position, or before a click that made the list anew, may mean nothing.
        const seen = fake.seen();
        const ahead = document.querySelector(".board-svg").classList.contains("ahead");
        const valid = pointed !== null && pointed.marks === fake.marks;
        const right = ahead ? valid && seen === fake.right(pointed.move) : seen === fake.right(null);
        previews += ahead;
        if (!right) wrong.push({ seen, right: fake.right(null), pointed, ahead, log });
        document.getElementById("moves").dispatchEvent(new Event("pointerleave"));
        await fake.rest();
    }
    return { wrong, previews };
}
"""


def test_the_board_never_stays_false(page: Any, server: Server) -> None:
    page.add_init_script((Path(__file__).parent / "interleaving.js").read_text(encoding="utf-8"))
    page.goto(f"{server.address}/match/toy")
    page.evaluate("fake.rest()")
    page.evaluate("fake.rest()")
    found = page.evaluate(RUN, [1000, 25])
    assert not found["wrong"], (len(found["wrong"]), found["wrong"][0])
    assert found["previews"] > 20, "in many of them something is pointed at in the end"
