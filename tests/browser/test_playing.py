"""People at the page: whole games by clicks, several at one match, replays by keyboard, servers that are killed."""

from __future__ import annotations

from typing import Any

import pytest
from visiting import Server, Visitor, ask

pytestmark = pytest.mark.slow

#: Steps of both sides until a fox can jump twice in one turn, and the jumps.
FOX_LINE = [
    *("(move 3 3 2 3)", "(move 4 4 3 3)", "(move 4 2 5 1)", "(move 3 5 4 4)"),
    *("(jump 5 3 3 5)", "(jump 3 5 1 3)"),
]


def test_a_whole_tic_tac_toe_against_mcts(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="mcts")
    for plies in range(0, 10, 2):
        # Either it is our turn again, or the match is over.
        page.locator("#status.mine, #again:visible").first.wait_for()
        if page.locator("#again").is_visible():
            break
        visitor.at(plies, plies)
        visitor.sees("Your move: xplayer")
        assert page.locator(".hints .place").count() == 9 - plies
        page.locator(".cell.live").first.click(force=True)
        page.locator(f"#history li:nth-child({min(plies + 2, 9)})").wait_for()
    visitor.sees("Finished: xplayer")


def test_what_programs_think_is_beside_the_board(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    # Among themselves programs have all the time that compiling takes.
    players = {"xplayer": "legal", "oplayer": "mcts(simulations=500)"}
    made = ask(f"{server.address}/api/matches", {"game": "classics/tic_tac_toe", "players": players, "seed": 1})
    page.goto(f"{server.address}/match/{made['id']}")
    visitor.sees("Finished")
    page.locator("#thoughts .thought").wait_for()
    assert "expects" in page.locator("#thoughts").inner_text()
    assert page.locator("#chart svg").count() == 1


def test_a_jump_series_in_the_fox_game(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("fox_game", fox="human", sheep="human")
    visitor.sees("Your move: fox")
    for number, move in enumerate(FOX_LINE):
        x1, y1, x2, y2 = map(int, move.strip("()").split()[1:])
        visitor.at(number, number)
        visitor.click((x1 - 1, y1 - 1), (x2 - 1, y2 - 1))
    visitor.at(len(FOX_LINE), len(FOX_LINE))
    assert [next(move for move in joint if move != "noop") for joint in visitor.moves()] == FOX_LINE
    # Both sheep that were jumped over are gone.
    assert "18" in page.locator("#notes").inner_text()


def test_a_placement_and_a_capture_in_knights_and_pawns(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("knights_and_pawns", white="human", black="human")
    visitor.sees("Your move: white, black")
    for row, back, role in ((6, 7, "white"), (0, 1, "black")):
        visitor.sees(f"Your move: {role}")
        # A piece and then a cell, or a cell and then a piece.
        page.locator(f"#choose [data-word={role}knight]").click()
        visitor.click((0, row))
        visitor.click((4, row))
        page.locator(f".offers [data-word={role}knight]").click()
        assert page.locator(".ghosts [data-at]").count() == 8
        visitor.click((0, back))
        page.locator(f".offers [data-word={role}knight]").click()
    visitor.at(1, 1)
    for number, cells in enumerate([((3, 6), (4, 4)), ((4, 1), (3, 3))], 2):
        visitor.click(*cells)
        visitor.at(number, number)
    visitor.click((4, 4), (3, 2))
    visitor.at(4, 4)
    visitor.cell(3, 3, "blackknight")
    visitor.click((5, 1), (4, 3))
    visitor.at(5, 5)
    visitor.click((3, 2), (4, 0))
    visitor.at(6, 6)
    assert visitor.moves()[-1][0] == "(move 4 6 5 8)"
    visitor.cell(4, 0, "whiteknight")


def test_defending_in_battle(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("battle", north="human", south="human")
    visitor.sees("Your move: north")
    visitor.click((3, 1))
    page.locator(".offers").get_by_role("button", name="Defend").click()
    visitor.at(1, 1)
    visitor.cell(3, 1, "defended")
    visitor.sees("Your move: south")
    # A second click on the same piece takes the first one back.
    visitor.click((2, 6), (2, 6))
    assert page.locator(".offers .word").count() == 0
    page.locator("#choose").get_by_role("button", name="Defend").click()
    visitor.click((2, 6))
    visitor.at(2, 2)
    assert visitor.moves() == [["(defend 4 7)", "noop"], ["noop", "(defend 3 2)"]]


def test_sliding_pieces_by_clicking_pieces(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("sliding_pieces", player="human")
    visitor.sees("Your move: player")
    visitor.click((1, 3), (1, 4))
    visitor.at(1, 1)
    visitor.click((2, 2), (2, 3))
    visitor.at(2, 2)
    assert visitor.moves() == [["(move piece4 south)"], ["(move piece2 south)"]]
    page.locator("#choose").get_by_role("button", name="Pass").click()
    visitor.at(3, 3)


def test_a_card_is_played_by_a_click(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("hidden/goofspiel_4", left="human", right="human")
    visitor.sees("Your move")
    page.locator("rect.source").first.wait_for()  # as large as a card
    assert page.locator("rect.source").count() == 4
    visitor.cell(1, 0, "hand of left, 2: 2")
    visitor.click((1, 0))
    visitor.sees("Your move: right")
    visitor.click((3, 1))
    visitor.at(1, 1)
    assert visitor.moves() == [["(bid 2)", "(bid 4)"]]
    visitor.cell(1, 0, "hand of left, 2: 3")


def test_two_browsers_watch_one_match(page: Any, chromium: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    context = chromium.new_context()
    try:
        other = Visitor(context.new_page(), server.address)
        other.page.goto(page.url + "?as=nobody")
        other.at(0, 0)
        other.sees("wolf to move")
        visitor.click((3, 0), (3, 1))
        other.at(1, 1)
        other.cell(3, 1, "w")
        other.sees("sheep to move")
        visitor.sees("Your move: sheep")
        visitor.click((0, 7), (1, 6))
        other.at(2, 2)
    finally:
        context.close()


def test_a_replay_by_keyboard_and_a_link_to_a_ply(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    players = {"wolf": "random", "sheep": "random"}
    made = ask(f"{server.address}/api/matches", {"game": "wolf_sheep", "players": players, "seed": 5, "max_plies": 6})
    page.goto(f"{server.address}/match/{made['id']}")
    visitor.sees("Ended at the ply limit")
    visitor.at(6, 6)
    for key, ply in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 6), ("ArrowLeft", 5)):
        visitor.press(key)
        visitor.at(ply, 6)
    assert page.url.endswith("?ply=5")
    page.reload()
    visitor.at(5, 6)
    visitor.sees("Looking back at ply 5")


def test_reload_in_the_middle_of_a_match(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="random")
    visitor.sees("Your move: wolf")
    visitor.click((3, 0), (3, 1))
    visitor.at(2, 2)
    page.reload()
    visitor.at(2, 2)
    visitor.sees("Your move: wolf")
    visitor.click((3, 1), (3, 2))
    visitor.at(4, 4)


def test_moves_are_taken_back(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="random")
    visitor.sees("Your move: wolf")
    visitor.click((3, 0), (3, 1))
    visitor.at(2, 2)
    page.get_by_role("button", name="Take back").click()
    visitor.at(0, 0)
    visitor.cell(3, 0, "w")
    visitor.click((3, 0), (4, 1))
    visitor.at(2, 2)
    assert visitor.moves()[0][0] == "(move c4 c8 c5 c7)"


def test_a_beginner_to_play_against(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    page.goto(f"{server.address}/new/classics/tic_tac_toe")
    page.get_by_label("Level of oplayer").select_option("1")
    assert not page.get_by_label("Level of xplayer").is_visible()  # a person has none
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/match/**")
    visitor.click((0, 0))
    visitor.at(2, 2)
    assert ask(f"{server.address}/api/matches/{visitor.match}")["state"]["players"]["oplayer"] == "auto(level=1)"


def test_a_person_resigns(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="random")
    visitor.sees("Your move: wolf")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Resign").click()
    visitor.sees("wolf resigned: wolf 0, sheep 100")


def test_a_killed_server_loses_nothing(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    visitor.click((3, 0), (3, 1))
    visitor.at(1, 1)
    server.kill()
    visitor.sees("does not answer")
    server.start()
    visitor.sees("Your move: sheep")
    visitor.click((0, 7), (1, 6))
    visitor.at(2, 2)
    assert visitor.moves() == [["(move c4 c8 c4 c7)", "noop"], ["noop", "(move c1 c1 c2 c2)"]]


def test_playing_by_keyboard_alone(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="human")
    visitor.sees("Your move: xplayer")
    page.locator('.cell[tabindex="0"]').focus()
    visitor.press("ArrowRight", "ArrowDown", "Enter")
    visitor.at(1, 1)


def tab_to(page: Any, selector: str) -> None:
    """Press the tabulator key until an element has the focus."""
    for _ in range(200):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"{selector} cannot be reached by the keyboard")


def test_set_up_take_back_and_resign_by_keyboard_alone(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    page.goto(f"{server.address}/new/wolf_sheep")
    page.locator("#setup").wait_for()
    tab_to(page, "select[data-role=sheep]")
    page.keyboard.type("random")
    tab_to(page, "#setup button.strong")
    visitor.press("Enter")
    page.wait_for_url("**/match/**")
    visitor.sees("Your move: wolf")
    tab_to(page, "#moves .move")
    visitor.press("Enter")
    visitor.at(2, 2)
    visitor.sees("Your move: wolf")
    tab_to(page, "#undo")
    visitor.press("Enter")
    visitor.at(0, 0)
    visitor.sees("Your move: wolf")
    page.once("dialog", lambda dialog: dialog.accept())
    tab_to(page, "#resign")
    visitor.press("Enter")
    visitor.sees("wolf resigned: wolf 0, sheep 100")
    assert ask(f"{server.address}/api/matches/{visitor.match}")["state"]["players"]["sheep"] == "random"


def test_the_whole_board_in_words(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("wolf_sheep", wolf="human", sheep="human")
    visitor.sees("Your move: wolf")
    words = page.locator("#words")
    assert words.inner_text().startswith("Board after ply 0: ")
    assert "d8 w" in words.inner_text()
    visitor.click((3, 0), (3, 1))
    visitor.at(1, 1)
    visitor.cell(3, 1, "w")
    assert words.inner_text().startswith("Board after ply 1: ")
    assert "d7 w" in words.inner_text()


def test_a_move_that_came_too_late_is_told_in_words(page: Any, server: Server) -> None:
    players = {"xplayer": "human", "oplayer": "human"}
    late = {"game": "classics/tic_tac_toe", "players": players, "play_clock": 0.2, "max_plies": 1}
    page.goto(f"{server.address}/match/{ask(f'{server.address}/api/matches', late)['id']}")
    Visitor(page, server.address).sees("(played at random: xplayer was late)")


def test_the_clock_of_a_program_that_thinks(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    page.goto(f"{server.address}/new/classics/breakthrough")
    # It is no game whose end the program sees at once.
    page.locator("select[data-role=black]").select_option("mcts")
    page.locator("#clocks summary").click()
    page.locator("#play-clock").fill("6")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/match/**")
    visitor.sees("Your move: white")
    own, other = (page.locator(".player", has_text=role).locator(".clock") for role in ("white", "black"))
    assert own.inner_text().endswith(" s")
    assert other.count() == 0
    visitor.click((0, 6), (0, 5))
    other.wait_for()
    assert own.count() == 0
    assert 0 < int(other.inner_text().removesuffix(" s")) <= 6


def test_cards_have_placeholders_until_their_pictures_are_there(page: Any, server: Server) -> None:
    held: list[Any] = []
    page.route("**/board.svg", lambda route: held.append(route))
    page.goto(server.address)
    frame = page.locator(".game-card .picture").first
    frame.wait_for()
    assert "waits" in frame.get_attribute("class")
    # The cards are made anew when games arrive: a card that is found may be gone by the time it is measured.
    page.wait_for_function(
        """() => {
            const box = document.querySelector(".game-card .picture.waits").getBoundingClientRect();
            return Math.min(box.width, box.height) > 50;
        }"""
    )
    while not held:
        page.wait_for_timeout(50)
    for route in held:
        route.fulfill(content_type="image/svg+xml", body='<svg xmlns="http://www.w3.org/2000/svg"/>')
    page.locator(".game-card .picture:not(.waits)").first.wait_for()


def test_why_a_move_is_legal(page: Any, server: Server) -> None:
    visitor = Visitor(page, server.address)
    visitor.begin("classics/tic_tac_toe", xplayer="human", oplayer="human")
    visitor.sees("Your move: xplayer")
    page.get_by_role("button", name="Why is mark a1 legal?").click()
    because = page.locator("#because")
    because.get_by_text("(true (cell 1 1 b))").wait_for()
