"""Trees of variations in records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.records import RECORD

from ggp.match.record import RecordError, Variation, from_json, read_record, to_json, write_record
from ggp.match.record.variations import MOST_POSITIONS, variations_from_json, variations_to_json

TREE = (
    Variation(comment="a quiet start"),
    Variation(0, ("a",)),
    Variation(1, ("b",), "better"),
    Variation(0, ("c",)),
)


@st.composite
def trees(draw: st.DrawFn) -> tuple[Variation, ...]:
    found = [Variation(comment=draw(st.text(max_size=5)))]
    for number in range(draw(st.integers(0, 12))):
        after = draw(st.integers(0, number))
        found.append(Variation(after, (draw(st.text(max_size=3)), "noop"), draw(st.text(max_size=5))))
    return tuple(found)


@given(trees())
@examples(50)
def test_a_tree_is_the_same_after_json(tree: tuple[Variation, ...]) -> None:
    assert variations_from_json(json.loads(json.dumps(variations_to_json(tree))), 2) == tree


def test_a_record_keeps_its_variations_in_a_file(tmp_path: Path) -> None:
    width = len(RECORD.roles)
    tree = (Variation(), Variation(0, ("x",) * width, "why not?"))
    write_record(replace(RECORD, variations=tree), tmp_path / "match.json")
    assert read_record(tmp_path / "match.json").variations == tree
    assert "variations" not in to_json(RECORD)
    assert from_json(json.loads(json.dumps(to_json(RECORD)))).variations == ()


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{}, {"after": 1, "moves": ["a"]}], "after is 1, which is not an earlier position"),
        ([{}, {"after": -1, "moves": ["a"]}], "after is -1"),
        ([{}, {"moves": ["a"]}], "after is missing"),
        ([{}, {"after": 0}], "moves is missing"),
        ([{}, {"after": 0, "moves": ["a", "b"]}], "2 moves for 1 roles"),
        ([{}, {"after": 0, "moves": [1]}], "1 is not a text"),
        ([{"comment": 3}], "3 is not a text"),
        ([{"comment": "x" * 10_001}], "more than 10,000 characters"),
        ([1], "position 0 is not an object"),
        ([{}] * (MOST_POSITIONS + 1), "more than 20,000 positions"),
    ],
)
def test_damaged_trees_are_refused_with_the_reason(rows: list[Any], reason: str) -> None:
    with pytest.raises(RecordError, match="variations") as error:
        variations_from_json(rows, 1)
    assert reason in str(error.value)
