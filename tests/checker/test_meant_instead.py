"""What is suggested in place of names and keywords that stand where they cannot be meant, and when nothing is."""

from __future__ import annotations

import pytest
from support.toy_files import FRAME

from gdl.checker import Diagnostic, check
from gdl.language.parser import source_of
from ggp.rules.checking.mending import mended

TWO = FRAME.replace("(role robot)", "(role robot) (role human)\n(<= (legal ?who rest) (role ?who))")

#: What base and input say of the frame, for tests about them.
DECLARED = FRAME + "(base (light off))\n(base (light on))\n(input robot wait)\n"


def frame(code: str) -> str:
    """The rules around those of a test about some code."""
    return {"undefined-relation": TWO, "fact-not-in-base": DECLARED, "move-not-in-input": DECLARED}.get(code, FRAME)


def reported(text: str, code: str) -> Diagnostic:
    (found,) = [one for one in check(text) if one.code == code]
    return found


def guessed(text: str) -> str:
    return mended(source_of(text, "game.kif"), guesses=True).text


@pytest.mark.parametrize(
    ("wrong", "code", "meant", "right"),
    [
        # Keywords of facts.
        (
            "(init (lamp on))\n(<= (legal robot go) (next (lamp on)))",
            "misplaced-keyword",
            "(true (lamp on))",
            "(init (lamp on))\n(<= (legal robot go) (true (lamp on)))",
        ),
        (
            "(init (lamp on))\n(<= (legal robot go) (init (lamp on)))",
            "keyword-out-of-place",
            "(true (lamp on))",
            "(init (lamp on))\n(<= (legal robot go) (true (lamp on)))",
        ),
        (
            "(true (lamp on))\n(<= (legal robot go) (true (lamp on)))",
            "misplaced-keyword",
            "(init (lamp on))",
            "(init (lamp on))\n(<= (legal robot go) (true (lamp on)))",
        ),
        (
            "(init (lamp on))\n(<= (true (lamp ?x)) (true (lamp ?x)))",
            "misplaced-keyword",
            "(next (lamp ?x))",
            "(init (lamp on))\n(<= (next (lamp ?x)) (true (lamp ?x)))",
        ),
        (
            "(lamp on)\n(<= (next (lamp ?x)) (true (lamp ?x)))",
            "unused-relation",
            "(init (lamp on))",
            "(init (lamp on))\n(<= (next (lamp ?x)) (true (lamp ?x)))",
        ),
        # What is declared.
        (
            "(base (lamp on))\n(init (lapm on))",
            "fact-not-in-base",
            "lamp",
            "(base (lamp on))\n(init (lamp on))",
        ),
        (
            "(<= (base (lamp ?x)) (hue ?x))\n(hue green)\n(init (lamp gren))",
            "fact-not-in-base",
            "green",
            "(<= (base (lamp ?x)) (hue ?x))\n(hue green)\n(init (lamp green))",
        ),
        (
            "(input robot go)\n(legal go robot)",
            "move-not-in-input",
            "(legal robot go)",
            "(input robot go)\n(legal robot go)",
        ),
        # A role and its move, and a variable as others write it.
        (
            "(legal robot go)\n(<= (next (lamp on)) (does go robot))",
            "unreachable-move",
            "(does robot go)",
            "(legal robot go)\n(<= (next (lamp on)) (does robot go))",
        ),
        (
            "(init (lamp on))\n(<= (next (lamp ?x)) (true (lamp $x)) (hue ?x))\n(hue on)",
            "unreachable-fact",
            "?x",
            "(init (lamp on))\n(<= (next (lamp ?x)) (true (lamp ?x)) (hue ?x))\n(hue on)",
        ),
    ],
)
def test_a_suggestion_is_told_and_applied(wrong: str, code: str, meant: str, right: str) -> None:
    found = reported(frame(code) + wrong, code)
    assert found.message.endswith(f"; did you mean {meant}?")
    assert found.fix is not None
    assert found.fix.guess
    assert guessed(frame(code) + wrong) == frame(code) + right


def test_a_move_is_of_the_role_that_other_rules_call_alike() -> None:
    rule = (
        "(<= (next (done ?who)) {} (role ?who) (hue ?x))\n"
        "(<= (legal ?who (paint ?x)) (role ?who) (hue ?x))\n(hue green)"
    )
    text = TWO + rule.format("(paint ?x)")
    assert reported(text, "undefined-relation").message.endswith("; did you mean (does ?who (paint ?x))?")
    assert guessed(text) == TWO + rule.format("(does ?who (paint ?x))")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Two variables of the rule are called as roles are elsewhere.
        (
            "(<= (legal ?you (call ?me)) (role ?you) (role ?me))\n(<= (legal ?me go) (role ?me))\n"
            "(<= (next (called ?you ?me)) (call ?me) (role ?you))",
            "undefined-relation",
        ),
        # The facts at the start are told from the present ones.
        ("(init (lamp on))\n(<= (legal robot go) (init (lamp ?x)) (true (lamp ?x)))", "keyword-out-of-place"),
        # Without a state or a move, the rule may be about the start or about every state.
        ("(<= (true (lamp ?x)) (hue ?x))\n(hue green)", "misplaced-keyword"),
        # Some of these facts hold at the start.
        ("(lamp on)\n(init (lamp off))\n(<= (next (lamp ?x)) (true (lamp ?x)))", "unused-relation"),
        # A name that occurs twice is no misspelling, and numbers are alike by nature.
        ("(base (at wking))\n(init (at bking))\n(<= (next (at wking)) (true (at bking)))", "fact-not-in-base"),
        ("(base (step 100))\n(init (step 10))", "fact-not-in-base"),
        # Either way round, there is no such move.
        ("(legal robot go)\n(<= (next (lamp on)) (does hop robot))", "unreachable-move"),
        ("(input robot go)\n(legal hop robot)", "move-not-in-input"),
    ],
)
def test_nothing_is_suggested_where_there_is_doubt(text: str, code: str) -> None:
    found = reported(frame(code) + text, code)
    assert found.fix is None
    assert "did you mean" not in found.message or "(does ... " in found.message
