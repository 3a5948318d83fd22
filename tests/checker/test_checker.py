"""The checker: the exact report on each of a folder of wrong files, and what has to be said of none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.toy_files import FRAME, ROOT

import gdl
from gdl.checker import CODES, check
from gdl.errors import Source
from gdl.language.parser import read_source
from ggp.rules.checking import FORMATS, Options, Simulation, check_source, written

WRONG = sorted((Path(__file__).parent / "wrong").glob("*.rules"))
GAMES = sorted((ROOT / "games").rglob("*.kif"))
PUBLIC = sorted((ROOT.parent / "shared" / "rulesheets").glob("*.kif"))

#: Three playouts, and no proofs.
PLAYED = Simulation(playouts=3, seconds=0.0)


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in check(text)]


@pytest.mark.parametrize("path", WRONG, ids=[path.stem for path in WRONG])
def test_a_wrong_file_has_its_report(path: Path) -> None:
    source = Source(path.name, read_source(path).text)
    options = Options(simulation=PLAYED if path.name.startswith("simulate") else None)
    report = written([check_source(source, options)], "text", hints=True, everything=True)
    assert report == path.with_suffix(".report").read_text(encoding="utf-8", errors="surrogateescape")
    check_refused(path)


def check_refused(path: Path) -> None:
    """A Rulesheet refuses a file by the codes that say so."""
    told = check(read_source(path).text)
    refusals = {one.code for one in told if CODES[one.code].refused}
    # Such statements are misread, so that nothing else is said about them.
    foreign = any(one.code == "foreign-notation" and "GDL-III" not in one.message for one in told)
    if not refusals and not foreign:
        gdl.Rulesheet.load(path)
        return
    with pytest.raises(gdl.RulesheetError) as caught:
        gdl.Rulesheet.load(path)
    assert foreign or refusals == {mistake.code for mistake in caught.value.mistakes}


@pytest.mark.slow
def test_every_code_has_a_wrong_file() -> None:
    told = {
        diagnostic.code
        for path in WRONG
        for diagnostic in check_source(read_source(path), Options(simulation=PLAYED)).diagnostics
        if path.stem.removeprefix("simulate-").startswith(diagnostic.code)
    }
    assert told == CODES.keys()


def test_the_frame_is_without_fault() -> None:
    assert check(FRAME) == ()


@pytest.mark.parametrize("path", GAMES, ids=[path.stem for path in GAMES])
def test_shipped_games_have_no_errors(path: Path) -> None:
    assert {diagnostic.severity for diagnostic in check(read_source(path).text)} <= {"hint"}


@pytest.mark.skipif(not PUBLIC, reason="there are no public rule files beside the checkout")
@pytest.mark.slow
def test_public_files_that_play_have_no_errors() -> None:
    found = [str(one) for path in PUBLIC for one in check(read_source(path).text, path.name) if one.severity == "error"]
    assert not found


class TestWhatIsNotDoubted:
    @pytest.mark.parametrize(
        "text",
        [
            "(<= (legal robot (go ?x)) (way ?x ?_y))\n(way 1 2)",
            "(<= (legal robot (go ?x ?y)) (way ?x ?y))\n(<= (way ?x ?y) (step ?x ?y))\n"
            "(<= (way ?x ?z) (step ?x ?y) (way ?y ?z))\n(step 1 2) (step 2 3)",
            "(<= (legal robot ?m) (move ?m))\n(move go)\n(move (run fast))",
            "(<= (goal robot ?n) (true (light red)) (worth ?n))\n(worth 50)\n(<= (next (light red)) (true (light on)))",
            "(init (pile (s (s z))))\n(<= (next (pile ?n)) (true (pile (s ?n))))\n"
            "(<= (legal robot take) (true (pile (s ?_n))))",
            "(<= (sees robot (heard ?m)) (does robot ?m))",
            "(<= (legal robot go) (not (true (light on))) (true (light ?x)) (distinct ?x on))",
        ],
    )
    def test_nothing_is_told(self, text: str) -> None:
        assert [str(one) for one in check(FRAME + text)] == []

    @pytest.mark.parametrize(
        "names",
        ["?row ?row2", "?row1 ?row2", "?anyX ?anyY", "?xpos ?ypos", "?here ?there", "?to ?too", "?_seen ?_sean"],
    )
    @pytest.mark.parametrize("times", [1, 2])
    def test_names_that_are_alike_on_purpose(self, names: str, times: int) -> None:
        often, once = names.split()
        text = f"(way 1 2)\n(<= (legal robot go) {f'(way {often} {often}) ' * (times - 1)}(way {often} {once}))"
        assert "misspelled-variable" not in codes(FRAME + text)

    def test_negated_goals_are_no_cycle_that_is_refused(self) -> None:
        text = FRAME + "(<= (goal robot 7) (true (light red)) (not (goal robot 100)))\n(init (light red))"
        assert codes(text) == ["split-negation"]

    def test_of_a_torn_file_nothing_is_doubted(self) -> None:
        assert set(codes("(role a)\n(<= (p ?x) (q ?x ?y)\n(init on)")) == {"unbalanced-parenthesis"}


class TestWhatIsSaid:
    def test_of_many_statements_in_another_notation_a_few_are_shown(self) -> None:
        source = Source("g.kif", FRAME + "(<= (legal robot go), (true (light on)))\n" * 20 + "(legal robot go)")
        *_, last = written([check_source(source, Options())], "text").splitlines()
        assert last == "g.kif: 20 errors (5 shown; --all shows all)"

    def test_spellings_are_as_in_the_file(self) -> None:
        (one,) = check(FRAME + "(openStretch a)")
        assert one.message == "nothing uses openStretch/1"

    def test_every_diagnostic_has_a_place_in_its_text(self) -> None:
        for path in WRONG:
            for one in check(read_source(path).text):
                line = one.location.source.line(one.location.line)
                assert 1 <= one.location.column <= len(line) + 1
                assert one.message
                assert one.message[-1] not in ".;:"

    def test_a_fact_that_moves_make_is_not_out_of_reach(self) -> None:
        text = "(<= (next (at ?x)) (does robot (go ?x)))\n(<= (legal robot (go ?x)) (place ?x))\n(place 1)\n"
        assert codes(FRAME + text + "(<= (legal robot jump) (true (at 1)))") == []
        (one,) = check(FRAME + text + "(<= (legal robot jump) (true (at 2)))")
        assert (one.code, one.location.line) == ("unreachable-fact", 11)

    def test_terms_that_grow_are_taken_for_anything(self) -> None:
        text = "(init (pile z))\n(<= (next (pile (s ?n))) (true (pile ?n)))\n"
        deep = "(s (s (s (s (s (s (s (s z))))))))"
        assert codes(FRAME + text + f"(<= (legal robot take) (true (pile {deep})))") == []

    def test_of_two_names_that_are_alike_the_second_is_misspelled(self) -> None:
        text = "(way 1 2)\n(<= (legal robot go) (way 1 ?button) (way ?buton 2))"
        assert codes(FRAME + text) == ["singleton-variable", "misspelled-variable"]

    def test_two_findings_in_one_rule(self) -> None:
        text = "(<= (next (light red)) (does robot jump) (true (light blue)))"
        assert codes(FRAME + text) == ["unreachable-move", "unreachable-fact"]


@examples(40)
@given(
    text=st.lists(
        st.sampled_from(
            [*"()", "(<=", "(not", "(or", "(distinct", "(true", "(does", "(p", "(q", "?x", "?Y", "a", "r", "\n", ";c\n"]
        ),
        max_size=30,
    ).map(" ".join)
)
def test_any_text_has_a_report(text: str) -> None:
    report = check_source(Source("g.kif", FRAME + text), Options())
    for form in FORMATS:
        assert written([report], form) or form == "github"
