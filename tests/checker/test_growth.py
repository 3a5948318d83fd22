"""The work of reading and checking grows in proportion to the length of a text, and reports stay short."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Final

import pytest
from support.toy_files import FRAME

import gdl
from gdl.checker import check
from gdl.errors import RulesheetError, Source
from ggp.rules.checking import Options, check_source, written


def chain(first: str, count: int) -> str:
    """Relations p0 to p<count>, each derived from the one before, and an end that needs the last."""
    rules = "\n".join(f"(<= (p{number + 1} ?x) (p{number} ?x))" for number in range(count))
    return f"{FRAME}{first}\n{rules}\n(<= terminal (p{count} on))\n"


def lines(pattern: str, count: int) -> str:
    """A line for each number, with `@` for the number and `#` for the next one."""
    found = (pattern.replace("@", str(number)).replace("#", str(number + 1)) for number in range(count))
    return FRAME + "\n".join(found)


def several(pattern: str, count: int) -> str:
    """The pattern with each number for `@`."""
    return " ".join(pattern.replace("@", str(number)) for number in range(count))


LARGE: Final[dict[str, Callable[[int], str]]] = {
    "a chain": lambda n: chain("(p0 on)", n),
    "a chain that never holds": lambda n: chain("", n),
    "a positive cycle": lambda n: chain(f"(<= (p0 ?x) (p{n} ?x))\n(p3 on)", n),
    "a negative cycle": lambda n: chain(f"(d on)\n(<= (p0 ?x) (d ?x) (not (p{n} ?x)))", n),
    "a cycle of negations": lambda n: (
        lines("(d@ on)\n(<= (q@ ?x) (d@ ?x) (not (q# ?x)))", n) + f"\n(<= (q{n} ?x) (q0 ?x))"
    ),
    "negative cycles": lambda n: lines("(d@ on)\n(<= (q@ ?x) (d@ ?x) (not (q@ ?x)))", n),
    "a cycle that constants split": lambda n: lines("(<= (q @) (not (q #)))", n) + f"\n(q {n})",
    "facts": lambda n: lines("(next_to @ #)", n),
    "unsafe rules": lambda n: lines("(<= (q ?x@) (d on))\n(d on)", n),
    "undefined relations": lambda n: lines("(<= (q@ ?x) (undefined@ ?x))", n),
    "two arities": lambda n: lines("(q@ on)\n(q@ on on)", n),
    "negated connectives": lambda n: lines("(<= (q@ ?x) (d ?x) (not (or (e ?x) (d ?x))))\n(d on)(e on)", n),
    "one spelling of each name": lambda n: lines("(q word@)(q Word@)", n),
    "names that are alike": lambda n: lines("(q abcd)(q abcd)(r abc\N{CJK UNIFIED IDEOGRAPH-4E00})(r ab@)", n),
    "a rule with many conditions": lambda n: (
        lines("(d@ on)", n) + f"(<= (q ?x) {' '.join(f'(d{i} ?x)' for i in range(n))})"
    ),
    "keywords in the wrong place": lambda n: lines("(true (lamp @))\n(<= (true (lamp ?x)) (next (lamp ?x)))", n),
    "a rule with many keywords in the wrong place": lambda n: f"{FRAME}(<= (next on) {several('(init (d @))', n)})",
    "facts without init": lambda n: lines("(lamp@ on)\n(<= (next (lamp@ ?x)) (true (lamp@ ?x)))", n),
    "facts that are not in base": lambda n: lines("(base (lamp on@))\n(init (word@ of@))", n),
    "misspelled facts": lambda n: FRAME + several("(base (lamp on))\n(init (lapm on))\n", n),
    "moves without does": lambda n: (
        lines("(<= (legal ?who (go@ ?x)) (role ?who) (d ?x))", n)
        + f"\n(role human)\n(d on)\n(<= (next ?who) (role ?who) {several('(go@ on)', n)})"
    ),
    "variables that occur once": lambda n: f"{FRAME}(<= (q on) {several('(d on ?other@x)', n)})",
}


def steps(function: Callable[[], Any]) -> int:
    """The number of lines of Python that a function executes, those of each iteration of comprehensions included."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


@pytest.fixture
def few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reach the limits of work that is quadratic up to a constant."""
    monkeypatch.setattr("gdl.checker.suggestions._COMPARISONS", 100)
    monkeypatch.setattr("gdl.checker.consequences._MOST_APPLIED", 100)
    monkeypatch.setattr("gdl.language.strata._SEARCHED", 1)


def growth(name: str, function: Callable[[str], Any]) -> float:
    """The factor by which the steps for more text grow if there is twice as much text: 2 if they are linear."""
    function(LARGE[name](3))  # loads what is loaded late
    first, second, third = (steps(partial(function, LARGE[name](count))) for count in (20, 40, 80))
    return (third - second) / (second - first)


#: The cases of the default run.
FEW: Final = ("a chain", "undefined relations", "a cycle that constants split")


@pytest.mark.usefixtures("few_searches")
@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in LARGE]
)
def test_checks_take_linear_time(name: str) -> None:
    assert growth(name, check) < 2.03


@pytest.mark.slow
@pytest.mark.usefixtures("few_searches")
@pytest.mark.parametrize("name", ["a chain", "a positive cycle", "facts", "a cycle that constants split"])
def test_rules_are_read_in_linear_time(name: str) -> None:
    assert growth(name, gdl.Rulesheet) < 2.03


def test_long_cycles_are_shortened() -> None:
    with pytest.raises(RulesheetError) as refused:
        gdl.Rulesheet(LARGE["a negative cycle"](1000))
    (mistake,) = refused.value.mistakes
    assert mistake.message == (
        "negation in a cycle: p0/1 needs not p1000/1 (line 9), p1000/1 needs p999/1 (line 1009), "
        "p999/1 needs p998/1 (line 1008), p998/1 needs p997/1 (line 1007), p997/1 needs p996/1 (line 1006), "
        "p996/1 needs p995/1 (line 1005), ... (989 more steps) ..., p6/1 needs p5/1 (line 15), p5/1 needs p4/1 "
        "(line 14), p4/1 needs p3/1 (line 13), p3/1 needs p2/1 (line 12), p2/1 needs p1/1 (line 11), p1/1 needs "
        "p0/1 (line 10)"
    )


def test_a_report_for_people_has_a_hundred_findings_errors_first() -> None:
    text = lines("(q on)", 151) + "\n(<= (goal robot 101) (true (light on)))\n"
    report = check_source(Source("long.kif", text), Options())
    shown = written([report], "text").splitlines()
    headlines = [line.split(": ")[1] for line in shown if line.startswith("long.kif:") and ": note: " not in line][:-1]
    assert (len(headlines), headlines.count("error")) == (100, 1)
    assert shown[-1] == "long.kif: 1 error, 151 warnings (100 shown; --all shows all)"
    everything = written([report], "text", everything=True)
    assert everything.splitlines()[-1] == "long.kif: 1 error, 151 warnings"
    assert written([report], "github").count("::warning") == 99
    assert written([report], "sarif").count('"ruleIndex"') == 152
