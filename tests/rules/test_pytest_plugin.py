"""The pytest plugin: an item for each check of a rule file, with reports instead of tracebacks."""

from __future__ import annotations

import os

import pytest
from support.toy_files import ROOT
from support.toy_rules import ENDLESS, NIM, STUCK

from gdl import Reasoner
from ggp.rules.conformance import Expectations, Settings, checks

pytest_plugins = ["pytester"]


#: From four, one may take one or two; after the first, two again.
NIM_EXPECT = """\
perft = [1, 2, 4]

[[position]]
name = "left begins, with four in the heap"
facts = ["(control left)", "(heap 4)"]

[[position]]
name = "whoever takes the last wins [left]"
start = ["(control left)", "(heap 1)"]
moves = ["(take one) noop"]
terminal = true
goals = { left = 100, right = 0 }
"""


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """All that the plugin imports: what is imported in an inner run only is forgotten at its end, which takes time."""
    assert checks(Reasoner(NIM), Expectations(), Settings(playouts=1))[0].run().failures == ()


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder in which pytest turns warnings into errors, finds this project, and loads no other plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return pytester


def write(folder: pytest.Pytester, **files: str) -> None:
    """Write files; `nim_kif` is `nim.kif`, `nim_expect` is `nim.expect.toml`."""
    suffixes = {"kif": ".kif", "expect": ".expect.toml"}
    for name, text in files.items():
        stem, _, kind = name.rpartition("_")
        (folder.path / f"{stem}{suffixes[kind]}").write_text(text, encoding="utf-8")


def run(folder: pytest.Pytester, *args: str) -> pytest.RunResult:
    """Run pytest with the plugin in this process."""
    return folder.runpytest_inprocess("-p", "ggp.rules.pytest_plugin", *args)


def collected(folder: pytest.Pytester, *args: str) -> list[str]:
    """The ids of the items."""
    return [line for line in run(folder, "--collect-only", "-q", *args).outlines if "::" in line]


def test_an_item_for_each_check(folder: pytest.Pytester) -> None:
    write(folder, nim_kif=NIM, nim_expect=NIM_EXPECT, plain_kif=NIM)
    assert collected(folder) == [
        "nim.kif::rules",
        "nim.kif::expectations",
        "nim.kif::playouts",
        "nim.kif::perft",
        "nim.kif::position[left begins, with four in the heap]",
        "nim.kif::position[whoever takes the last wins [left]]",
        "plain.kif::rules",
        "plain.kif::playouts",
    ]
    result = run(folder)
    result.assert_outcomes(passed=8)
    assert result.ret == pytest.ExitCode.OK


def test_only_the_files_that_are_asked_for(folder: pytest.Pytester) -> None:
    write(folder, nim_kif=NIM, other_kif=NIM)
    assert collected(folder, "other.kif") == ["other.kif::rules", "other.kif::playouts"]


@pytest.mark.parametrize(
    ("item", "passed"),
    [
        ("nim.kif::perft", 1),
        ("nim.kif::position", 2),
        ("nim.kif::position[left begins, with four in the heap]", 1),
        ("nim.kif::position[whoever takes the last wins [left]]", 1),
    ],
)
def test_one_check_by_its_id(folder: pytest.Pytester, item: str, passed: int) -> None:
    write(folder, nim_kif=NIM, nim_expect=NIM_EXPECT)
    run(folder, item).assert_outcomes(passed=passed)


def test_a_failure_is_told_without_a_traceback(folder: pytest.Pytester) -> None:
    write(folder, nim_kif=NIM, nim_expect=NIM_EXPECT.replace("right = 0", "right = 1").replace("2, 4", "2, 5"))
    result = run(folder)
    result.assert_outcomes(passed=4, failed=2)
    result.stdout.fnmatch_lines(
        [
            "_* nim.kif: perft _*",
            "perft[[]2]: expected 5, found 4",
            "_* nim.kif: position[[]whoever takes the last wins [[]left]] _*",
            'position "whoever takes the last wins [[]left]" (nim.expect.toml:8)',
            "  goals.right: expected 1, found 0",
            "FAILED nim.kif::perft - *",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_wrong_rules_fail_in_playouts(folder: pytest.Pytester) -> None:
    write(folder, stuck_kif=STUCK)
    result = run(folder)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["playout 1, after 1 ply", "  no-legal-move: solo *", '  moves = [[]"go"]'])


def test_what_a_refused_file_leaves_unchecked_does_not_pass(folder: pytest.Pytester) -> None:
    write(folder, nim_kif=NIM + "(init (heap", nim_expect=NIM_EXPECT)
    result = run(folder)
    result.assert_outcomes(failed=1, errors=5)
    result.stdout.fnmatch_lines(["*ERROR at setup of nim.kif: perft*", 'not checked, because "rules" fails'])
    result.stdout.fnmatch_lines(["_* nim.kif: rules _*", "nim.kif:*: unbalanced-parenthesis: *", "*^*"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
    result = run(folder, "nim.kif::perft")
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_refused_expectation_file(folder: pytest.Pytester) -> None:
    write(folder, nim_kif=NIM, nim_expect=NIM_EXPECT.replace("goals =", "gaols ="))
    result = run(folder)
    result.assert_outcomes(passed=1, failed=1, errors=4)
    result.stdout.fnmatch_lines(
        ["_* nim.kif: expectations _*", "nim.expect.toml:12:1: unknown-key: *did you mean goals?"]
    )


def test_an_expectation_file_that_is_no_toml(folder: pytest.Pytester) -> None:
    write(folder, nim_kif=NIM, nim_expect="perft = [1,")
    result = run(folder)
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(["nim.expect.toml:1:*: not-toml: *"])


def test_the_number_of_playouts(folder: pytest.Pytester) -> None:
    write(folder, endless_kif=ENDLESS)
    run(folder).stdout.fnmatch_lines(["10 of 10 playouts not over after 1000 plies"])
    run(folder, "--ggp-playouts=3").stdout.fnmatch_lines(["3 of 3 playouts not over after 1000 plies"])
    assert collected(folder, "--ggp-playouts=0") == ["endless.kif::rules"]
    folder.makeini("[pytest]\nggp_playouts = 2\n")
    run(folder).stdout.fnmatch_lines(["2 of 2 playouts not over after 1000 plies"])
    run(folder, "--ggp-playouts=3").stdout.fnmatch_lines(["3 of 3 playouts not over after 1000 plies"])


def test_the_seed(folder: pytest.Pytester) -> None:
    # Right must not take two; that it could is seen only in playouts in which left leaves enough.
    write(folder, nim_kif=NIM + "(base (heap 0)) (base (heap 1)) (base (heap 3)) (base (heap 4))")

    def failures(seed: int) -> str:
        lines = run(folder, f"--ggp-seed={seed}", "--ggp-playouts=1").outlines
        return "\n".join(line for line in lines if "moves = " in line or " holds" in line)

    assert failures(1) == failures(1)
    assert len({failures(seed) for seed in range(6)}) > 1


@pytest.mark.parametrize(("name", "value"), [("playouts", "-1"), ("playouts", "many"), ("seed", "x")])
def test_a_wrong_option_is_refused(folder: pytest.Pytester, name: str, value: str) -> None:
    folder.makeini(f"[pytest]\nggp_{name} = {value}\n")
    result = run(folder)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: ggp_{name}: expected *, found {value}"])


def test_nothing_is_imported_without_a_rule_file(folder: pytest.Pytester) -> None:
    folder.makepyfile(
        """
        import sys

        def test_imports():
            assert "ggp.rules.pytest_plugin" in sys.modules
            assert [name for name in sys.modules if name == "gdl" or name.startswith("ggp.conf")] == []
        """
    )
    folder.runpytest_subprocess("-p", "ggp.rules.pytest_plugin").assert_outcomes(passed=1)


class TestLoading:
    """The plugin may be named in several places, which pytest on its own does not allow."""

    @pytest.fixture
    def installed(self, folder: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
        """The folder, with the entry point of an installed package on the path."""
        monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")  # it takes long to load
        write(folder, nim_kif=NIM)
        site = folder.mkdir("site")
        information = site / "something-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: something\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text("[pytest11]\nggp = ggp.rules.pytest_plugin\n")
        monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
        return folder

    def test_by_its_entry_point(self, installed: pytest.Pytester) -> None:
        installed.runpytest_subprocess("nim.kif").assert_outcomes(passed=2)

    def test_by_its_entry_point_and_by_option(self, installed: pytest.Pytester) -> None:
        installed.runpytest_subprocess("-p", "ggp.rules.pytest_plugin", "nim.kif").assert_outcomes(passed=2)

    def test_by_its_entry_point_and_by_a_conftest(self, installed: pytest.Pytester) -> None:
        installed.makeconftest('pytest_plugins = ["ggp.rules.pytest_plugin"]')
        installed.runpytest_subprocess("nim.kif").assert_outcomes(passed=2)

    def test_by_a_conftest_and_by_option(self, folder: pytest.Pytester) -> None:
        write(folder, nim_kif=NIM)
        folder.makeconftest('pytest_plugins = ["ggp.rules.pytest_plugin"]')
        folder.runpytest_subprocess("-p", "ggp.rules.pytest_plugin", "nim.kif").assert_outcomes(passed=2)

    def test_it_can_be_turned_off(self, installed: pytest.Pytester) -> None:
        result = installed.runpytest_subprocess("-p", "no:ggp")
        assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
