"""Symmetries between roles: renaming a state and a joint move renames what the Reasoner answers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import gdl
from gdl.grounder.symmetry import RoleSymmetry, role_symmetry

pytest.importorskip("clingo")

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


def symmetry_of(reasoner: gdl.Reasoner) -> RoleSymmetry | None:
    program = ground(reasoner.rulesheet)
    return role_symmetry(program, program.roles[1], program.roles[0])


def check(reasoner: gdl.Reasoner, symmetry: RoleSymmetry, plays: int = 3, most: int = 40) -> None:
    """Compare random matches, state by state, with the ones that the symmetry turns them into."""
    rng = random.Random(1)
    roles = {role: symmetry.roles[gdl.parse_term(role)].text for role in reasoner.roles}
    for _ in range(plays):
        state = reasoner.initial_state()
        for _ in range(most):
            image = reasoner.state([symmetry.facts[fact] for fact in state])
            assert reasoner.is_terminal(image) == reasoner.is_terminal(state)
            if reasoner.is_terminal(state):
                goals = reasoner.goals(image)
                assert {role: goals[other] for role, other in roles.items()} == reasoner.goals(state)
                break
            joint, joint_image = {}, {}
            for role, other in roles.items():
                legal = reasoner.legal_moves(state, role)
                renamed = {move: symmetry.moves[gdl.parse_term(role), move] for move in legal}
                assert all(owner.text == other for owner, _ in renamed.values())
                assert {move for _, move in renamed.values()} == set(reasoner.legal_moves(image, other))
                joint[role] = rng.choice(legal)
                joint_image[other] = renamed[joint[role]][1]
            following = reasoner.next_state(image, [joint_image[role] for role in reasoner.roles])
            state = reasoner.next_state(state, [joint[role] for role in reasoner.roles])
            assert following == reasoner.state([symmetry.facts[fact] for fact in state])


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough", "othello"])
def test_games_in_which_both_sides_have_the_same_rules(name: str) -> None:
    reasoner = gdl.Reasoner.load(CLASSICS / f"{name}.kif")
    symmetry = symmetry_of(reasoner)
    assert symmetry is not None
    check(reasoner, symmetry)


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
    check(reasoner, symmetry)


@pytest.mark.parametrize("magic", [("tick", "tack"), ("tick", "nothing")])
def test_unequal_chances_are_no_symmetry(magic: tuple[str, str]) -> None:
    assert symmetry_of(gdl.Reasoner(DUEL.format(*magic))) is None


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
        check(reasoner, symmetry, plays=1, most=15)
