"""Fixtures for tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.toy_files import rule_file
from support.toy_rules import NIM


@pytest.fixture
def nim(tmp_path: Path) -> Path:
    return rule_file(tmp_path, NIM, "nim.kif")
