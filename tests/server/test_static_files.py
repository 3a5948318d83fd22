"""The files of the pages."""

from __future__ import annotations

import re
from pathlib import Path

import ggp.server
from ggp.server import messages

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


def test_pages_draw_symbols_instead_of_writing_them() -> None:
    assert {path.name: found for path in FILES if (found := symbols(path.read_text(encoding="utf-8")))} == {}


#: Fields that pages add to what the server tells them.
ADDED = {"Game": {"explains"}, "Position": {"likely"}}

INTERFACE = re.compile(r"export interface (\w+)(?: extends ([\w, ]+))? \{(.*?)\n\}", re.DOTALL)


def test_pages_know_the_fields_of_what_the_server_tells_them() -> None:
    found: dict[str, set[str]] = {}
    for name, bases, body in INTERFACE.findall((STATIC / "types.d.ts").read_text(encoding="utf-8")):
        inherited = (found[base.strip()] for base in bases.split(",") if base)
        found[name] = set(re.findall(r"^  (\w+)\??:", body, re.MULTILINE)).union(*inherited)
    assert "State" in found
    assert found == {name: {*getattr(messages, name).__annotations__} | ADDED.get(name, set()) for name in found}


def test_what_counts_as_a_symbol() -> None:
    assert symbols('a("✗", "→ b") // ✓\n/* ← */ <!-- ★ -->"⏵ −1 × 2 … – ·"') == ["✗", "→", "⏵"]
