"""Adapters without their library: one line that says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("statement", "library", "line"),
    [
        (
            "import ggp.environments.gymnasium",
            "gymnasium",
            "gymnasium is not installed; `pip install 'ggp[gymnasium]'`",
        ),
        (
            "import ggp.environments.pettingzoo",
            "pettingzoo",
            "pettingzoo is not installed; `pip install 'ggp[pettingzoo]'`",
        ),
        (
            "from ggp.environments.pixels import pixels; pixels('')",
            "resvg_py",
            "resvg-py is not installed; `pip install 'ggp[png]'`",
        ),
        (
            "import ggp.environments.stable_baselines3",
            "stable_baselines3",
            "stable-baselines3 is not installed; `pip install 'ggp[sb3]'`",
        ),
    ],
    ids=["gymnasium", "pettingzoo", "resvg", "sb3"],
)
def test_a_missing_library_is_named_in_one_line(statement: str, library: str, line: str) -> None:
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "import ggp.environments\n"
        "from ggp.environments.libraries import MissingLibraryError\n"
        f"try:\n    {statement}\n"
        "except MissingLibraryError as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == f"missing-library: {line} installs it\n"


def test_the_package_itself_loads_no_library() -> None:
    code = "import sys, ggp.environments; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"gymnasium", "pettingzoo", "resvg_py", "numpy"} & set(run.stdout.split())
