"""`ggp cache`: what is in the caches, and that it goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_rules import NIM

import gdl


def test_what_is_compiled_is_shown_and_cleared(ggp: Ggp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    monkeypatch.setenv("GDL_CACHE", str(folder))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))  # not what other tests use
    kept = folder / "notes.txt"
    assert ggp("cache").lines[0] == f"{folder}: 0 entries, 0.0 MB of at most 2,147.5 MB"
    gdl.compile(NIM)
    kept.write_text("not an entry")
    native = tmp_path / "sub" / "gdl.some.function.cpython.nbc"
    native.parent.mkdir()
    native.write_bytes(bytes(10))
    shown = json.loads(ggp("cache", "--json").out)
    assert (shown["folder"], shown["entries"], shown["native_files"]) == (str(folder), 1, 1)
    assert shown["bytes"] > 0
    cleared = ggp("cache", "clear")
    assert cleared.status == 0
    assert ": deleted 1 entry, " in cleared.lines[0]
    assert json.loads(ggp("cache", "--json").out)["entries"] == 0
    assert not native.exists()
    assert kept.exists()
    monkeypatch.setenv("GDL_CACHE", "")
    assert ggp("cache").lines[0].startswith("no folder, as GDL_CACHE is empty: 0 entries")
