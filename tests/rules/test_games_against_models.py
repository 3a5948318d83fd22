"""Every shipped game against its independent model: same facts, moves, ends and goals in random playouts.

The models (tests/support/models/) were written from the games' descriptions without looking at the rule files. They
also vouch for what the expectation files say about positions reached from the start, and for the perft counts.
"""

from __future__ import annotations

import tomllib
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import Any

import pytest
from support import models
from support.models import GameModel, perft
from support.toy_files import ROOT

import gdl

GAMES = ROOT / "games"
PLIES_PER_GAME = 600
#: The gallery has many games, most of which end early.
PLIES_PER_GALLERY_GAME = 300
PLIES_PER_PLAYOUT = 150
PERFT_BUDGET = 10_000

#: A state and the joint move played in it, None at the end of a playout.
Ply = tuple[Any, tuple[str, ...] | None]


def load_models() -> dict[str, GameModel]:
    """All models, by the name of the rule file that each describes."""
    found: dict[str, GameModel] = {}
    for module in iter_modules(models.__path__):
        found |= import_module(f"support.models.{module.name}").MODELS
    return found


MODELS = load_models()


def rule_file_names() -> set[str]:
    return {str(path.relative_to(GAMES).with_suffix("")) for path in GAMES.rglob("*.kif")}


def playout(model: GameModel, rng: Random) -> list[Ply]:
    """A random playout of the model, cut off after PLIES_PER_PLAYOUT plies."""
    state = model.initial()
    plies: list[Ply] = []
    while len(plies) < PLIES_PER_PLAYOUT and not model.terminal(state):
        joint = tuple(rng.choice(model.legal(state, role)) for role in model.roles)
        plies.append((state, joint))
        state = model.next(state, joint)
    return [*plies, (state, None)]


def playouts(model: GameModel, name: str) -> list[list[Ply]]:
    """Random playouts of the model, so many plies or a little more altogether."""
    plies = PLIES_PER_GALLERY_GAME if name.startswith("gallery/") else PLIES_PER_GAME
    rng = Random(f"models of {name}")
    found: list[list[Ply]] = []
    while sum(map(len, found)) < plies:
        found.append(playout(model, rng))
    return found


def functor(fact: str) -> str:
    return fact.strip("()").split()[0]


def functors(model: GameModel, lines: list[list[Ply]]) -> frozenset[str]:
    """The names of the facts that the model speaks about; a rule file may have others for its own use."""
    return frozenset(functor(fact) for line in lines for state, _ in line for fact in model.facts(state))


def expectation_file(name: str) -> Path:
    return GAMES / f"{name}.expect.toml"


def test_every_rule_file_has_a_model_and_expectations() -> None:
    assert set(MODELS) == rule_file_names()
    assert [name for name in sorted(MODELS) if not expectation_file(name).exists()] == []


#: Games whose tests take more than a second, and are left to long runs.
LONGER = {"classics/othello", "classics/connect_four", "hidden/phantom_connect_four", "variants/fox_game_two_foxes"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONGER)) for name in sorted(MODELS)]
)
def test_rule_file_plays_like_its_model(name: str) -> None:
    model, game = MODELS[name], gdl.Reasoner.load(str(GAMES / f"{name}.kif"))
    assert game.roles == model.roles
    lines = playouts(model, name)
    known = functors(model, lines)
    for line in lines:
        state = game.initial_state()
        for model_state, joint in line:
            facts = {str(fact) for fact in state if functor(str(fact)) in known}
            assert facts == model.facts(model_state)
            assert game.is_terminal(state) == model.terminal(model_state)
            if goals := model.goals(model_state):
                assert {role: game.goal(state, role) for role in goals} == goals
            if joint is None:
                break
            for role in model.roles:
                assert [str(move) for move in game.legal_moves(state, role)] == model.legal(model_state, role)
            state = game.next_state(state, joint)


def expectations(name: str) -> dict[str, Any]:
    return tomllib.loads(expectation_file(name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_expected_perft_is_the_models(name: str) -> None:
    expected = expectations(name)["perft"]
    affordable = sum(1 for nodes in accumulate(expected) if nodes <= PERFT_BUDGET)
    assert affordable >= 3
    assert expected[:affordable] == perft(MODELS[name], affordable - 1)


def joint_move(model: GameModel, state: Any, ply: str | dict[str, str]) -> tuple[str, ...]:
    """The joint move of one entry of `moves`: KIF in role order, or a table of the roles that have a choice."""
    if isinstance(ply, str):
        joint = gdl.parse_term(f"(joint {ply})")
        assert isinstance(joint, gdl.Function)
        return tuple(map(str, joint.args))
    moves = []
    for role in model.roles:
        only, *others = [ply[role]] if role in ply else model.legal(state, role)
        assert not others, f"{role} has a choice and none is made for it"
        moves.append(only)
    return tuple(moves)


def lines_from_the_start() -> list[Any]:
    """The positions of all expectation files that are reached from the initial state."""
    return [
        pytest.param(name, position, id=f"{name}: {position['name']}")
        for name in sorted(MODELS)
        if expectation_file(name).exists()
        for position in expectations(name)["position"]
        if not {"start", "set", "unset"} & position.keys()
    ]


@pytest.mark.parametrize(("name", "position"), lines_from_the_start())
def test_expected_position_is_the_models(name: str, position: dict[str, Any]) -> None:
    model = MODELS[name]
    state = model.initial()
    for ply in position.get("moves", []):
        assert not model.terminal(state)
        joint = joint_move(model, state, ply)
        for role, move in zip(model.roles, joint, strict=True):
            assert move in model.legal(state, role)
        state = model.next(state, joint)
    check_position(model, state, position)


def check_position(model: GameModel, state: Any, position: dict[str, Any]) -> None:
    """Compare a state of the model with all that an expectation says about it."""
    facts = model.facts(state)
    legal = {role: model.legal(state, role) for role in model.roles} if not model.terminal(state) else {}
    if "terminal" in position:
        assert model.terminal(state) == position["terminal"]
    if "goals" in position:
        assert model.goals(state).items() >= position["goals"].items()
    for role, moves in position.get("legal", {}).items():
        assert legal[role] == sorted(moves)
    for role, moves in position.get("legal_includes", {}).items():
        assert set(moves) <= set(legal[role])
    for role, moves in position.get("legal_excludes", {}).items():
        assert not set(moves) & set(legal[role])
    for role, count in position.get("legal_count", {}).items():
        assert len(legal[role]) == count
    known = {functor(fact) for fact in facts}
    assert {fact for fact in position.get("holds", []) if functor(fact) in known} <= facts
    assert not set(position.get("absent", [])) & facts
    if "facts" in position:
        assert {fact for fact in position["facts"] if functor(fact) in known} == facts
