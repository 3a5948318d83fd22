"""Runs what the README and the pages under docs/ show, and compares what comes out.

- ```python blocks run in order, one namespace a page; a comment behind `print(...)` is the expected output.
- ```console blocks: lines that start with `$ ` are run in the folder of the page's files, in this process if they only
  call `ggp`, else by a shell; the lines below are the expected output, in which `...` stands for anything.
- ```kif blocks are parts of a rule file: together they are `track.kif` in that folder, and must load.
- ```kif, ```toml and ```text blocks with a name, as in ```toml name=nim.expect.toml, are files of that name.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.commands import Ggp

import gdl

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
#: The pages of checker codes have a test of their own.
PAGES = [ROOT / "README.md", *(page for page in sorted(DOCS.rglob("*.md")) if page.parent != DOCS / "codes")]
BLOCK = re.compile(r"^```(\w+)(?: name=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> Iterator[tuple[str | None, str]]:
    """The blocks of a page in one language: the name, if it has one, and the text."""
    for found, name, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if found == language:
            yield name or None, text


@pytest.fixture
def folder(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that has the files which a page shows, and the games."""
    (tmp_path / "games").symlink_to(ROOT / "games")
    for language in ("kif", "toml", "text"):
        for name, text in blocks(page, language):
            if name:
                (tmp_path / name).write_text(text, encoding="utf-8")
    parts = [text for name, text in blocks(page, "kif") if name is None]
    if parts:
        (tmp_path / "track.kif").write_text("\n".join(parts), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(pages: list[Path]) -> list[str]:
    return [page.relative_to(ROOT).as_posix() for page in pages]


#: `mkdocs build --strict` checks the links of the site; these pages are not part of it.
OUTSIDE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]


#: Pages whose examples take more than a second or two.
LONG = {
    *("study.md", "solve.md", "json.md", "tournament.md", "play.md", "plan.md", "check.md", "learned.md"),
    *("learned-files.md", "host.md", "cluster.md", "hidden-information.md", "policies.md"),
}

#: Pages whose examples need libraries that are extras.
NEEDED = {
    "environments.md": ("gymnasium", "pettingzoo"),
    "openspiel.md": ("pyspiel",),
    "policies.md": ("torch", "onnxscript", "onnxruntime"),
}


def pages(language: str) -> list[Any]:
    """The pages with blocks in a language."""
    return [
        pytest.param(page, id=name, marks=[pytest.mark.slow] * (page.name in LONG and language != "kif"))
        for page, name in zip(PAGES, names(PAGES), strict=True)
        if any(blocks(page, language))
    ]


@pytest.mark.parametrize("page", OUTSIDE, ids=names(OUTSIDE))
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


@pytest.mark.parametrize("page", pages("kif"))
def test_rule_files_load(page: Path, folder: Path) -> None:
    for name in {name or "track.kif" for name, _ in blocks(page, "kif")}:
        assert gdl.Reasoner.load(folder / name).roles


@pytest.mark.usefixtures("folder")
@pytest.mark.filterwarnings("ignore::FutureWarning:copyreg")  # PyTorch's exporter warns of itself
@pytest.mark.parametrize("page", pages("python"))
def test_python(page: Path) -> None:
    for library in NEEDED.get(page.name, ()):
        pytest.importorskip(library, reason=f"{library} is not installed")
    namespace: dict[str, object] = {}
    for _, text in blocks(page, "python"):
        expected = re.findall(r"^\s*print\(.*\)\s{2,}# (.*)$", text, re.MULTILINE)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(text, str(page), "exec"), namespace)
        if expected:
            assert output.getvalue().splitlines() == expected


@pytest.mark.parametrize("page", pages("console"))
def test_console(page: Path, folder: Path, ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    for _, text in blocks(page, "console"):
        for session in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
            if session.strip():
                command, expected = session.removeprefix("$ ").split("\n", 1)
                check(command, expected, printed(command, folder, ggp))


def printed(command: str, folder: Path, ggp: Ggp) -> str:
    """Run one command, and return what it prints, errors included."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    name, *arguments = words
    if name == "ggp" and not any(set(word) <= set("();<>|&") for word in arguments):
        outcome = ggp(*arguments)
        return outcome.out + outcome.err
    python = f"{sys.executable} -m"
    command = re.sub(r"^(ggp|pytest)\b", rf"{python} \1", command)
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def check(command: str, expected: str, printed: str) -> None:
    """Compare what a command has printed with what a page shows."""
    lines = [line.rstrip() for line in printed.splitlines()]
    pattern = "\n".join(".*" if line == "..." else re.escape(line.rstrip()) for line in expected.strip().splitlines())
    pattern = pattern.replace(re.escape("..."), ".*")
    found = "\n".join(lines).strip()
    assert re.fullmatch(pattern, found, re.DOTALL), f"{command}\nprinted:\n{found}\nexpected:\n{expected}"
