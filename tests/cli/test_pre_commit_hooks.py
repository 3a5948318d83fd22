"""The hooks for pre-commit: commands that fail where a commit has to be stopped."""

from __future__ import annotations

import re
from pathlib import Path

from support.commands import Ggp
from support.loose_rules import LOOSE, NEAT
from support.toy_files import ROOT, rule_file

HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


def command(hook: str) -> list[str]:
    """The arguments of `ggp` in a hook."""
    found = re.search(rf"- id: {hook}\n(?:  .*\n)*?  entry: ggp (.*)", HOOKS)
    assert found
    return found[1].split()


def test_a_warning_stops_a_commit(ggp: Ggp, tmp_path: Path) -> None:
    doubtful = rule_file(tmp_path, NEAT + "(<= lost (neer ?x))\n", "lost.kif")
    assert ggp(*command("ggp-check"), ROOT / "games" / "wolf_sheep.kif").status == 0
    assert ggp(*command("ggp-check"), ROOT / "games" / "wolf_sheep.kif", doubtful).status == 1


def test_files_are_laid_out(ggp: Ggp, tmp_path: Path) -> None:
    loose = rule_file(tmp_path, LOOSE, "loose.kif")
    assert ggp(*command("ggp-fmt"), loose).status == 0
    # pre-commit stops a commit whose files a hook has changed.
    assert loose.read_text() == NEAT


def test_hooks_are_for_rule_files() -> None:
    patterns = re.findall(r"  files: (.*)", HOOKS)
    assert len(patterns) == HOOKS.count("- id:")
    for pattern in patterns:
        assert re.search(pattern, "games/a.kif")
        assert not re.search(pattern, "games/a.kif.json")
