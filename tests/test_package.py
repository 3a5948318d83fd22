"""The names that `gdl` exports."""

from __future__ import annotations

import pytest

import gdl


def test_every_exported_name_is_there_and_documented() -> None:
    assert {name for name in gdl.__all__ if not getattr(gdl, name).__doc__} <= {"Moves", "Term"}


def test_exports_are_sorted_and_complete() -> None:
    assert sorted(gdl.__all__) == gdl.__all__
    assert set(gdl._LATE) <= {*gdl.__all__}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gdl.nothing  # noqa: B018
