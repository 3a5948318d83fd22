"""`ggp render`: pictures of positions, and mistakes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.drawn import by_class

from ggp.environments.pixels import pixels_of_png

# ------------------------------------------------------------------------------------------ the command


def render(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ggp", "render", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def test_render_writes_a_position(tmp_path: Path) -> None:
    done = render("wolf_sheep", "--moves", "(move c4 c8 c4 c7)", "-o", "out.svg", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(by_class((tmp_path / "out.svg").read_text(), "arrow")) == 1


def test_render_writes_pixels(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="needs the extra png")
    done = render("wolf_sheep", "-o", "out.PNG", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert pixels_of_png((tmp_path / "out.PNG").read_bytes()).shape[2] == 3


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no_such_game"], "unknown-game"),
        (["missing.json"], "match-record"),
        (["wolf_sheep", "--moves", "(fly)"], "not a legal move"),
        (["wolf_sheep", "--ply", "3"], "no ply 3"),
        (["wolf_sheep", "-o", "no/folder/out.svg"], "the folder for no/folder/out.svg does not exist"),
        (["wolf_sheep", "--seconds", "0"], "0.05"),
        (["wolf_sheep", "-o", "out.jpg"], "expected FILE.svg or FILE.png, not out.jpg"),
        (["wolf_sheep", "--moves", "(move c4 c8 c4 c7)", "--animate", "-o", "out.png"], "one position"),
        (["wolf_sheep", "--animate", "-o", "out.png"], "one position"),
    ],
)
def test_render_says_what_is_wrong(tmp_path: Path, arguments: list[str], reason: str) -> None:
    done = render(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
