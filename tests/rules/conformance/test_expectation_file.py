"""Expectation files: mistakes are refused with their places."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.conformance import HEAP, report

import gdl
from ggp.rules.conformance import (
    ExpectationError,
    load_expectations,
)
from ggp.rules.conformance.report import REFUSED


class TestRefusedExpectations:
    """A mistake in an expectation file is told with its line, and is no failure of the rules."""

    @pytest.mark.parametrize(
        ("expect", "line", "message"),
        [
            ("perft = [1, 2\n", 1, "not-toml"),
            ("\nperft = = 1", 2, "not-toml"),
            pytest.param("perft = " + "[" * 5000, 1, "not-toml: arrays or tables are nested too deeply", id="nested"),
            pytest.param(
                "perft = [1, " + "9" * 5000 + "]", 1, "not-toml: Exceeds the limit (4300 digits)", id="digits"
            ),
            ("perft = [1]\nprft = 1", 2, "unknown-key: unknown key prft; did you mean perft?"),
            (
                "[expect]\nends = false\nfoo = 3",
                3,
                "unknown-key: expect: unknown key foo; known here: max_plies, ends",
            ),
            ("perft = [1]\n# expct\n[expct]\nends = true", 3, "unknown-key: unknown key expct; did you mean expect?"),
            ("[expect]\nends = true\n[[ positions ]]", 3, "unknown-key: unknown key positions; did you mean position?"),
            ("expect = { end = true }", 1, "unknown-key: expect: unknown key end; did you mean ends?"),
            ("perft = 1", 1, "wrong-type: perft: expected an array, found 1"),
            ("perft = []", 1, "wrong-count: perft: must begin with 1"),
            ("perft = [2]", 1, "wrong-count: perft: must begin with 1"),
            ("perft = [1, -1]", 1, "wrong-type: perft: expected a whole number of at least 0, found -1"),
            ("perft = [1, true]", 1, "wrong-type: perft: expected a whole number of at least 0, found true"),
            (
                "\n[expect]\nmax_plies = 0",
                3,
                "wrong-type: expect, max_plies: expected a whole number from 1 to",
            ),
            (
                "\n[expect]\nmax_plies = 1.5",
                3,
                "wrong-type: expect, max_plies: expected a whole number from 1 to",
            ),
            ("expect = 3", 1, "wrong-type: expect: expected a table, found 3"),
            ("[expect]\nends = 1", 2, "wrong-type: expect, ends: expected true or false, found 1"),
            ("position = 3", 1, "wrong-type: position: expected an array, found 3"),
            ("[[position]]\nterminal = true", 1, "no-name: "),
            ("[[position]]\nname = 3\nterminal = true", 2, "no-name: "),
        ],
    )
    def test_top_level(self, tmp_path: Path, expect: str, line: int, message: str) -> None:
        self.check(tmp_path, expect, line, message)

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("terminl = true", "unknown-key: {}: unknown key terminl; did you mean terminal?"),
            ('terminal = "yes"', 'wrong-type: {}, terminal: expected true or false, found the string "yes"'),
            ("goals = 3", "wrong-type: {}, goals: expected a table, found 3"),
            (
                "goals = { left = true }",
                "wrong-type: {}, goals.left: expected a whole number from 0 to 100, found true",
            ),
            ("goals = { left = 101 }", "wrong-type: {}, goals.left: expected a whole number from 0 to 100, found 101"),
            ("goals.lft = 1", "unknown-role: {}, goals.lft: no role lft; the roles are left, right"),
            ("goals = {left = 1, LEFT = 1}", "double-role: {}, goals.LEFT: left twice"),
            ('legal.middle = ["noop"]', "unknown-role: {}, legal.middle: no role middle"),
            ('legal.left = "noop"', 'wrong-type: {}, legal.left: expected an array, found the string "noop"'),
            ("legal.left = [1]", "wrong-type: {}, legal.left: expected a string, found 1"),
            ('legal.left = ["noop", "noop"]', "twice: {}, legal.left: noop is listed twice"),
            ('legal.left = ["noop noop"]', 'wrong-number: {}, legal.left: "noop noop" holds 2 terms instead of 1'),
            ('legal.left = ["(take ?k)"]', "misplaced-variable: {}, legal.left: variables are not allowed here"),
            ('legal.left = ["nop"]', "unknown-term: {}, legal.left: the rules have no nop; did you mean noop?"),
            ("legal_count.left = -1", "wrong-type: {}, legal_count.left: expected a whole number of at least 0"),
            ('holds = ["(heap 3"]', "unbalanced-parenthesis: {}, holds: this parenthesis is never closed"),
            ('holds = ["(heep 3)"]', "unknown-term: {}, holds: the rules have no heep/1; did you mean heap/1?"),
            ('absent = ["(heap 1 2)"]', "unknown-term: {}, absent: the rules have heap with 1 arguments, not with 2"),
            ('absent = [""]', 'wrong-number: {}, absent: "" holds 0 terms instead of 1'),
            ('facts = ["(heap ?n)"]', "misplaced-variable: {}, facts: variables are not allowed here"),
            ('start = ["(heap 1)", "(heap 1)"]', "twice: {}, start: (heap 1) is listed twice"),
            ('set = ["(heap 3)"]', "set-already: {}, set: (heap 3) is already a fact of the start"),
            ('unset = ["(heap 2)"]', "nothing-to-unset: {}, unset: (heap 2) is not a fact of the start"),
            ('unset = ["(control ?x)", "(heap heap)"]', "nothing-to-unset: {}, unset: (heap heap) is not a fact"),
            ("moves = 1", "wrong-type: {}, moves: expected an array, found 1"),
            ("moves = [1]", "wrong-type: {}, moves: expected a table, found 1"),
            (
                'moves = ["noop noop noop"]',
                'wrong-number: {}, moves: "noop noop noop" holds 3 terms instead of 2, one for each of left, right',
            ),
            ('moves = [{ up = "noop" }]', "unknown-role: {}, moves.up: no role up"),
            ("moves = [{ left = 3 }]", "wrong-type: {}, moves.left: expected a string, found 3"),
            ("holds = []", "no-expectation: {}, name: nothing is expected"),
            ('moves = ["(take one) noop"]', "no-expectation: {}, name: nothing is expected"),
        ],
    )
    def test_positions(self, tmp_path: Path, entry: str, message: str) -> None:
        first = '[[position]]\nname = "sound"\nterminal = false\n\n'
        expected = "" if message.startswith("no-expectation") else "\nlegal_excludes.right = ['(take one)']"
        expect = f'{first}[[position]]\nname = "one"\n{entry}{expected}'
        line = 6 if message.startswith("no-expectation") else 7
        self.check(tmp_path, expect, line, message.format('position "one"'))

    def test_two_positions_with_one_name(self, tmp_path: Path) -> None:
        expect = '[[position]]\nname = "a"\nterminal = false\n' * 2
        self.check(tmp_path, expect, 2, 'double-name: position "a", name: 2 positions have this name')

    def test_the_caret_points_at_the_mistake(self, tmp_path: Path) -> None:
        expect = '[[position]]\nname = "a"\nholds = [\n  "(heap 3)",\n  "(heap 3", "(heap 1)",\n]\n'
        found = report(tmp_path, HEAP, expect)
        assert found.failures[0].split("\n")[1:] == ['      "(heap 3", "(heap 1)",', "       ^"]

    def test_all_mistakes_are_told(self, tmp_path: Path) -> None:
        expect = 'perft = 1\n[[position]]\nname = "a"\nterminal = 1\nholds = ["?x"]\n'
        assert report(tmp_path, HEAP, expect).failures[0].endswith(": 3 mistakes")

    def test_text_that_is_not_utf_8(self, tmp_path: Path) -> None:
        (tmp_path / "game.kif").write_text(HEAP, encoding="utf-8")
        (tmp_path / "game.expect.toml").write_bytes(b"perft = [1]\n# \xff")
        with pytest.raises(ExpectationError) as caught:
            load_expectations(tmp_path / "game.kif", gdl.Reasoner(HEAP))
        assert (caught.value.line, caught.value.column, caught.value.code) == (2, 3, "not-utf-8")

    def test_a_folder_is_no_expectation_file(self, tmp_path: Path) -> None:
        (tmp_path / "game.expect.toml").mkdir()
        found = report(tmp_path, HEAP)
        assert found.status == REFUSED
        assert "game.expect.toml: " in found.failures[0]

    @staticmethod
    def check(folder: Path, expect: str, line: int, message: str) -> None:
        found = report(folder, HEAP, expect)
        assert found.status == REFUSED
        assert found.summary == f"{folder / 'game.kif'}: refused"
        [text] = found.failures
        places = [one for one in text.split("\n") if one.startswith(f"{folder / 'game.expect.toml'}:{line}:")]
        assert any(message in place for place in places), text
