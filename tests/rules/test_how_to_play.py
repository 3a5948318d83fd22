"""How to play, in words: roles, kinds of moves, the end, goals, and what the sentences mean."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hidden_games import KUHN
from support.toy_files import ROOT

import gdl
from ggp.rules.how_to_play import how_to_play
from ggp.rules.shipped_games import games_folder, shipped_games

PUBLIC = sorted((ROOT.parent / "shared" / "rulesheets").glob("*.kif"))

NIM = """
; Nim
;
; Take one or two. Who takes the last one wins.

(role left) (role right)
(init (heap 3)) (init (control left))
(<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (number ?n) (minus ?h ?n ?rest))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(number 1) (number 2)
(minus 1 1 0) (minus 2 1 1) (minus 3 1 2) (minus 2 2 0) (minus 3 2 1)
(<= (next (heap ?rest)) (does ?r (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
(<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
(other left right) (other right left)
(<= terminal empty)
; empty: nothing is left.
(<= empty (true (heap 0)))
(<= (goal ?r 100) terminal (lost ?o) (other ?o ?r))
(<= (goal ?r 0) (lost ?r))
(<= (goal ?r 50) (role ?r) (not terminal))
(<= (lost ?r) (true (control ?r)))
"""


def sections(rules: str | Path) -> dict[str, list[str]]:
    found = how_to_play(gdl.Reasoner(rules)).data()["sections"]
    return {part["heading"]: part["lines"] for part in found}


def test_all_that_the_rules_say_of_nim() -> None:
    assert sections(NIM) == {
        "Roles": [
            "left and right play.",
            "They take turns: in 2 random plies, one role at a time had a choice.",
            "left begins: 2 moves in the first position.",
        ],
        "Moves": [
            "“take N” only when “control R”; N is 1 or 2; in the first position 2 for left.",
            "“noop” only when not “control R”.",
        ],
        "The end": ["The match ends when “empty”."],
        "Points": [
            "R gets 100 if “lost O” and “other O R”.",
            "R gets 0 if “lost R”.",
        ],
        "In these sentences": [
            "empty: nothing is left.",
            "“lost R” means “control R”.",
            "Words in capitals stand for anything; in one sentence, the same word stands for the same thing.",
        ],
    }
    assert how_to_play(gdl.Reasoner(NIM)).first_sentence == "Take one or two."


def test_roles_that_choose_at_the_same_time() -> None:
    game = sections(games_folder() / "knights_and_pawns.kif")
    assert (
        "In the first position, white and black choose at the same time: white has 8 moves and black has 8 moves."
        in game["Roles"]
    )
    assert game["Moves"][0].startswith("“place PIECE1 PIECE2 PIECE3” only when “step 1”; ")


def test_rules_without_goals_or_moves() -> None:
    found = sections("(role r) (init a) (<= terminal (true b))")
    assert found["The end"] == ["The match ends when “b”."]
    assert found["Points"] == ["The rules do not say what an end is worth."]
    assert "Moves" not in found
    found = sections("(role r) (legal r m) terminal (goal r 70)")
    assert found["The end"] == ["The match is over from the start."]
    assert found["Points"] == ["r gets 70 at every end."]


def test_hidden_positions_and_chance() -> None:
    roles = sections(KUHN)["Roles"]
    assert "Players do not see the positions, only what the rules let them see." in roles
    assert any("with chance" in line for line in roles)


def test_long_lists_are_shortened() -> None:
    moves = " ".join(f"(legal r m{number})" for number in range(100))
    ends = " ".join(f"(<= terminal (true f{number}))" for number in range(100))
    found = sections(f"(role r) {moves} {ends} (init f1) (goal r 1)")
    assert found["Moves"][-1] == "88 more moves, each with a name of its own."
    assert found["The end"][0].endswith(", or when in 88 more ways.")


@pytest.mark.parametrize("path", [game.path for game in shipped_games()], ids=lambda path: path.stem)
def test_shipped_games_say_how_they_are_played(path: Path) -> None:
    found = how_to_play(gdl.Reasoner.load(path))
    assert found.comment.blocks
    assert found.first_sentence.endswith(".")
    assert {part.heading for part in found.sections} >= {"Roles", "Moves", "The end", "Points"}
    assert 500 < len(found.text()) < 8000
    assert found.data() == how_to_play(gdl.Reasoner.load(path)).data(), "the same every time"


@pytest.mark.slow
@pytest.mark.skipif(not PUBLIC, reason="needs ../shared/rulesheets")
def test_public_files_say_how_they_are_played() -> None:
    for path in PUBLIC[::3]:  # half a minute would go by for all of them
        found = how_to_play(gdl.Reasoner.load(path))
        assert {part.heading for part in found.sections} >= {"Roles", "Moves", "The end", "Points"}, path
        assert 200 < len(found.text()) < 12_000, path
