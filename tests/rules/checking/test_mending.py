"""Mended rule files: what is repaired, that it then checks clean, and that the game stays the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.toy_files import FRAME, ROOT

import gdl
from gdl.checker import check
from gdl.language.parser import read_source, source_of
from gdl.language.reading import read
from gdl.language.syntax import Expression, Group, Symbol
from ggp.rules.checking.mending import mended, with_ends_of

#: Files as people wrote them long ago: each with what it becomes after its fixes.
REPAIRS = {
    "empty bodies": (
        "(<= (legal robot jump))\n(<= ( base (light on) ) ) ; all\n(<= (base\n  (light off)))",
        "(legal robot jump)\n( base (light on) ) ; all\n(base\n  (light off))",
    ),
    "names in parentheses": (
        "(<= (legal robot (jump)) (true (ready)))\n(init (ready))\n(<=(terminal)(true ready))",
        "(<= (legal robot jump) (true ready))\n(init ready)\n(<= terminal(true ready))",
    ),
    "not distinct, two variables": (
        "(<= (legal robot (go ?x)) (place ?x) (place ?y) (not (distinct ?x ?y)))\n(place 1)",
        "(<= (legal robot (go ?x)) (place ?x) (place ?x))\n(place 1)",
    ),
    "not distinct, a constant": (
        "(<= (legal robot (go ?x))\n    (place ?x) ; where\n    (not (distinct 1 ?x)))\n(place 1)",
        "(<= (legal robot (go 1))\n    (place 1) ; where\n    )\n(place 1)",
    ),
    "not distinct, a term": (
        "(<= (legal robot (go ?f)) (not (distinct ?f (f ?x))) (place ?x))\n(place 1)",
        "(<= (legal robot (go (f ?x))) (place ?x))\n(place 1)",
    ),
    "not or": (
        "(<= (legal robot go) (not (or (true (light on)) (true (light off)))))",
        "(<= (legal robot go) (not (true (light on))) (not (true (light off))))",
    ),
    "not and": (
        "(<= (legal robot go) (not (and (true (light on)) (true (light off)))))",
        "(<= (legal robot go) (or (not (true (light on))) (not (true (light off)))))",
    ),
    "not not": ("(<= (legal robot go) (not (not (true (light on)))))", "(<= (legal robot go) (true (light on)))"),
    "or in or": (
        "(<= (legal robot go) (or (true (light on)) ; shining\n  (or (true (light off)) ; dark\n  (true (light on)))))",
        "(<= (legal robot go) (or (true (light on)) ; shining\n  (true (light off)) ; dark\n  (true (light on))))",
    ),
    "and at the top": (
        "(<= (legal robot go) (and (true (light on)) (or (true (light on)))))",
        "(<= (legal robot go) (true (light on)) (true (light on)))",
    ),
    "twice": (
        "(legal robot go)\n(legal robot go) ; again\n\n(legal robot go)\n(legal robot run)",
        "(legal robot go)\n; again\n\n(legal robot run)",
    ),
    "case": ("(init (Ready)) (<= (legal robot go) (true READY))", "(init Ready) (<= (legal robot go) (true Ready))"),
    "old base": (
        "(base light on) (base (light off) (ready))\n(input robot go 1)\n(legal robot go 1)\n(init ready)",
        "(base (light on)) (base (light off)) (base ready)\n(input robot (go 1))\n(legal robot (go 1))\n(init ready)",
    ),
    "old base, the values of two arguments": (
        "(base cell (x 1 2) (mark x b)) (input robot walk (steps 1 2))\n(init (cell 1 b))",
        "(base (cell 1 x))\n(base (cell 1 b))\n(base (cell 2 x))\n(base (cell 2 b))"
        " (input robot (walk 1))\n(input robot (walk 2))\n(init (cell 1 b))",
    ),
    "a term, as facts have it": (
        "(base seen (at 1 2))\n(init (seen (at 1 2)))",
        "(base (seen (at 1 2)))\n(init (seen (at 1 2)))",
    ),
    "a comment in the way": (
        "(<= ; nothing\n (legal robot (; now\n jump)))",
        " ; nothing\n (legal robot ; now\n jump)",
    ),
}


#: Repairs of what is refused before.
OLD = {"old base", "old base, the values of two arguments", "a term, as facts have it"}

#: What has no fix, as it would change the rules or lose a comment.
LEFT = {
    "not distinct inside or": "(place 1)\n(<= (legal robot (go ?x)) (place ?x)"
    " (or (not (distinct ?x 1)) (true (light on))))",
    "a variable in itself": "(<= (legal robot (go ?x)) (place ?x) (not (distinct ?x (f ?x))))\n(place 1)",
    "a comment inside": "(<= (legal robot (go ?x)) (place ?x) (not (distinct ?x ; here\n 1)))\n(place 1)",
    "an unsafe head": "(<= (legal robot ?m))",
    "values beside a constant": "(base cell 1 (mark x b))",
    "signs between infix rules": "legal(robot,go) :- true(light(on)) & true(light(off))\n& &",
}


def mend(text: str) -> str:
    return mended(source_of(text, "g.kif")).text


@pytest.mark.parametrize(("before", "after"), REPAIRS.values(), ids=REPAIRS.keys())
def test_repairs(before: str, after: str) -> None:
    found = mend(FRAME + before)
    assert found == FRAME + after
    assert {one.code for one in check(found)} <= {"move-not-in-input", "fact-not-in-base", "singleton-variable"}
    assert mend(found) == found


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT.keys())
def test_what_is_left_as_it_is(text: str) -> None:
    assert mend(FRAME + text) == FRAME + text


@pytest.mark.parametrize("name", sorted(REPAIRS.keys() - OLD))
def test_a_repaired_game_plays_the_same(name: str) -> None:
    before, after = gdl.Reasoner(FRAME + REPAIRS[name][0]), gdl.Reasoner(FRAME + REPAIRS[name][1])
    first, second = before.initial_state(), after.initial_state()
    for _ in range(3):
        assert set(first) == set(second)
        assert before.is_terminal(first) == after.is_terminal(second)
        assert set(before.legal_moves(first, "robot")) == set(after.legal_moves(second, "robot"))
        if before.is_terminal(first):
            break
        move = before.legal_moves(first, "robot")[0]
        first, second = before.next_state(first, [move]), after.next_state(second, [move])


WRONG = ROOT / "tests" / "checker" / "wrong"

#: What becomes of files that are not GDL: parts that are gone, and parts that are new.
FORMS = {
    "wrapped": ([], ["\n (goal r 100)\n"]),
    "start": (["START", "match.1"], ["; the player", "; the clocks"]),
    "fenced": (["\nLet me", "\n```"], ["; Let me", "; ```kif"]),
    "prose": (
        ["\nIt always wins."],
        ["; It always wins.", "; The robot plays with a lamp.", "; A robot can only press (a button) or"],
    ),
    "paper": (["⇐", "←", "¬"], ["(<= (legal r go) (true (at ?x)))", "(not (true (at 0)))"]),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_file_in_another_form_becomes_gdl(name: str) -> None:
    source = read_source(WRONG / f"foreign-file-{name}.rules")
    found = mended(source)
    assert [one.code for one in found.applied] == ["foreign-file"]
    gone, new = FORMS[name]
    assert not any(part in found.text for part in gone)
    assert all(part in found.text for part in new)
    assert gdl.Rulesheet(found.text).rules
    assert mend(found.text) == found.text


@pytest.mark.parametrize("guesses", [False, True])
@pytest.mark.parametrize("name", ["foreign-file-hrf", "foreign-file-prolog", "foreign-file-utf16"])
def test_what_can_only_be_named_is_left_alone(name: str, guesses: bool) -> None:
    source = read_source(WRONG / f"{name}.rules")
    assert mended(source, guesses=guesses).text == source.text
    with pytest.raises(gdl.RulesheetError) as caught:
        gdl.Rulesheet.of_source(source)
    assert len(caught.value.mistakes) == 1


@pytest.mark.parametrize("guesses", [False, True])
def test_infix_rules_are_translated_as_a_whole_or_not_at_all(guesses: bool) -> None:
    source = read_source(WRONG / "foreign-notation-mixed.rules")
    text = mended(source, guesses=guesses).text
    rule = "legal(robot,press) :- true(light(off))\n"
    assert text == (
        source.text.replace(rule, "(<= (legal robot press) (true (light off)))\n") if guesses else source.text
    )


def test_characters_that_cannot_be_seen_are_left_out_on_request() -> None:
    source = read_source(WRONG / "unexpected-character-invisible.rules")
    assert mended(source).text == source.text
    assert mended(source, guesses=True).text == source.text.replace("\u200b", "")


_CONDITIONS = st.recursive(
    st.sampled_from(
        ["(p ?x)", "(q ?x ?y)", "(p)", "(true (f ?y))", "(distinct ?x ?y)", "(distinct ?x a)", "p", "(P ?Y)"]
    ),
    lambda inner: (
        st.builds(
            lambda name, args: f"({name} {' '.join(args)})", st.sampled_from(["or", "and"]), st.lists(inner, max_size=3)
        )
        | inner.map(lambda one: f"(not {one})")
    ),
    max_leaves=5,
)


_RULES = st.lists(
    st.builds(
        lambda head, body: f"(<= {head} {' '.join(body)})",
        st.sampled_from(["(legal robot (go ?x))", "(p ?x)", "p", "(q a ?y)", "(next (f a))"]),
        st.lists(_CONDITIONS, max_size=4),
    ),
    max_size=4,
)


@examples(80)
@given(rules=_RULES)
@pytest.mark.slow
def test_the_rules_stay_the_same(rules: list[str]) -> None:
    text = FRAME + "(p a)\n(q a b)\n" + "\n".join(rules)
    found = mended(source_of(text, "g.kif"))
    before, after = (read(source_of(one, "g.kif")) for one in (text, found.text))
    if before.mistakes:
        assert {one.code for one in after.mistakes} <= {one.code for one in before.mistakes}
        assert len(after.mistakes) <= len(before.mistakes)
        return
    assert not after.mistakes
    assert len(set(before.rules)) == len(set(after.rules))
    assert not [one for one in check(found.text) if one.code in ("empty-body", "duplicate-rule", "nested-connective")]


class TestLineEnds:
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_line_ends_stay(self, end: str, mark: str) -> None:
        text = mark + f"a{end}b{end}c{end}"
        assert with_ends_of(text, "a\nX\nc\n") == mark + f"a{end}X{end}c{end}"

    def test_each_line_keeps_its_own(self) -> None:
        assert with_ends_of("a\r\nb\nc\r\nd", "a\nc\nd\ne") == "a\r\nc\r\nd\r\ne"


def test_shipped_games_need_no_repair() -> None:
    for path in sorted((ROOT / "games").rglob("*.kif")):
        assert mended(read_source(path)).applied == (), path


def old_style(statement: Expression, chance: random.Random) -> str:
    """A statement as people wrote it long ago: the same rule, or a fact without its inner parentheses."""
    torn = chance.random() < 0.5
    match statement:
        case Group(items=(Symbol(key="<="), head, *body)):
            conditions = [old_condition(condition, chance) for condition in body]
            if len(conditions) > 1 and chance.random() < 0.3:
                conditions = [f"(and {' '.join(conditions)})"]
            return f"(<= {f'({head})' if isinstance(head, Symbol) else head} ; why\n  {' '.join(conditions)})"
        case Group(items=(Symbol(key="base" | "init") as name, Group(items=(_, _, *_) as items))) if torn:
            return f"({name} {' '.join(map(str, items))})"
    return f"(<= {statement})" + f"\n{statement}" * (chance.random() < 0.1)


def old_condition(condition: Expression, chance: random.Random) -> str:
    match condition:
        case Symbol():
            return f"({condition})"
        case Group(items=(Symbol(key="not"), negated)) if chance.random() < 0.5:
            return f"(not (or {negated}))"
    return chance.choice(["{0}", "{0}", "(not (not {0}))", "(or {0})"]).format(condition)


@pytest.mark.parametrize("name", ["wolf_sheep", "knights_and_pawns", "classics/tic_tac_toe", "classics/connect_four"])
def test_a_game_in_old_style_is_repaired(name: str) -> None:
    path = ROOT / "games" / f"{name}.kif"
    chance = random.Random(name)
    old = "\n".join(old_style(statement, chance) for statement in read(read_source(path)).statements)
    repaired = gdl.Rulesheet(mend(old))
    assert list(map(str, repaired.rules)) == list(map(str, gdl.Rulesheet.load(path).rules))
    assert {one.code for one in check(repaired.source.text)} <= {"singleton-variable"}


#: Suggestions, which change the rules: each text with what it becomes.
GUESSES = {
    "a relation": (
        "(<= (legal robot (go ?x)) (palce ?x))\n(place 1)",
        "(<= (legal robot (go ?x)) (place ?x))\n(place 1)",
    ),
    "a relation that nothing uses": ("(<= (legla robot go) (true ready))", "(<= (legal robot go) (true ready))"),
    "a fact without true": ("(<= (legal robot go) (light on))", "(<= (legal robot go) (true (light on)))"),
    "a move without does": ("(<= (next ready) wait)", "(<= (next ready) (does robot wait))"),
    "a role": ("(legal robto go)", "(legal robot go)"),
    "a constant of a fact": ("(<= (legal robot go) (true (lihgt on)))", "(<= (legal robot go) (true (light on)))"),
    "a variable of the head": (
        "(<= (legal robot (go ?place)) (place ?plcae))\n(place 1)",
        "(<= (legal robot (go ?plcae)) (place ?plcae))\n(place 1)",
    ),
    "a variable that occurs once": (
        "(<= (legal robot (go ?place ?to)) (place ?place ?to) (place ?to ?plcae))\n(place 1 1)",
        "(<= (legal robot (go ?place ?to)) (place ?place ?to) (place ?to ?place))\n(place 1 1)",
    ),
    "a variable without its question mark": (
        "(<= (legal robot (go ?x)) (place ?x) (not (place x)))\n(place 1)",
        "(<= (legal robot (go ?x)) (place ?x) (not (place ?x)))\n(place 1)",
    ),
    "equal terms": (
        "(<= (legal robot (go ?x)) (place ?x) (place ?y) (= ?x ?y))\n(place 1)",
        "(<= (legal robot (go ?x)) (place ?x) (place ?x))\n(place 1)",
    ),
    "different terms": (
        "(<= (legal robot (go ?x)) (place ?x) (!= ?x 1))\n(place 1)\n(place 2)",
        "(<= (legal robot (go ?x)) (place ?x) (distinct ?x 1))\n(place 1)\n(place 2)",
    ),
}


@pytest.mark.parametrize(("before", "after"), GUESSES.values(), ids=GUESSES)
def test_suggestions_are_applied_on_request(before: str, after: str) -> None:
    source = source_of(FRAME + before, "game.kif")
    assert mended(source).text == FRAME + before
    assert mended(source, guesses=True).text == FRAME + after


def test_rules_in_another_notation_are_translated() -> None:
    source = read_source(ROOT / "tests" / "checker" / "wrong" / "foreign-notation.rules")
    text = mended(source, guesses=True).text
    assert [one for one in check(text) if one.severity == "error"] == []
    assert gdl.Reasoner(text).roles == ("robot",)
    assert "(<= (legal robot (switch light)) (true (light off)))" in text
    assert "(not (true (light on))) (not (true (seen on)))" in text
