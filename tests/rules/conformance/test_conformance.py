"""The checks of rule files: each passes on a sound game, and fails on one with the mistake that it is there for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.conformance import HEAP, report
from support.toy_rules import COIN, ENDLESS, STUCK

from ggp.rules.conformance import (
    Settings,
    check_names,
    checks,
    load_expectations,
    load_game,
)
from ggp.rules.conformance.report import FAILED, PASSED


def changed(rules: str, old: str, new: str) -> str:
    """The rules with one line changed."""
    assert rules.count(old) == 1
    return rules.replace(old, new)


def failure(folder: Path, rules: str, expect: str | None = None, **settings: int) -> str:
    """The report on the one check that must fail."""
    found = report(folder, rules, expect, **settings)
    assert found.status == FAILED
    assert ": 1 of " in found.summary
    return "\n".join(found.failures)


def position_failure(folder: Path, position: str, rules: str = HEAP) -> list[str]:
    """The lines of the failure of a position of the heap, without its heading."""
    heading, *lines = failure(folder, rules, f'[[position]]\nname = "one"\n{position}', playouts=0).split("\n")
    assert heading == f'position "one" ({folder / "game.expect.toml"}:2)'
    return [line.strip() for line in lines]


class TestPlayouts:
    """Requirements on every game."""

    @pytest.mark.parametrize("rules", [HEAP, COIN], ids=["two roles", "chance without a goal"])
    def test_a_sound_game_passes(self, tmp_path: Path, rules: str) -> None:
        found = report(tmp_path, rules)
        assert found.status == PASSED
        assert found.failures == ()
        assert ": 2 checks passed (5 playouts, " in found.summary

    def test_what_is_unusual_is_told(self, tmp_path: Path) -> None:
        lost = Path(__file__).parents[2] / "checker" / "wrong" / "lost-fact.rules"
        found = report(tmp_path, lost.read_text(encoding="utf-8").replace("(true (pile 2)) ", ""))
        assert found.status == PASSED
        assert [text.split(":")[1] for text in found.warnings] == [
            " 5 of 5 playouts were over after one or two plies",
            " 5 of 5 playouts were over without a winner",
        ]
        assert found.as_json()["warnings"] == found.warnings
        assert report(tmp_path, HEAP).warnings == ()

    def test_every_role_has_a_legal_move(self, tmp_path: Path) -> None:
        assert failure(tmp_path, STUCK).split("\n") == [
            "playout 1, after 1 ply",
            "  no-legal-move: solo has no legal move, and the state is not terminal",
            '  moves = ["go"]',
            "  state: on",
        ]

    def test_each_role_without_a_legal_move_is_named(self, tmp_path: Path) -> None:
        text = failure(tmp_path, changed(HEAP, "(legal ?r noop)", "(legal ?r noop) (true (heap 9))"))
        assert "no-legal-move: right" in text
        text = failure(tmp_path, "(role a) (role b) (init x) (legal c go) (<= terminal (true y)) (next y)")
        assert "no-legal-move: a" in text
        assert "no-legal-move: b" in text

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("(goal ?r 0)", "(nothing ?r 0)", "has no goal value in this state"),
            (
                "(goal ?r 0) (true (control ?r))",
                "(goal ?r 0) (role ?r)",
                "has several goal values in this state: 0, 100",
            ),
            ("(goal ?r 100)", "(goal ?r much)", "is not a whole number from 0 to 100: much"),
            ("(goal ?r 100)", "(goal ?r 101)", "is not a whole number from 0 to 100: 101"),
            ("(goal ?r 0)", "(goal ?r -1)", "is not a whole number from 0 to 100: -1"),
        ],
    )
    def test_each_role_has_one_goal_from_0_to_100(self, tmp_path: Path, old: str, new: str, message: str) -> None:
        assert message in failure(tmp_path, changed(HEAP, old, new))

    def test_chance_has_no_bad_goal_either(self, tmp_path: Path) -> None:
        assert "goal value of random is not a whole number from 0 to 100: 200" in failure(
            tmp_path, COIN + "(goal random 200)"
        )

    def test_facts_are_in_base(self, tmp_path: Path) -> None:
        assert failure(tmp_path, changed(HEAP, "(base (heap 3))", "")).split("\n") == [
            "playout 1, after 0 plies",
            "  (heap 3) holds, but is not in base",
            "  moves = []",
            "  state: (control left), (heap 3)",
        ]

    def test_facts_of_terminal_states_are_in_base(self, tmp_path: Path) -> None:
        assert "(heap 0) holds, but is not in base" in failure(tmp_path, changed(HEAP, "(base (heap 0))", ""))

    def test_the_case_of_declarations_does_not_matter(self, tmp_path: Path) -> None:
        assert report(tmp_path, changed(HEAP, "(base (heap 3))", "(BASE (Heap 3))")).status == PASSED

    def test_legal_moves_are_inputs_even_if_they_are_never_chosen(self, tmp_path: Path) -> None:
        extra = "(<= (legal right (take all)) (true (heap 3)))"
        text = failure(tmp_path, HEAP + extra, playouts=1)
        assert "(take all) is legal for right, but is not in its input" in text
        assert "after 0 plies" in text

    def test_an_input_of_another_role_does_not_count(self, tmp_path: Path) -> None:
        rules = changed(HEAP, "(<= (input ?r noop) (role ?r))", "(input left noop)")
        assert "noop is legal for right, but is not in its input" in failure(tmp_path, rules)

    def test_nothing_is_declared_where_there_is_no_base(self, tmp_path: Path) -> None:
        rules = "\n".join(line for line in HEAP.split("\n") if "(base" not in line and "(input" not in line)
        assert report(tmp_path, rules).status == PASSED

    def test_a_violation_is_told_once(self, tmp_path: Path) -> None:
        text = failure(tmp_path, changed(HEAP, "(base (heap 3))", ""), playouts=20)
        assert text.count("(heap 3) holds") == 1

    def test_many_violations_of_one_kind_are_named_once_each(self, tmp_path: Path) -> None:
        rules = "\n".join(line for line in HEAP.split("\n") if not line.startswith("(base (heap"))
        *told, rest = report(tmp_path, rules, playouts=30).failures
        found = re.findall(r"(\(heap .\)) holds, but is not in base", "\n".join(told))
        heading, named = rest.split("\n")
        assert heading == "more facts that are not in base"
        assert len(found) == 3
        assert sorted([*found, named.strip()]) == ["(heap 0)", "(heap 1)", "(heap 2)", "(heap 3)"]

    def test_playouts_must_end(self, tmp_path: Path) -> None:
        text = failure(tmp_path, ENDLESS, max_plies=7)
        assert text.startswith("5 of 5 playouts not over after 7 plies\n")

    def test_playouts_need_not_end_where_that_is_expected(self, tmp_path: Path) -> None:
        found = report(tmp_path, ENDLESS, "[expect]\nends = false\nmax_plies = 9\n")
        assert found.status == PASSED
        assert ": 3 checks passed (5 playouts, 45 plies, 5 cut off at 9, " in found.summary

    def test_the_callers_limit_goes_before_that_of_the_file(self, tmp_path: Path) -> None:
        assert "after 7 plies" in failure(tmp_path, ENDLESS, "[expect]\nmax_plies = 9\n", max_plies=7)

    def test_a_game_that_ends_at_the_limit_has_ended(self, tmp_path: Path) -> None:
        rules = changed(HEAP, "(take two 3 1)\n(take two 2 0)", "")
        assert report(tmp_path, rules, max_plies=3).status == PASSED
        assert report(tmp_path, rules, max_plies=2).status == FAILED

    def test_what_the_engine_gives_up_on_is_told(self, tmp_path: Path) -> None:
        rules = (
            "(role r) (init go) (legal r wait) (next go) (<= terminal (true end))"
            "(<= (next (deep ?x)) (does r wait) (tower ?x)) (<= (tower z) (true go)) (<= (tower (s ?x)) (tower ?x))"
        )
        assert "derivation-limit:" in failure(tmp_path, rules, playouts=1)

    def test_a_playout_is_the_same_however_many_there_are(self, tmp_path: Path) -> None:
        rules = changed(HEAP, "(base (heap 1))", "")
        many, more = (failure(tmp_path, rules, playouts=number) for number in (10, 20))
        assert "(heap 1) holds" in many
        assert many == more

    def test_the_moves_that_are_told_lead_to_the_state(self, tmp_path: Path) -> None:
        text = failure(tmp_path, changed(HEAP, "(base (heap 1))", ""), playouts=10)
        [moves] = [line for line in text.split("\n") if "moves = " in line]
        found = report(tmp_path, HEAP, f'[[position]]\nname = "told"\n{moves.strip()}\nholds = ["(heap 1)"]\n')
        assert found.status == PASSED


class TestPerft:
    """From three, one may take 1+1+1, 1+2, 2+1: two first moves, three seconds, one third."""

    def test_the_right_counts_pass(self, tmp_path: Path) -> None:
        assert report(tmp_path, HEAP, "perft = [1, 2, 3, 1, 0, 0]").status == PASSED

    @pytest.mark.parametrize(
        ("counts", "message"),
        [
            ("[1, 3]", "perft[1]: expected 3, found 2"),
            ("[1, 2, 4, 8]", "perft[2]: expected 4, found 3"),
            ("[1, 2, 3, 1, 1]", "perft[4]: expected 1, found 0"),
        ],
    )
    def test_the_first_wrong_count_is_told(self, tmp_path: Path, counts: str, message: str) -> None:
        assert failure(tmp_path, HEAP, f"perft = {counts}") == message

    def test_joint_moves_are_counted(self, tmp_path: Path) -> None:
        rules = """
            (role a) (role b) (init (turn 1)) (succ 1 2) (succ 2 3)
            (legal a x) (legal a y) (legal b x) (legal b y) (legal b z)
            (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n)) (<= terminal (true (turn 3))) (goal a 0) (goal b 0)
        """
        assert report(tmp_path, rules, "perft = [1, 6, 36, 0]").status == PASSED

    def test_a_role_without_a_legal_move_is_told(self, tmp_path: Path) -> None:
        text = failure(tmp_path, STUCK, "perft = [1, 1, 5]", playouts=0)
        assert text.startswith("perft[2]: expected 5, but no-legal-move: solo ")


class TestPositions:
    """Each expectation can fail, and says what was found instead."""

    @pytest.mark.parametrize(
        "position",
        [
            "terminal = false",
            "goals = { left = 0, right = 100 }",
            'legal.left = ["(take two)", "(TAKE ONE)"]\nlegal.right = ["noop"]',
            'legal_includes.left = ["(take two)"]\nlegal_excludes.left = ["noop"]\nlegal_count.left = 2',
            'facts = ["(control left)", "(heap 3)"]',
            'holds = ["(heap 3)"]\nabsent = ["(heap 2)", "(heap 4)"]',
            'moves = ["(take one) noop", "noop (take two)"]\nterminal = true\ngoals = { Left = 0, right = 100 }',
            'moves = [{ left = "(take one)" }, { RIGHT = "(take two)", left = "noop" }]\nlegal.right = ["noop"]',
            'moves = ["(take one) noop", {right = "(take one)"}]\nholds = ["(heap 1)", "(control left)"]',
            'start = ["(control right)", "(heap 1)"]\nlegal.right = ["(take one)"]\nlegal.left = ["noop"]',
            'unset = ["(heap 3)"]\nset = ["(heap 1)"]\nfacts = ["(heap 1)", "(control left)"]',
            'unset = ["(heap ?n)", "(control ?r)"]\nset = ["(heap 3)"]\nfacts = ["(heap 3)"]',
            'start = ["(heap 1)", "(heap 2)"]\nunset = ["(heap ?n)"]\nfacts = []',
            'unset = ["?everything"]\nfacts = []',
        ],
    )
    def test_what_is_as_expected_passes(self, tmp_path: Path, position: str) -> None:
        assert report(tmp_path, HEAP, f'[[position]]\nname = "one"\n{position}').failures == ()

    @pytest.mark.parametrize(
        ("position", "complaints"),
        [
            ("terminal = true", ["terminal: expected true, found false"]),
            (
                'start = ["(heap 0)", "(control left)"]\nterminal = false',
                ["terminal: expected false, found true"],
            ),
            ("goals = { left = 100, right = 100 }", ["goals.left: expected 100, found 0"]),
            (
                'start = ["(heap 3)"]\ngoals = { right = 0 }',
                ["goals.right: expected 0, but goal-value: right has no goal value in this state"],
            ),
            (
                'legal.left = ["(take one)", "noop"]',
                ["legal.left: 2 expected, 2 found", "missing: noop", "unexpected: (take two)"],
            ),
            ('legal.left = ["(take one)"]', ["legal.left: 1 expected, 2 found", "unexpected: (take two)"]),
            ("legal.right = []", ["legal.right: 0 expected, 1 found", "unexpected: noop"]),
            ('legal_includes.left = ["noop"]', ["legal_includes.left: noop is not legal"]),
            ('legal_excludes.right = ["noop"]', ["legal_excludes.right: noop is legal"]),
            ("legal_count.left = 3", ["legal_count.left: expected 3, found 2: (take one), (take two)"]),
            ('facts = ["(heap 3)"]', ["facts: 1 expected, 2 found", "unexpected: (control left)"]),
            ('holds = ["(heap 2)"]', ["holds: (heap 2) does not hold; there is (heap 3)"]),
            ('absent = ["(heap 2)", "(heap 3)"]', ["absent: (heap 3) holds"]),
            (
                'moves = ["(take one) noop", "noop noop"]\nterminal = false',
                ["ply 2 of 2: illegal-move: noop is not legal for right; legal: (take one), (take two)"],
            ),
            (
                "moves = [{}]\nterminal = false",
                ["ply 1 of 1: no move is given for left, which has 2 legal moves: (take one), (take two)"],
            ),
            (
                'moves = ["(take two) noop", "noop (take one)", "(take one) noop"]\nterminal = true',
                ["the game is over after 2 of 3 plies"],
            ),
            (
                'terminal = true\nholds = ["(heap 1)"]',
                ["terminal: expected true, found false", "holds: (heap 1) does not hold; there is (heap 3)"],
            ),
        ],
    )
    def test_what_is_not_as_expected_is_told(self, tmp_path: Path, position: str, complaints: list[str]) -> None:
        assert position_failure(tmp_path, position) == complaints

    def test_a_role_without_any_move_can_be_told_from_one_that_has_some(self, tmp_path: Path) -> None:
        lines = position_failure(tmp_path, 'moves = ["go"]\nlegal.solo = ["go"]', STUCK)
        assert lines == ["legal.solo: 1 expected, 0 found", "missing: go"]

    def test_long_lists_are_shortened(self, tmp_path: Path) -> None:
        moves = "".join(f"(legal solo (go {number}))" for number in range(30))
        rules = f"(role solo) {moves} (init a) (next a) (<= terminal (true b)) (goal solo 0)"
        [_, unexpected, *more] = position_failure(tmp_path, "legal.solo = []", rules)
        assert unexpected.startswith("unexpected: (go 0), (go 1), (go 10)")
        assert " ".join([unexpected, *more]).endswith(" and 20 more")

    def test_a_move_alone_is_of_the_role_that_has_a_choice(self, tmp_path: Path) -> None:
        expect = '[[position]]\nname = "one"\nmoves = ["(take one)", "(take two)"]\ngoals = { left = 0, right = 100 }'
        assert report(tmp_path, HEAP, expect, playouts=0).failures == ()

    def test_a_move_alone_of_nobody(self, tmp_path: Path) -> None:
        both = "(role a) (role b) (init on) (next on) (legal a x) (legal a y) (legal b x) (legal b z)\n"
        rules = both + "(<= terminal (true off)) (goal a 0) (goal b 0)"
        assert position_failure(tmp_path, 'moves = ["x"]\nterminal = false', rules) == [
            "ply 1 of 1: x is the only move given, but a and b have a choice"
        ]
        (illegal, *_) = position_failure(tmp_path, 'moves = ["(take one)", "(take three)"]\nterminal = true')
        assert illegal.startswith("ply 2 of 2: illegal-move: (take three) is not legal for right")

    def test_every_position_is_looked_at(self, tmp_path: Path) -> None:
        expect = "\n".join(f'[[position]]\nname = "{name}"\nterminal = {name}' for name in ("true", "false"))
        found = report(tmp_path, HEAP, expect, playouts=0)
        assert len(found.failures) == 1
        assert ": 1 of 4 checks failed (" in found.summary


def test_the_names_of_checks_are_known_beforehand(tmp_path: Path) -> None:
    file = tmp_path / "game.kif"
    expect = 'perft = [1]\n[[position]]\nname = "a\\n  b"\nterminal = false\n'
    report(tmp_path, HEAP, expect)
    game = load_game(file, "game.kif")
    made = checks(game, load_expectations(file, game), Settings())
    assert check_names(file, Settings()) == ["rules", "expectations", *(check.name for check in made)]
    assert [check.name for check in made] == ["playouts", "perft", "position[a b]"]
    assert check_names(file, Settings(playouts=0))[2:] == ["perft", "position[a b]"]
