"""The files of the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ggp.server

STATIC = Path(ggp.server.__file__).parent / "static"

FILES = sorted(
    path
    for path in STATIC.rglob("*")
    if path.suffix in {".html", ".js", ".css", ".svg"} and "vendor" not in path.relative_to(STATIC).parts
)

#: Arrows, technical and geometric shapes, symbols and dingbats, which not every computer has a font for.
SYMBOLS = re.compile("[\u2190-\u23ff\u2460-\u27ff\u2900-\u2bff\ue000-\uf8ff\U00010000-\U0010ffff]")

COMMENT = re.compile(r"/\*.*?\*/|<!--.*?-->|(?<![:\"'\w])//[^\n]*", re.DOTALL)


def symbols(text: str) -> list[str]:
    """The symbols outside comments, apart from the sign for minus."""
    return SYMBOLS.findall(COMMENT.sub("", text).replace("\N{MINUS SIGN}", "-"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_pages_draw_symbols_instead_of_writing_them(path: Path) -> None:
    assert symbols(path.read_text(encoding="utf-8")) == []


def test_what_counts_as_a_symbol() -> None:
    assert symbols('a("✗", "→ b") // ✓\n/* ← */ <!-- ★ -->"⏵ −1 × 2 … – ·"') == ["✗", "→", "⏵"]
