"""Files for a test, and the command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: A game to which tests add statements: the checker finds nothing in it.
FRAME = (Path(__file__).parent / "frame.rules").read_text(encoding="utf-8")

#: Shipped games of all kinds: in turns, at once, alone, with chance, and with hidden states.
SPREAD = [
    ROOT / "games" / f"{name}.kif"
    for name in (
        *("battle", "knights_and_pawns", "sliding_pieces", "wolf_sheep"),
        *("classics/connect_four", "gallery/crossing", "gallery/pig", "hidden/phantom_connect_four"),
    )
]


def rule_file(folder: Path, text: str, name: str = "game.kif") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def start(*arguments: str | Path, **environment: str) -> subprocess.Popen[str]:
    """Starts the command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ggp", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
