"""Looking up what holds by the columns that are known: the same as searching all rows."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.engines import limits
from support.profiles import examples
from support.strategies import games
from support.toy_files import ROOT

import gdl
from gdl.language.parser import parse_term


def check_lookups(game: gdl.Reasoner, random: Random) -> int:
    """Check that questions with some arguments known have the answers that all rows give; return their number."""
    state = game.initial_state()
    questions = 0
    for name, arity in game.rulesheet.graph.edges:
        variables = [gdl.Variable(f"v{column}") for column in range(arity)]
        whole = parse_term(f"({name} {' '.join(map(str, variables))})")
        if not arity or game.depends_on_moves(whole):
            continue
        rows = game.query(whole, state)
        for row in random.sample(rows, min(3, len(rows))):
            known = {v.text for v in variables if random.random() < 0.5}
            # Where two arguments are the same variable, only rows with equal values are asked for.
            twice = arity > 1 and random.random() < 0.3
            args = [row[v.text] if v.text in known else variables[0] if twice else v for v in variables]
            expected = [
                {a.text: other[v.text] for a, v in zip(args, variables, strict=True) if isinstance(a, gdl.Variable)}
                for other in rows
                if all(other[text] == row[text] for text in known)
                and (not twice or len({other[v.text] for v in variables if v.text not in known}) <= 1)
            ]
            found = game.query(gdl.Function(name, tuple(args)), state)
            assert sorted(map(str, found)) == sorted(map(str, expected))
            questions += 1
    return questions


@pytest.mark.parametrize("limit", [1, 1_000_000])
def test_lookups_in_a_game(limit: int) -> None:
    with limits(limit):
        assert check_lookups(gdl.Reasoner.load(ROOT / "games" / "wolf_sheep.kif"), Random(limit)) > 20


@examples(60)
@given(text=games(), limit=st.sampled_from([1, 1_000_000]), seed=st.integers(0, 1000))
def test_lookups_in_random_games(text: str, limit: int, seed: int) -> None:
    with limits(limit):
        check_lookups(gdl.Reasoner(text), Random(seed))


def test_facts_of_shapes_that_no_rule_names() -> None:
    game = gdl.Reasoner("(role r) (legal r a) terminal (init (odd one 1)) (<= (p ?f) (true ?f))")
    state = game.state(["(odd one 1)", "(odd two 2)", "lonely"])
    assert game.query("(true (odd ?x 2))", state) == [{"?x": gdl.Constant("two")}]
    assert game.query("(true lonely)", state) == [{}]
    assert game.query("(true (odd one 2))", state) == []
    assert len(game.query("(true ?f)", state)) == 3
    assert len(game.query("(p (odd ?x ?y))", state)) == 2


def test_terms_that_are_known_in_part() -> None:
    game = gdl.Reasoner("(role r) (legal r a) terminal (p (f a b) 1) (p (f a c) 2) (p (g a b) 1) (p a 1)")
    state = game.initial_state()
    assert game.query("(p (f a ?x) ?n)", state) == [
        {"?x": gdl.Constant("b"), "?n": gdl.Constant("1")},
        {"?x": gdl.Constant("c"), "?n": gdl.Constant("2")},
    ]
    assert game.query("(p (f a b) ?n)", state) == [{"?n": gdl.Constant("1")}]
    assert game.query("(p ?t 1)", state) != []
