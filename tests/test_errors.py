"""Errors: one tree of classes, which survive pickling."""

from __future__ import annotations

import pickle

import pytest

import gdl
from gdl import FileError, GdlError, RulesheetError, TextError


def test_errors_can_be_pickled() -> None:
    with pytest.raises(RulesheetError) as caught:
        gdl.Rulesheet("(role) ?x")
    error = caught.value
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is RulesheetError
    assert (str(again), again.mistakes, again.line) == (str(error), error.mistakes, error.line)


def test_errors_are_of_one_tree() -> None:
    assert issubclass(RulesheetError, TextError)
    assert issubclass(TextError, GdlError)
    assert issubclass(FileError, GdlError)


@pytest.mark.parametrize("error", [gdl.GoalError("r", ["1", "2"]), gdl.NoLegalMoveError("r"), gdl.JointMoveError("no")])
def test_errors_of_play_are_of_one_tree_and_can_be_pickled(error: gdl.PlayError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, gdl.PlayError)
    assert isinstance(again, gdl.GdlError)
    assert (type(again), str(again)) == (type(error), str(error))


def test_messages_have_a_limit() -> None:
    assert len(str(FileError("file", "x" * 10**6))) < 3_000
    with pytest.raises(RulesheetError) as caught:
        gdl.Rulesheet(f"(p ?{'x' * 10**5})")
    assert len(str(caught.value)) < 3_000
