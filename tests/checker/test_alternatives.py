"""Parts of a rule that can never hold, although the rule can fire. Random games: tests/test_random_games.py."""

from __future__ import annotations

from support.toy_files import FRAME

from gdl.checker import check


def dead(rule: str) -> list[str]:
    """The parts of a rule of which the checker says that they can never hold."""
    text = f"{FRAME}\n(p a) (q b)\n{rule}"
    found = [one for one in check(text) if one.code == "never-fires"]
    return [text.split("\n")[one.location.line - 1][one.location.column - 1 :][: one.location.width] for one in found]


def test_a_condition_that_equals_another_one_may_hold() -> None:
    for left, right in (("?x", "?y"), ("?y", "?x")):
        assert dead(f"(<= (next x) (p ?x) (or (not (distinct {left} {right})) (q ?y)) (p ?y))") == ["(q ?y)"]


def test_an_alternative_that_makes_the_same_rule_as_another_one_may_hold() -> None:
    assert dead("(<= (next x) (p ?x) (or (p ?x) (and (p ?x) (p ?x)) (q ?x)))") == ["(q ?x)"]
