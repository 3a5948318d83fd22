"""What a learned value is made of: by fact, against the network itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.commands import Ggp

import gdl
from ggp.learning.value_parts import value_parts
from ggp.players.learned_values.array_file import ArrayFileError, packed
from ggp.players.learned_values.network import Network
from ggp.players.learned_values.value import LearnedValue, facts_of, read_value, rules_hash
from ggp.rules.shipped_games import find_game

PATH = find_game("tic_tac_toe")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with weights at random, whose facts are in another order than the game's."""
    game = gdl.compile(PATH)
    network = Network(len(game.all_facts), 3)
    network.weights[:, -1] = np.random.default_rng(1).normal(0, 1, len(network.weights))
    network.heads[:16] = np.random.default_rng(2).normal(0, 1, 16)
    path = tmp_path_factory.mktemp("parts") / "some.learned"
    facts = facts_of(game)[::-1]
    path.write_bytes(packed(LearnedValue(rules_hash(game.rulesheet), facts, {}, network.arrays()).file()))
    return path


def test_parts_are_differences_of_values(file: Path) -> None:
    """As computed fact by fact, from the definition in docs/reference/learned-files.md."""
    learned = read_value(file)
    weights, heads = learned.arrays["weights"].astype(float), learned.arrays["heads"].astype(float)

    def value(facts: set[str]) -> float:
        rows = [learned.facts.index(fact) for fact in facts]
        hidden = np.clip(heads[16:32] + weights[rows, :16].sum(axis=0), 0, 1)
        return 100 * float(heads[32] + weights[rows, 16].sum() + hidden @ heads[:16])

    state = gdl.Reasoner.load(PATH).initial_state()
    texts = {fact.text.lower() for fact in state}
    found = value_parts(learned, state, str(file))
    assert found.value == pytest.approx(value(texts), abs=0.01)
    assert found.base == pytest.approx(value(set()), abs=0.01)
    assert {part.fact for part in found.parts} == set(state)
    for part in found.parts:
        assert part.adds == pytest.approx(value(texts) - value(texts - {part.fact.text.lower()}), abs=0.01)
        assert part.alone == pytest.approx(100 * weights[learned.facts.index(part.fact.text.lower()), 16], abs=0.01)
    assert [abs(part.adds) for part in found.parts] == sorted((abs(part.adds) for part in found.parts), reverse=True)


def test_the_command_shows_them(file: Path, ggp: Ggp) -> None:
    found = ggp("explain", "value", "tic_tac_toe", file, "--moves", "(mark 1 1)", "--lines", "4")
    assert found.status == 0
    assert found.lines[0].endswith(" points: the goal of xplayer less that of oplayer, before any search")
    assert found.lines[1].split() == ["adds", "alone", "fact"]
    assert found.lines[-1] == "... and 6 more facts; --lines shows more, --json all"
    shown = json.loads(ggp("explain", "value", "tic_tac_toe", file, "--moves", "(mark 1 1)", "--json").out)
    assert shown["roles"] == ["xplayer", "oplayer"]
    assert "(cell 1 1 x)" in {part["fact"] for part in shown["parts"]}
    # A position has other rules for the start, but the file is for the game.
    position = "(true (cell 1 1 x)) (true (control oplayer))"
    parts = json.loads(ggp("explain", "value", "tic_tac_toe", file, "--position", position, "--json").out)["parts"]
    assert {part["fact"] for part in parts} == {"(cell 1 1 x)", "(control oplayer)"}


def test_what_cannot_be_shown(file: Path, ggp: Ggp) -> None:
    assert "it was learned for other rules" in ggp("explain", "value", "connect_four", file).err


def test_arrays_that_are_no_network(file: Path) -> None:
    learned = read_value(file)
    cut = LearnedValue(learned.rules, learned.facts, {}, {**learned.arrays, "heads": learned.arrays["heads"][1:]})
    with pytest.raises(ArrayFileError, match="some: learned-file: no array heads"):
        value_parts(cut, (), "some")
