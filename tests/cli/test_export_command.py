"""`ggp export`: what it writes and says, and mistakes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file


def test_a_page_is_written_and_described(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    out = tmp_path / "game.html"
    done = ggp(
        "export", str(nim), "-o", str(out), "--title", "Nim <b>", "--players", "LEFT=mcts,right=human", "--level", "5"
    )
    assert done.status == 0, done.err
    assert "rules" in done.out
    assert "operations: look" in done.out
    text = out.read_text(encoding="utf-8")
    assert "<title>Nim &lt;b&gt;</title>" in text
    # Nothing is loaded from anywhere.
    assert not re.search(r'(src|href)="(?!data:)', text)
    assert "default-src 'none'" in text


def test_a_c_file_and_a_module_are_written_by_the_ending_of_the_file(ggp: Ggp, nim: Path, tmp_path: Path) -> None:
    assert ggp("export", str(nim), "-o", str(tmp_path / "nim.c")).status == 0
    assert "int nim_legal(" in (tmp_path / "nim.c").read_text(encoding="utf-8")
    assert ggp("export", str(nim), "-o", str(tmp_path / "nim.mjs")).status == 0
    assert (tmp_path / "nim.d.mts").exists()
    if node := shutil.which("node"):
        script = (
            f"const {{ open }} = await import('{(tmp_path / 'nim.mjs').as_uri()}');"
            "const rules = await open(); const [{ legal }] = rules.look([rules.initial()]);"
            "console.log(legal[0].map((move) => rules.about.moves[move][1]).join());"
        )
        run = subprocess.run(
            [node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True, timeout=60
        )
        assert run.stdout.strip() == "(take one),(take two)"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--players", "left=deep_blue"], "expected ROLE=human, ROLE=random or ROLE=mcts, not 'left=deep_blue'"),
        (["--players", "middle=human"], "middle"),
        (["--level", "9"], "less than or equal to 8"),
        (["-o", "no/folder/game.html"], "the folder for no/folder/game.html does not exist"),
        (["--to", "c", "--title", "Nim"], "--title and --players are for pages"),
    ],
)
def test_mistakes_are_told(ggp: Ggp, nim: Path, arguments: list[str], reason: str) -> None:
    done = ggp("export", str(nim), *arguments)
    assert done.status == 2
    assert reason in " ".join(done.err.split())


def test_a_rule_file_with_mistakes_is_refused(ggp: Ggp, tmp_path: Path) -> None:
    wrong = rule_file(tmp_path, "(role me)\n(legal me ?x)\n", "wrong.kif")
    done = ggp("export", str(wrong), "-o", str(tmp_path / "wrong.html"))
    assert done.status == 2
    assert "wrong.kif:2" in done.err
    assert not (tmp_path / "wrong.html").exists()
