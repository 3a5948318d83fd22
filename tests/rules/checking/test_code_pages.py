"""The page of each code: its wrong example reports that code and nothing else, its right one nothing at all."""

from __future__ import annotations

import re

import pytest
from support.toy_files import FRAME, ROOT

from gdl.checker import CODES
from gdl.language.parser import source_of
from ggp.rules.checking import Options, Simulation, check_source

CODE_PAGES = ROOT / "docs" / "codes"
INDEX = CODE_PAGES / "index.md"
PAGES = sorted(set(CODE_PAGES.glob("*.md")) - {INDEX})
BLOCK = re.compile(r"^```(\w+) (bad|report|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: What has no whole game as an example stands in a small one; these show what is missing in it.
WHOLE = {"foreign-file", "no-role", "no-terminal"}


def blocks(code: str) -> dict[str, str]:
    page = (CODE_PAGES / f"{code}.md").read_text(encoding="utf-8")
    return {kind: text for _, kind, text in BLOCK.findall(page)}


def reports(text: str, code: str) -> list[tuple[str, str]]:
    """The codes that are told, and the reports, with lines counted from where the example begins."""
    whole = "(role" in text or code in WHOLE
    before = "" if whole else FRAME
    simulation = Simulation(playouts=3, seconds=0.0) if code == "no-legal-move" else None
    found = check_source(source_of(before + text, "bad.kif"), Options(simulation=simulation)).diagnostics
    shift = before.count("\n")
    return [
        (one.code, re.sub(r"(bad\.kif:|line )(\d+)", lambda at: f"{at[1]}{int(at[2]) - shift}", str(one)))
        for one in found
    ]


def test_every_code_has_a_page() -> None:
    assert {page.stem for page in PAGES} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_the_examples_of_a_page(code: str) -> None:
    shown = blocks(code)
    found = reports(shown["bad"], code)
    assert {name for name, _ in found} == {code}
    assert "\n".join(report for _, report in found) + "\n" == shown["report"]
    assert reports(shown["good"], code) == []


def test_pages_begin_with_code_and_title() -> None:
    for code, meaning in CODES.items():
        page = (CODE_PAGES / f"{code}.md").read_text(encoding="utf-8")
        title = meaning.title.split(";")[0]
        assert " ".join(page.split()).startswith(f"# {code} {meaning.severity.capitalize()}: {title};")


def test_the_list_of_codes_has_them_all() -> None:
    page = INDEX.read_text(encoding="utf-8")
    for code, meaning in CODES.items():
        kind = "error, refused" if meaning.refused else meaning.severity
        assert f"| [{code}]({code}.md) | {kind} | {meaning.title} |" in page
