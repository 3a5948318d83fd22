"""The games that a server offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.board.wishes import WishError, parse_wishes
from ggp.server.web.library import Library


@pytest.mark.parametrize(("name", "title"), [("dotsAndBoxes", "Dots and boxes"), ("amazons_8x8", "Amazons 8x8")])
def test_titles_are_made_of_the_names_of_files(tmp_path: Path, name: str, title: str) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / f"{name}.kif").write_text("(role r)", encoding="utf-8")
    library = Library(tmp_path / "sent", folder)
    assert [game["title"] for game in library.listed() if game["group"] == "rules"] == [title]
    assert library.rules(f"folder/{name}").title == title
    (folder / f"{name}.board.toml").write_text('title = "Another"', encoding="utf-8")
    assert library.rules(f"folder/{name}").title == "Another"


def test_rules_with_bytes_that_are_not_utf8_are_offered(tmp_path: Path) -> None:
    (tmp_path / "toy.kif").write_bytes(b"; caf\xe9\n(role r)")
    rules = Library(tmp_path / "sent", tmp_path).rules("folder/toy")
    assert rules.text == "; caf\udce9\n(role r)"
    assert len(rules.digest) == 32


def test_images_beside_the_rules_are_part_of_what_a_game_process_gets(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "toy.kif").write_text("(role r)", encoding="utf-8")
    (folder / "toy.board.toml").write_text('[pieces]\nr = "r.svg"', encoding="utf-8")
    (folder / "r.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    library = Library(tmp_path / "sent", folder)
    assert parse_wishes(library.rules("folder/toy").wishes).pieces["r"].startswith("data:image/svg+xml;base64,")
    (folder / "r.svg").unlink()
    with pytest.raises(WishError, match=r"toy\.board\.toml:2: "):
        library.rules("folder/toy")


def test_what_a_text_says_about_its_players(tmp_path: Path) -> None:
    rules = "; (role nobody)\n(ROLE Ann) (role\n bob) (role random) (<= (sees bob card) (role bob))"
    (tmp_path / "cards.kif").write_text(rules, encoding="utf-8")
    (tmp_path / "alone.kif").write_text("(role robot)", encoding="utf-8")
    listed = {game["title"]: game for game in Library(tmp_path / "sent", tmp_path).listed()}
    assert [listed["Cards"][key] for key in ("people", "chance", "hidden")] == [2, True, True]
    assert [listed["Alone"][key] for key in ("people", "chance", "hidden")] == [1, False, False]
