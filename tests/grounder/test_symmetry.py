"""Symmetries: renaming a state and a joint move renames what the Reasoner answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.grounder.symmetry import Symmetry, role_symmetry, symmetries

pytest.importorskip("clingo")

from support.foreseen import check_symmetry
from support.toy_files import ROOT

from gdl.grounder import ground

CLASSICS = ROOT / "games" / "classics"
PUBLIC = ROOT.parent / "shared" / "rulesheets"

#: Whoever says a word first wins; b's words are others.
DUEL = """
(role a) (role b) (init (turn a)) (init (left 3)) (word a tick) (word a tack) (word b flip) (word b flop)
(other a b) (other b a) (before 3 2) (before 2 1) (before 1 0) (magic {0}) (magic {1})
(<= (legal ?r ?w) (true (turn ?r)) (word ?r ?w)) (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o)) (<= (next (left ?n)) (true (left ?m)) (before ?m ?n))
(<= (next (won ?r)) (does ?r ?w) (magic ?w)) (<= terminal (true (won ?r))) (<= terminal (true (left 0)))
(<= (goal ?r 100) (true (won ?r))) (<= (goal ?r 0) (role ?r) (not (true (won ?r))))
"""


def symmetry_of(reasoner: gdl.Reasoner) -> Symmetry | None:
    program = ground(reasoner.rulesheet)
    return role_symmetry(program, program.roles[1], program.roles[0])


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough", "othello"])
def test_games_in_which_both_sides_have_the_same_rules(name: str) -> None:
    reasoner = gdl.Reasoner.load(CLASSICS / f"{name}.kif")
    symmetry = symmetry_of(reasoner)
    assert symmetry is not None
    check_symmetry(reasoner, symmetry)


def test_few_names_change() -> None:
    symmetry = symmetry_of(gdl.Reasoner.load(CLASSICS / "tic_tac_toe.kif"))
    assert symmetry is not None
    assert {
        fact.text: other.text for fact, other in symmetry.facts.items() if "1 2" in fact.text or "con" in fact.text
    } == {
        "(cell 1 2 b)": "(cell 1 2 b)",
        "(cell 1 2 x)": "(cell 1 2 o)",
        "(cell 1 2 o)": "(cell 1 2 x)",
        "(control xplayer)": "(control oplayer)",
        "(control oplayer)": "(control xplayer)",
    }


def test_words_may_differ() -> None:
    reasoner = gdl.Reasoner(DUEL.format("tack", "flip"))
    symmetry = symmetry_of(reasoner)
    assert symmetry is not None
    moves = {(role.text, move.text): other.text for (role, move), (_, other) in symmetry.moves.items()}
    assert moves["b", "flip"] == "tack"
    assert moves["b", "flop"] == "tick"
    check_symmetry(reasoner, symmetry)


@pytest.mark.parametrize("magic", [("tick", "tack"), ("tick", "nothing")])
def test_unequal_chances_are_no_symmetry(magic: tuple[str, str]) -> None:
    assert symmetry_of(gdl.Reasoner(DUEL.format(*magic))) is None


#: Coins to be taken, but not from below others.
COINS = """
(role a) (coin 1) (coin 2) (coin 3) (coin 4) {} (<= (init (on ?x)) (coin ?x))
(legal a wait) (<= (legal a (take ?x)) (true (on ?x)) (not (below ?x))) (<= (below ?x) (above ?y ?x) (true (on ?y)))
(<= (next (on ?x)) (true (on ?x)) (not (does a (take ?x)))) (<= terminal (not some)) (<= some (true (on ?x)))
(<= (goal a 100) (not some)) (<= (goal a 0) some)
"""


@pytest.mark.parametrize(
    ("name", "number", "keeping_roles", "keeping_start"),
    [
        ("classics/tic_tac_toe", 16, 8, 8),
        ("classics/connect_four", 4, 2, 2),
        ("classics/breakthrough", 4, 2, 2),
        pytest.param("classics/othello", 16, 8, 4, marks=pytest.mark.slow),
        ("wolf_sheep", 1, 1, 1),
        pytest.param("knights_and_pawns", 2, 2, 2, marks=pytest.mark.slow),
        ("gallery/odd_one_out", 12, 4, 4),
        ("gallery/lights_out", 8, 8, 1),
        ("gallery/pig", 2, 1, 1),
    ],
)
def test_all_symmetries(name: str, number: int, keeping_roles: int, keeping_start: int) -> None:
    reasoner = gdl.Reasoner.load(ROOT / "games" / f"{name}.kif")
    program = ground(reasoner.rulesheet, split=False)
    found = symmetries(program)
    assert len(found) == number
    assert len({tuple(one.moves.values()) for one in found}) == number
    assert sum(all(role == image for role, image in one.roles.items()) for one in found) == keeping_roles
    assert sum({one.facts[fact] for fact in program.init} == program.init for one in found) == keeping_start
    assert all(fact == image for fact, image in found[0].facts.items())
    for one in found[1:]:
        check_symmetry(reasoner, one, plays=1, most=12)
    assert symmetries(program) == found
    assert symmetries(program, 3) == found[:3]
    kept = symmetries(program, keep_start=True)
    assert len(kept) == keeping_start
    assert all({one.facts[fact] for fact in program.init} == program.init for one in kept)
    assert all(one in found for one in kept)
    kept = symmetries(program, keep_roles=True)
    assert len(kept) == keeping_roles
    assert all(one in found for one in kept)
    assert all(role == image for one in kept for role, image in one.roles.items())


@pytest.mark.parametrize(
    ("above", "number"),
    [
        ("(above 1 2) (above 3 2) (above 4 2)", 6),
        ("(above 1 2) (above 3 2) (above 4 3)", 1),
        ("(above 1 2) (above 3 2) (above 2 4)", 2),
        ("(above 1 2) (above 3 4)", 2),
        ("(above 1 2) (above 3 4) (above 3 2)", 1),
    ],
)
def test_things_that_stand_in_the_same_relations(above: str, number: int) -> None:
    reasoner = gdl.Reasoner(COINS.format(above))
    found = symmetries(ground(reasoner.rulesheet))
    assert len(found) == number
    for one in found:
        check_symmetry(reasoner, one)


def test_of_very_many_symmetries_some_are_found() -> None:
    coins = " ".join(f"(coin {number})" for number in range(5, 60))
    reasoner = gdl.Reasoner(COINS.format(coins))
    found = symmetries(ground(reasoner.rulesheet))
    assert len({tuple(one.facts.values()) for one in found}) == 16
    for one in found:
        check_symmetry(reasoner, one, plays=1, most=3)


@pytest.mark.parametrize(
    ("name", "line"), [("tic_tac_toe", "(line 1 1 1 2 1 2)"), ("connect_four", "(line 1 1 2 1 3 1 3 1)")]
)
def test_a_short_line_at_one_side_takes_the_mirror(name: str, line: str) -> None:
    reasoner = gdl.Reasoner((CLASSICS / f"{name}.kif").read_text() + line)
    found = symmetries(ground(reasoner.rulesheet, split=False))
    assert len(found) == 2
    check_symmetry(reasoner, found[1], plays=1)


@pytest.mark.parametrize("name", ["wolf_sheep", pytest.param("fox_game", marks=pytest.mark.slow)])
def test_games_of_unequal_sides_have_none(name: str) -> None:
    assert symmetry_of(gdl.Reasoner.load(ROOT / "games" / f"{name}.kif")) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("checkers", "hex", "pentago", "amazons_8x8", "skirmish", "nineMensMorris", "ticTacToe"),
        pytest.param("chess_200", marks=pytest.mark.exhaustive),
    ],
)
def test_public_files(name: str) -> None:
    path = next(iter(sorted(Path(PUBLIC).rglob(f"{name}.kif"))), None)
    if path is None:
        pytest.skip("the public rule files are not there")
    reasoner = gdl.Reasoner.load(path)
    symmetry = symmetry_of(reasoner)
    if symmetry is not None:
        check_symmetry(reasoner, symmetry, plays=1, most=15)
