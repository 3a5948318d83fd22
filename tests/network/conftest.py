"""A network for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ggp.network.host import Network


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network() as running:
        yield running
