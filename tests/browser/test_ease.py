"""Playing with ease: dragging, a turned board, the result in a sentence with its reason, another match, sounds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from visiting import PATIENCE, Server, Visitor, ask

pytestmark = pytest.mark.slow


def middle(page: Any, column: int, row: int) -> tuple[float, float]:
    box = page.locator(f'[data-place="0,{column},{row}"]').bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, start: tuple[int, int], end: tuple[int, int]) -> None:
    page.mouse.move(*middle(page, *start))
    page.mouse.down()
    page.mouse.move(*middle(page, *end), steps=5)
    page.mouse.up()


def test_pieces_are_dragged(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    page.locator(".source, .chosen").first.wait_for()
    drag(page, (3, 0), (3, 1))
    visitor.at(1, 1)
    visitor.cell(3, 1, "w")
    visitor.sees("Your move: sheep")
    # To where it cannot go: nothing is played, and the piece stays chosen or not, but on its cell.
    drag(page, (0, 7), (5, 5))
    visitor.at(1, 1)
    visitor.cell(0, 7, "s")
    drag(page, (0, 7), (1, 6))
    visitor.at(2, 2)
    assert visitor.moves()[1] == ["noop", "(move c1 c1 c2 c2)"]


def keys(page: Any) -> list[str]:
    """The places of the cells of the board."""
    return list(page.locator(".cell").evaluate_all("(cells) => cells.map((cell) => cell.dataset.place)"))


def test_a_turned_board_is_played_on(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    before = middle(page, 0, 0)
    far = middle(page, 7, 7)
    page.get_by_role("button", name="Turn the board").click()
    after = middle(page, 0, 0)
    assert after[0] > before[0]
    assert after[1] > before[1]
    assert after[0] - middle(page, 7, 7)[0] == pytest.approx(far[0] - before[0], abs=2)
    drag(page, (3, 0), (3, 1))
    visitor.at(1, 1)
    visitor.click((0, 7), (1, 6))
    visitor.at(2, 2)
    # The arrow to the left leads to the left.
    page.locator('.cell[tabindex="0"]').focus()
    key = page.evaluate("document.activeElement.dataset.place")
    page.keyboard.press("ArrowRight")
    other = page.evaluate("document.activeElement.dataset.place")
    assert int(other.split(",")[1]) == int(key.split(",")[1]) - 1


def corner_first(label: tuple[str, float, float]) -> tuple[int, int]:
    """Return the position of a label, for sorting."""
    return round(label[1] / 9), round(label[2] / 9)


LABELS = """() => [...document.querySelectorAll(".board-svg .label")].map((label) => {
  const { x, y, width, height } = label.getBoundingClientRect();
  return [label.textContent, x + width / 2, y + height / 2];
})"""


@pytest.mark.parametrize(
    ("game", "roles"),
    [("wolf_sheep", "wolf sheep"), ("gallery/crossing", "red blue"), ("fox_game", "fox sheep")],
)
def test_labels_of_a_turned_board_stay_below_and_on_the_left(page: Any, server: Server, game: str, roles: str) -> None:
    """The places of labels are the same as before, and each is beside the cells that it names."""
    visitor = Visitor(page, server.address)
    visitor.begin(game, **dict.fromkeys(roles.split(), "human"))
    visitor.sees("Your move")
    before = page.evaluate(LABELS)
    cells = {place: middle(page, *place) for place in [tuple(map(int, key.split(",")[1:])) for key in keys(page)]}
    page.get_by_role("button", name="Turn the board").click()
    after = page.evaluate(LABELS)
    corner = [min(cell[i] for cell in cells.values()) for i in (0, 1)]
    assert sorted(text for text, *_ in after) == sorted(text for text, *_ in before)
    if game != "gallery/crossing":  # whose rows have other ends
        for (_, *there), (_, *here) in zip(
            sorted(before, key=corner_first), sorted(after, key=corner_first), strict=True
        ):
            assert here == pytest.approx(there, abs=4)
    now = {place: middle(page, *place) for place in cells}
    assert [min(cell[i] for cell in now.values()) for i in (0, 1)] == pytest.approx(corner, abs=2)
    rows = {round(y) for text, x, y in after if x < corner[0] - 9}
    assert rows
    assert all(any(abs(y - cell[1]) < 9 for cell in now.values()) for y in rows)


def test_a_match_is_won_and_played_again(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="legal")
    page.get_by_role("button", name="Sound off").click()
    assert page.get_by_role("button", name="Sound on").get_attribute("aria-pressed") == "true"
    # `legal` marks the first blank cells: 1 1, then 1 2, unless they are taken.
    for number, cell in enumerate([(2, 0), (2, 1), (2, 2)]):
        visitor.at(2 * number, 2 * number)
        visitor.click(cell)
    visitor.sees("You won in 5 plies. Finished: xplayer 100, oplayer 0")
    page.get_by_text("Xplayer has a line.").wait_for(timeout=1000 * PATIENCE)
    assert page.locator("circle.reason").count() == 3
    assert page.locator("#told").text_content() == "xplayer: mark c1"
    page.get_by_role("button", name="Back", exact=True).click()
    visitor.at(4, 5)
    page.get_by_text("It is over").wait_for(state="hidden")
    assert page.locator("circle.reason").count() == 0
    before = visitor.match
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/match/" in url and before not in url)
    visitor.click((0, 0))
    assert page.locator(".player", has_text="oplayer").inner_text().split() == ["oplayer", "you"]
    page.reload()
    assert page.get_by_role("button", name="Sound on").get_attribute("aria-pressed") == "true"


def test_no_click_is_lost_while_the_page_is_loading(page: Any, server: Server) -> None:
    held: list[Any] = []
    page.route(re.compile(r"/api/matches/[^/]+$"), lambda route: held.append(route))
    visitor = Visitor(page, server.address)
    visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="legal")
    sound = page.locator("#sound")
    sound.wait_for()
    with pytest.raises(Exception, match="Timeout"):
        sound.click(timeout=500)
    held[0].continue_()
    sound.click()
    assert sound.get_attribute("aria-pressed") == "true"


def test_only_who_has_the_link_can_move_a_seat(page: Any, chromium: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    page.goto(f"{server.address}/new/wolf_sheep")
    page.locator("select[data-role=sheep]").select_option("human")
    page.get_by_label("Only people with the link to a seat can move for it").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/match/**")
    visitor.sees("Your move: wolf")
    page.get_by_role("button", name="Invite").click()
    link = page.get_by_role("link", name="as=sheep").get_attribute("href")
    code = page.get_by_role("img", name="QR code of the link to sheep")
    code.wait_for()
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    page.get_by_role("button", name="Close").click()
    context = chromium.new_context()
    try:
        stranger = Visitor(context.new_page(), server.address)
        stranger.page.goto(page.url.split("?")[0])
        stranger.sees("wolf to move")
        visitor.click((3, 0), (3, 1))
        stranger.sees("sheep to move")
        assert stranger.page.locator("#moves-card").is_hidden()
        assert stranger.page.locator("#invite").is_hidden()
        stranger.page.goto(link)
        stranger.sees("Your move: sheep")
        stranger.click((0, 7), (1, 6))
        visitor.at(2, 2)
        visitor.sees("Your move: wolf")
    finally:
        context.close()


def test_ones_own_side_is_below_and_turned_boards_are_remembered(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    for sheep, lowest in (("random", 0), ("human", 7)):
        visitor.begin("wolf_sheep", wolf="human", sheep=sheep)
        visitor.sees("Your move: wolf")
        rows = {row: middle(page, 0, row)[1] for row in (0, 7)}
        assert max(rows, key=rows.__getitem__) == lowest
    visitor.begin("wolf_sheep", wolf="human", sheep="random")
    page.get_by_role("button", name="Turn the board").click()
    assert middle(page, 0, 7)[1] > middle(page, 0, 0)[1]
    visitor.begin("wolf_sheep", wolf="human", sheep="random")
    visitor.sees("Your move: wolf")
    assert middle(page, 0, 7)[1] > middle(page, 0, 0)[1]


def test_ones_own_move_stands_on_the_board_at_once_and_comes_back_if_it_is_refused(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    visitor.click((0, 7))
    page.get_by_text("wolf cannot move s on a1 now.").wait_for()
    held: list[Any] = []
    page.route(re.compile("/move$"), lambda route: held.append(route))
    wolf = page.locator('.pieces [data-at="0,3,0"]')
    before = wolf.bounding_box()["y"]
    visitor.click((3, 0), (3, 1))
    assert wolf.bounding_box()["y"] > before + 20
    assert page.locator("circle.sent").count() == 2
    visitor.sees("You have moved")
    held[0].fulfill(status=409, json={"error": "this move cannot be made now"})
    page.get_by_text("this move cannot be made now").wait_for()
    assert wolf.bounding_box()["y"] == pytest.approx(before, abs=1)
    assert page.locator("circle.sent").count() == 0
    page.unroute(re.compile("/move$"))
    visitor.click((3, 0), (3, 1))
    visitor.at(1, 1)
    assert page.locator("circle.sent").count() == 0


def test_a_picture_of_the_board_is_saved(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Picture").click()
    assert saving.value.suggested_filename == f"{visitor.match}-0.svg"
    drawing = ElementTree.fromstring(Path(saving.value.path()).read_text(encoding="utf-8"))
    shapes = list(drawing.iter())
    assert len(shapes) > 64
    assert not any("class" in one.attrib or "style" in one.attrib for one in shapes)
    assert len({one.get("fill") for one in shapes}) > 3, "the colours are in the file"


def test_words_are_chosen_by_the_keyboard(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("battle", north="human", south="human")
    visitor.sees("Your move: north")
    page.locator('[data-place="0,3,1"]').focus()
    visitor.press("Enter", "Tab")
    assert page.evaluate("document.activeElement.dataset.word") == "defend"
    visitor.press("Enter")
    visitor.at(1, 1)
    assert visitor.moves() == [["(defend 4 7)", "noop"]]
    assert page.evaluate("document.activeElement.dataset.place") == "0,3,1"


def test_a_laptop_shows_the_board_and_all_controls(page: Any, server: Server) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    visitor = Visitor(page, server.address)
    for game in ("wolf_sheep", "knights_and_pawns", "classics/connect_four"):
        visitor.begin(game)
        visitor.sees("Your move")
        assert page.locator(".deeds").bounding_box()["y"] + page.locator(".deeds").bounding_box()["height"] <= 800


def test_two_people_agree_on_what_is_taken_back_and_on_a_rematch(page: Any, chromium: Any, server: Server) -> None:
    ann = Visitor(page, server.address)
    page.goto(f"{server.address}/new/classics/tic_tac_toe")
    page.locator("select[data-role=oplayer]").select_option("human")
    page.get_by_label("Only people with the link to a seat can move for it").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/match/**")
    page.get_by_role("button", name="Invite").click()
    link = page.get_by_role("link", name="as=oplayer").get_attribute("href")
    page.get_by_role("button", name="Close").click()
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(1000 * PATIENCE)
    try:
        bob = Visitor(context.new_page(), server.address)
        bob.page.goto(link)
        for number, (visitor, cell) in enumerate([(ann, (0, 0)), (bob, (1, 1)), (ann, (2, 2))], 1):
            visitor.click(cell)
            ann.at(number, number)
            bob.at(number, number)
        page.get_by_role("button", name="Take back").click()
        page.get_by_text("Waiting for oplayer").wait_for()
        bob.page.get_by_text("xplayer asks to take back a move.").wait_for()
        bob.page.get_by_role("button", name="Decline").click()
        page.get_by_text("xplayer asks to take back a move: not accepted.").wait_for()
        bob.at(3, 3)
        page.get_by_role("button", name="Take back").click()
        bob.page.get_by_role("button", name="Accept").click()
        ann.at(2, 2)
        ann.sees("Your move: xplayer")
        # Whoever is not to move may resign, too.
        bob.page.once("dialog", lambda dialog: dialog.accept())
        bob.page.get_by_role("button", name="Resign").click()
        ann.sees("oplayer resigned: xplayer 100, oplayer 0")
        before = ann.match
        page.get_by_role("button", name="Rematch, other seats").click()
        bob.page.get_by_text("xplayer offers a rematch with other seats.").wait_for()
        bob.page.get_by_role("button", name="Accept").click()
        for visitor, role in ((ann, "oplayer"), (bob, "xplayer")):
            visitor.page.wait_for_url(lambda url, role=role: before not in url and url.endswith(f"as={role}"))
        assert ann.match == bob.match
        bob.click((0, 0))
        ann.sees("Your move: oplayer")
    finally:
        context.close()


def test_two_people_are_called_by_their_names_talk_and_have_clocks(page: Any, chromium: Any, server: Server) -> None:
    ann = Visitor(page, server.address)
    page.goto(f"{server.address}/new/classics/tic_tac_toe")
    page.locator("select[data-role=oplayer]").select_option("human")
    page.locator("#clocks summary").click()
    page.get_by_label("Minutes for the whole match").fill("3")
    page.get_by_label("Seconds added for each move").fill("30")
    page.get_by_label("Only people with the link to a seat can move for it").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/match/**")
    page.get_by_role("button", name="Invite").click()
    link = page.get_by_role("link", name="as=oplayer").get_attribute("href")
    page.get_by_role("button", name="Close").click()
    contexts = [chromium.new_context() for _ in range(2)]
    try:
        bob, cid = (Visitor(context.new_page(), server.address) for context in contexts)
        bob.page.goto(link)
        cid.page.goto(f"{server.address}/match/{ann.match}?as=nobody")
        page.get_by_label("Your name").fill("Ann <b>")
        page.get_by_label("Your name").press("Enter")
        bob.page.locator(".player", has_text="Ann <b>").wait_for()
        bob.page.get_by_label("Say something").fill("Good luck!")
        bob.page.get_by_label("Say something").press("Enter")
        for visitor in (ann, cid):
            visitor.page.locator("#remarks li", has_text="oplayer Good luck!").wait_for()
        assert not cid.page.get_by_label("Say something").is_visible()
        ann.click((0, 0))
        clock = page.locator(".player", has_text="xplayer").locator(".clock")
        ann._expect(clock).to_have_text(re.compile("^3:"))  # three minutes and what a move adds, less a few seconds
        bob.sees("Your move: oplayer")
    finally:
        for context in contexts:
            context.close()


def test_a_choice_between_plain_moves_is_told_and_no_throw_is_taken_back(page: Any, server: Server) -> None:
    players = {"left": "human", "right": "human"}
    made = ask(f"{server.address}/api/matches", {"game": "gallery/pig", "players": players, "seed": 3})
    page.goto(f"{server.address}/match/{made['id']}")
    page.get_by_role("button", name="hold", exact=True).click()
    page.locator("#history").get_by_text("left hold, random throw").wait_for()
    assert page.locator("#undo").is_hidden()


@pytest.mark.parametrize("game", ["knights_and_pawns", "variants/sliding_pieces_classic"])
def test_titles_on_phones_break_between_words(page: Any, server: Server, game: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.address}/new/{game}")
    page.locator("#setup:visible").wait_for()
    lines_of_words = page.evaluate(
        """() => {
          const text = document.getElementById("title").firstChild;
          return [...text.data.matchAll(/\\S+/g)].map((word) => {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            return new Set([...range.getClientRects()].map((box) => box.top)).size;
          });
        }"""
    )
    assert len(lines_of_words) >= 3
    assert set(lines_of_words) == {1}
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
