"""The page of an analysis: looking back, variations, best lines, mistakes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from visiting import PATIENCE, Server, Visitor, ask

pytestmark = pytest.mark.slow

#: xplayer takes the middle, and oplayer lets it win: the fourth ply does not stop the diagonal.
LOST = [(2, 2), (1, 2), (1, 1), (2, 1), (3, 3)]


def played(server: Server, moves: list[tuple[int, int]]) -> str:
    """A match of tic-tac-toe between people, played to its end."""
    players = {"xplayer": "human", "oplayer": "human"}
    match = str(ask(f"{server.address}/api/matches", {"game": "classics/tic_tac_toe", "players": players})["id"])
    address = f"{server.address}/api/matches/{match}"
    for ply, (column, row) in enumerate(moves, 1):
        role = ("xplayer", "oplayer")[(ply - 1) % 2]
        while role not in ask(address)["state"]["waiting"]:
            pass
        ask(f"{address}/move", {"role": role, "ply": ply, "move": f"(mark {column} {row})"})
    while ask(address)["state"]["result"] == "running":
        pass
    return match


#: Two roles choose at the same time.
BOTH = """
(role left) (role right) (init (step 1))
(<= (legal ?r (take ?n)) (role ?r) (number ?n)) (number 1) (number 2)
(<= (next (took ?r ?n)) (does ?r (take ?n))) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal left 100) (true (took left 2)) (true (took right 1))) (<= (goal right 0) (goal left 100))
(<= (goal right 100) (true (took right 2)) (true (took left 1))) (<= (goal left 0) (goal right 100))
(<= (goal ?r 50) (role ?r) (true (took left ?n)) (true (took right ?n)))
"""


class Analyst(Visitor):
    """Somebody at the page of an analysis."""

    def opens(self, match: str) -> None:
        self.page.goto(f"{self.address}/analyse/{match}")

    def is_at(self, ply: int) -> None:
        self._expect(self.page.locator("#where")).to_have_text(f"ply {ply}", timeout=1000 * PATIENCE)

    def tries(self, move: str) -> None:
        self.page.locator("#moves").get_by_role("button", name=move, exact=True).click()

    def expects(self, place: str, text: str) -> None:
        """Wait until a part of the page has this text in it, or none if that is empty."""
        found = self._expect(self.page.locator(place))
        wait = found.to_contain_text if text else found.to_have_text
        wait(text, timeout=1000 * PATIENCE)

    def tree(self) -> list[str]:
        """The moves in the tree, in the order in which they are shown."""
        return [text.strip() for text in self.page.locator("#tree button").all_inner_texts()]

    def has_saved(self) -> None:
        self._expect(self.page.locator("#saved")).to_have_text("Saved", timeout=1000 * PATIENCE)


def test_a_finished_match_is_looked_back_at_and_a_variation_is_tried(page: Any, server: Server) -> None:
    match = played(server, LOST)
    page.goto(f"{server.address}/match/{match}")
    page.get_by_role("link", name="Analyse").click()
    visitor = Analyst(page, server.address)
    visitor.is_at(0)
    for key, ply in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 5), ("Home", 0)):
        visitor.press(key)
        visitor.is_at(ply)
    visitor.press("End")
    visitor.sees("The game is over: xplayer 100, oplayer 0")
    page.get_by_role("button", name="Why?", exact=True).click()
    page.locator("#because").get_by_text("terminal").first.wait_for()
    visitor.press("ArrowLeft", "ArrowLeft")
    visitor.is_at(3)
    visitor.tries("mark c3")
    visitor.is_at(4)
    assert visitor.tree() == ["1 mark b2", "2 mark a2", "3 mark a1", "4 mark b1", "4 mark c3", "5 mark c3"]
    page.locator("#comment").fill("this holds")
    visitor.has_saved()
    visitor.press("Tab")
    page.get_by_role("button", name="Promote").click()
    assert visitor.tree() == ["1 mark b2", "2 mark a2", "3 mark a1", "4 mark c3", "4 mark b1", "5 mark c3"]
    visitor.has_saved()
    record = ask(f"{server.address}/api/matches/{match}/record")
    again = ask(f"{server.address}/api/records", record)["id"]
    visitor.opens(again)
    visitor.is_at(0)
    assert [text.split(" this")[0] for text in visitor.tree()] == [
        *("1 mark b2", "2 mark a2", "3 mark a1", "4 mark c3", "4 mark b1", "5 mark c3")
    ]
    assert "this holds" in page.locator("#tree").inner_text()
    assert json.dumps(ask(f"{server.address}/api/matches/{again}/record")["variations"]) == json.dumps(
        record["variations"]
    )


def test_variations_are_visited_by_keys_and_deleted(page: Any, server: Server) -> None:
    visitor = Analyst(page, server.address)
    page.goto(f"{server.address}/new/classics/tic_tac_toe")
    page.get_by_role("link", name="Analyse this game").click()
    visitor.is_at(0)
    page.locator('[data-place="0,0,0"]').click(force=True)
    visitor.is_at(1)
    visitor.press("ArrowLeft")
    visitor.is_at(0)
    page.locator('[data-place="0,1,1"]').click(force=True)
    visitor.is_at(1)
    visitor.cell(1, 1, "x")
    visitor.press("ArrowUp")
    visitor.cell(0, 0, "x")
    visitor.press("ArrowDown")
    visitor.cell(1, 1, "x")
    page.get_by_role("button", name="Delete").click()
    visitor.is_at(0)
    assert visitor.tree() == ["1 mark a3"]  # row 1 is at the bottom


def test_roles_that_move_at_the_same_time(page: Any, server: Server) -> None:
    visitor = Analyst(page, server.address)
    name = ask(f"{server.address}/api/games", {"name": "both", "text": BOTH})["name"]
    page.goto(f"{server.address}/analyse?game={name}")
    visitor.is_at(0)
    visitor.sees("At the same time: left, right")
    visitor.tries("take 2")
    visitor.sees("At the same time: left take 2, right")
    visitor.is_at(0)
    visitor.tries("take 1")
    visitor.is_at(1)
    assert visitor.tree() == ["1 left take 2, right take 1"]
    visitor.sees("The game is over: left 100, right 0")


def test_a_position_is_sent_as_a_link_and_as_text(page: Any, server: Server) -> None:
    visitor = Analyst(page, server.address)
    visitor.opens(played(server, LOST))
    visitor.is_at(0)
    for ply in (1, 2):
        visitor.press("ArrowRight")
        visitor.is_at(ply)
    page.locator("#position-card summary").click()
    page.get_by_role("link", name="Link to this position").click()
    visitor.is_at(0)
    visitor.cell(1, 1, "x")
    visitor.sees("xplayer to move")
    page.locator("#position-card summary").click()
    text = page.locator("#position-text")
    text.fill("(true (sell 1 1 x))")
    page.get_by_role("button", name="Analyse this position").click()
    visitor.expects("#position-fault", "did you mean cell?")
    text.fill("(true (cell 1 1 b)) (true (control oplayer))")
    page.get_by_role("button", name="Analyse this position").click()
    visitor.sees("oplayer to move")
    visitor.tries("mark 1 1")  # one cell is no board
    visitor.is_at(1)


def test_best_moves_a_hint_and_the_mistakes_of_a_match(page: Any, server: Server) -> None:
    visitor = Analyst(page, server.address)
    visitor.opens(played(server, LOST))
    visitor.is_at(0)
    page.get_by_role("button", name="Whole match").click()
    visitor.expects("#progress", "")
    # The second ply is lost already: it should have been a corner. The fourth lets xplayer win at once.
    marks = page.locator("#tree .sign")
    visitor.expects("#mistakes", "oplayer: blunder")
    assert marks.count() == 1
    page.locator(".slip-mark.blunder").click(force=True)
    visitor.is_at(2)
    visitor.expects("#mistake", "Blunder: oplayer gives away 50 points;")
    visitor.expects("#evaluation .exact", "xplayer wins in 5 plies")
    assert page.locator("#evaluation .best li").count() == 3
    page.get_by_role("button", name="Hint").click()
    visitor.sees("Hint: xplayer mark")
    assert page.locator(".hints .advised").count() == 1
    visitor.press("ArrowLeft")
    visitor.is_at(1)
    # A variation, evaluated while one looks at it.
    page.get_by_role("button", name="Analyse", exact=True).click()
    visitor.tries("mark a1")
    visitor.is_at(2)
    visitor.expects("#evaluation .exact", "draw")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Analyse", exact=True).wait_for()
    # Whoever comes back sees it all, and nothing is asked for again.
    page.goto(page.url.partition("?")[0])
    visitor.is_at(0)
    visitor.expects("#mistakes", "oplayer: blunder")
    visitor.expects("#evaluation .exact", "draw")
    assert page.locator("#curve svg").count() == 1
    page.get_by_role("button", name="Whole match").click()
    visitor.expects("#progress", "All positions are evaluated")
