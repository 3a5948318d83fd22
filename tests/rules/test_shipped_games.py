"""Finding rule files by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl.errors import FileError
from ggp.rules.shipped_games import (
    AmbiguousGameError,
    ShippedGame,
    UnknownGameError,
    find_game,
    game_name,
    shipped_games,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some rule files as a package would have them."""
    for name in ("chess.kif", "classics/go.kif", "variants/go_small.kif", "variants/twin.kif", "classics/twin.kif"):
        file = tmp_path / "games" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("(role black)")
    (tmp_path / "games" / "chess.expect.toml").write_text("")
    return tmp_path / "games"


def test_the_games_that_are_shipped() -> None:
    names = [game.name for game in shipped_games()]
    assert {"wolf_sheep", "knights_and_pawns", "fox_game", "battle", "sliding_pieces"} <= set(names)
    assert {"classics/connect_four", "variants/wolf_sheep_diagonal"} <= set(names)


@pytest.mark.parametrize("game", shipped_games(), ids=lambda game: game.name)
def test_every_shipped_game_says_what_it_is(game: ShippedGame) -> None:
    assert game.roles()
    assert game.description()
    assert find_game(game.name) == game.path


def test_the_top_comes_first_in_the_list(folder: Path) -> None:
    names = [game.name for game in shipped_games(folder)]
    assert names == ["chess", "classics/go", "classics/twin", "variants/go_small", "variants/twin"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("chess", "chess.kif"),
        ("chess.kif", "chess.kif"),
        ("go", "classics/go.kif"),
        ("go.kif", "classics/go.kif"),
        ("classics/go", "classics/go.kif"),
        ("classics/go.kif", "classics/go.kif"),
        ("classics\\go", "classics/go.kif"),
        ("GO_Small", "variants/go_small.kif"),
        ("variants/twin", "variants/twin.kif"),
    ],
)
def test_names_of_shipped_games(folder: Path, name: str, found: str) -> None:
    assert find_game(name, folder) == folder / found


def test_a_file_comes_before_a_shipped_game(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chess").write_text("(role white)")
    assert find_game("chess", folder) == Path("chess")
    assert find_game(str(folder / "classics" / "go.kif"), folder) == folder / "classics" / "go.kif"


def test_a_folder_does_not_hide_a_shipped_game(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chess").mkdir()
    assert find_game("chess", folder) == folder / "chess.kif"


def test_unknown_names_have_near_misses(folder: Path) -> None:
    with pytest.raises(UnknownGameError) as caught:
        find_game("ches", folder)
    assert str(caught.value) == "unknown-game: no file and no game ches; did you mean chess?"
    with pytest.raises(UnknownGameError, match=r"did you mean .*go_small"):
        find_game("elsewhere/go_smal.kif", folder)
    with pytest.raises(UnknownGameError, match="`ggp games` lists the games"):
        find_game("qqqqqq", folder)


@pytest.mark.parametrize("name", ["", "nowhere/chess", "with\0zero"])
def test_names_of_nothing(folder: Path, name: str) -> None:
    with pytest.raises(UnknownGameError):
        find_game(name, folder)


def test_names_of_several_games(folder: Path) -> None:
    with pytest.raises(AmbiguousGameError, match="twin may be any of classics/twin, variants/twin"):
        find_game("twin", folder)


def test_folders_and_impossible_paths_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder, not a rule file"):
        find_game(str(tmp_path), folder)
    with pytest.raises(FileError, match="File name too long"):
        find_game("x" * 5000, folder)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("; Chess\n;\n; Two armies. The king counts.\n(role white)", "Two armies."),
        ("\n;;; ---------\n;;; Chess, the\n;;; royal game\n\n; rules\n(role white)", "Chess, the royal game"),
        ("; One line\n(role white)", "One line"),
        (";; Chess is old. It is good.\n", "Chess is old."),
        ("(role white) ; not a header", ""),
        ("", ""),
    ],
)
def test_descriptions(tmp_path: Path, text: str, description: str) -> None:
    file = tmp_path / "game.kif"
    file.write_text(text)
    assert ShippedGame("game", file).description() == description


def test_what_a_game_is_called() -> None:
    assert game_name(Path("a/b/chess.kif")) == "chess"
    assert game_name(Path("a/b/chess")) == "chess"


def test_a_misspelled_file_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rams.kif").touch()
    (tmp_path / "tic_tac_toe_2.kif").touch()
    with pytest.raises(UnknownGameError, match=r"no file and no game .*ramz\.kif; did you mean .*rams\.kif\?$"):
        find_game(str(tmp_path / "ramz.kif"))
    monkeypatch.chdir(tmp_path)
    for name in ("ramz.kif", "rams"):
        with pytest.raises(UnknownGameError, match=rf"no game {name}; did you mean rams\.kif\?$"):
            find_game(name)
    with pytest.raises(UnknownGameError, match="ggp games"):
        find_game("zzz/rams.kif")
