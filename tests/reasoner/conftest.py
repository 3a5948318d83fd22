"""The game that most tests of the Reasoner are about."""

from __future__ import annotations

import pytest
from support.race import RACE

from gdl import Reasoner


@pytest.fixture
def race() -> Reasoner:
    return Reasoner(RACE)
