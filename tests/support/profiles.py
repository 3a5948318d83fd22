"""Hypothesis profiles with few and with many examples, and a way to leave test cases to long runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

#: The examples of a property that does not say how many it needs.
_DEFAULT: Final = 25
_THOROUGH: Final = 40

#: The most examples of any property, so that long runs end in time.
_MOST: Final = 70


def register_profiles() -> None:
    """Register the profiles and load `default`; `--hypothesis-profile` loads another one afterwards.

    Examples have no deadline and generating them may take long, because the machine may be busy.
    """
    for name, count in (("default", _DEFAULT), ("thorough", _THOROUGH)):
        settings.register_profile(
            name, max_examples=count, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
        )
    settings.load_profile("default")


def examples(count: int, thorough: int | None = None) -> settings:
    """Settings for a number of examples that grows with the loaded profile.

    `count` is the number for a property of which others have 100: a quarter of it under `default`, since long runs
    follow. `thorough` is the number under `thorough` if scaling is not enough, but at most 70.
    """
    usual = settings().max_examples
    if thorough is not None and usual >= _THOROUGH:
        return settings(max_examples=min(thorough, _MOST))
    return settings(max_examples=max(1, count * usual // 100))


def first_few(values: Sequence[Any], number: int) -> list[Any]:
    """Return parameters for a test, of which all but the first `number` are `slow`."""
    return [*values[:number], *(pytest.param(value, marks=pytest.mark.slow) for value in values[number:])]
