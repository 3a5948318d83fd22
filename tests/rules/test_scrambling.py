"""Scrambled rules: other names, the same game."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from support.commands import Ggp
from support.grounded import SHIPPED
from support.profiles import first_few
from support.toy_files import ROOT, rule_file

import gdl
from gdl.circuit.build.ground_program import build
from gdl.grounder import ground
from gdl.language.parser import read_source, source_of
from gdl.language.reading import read
from gdl.language.syntax import leaves
from gdl.terms import Constant, Function, Term
from ggp.rules.scrambling import Scrambled, scramble

#: Public files, if they are at hand, that the Reasoner plays quickly.
PUBLIC = sorted(path for path in (ROOT.parent / "shared" / "rulesheets").glob("*.kif") if path.stat().st_size < 7_000)

#: Games with a relation that is recursive in facts of the state: their circuits have loops, so gates have no order.
RECURSIVE = ("crossing",)

TOY = """
; A comment that gives it away
(role Ann) (init (heap 3)) (init (ann 2))
(less 3 2) (less 2 1) (less 1 0)
(<= (legal ann (take ?Less)) (true (heap ?less)))
(<= (legal ANN wait))
(<= (next (heap ?y)) (true (heap ?x)) (less ?x ?y) (does ann (take ?x)))
(<= (next ?f) (does ann wait) (true ?f) (distinct ?f (ann 2)))
(<= terminal (true (heap 0)))
(<= (goal ann ?x) (true (heap ?y)) (worth ?y ?x))
(worth 0 100) (worth 1 3) (worth 2 0) (worth 3 0)
"""


def renamed_back(term: Term, names: dict[str, str]) -> Term:
    """A term of scrambled rules with its old names."""
    if isinstance(term, Constant):
        return Constant(names.get(term.text, term.text))
    assert isinstance(term, Function)
    return Function(names.get(term.name, term.name), tuple(renamed_back(arg, names) for arg in term.args))


def old_text(term: Term, names: dict[str, str]) -> str:
    """The text of a term of scrambled rules with its old names, in lower case."""
    return str(renamed_back(term, names)).lower()


def digest(source: gdl.errors.Source, names: dict[str, str]) -> dict[str, str] | None:
    """A hash of the circuit of each output, which depends on the names of facts and moves, but not on any order.

    None if the rules are recursive in facts of the state.
    """
    game = build(ground(gdl.Rulesheet.of_source(source)), factoring=False, complements=False)
    if game.circuit.loops:
        return None

    def old(term: Term) -> str:
        return old_text(term, names)

    inputs = ["", *map(old, game.facts), *(f"{old(game.roles[role])} does {old(move)}" for role, move in game.moves)]
    hashes: list[str] = []
    for node, fanins in enumerate(game.circuit.fanins):
        parts = sorted(f"{hashes[one >> 1]} {one & 1}" for one in fanins) if fanins else [inputs[node]]
        hashes.append(sha256("\n".join(parts).encode()).hexdigest())

    def of(literal: int) -> str:
        return f"{hashes[literal >> 1]} {literal & 1}"

    outputs = {f"next {old(fact)}": of(one) for fact, one in zip(game.facts, game.next, strict=True)}
    for (role, move), one in zip(game.moves, game.legal, strict=True):
        outputs[f"legal {old(game.roles[role])} {old(move)}"] = of(one)
    for (role, percept), one in game.sees.items():
        outputs[f"sees {old(game.roles[role])} {old(percept)}"] = of(one)
    for (role, value), one in game.goals.items():
        outputs[f"goal {old(game.roles[role])} {old(value)}"] = of(one)
    return {**outputs, "terminal": of(game.terminal)}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.slow
def test_the_circuits_of_shipped_games_stay_the_same(path: Path) -> None:
    source = read_source(str(path))
    found = scramble(source, 7)
    before = digest(source, {})
    assert (before is None) == (path.stem in RECURSIVE)
    assert digest(source_of(found.text, "scrambled"), found.names) == before


def test_the_guide_names_the_game_whose_circuit_is_not_compared() -> None:
    guide = (ROOT / "docs" / "guides" / "scramble.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", guide.partition("Only that of")[2]))
    assert named == set(RECURSIVE)


@pytest.mark.parametrize(
    "path", first_few(sorted(SHIPPED, key=lambda path: path.stat().st_size), 8), ids=lambda path: path.stem
)
def test_playouts_of_shipped_games_stay_the_same(path: Path) -> None:
    in_lockstep(path.read_text(encoding="utf-8"), plies=5)


def in_lockstep(text: str, plies: int) -> None:
    """Plays a game and its scrambled form with the same random moves, and compares all answers."""
    found = scramble(source_of(text, "rules"), 3)
    old, new = gdl.Reasoner(text), gdl.Reasoner(found.text)
    random = Random(5)
    state, other = old.initial_state(), new.initial_state()
    assert [found.names.get(role, role).lower() for role in new.roles] == [role.lower() for role in old.roles]
    for _ in range(plies):
        assert {old_text(fact, {}) for fact in state} == {old_text(fact, found.names) for fact in other}
        assert old.is_terminal(state) == new.is_terminal(other)
        if old.is_terminal(state):
            assert list(old.goals(state).values()) == list(new.goals(other).values())
            return
        moves: dict[str, Term] = {}
        joint: dict[str, Term] = {}
        for role, alias in zip(old.roles, new.roles, strict=True):
            legal = {old_text(move, {}): move for move in old.legal_moves(state, role)}
            again = {old_text(move, found.names): move for move in new.legal_moves(other, alias)}
            assert legal.keys() == again.keys()
            chosen = random.choice(sorted(legal))
            moves[role], joint[alias] = legal[chosen], again[chosen]
        seen, heard = old.percepts(state, moves), new.percepts(other, joint)
        for role, alias in zip(old.roles, new.roles, strict=True):
            assert {old_text(one, {}) for one in seen[role]} == {old_text(one, found.names) for one in heard[alias]}
        state, other = old.next_state(state, moves), new.next_state(other, joint)


def scrambled(text: str, seed: int = 1) -> Scrambled:
    return scramble(source_of(text, "rules"), seed)


def words(text: str) -> list[str]:
    return [leaf.key for statement in read(source_of(text, "rules")).statements for leaf in leaves(statement)]


def test_names_that_are_equal_stay_equal_and_no_others_become_so() -> None:
    found = scrambled(TOY)
    old, new = words(TOY), words(found.text)
    assert len(old) == len(new)
    pairs = set(zip(old, new, strict=True))
    assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})
    assert {one for one, other in pairs if one == other} == {
        *("role", "init", "<=", "legal", "true", "next", "does", "distinct", "terminal", "goal"),
        # The values of goals, wherever they stand; 1 and 2 are none, so they are renamed.
        *("100", "3", "0"),
    }
    assert {one: other for other, one in found.names.items() if one in ("1", "2", "Ann")}.keys() == {"1", "2", "Ann"}
    in_lockstep(TOY, plies=6)


def test_nothing_of_the_old_text_is_left() -> None:
    found = scrambled(TOY)
    assert ";" not in found.text
    assert not found.text.startswith("\n")
    assert not {"ann", "heap", "less", "take", "worth", "?less"} & set(words(found.text))
    assert gdl.language.formatter.format_source(source_of(found.text, "rules")) == found.text


def test_a_seed_decides_the_names() -> None:
    assert scrambled(TOY, 1) == scrambled(TOY, 1)
    assert scrambled(TOY, 1).text != scrambled(TOY, 2).text


def test_chance_and_all_numbers_that_goals_may_compute_are_kept() -> None:
    rules = "(role random) (role a) (init (p 1)) (legal a b) (legal random b) (next (p 1)) (plus 1 1 2)\n"
    found = scrambled(rules + "(<= (goal a ?x) (true (p ?x))) (<= terminal (true (p 1)))")
    assert found.text.startswith("(role random)\n(role ")
    assert {"1"} <= set(words(found.text))
    assert "2" not in words(found.text)


@pytest.mark.slow
def test_names_do_not_run_out() -> None:
    facts = " ".join(f"(p c{number})" for number in range(9000))
    found = scrambled(f"{TOY}\n{facts}")
    assert len(set(found.names)) == len(found.names) > 9000


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.exhaustive if number % 10 else pytest.mark.slow)
        for number, path in enumerate(PUBLIC)
    ],
)
def test_playouts_of_public_files_stay_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        gdl.Reasoner(text)
    except gdl.GdlError as error:
        pytest.skip(str(error).partition("\n")[0])
    in_lockstep(text, plies=2)


def test_the_command_writes_rules_and_names(ggp: Ggp, tmp_path: Path) -> None:
    file = rule_file(tmp_path, TOY, "toy.kif")
    printed = ggp("scramble", file, "--seed", "4")
    assert (printed.status, printed.err) == (0, "")
    assert printed.out == scramble(read_source(str(file)), 4).text
    rules, names = tmp_path / "new.kif", tmp_path / "names.json"
    written = ggp("scramble", file, "--seed", "4", "-o", rules, "--map", names)
    assert (written.status, written.out) == (0, "")
    assert rules.read_text() == printed.out
    assert json.loads(names.read_text()) == scramble(read_source(str(file)), 4).names
    assert ggp("scramble", file).out != ggp("scramble", file).out


def test_the_command_refuses_rules_with_mistakes_and_missing_folders(ggp: Ggp, tmp_path: Path) -> None:
    wrong = rule_file(tmp_path, TOY + "(<= (lost ?x))", "wrong.kif")
    outcome = ggp("scramble", wrong)
    assert (outcome.status, outcome.out) == (2, "")
    assert "unsafe-variable" in outcome.err
    outcome = ggp("scramble", "tic_tac_toe", "-o", tmp_path / "none" / "x.kif")
    assert outcome.status == 2
    assert "the folder for" in outcome.err
