"""The extension of VS Code, as far as Python can tell; its own tests run with npm in `.ci/run`."""

from __future__ import annotations

import json
import re
from typing import Any

from support.toy_files import ROOT

from gdl.checker.view import KEYWORDS
from ggp import __version__
from ggp.rules.lsp.server import POSITION

FOLDER = ROOT / "ggp" / "rules" / "lsp" / "vscode"


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return found


def test_the_grammar_knows_the_words_of_the_language() -> None:
    keywords = read("syntaxes/gdl.tmLanguage.json")["repository"]["keyword"]["patterns"]
    words = [word for one in keywords for word in re.findall(r"\(\?:(.*?)\)", one["match"])[0].split("|")]
    assert sorted([*words, "<="]) == sorted(KEYWORDS)


def test_the_extension_has_the_version_of_the_package_and_lists_only_files_that_exist() -> None:
    package = read("package.json")
    assert package["version"] == __version__ == read("package-lock.json")["version"]
    contributed = package["contributes"]
    named = [one["path"] for one in contributed["grammars"]] + [
        one["configuration"] for one in contributed["languages"]
    ]
    assert all((FOLDER / name).is_file() for name in named)


def test_the_extension_asks_what_the_server_answers() -> None:
    source = (FOLDER / "src" / "extension.js").read_text(encoding="utf-8")
    assert f'sendRequest("{POSITION}"' in source
    commands = {one["command"] for one in read("package.json")["contributes"]["commands"]}
    assert commands == set(re.findall(r'registerCommand\("([^"]+)"', source))
