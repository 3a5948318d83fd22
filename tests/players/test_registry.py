"""The registry agrees with the players' classes, the help, the page and the docs, and each range is kept."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from support.commands import Ggp

from ggp.players.levels import HIGHEST
from ggp.players.mcts.options import Options
from ggp.players.registry import PLAYERS, Option, PlayerEntry
from ggp.server.lineup import OFFERED, SetupError, checked_players

DOCS = Path(__file__).parents[2] / "docs" / "guides" / "players.md"
OPTIONS = [(name, option) for name, entry in PLAYERS.items() for option in entry.options]
RANGED = [(name, option) for name, option in OPTIONS if option.kind != "file"]


def defaults(name: str, entry: PlayerEntry) -> dict[str, object]:
    """The options of a class by name, with their defaults."""
    found = {
        parameter.name: parameter.default
        for parameter in inspect.signature(entry.load()).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    }
    return found | ({field.name: field.default for field in fields(Options)} if name == "mcts" else {})


@pytest.mark.parametrize("name", PLAYERS)
def test_the_options_are_those_of_the_class(name: str) -> None:
    entry = PLAYERS[name]
    found = defaults(name, entry)
    assert [option.name for option in entry.options] == list(found)
    for option in entry.options:
        if not isinstance(option.default, str) and found[option.name] is not None:
            assert found[option.name] == option.default
            assert type(found[option.name]) is type(option.default)
            assert option.checked(option.default) == option.default
    assert entry.limit in ("", *found)


def test_the_levels_are_those_that_there_are() -> None:
    level = next(option for option in PLAYERS["auto"].options if option.name == "level")
    assert (level.least, level.most, level.default) == (1, HIGHEST, HIGHEST)


@pytest.mark.parametrize("option", {option.name: option for _, option in RANGED}.values(), ids=lambda one: one.name)
def test_values_out_of_range(option: Option) -> None:
    for wrong in (option.least - 1, option.most * 2 + 1, "nan", "inf", "many", "", "9" * 999):
        with pytest.raises(ValueError, match=f"but must be {option.range}"):
            option.checked(wrong)
    if option.kind != "number":
        with pytest.raises(ValueError, match="but must be"):
            option.checked(option.least + 0.5)
    for right in (option.least, option.most):
        found = option.checked(str(right))
        assert found == right
        assert isinstance(found, {"flag": bool, "whole": int, "number": float}[option.kind])


def test_words_for_flags() -> None:
    ponder = next(option for option in PLAYERS["mcts"].options if option.name == "ponder")
    assert [ponder.checked(text) for text in ("true", "false", "1", "0")] == [True, False, True, False]


def test_the_help_names_all(ggp: Ggp) -> None:
    text = "".join(ggp("play", "--help").out.split())
    assert ",".join((*PLAYERS, "human(you)")) in text


def test_the_page_offers_those_that_need_no_file_or_extra() -> None:
    assert list(OFFERED) == ["human", *(name for name in PLAYERS if name not in ("learned", "onnx", "openspiel"))]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mcts(simulations=1e12)", "left: mcts: simulations is 1e12, but must be a whole number from 1 to"),
        ("auto(depth=1)", "left: auto: no option depth"),
        ("planner(x=1)", "no option x"),
        ("planner(/etc/passwd)", "no player"),
        ("planner(file=/etc/passwd)", "no player"),
        ("learned(some.learned)", "no player"),
        ("some.onnx", "no player"),
        ("onnx(some.onnx)", "no player"),
        ("human(x=1)", "no player"),
        ("mine.py:Mine", "no player"),
        ("mcts(keep=1" + ",keep=1" * 99 + ")", "no player"),
    ],
)
def test_what_a_page_cannot_name(name: str, reason: str) -> None:
    with pytest.raises(SetupError, match=reason.replace("(", "\\(")):
        checked_players({"left": name}, ["left"])


def test_a_server_may_offer_files() -> None:
    offered = {**OFFERED, "some.onnx": "a network"}
    assert checked_players({"left": "some.onnx"}, ["left"], offered) == {"left": "some.onnx"}
    for name in ("other.onnx", "some.onnx(temperature=1)"):
        with pytest.raises(SetupError, match="no player"):
            checked_players({"left": name}, ["left"], offered)


def test_what_a_page_can_name() -> None:
    for name in ("human", "ismcts", "mcts( simulations=1e3 , keep=0 )", "http://localhost:9147"):
        assert checked_players({"left": name}, ["left"]) == {"left": name}


def rows() -> Iterator[str]:
    """The tables of the page about players."""
    for name, entry in PLAYERS.items():
        yield f"| `{name}` | {entry.what} | {entry.needs} |"
    for name, option in OPTIONS:
        default = option.default if isinstance(option.default, str) else f"{float(option.default):.12g}"
        shown = "FILE" if option.kind == "file" else option.name
        yield f"| `{name}` | `{shown}` | {default} | {option.range} | {option.meaning} |"


def test_the_docs_have_all() -> None:
    text = DOCS.read_text(encoding="utf-8").splitlines()
    assert [row for row in rows() if row not in text] == []
