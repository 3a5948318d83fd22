"""Rule files are read and written: changed whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.loose_rules import LOOSE, NEAT
from support.toy_files import rule_file

from gdl.errors import FileError
from ggp.rules.rulefiles import difference, is_unchanged, read_rules, write_rules

# Files


def test_a_file_keeps_its_mode_and_a_link_leads_to_it(tmp_path: Path) -> None:
    path = rule_file(tmp_path, LOOSE)
    path.chmod(0o640)
    link = tmp_path / "link.kif"
    link.symlink_to(path)
    write_rules(str(link), NEAT)
    assert link.is_symlink()
    assert path.read_text() == NEAT
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rule_file(tmp_path, LOOSE)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(FileError, match="No space left"):
            write_rules(str(path), NEAT)
    assert path.read_text() == LOOSE
    assert list(tmp_path.iterdir()) == [path]
    loop = tmp_path / "loop.kif"
    loop.symlink_to(loop)
    with pytest.raises(FileError):
        write_rules(str(loop), NEAT)


def test_files_that_are_not_there() -> None:
    for question in (lambda: read_rules("nowhere.kif"), lambda: is_unchanged("nowhere.kif", "")):
        with pytest.raises(FileError, match=r"nowhere\.kif: No such file"):
            question()


def test_a_difference_says_where_the_last_line_has_no_end() -> None:
    assert difference("a\n", "a\n", "g") == ""
    assert difference("a", "a\n", "g").splitlines()[3:] == ["-a", "\\ No newline at end of file", "+a"]
