"""The games that a server offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.server.library import Library


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
