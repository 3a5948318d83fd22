"""Random rules with wide relations: walks that hand back a result, unread columns, tables with cases, and lines."""

from __future__ import annotations

from random import Random

_VALUES = "abcd"


def wide_rules(random: Random) -> str:
    """Statements about the next state; `step`, `mark`, `kind` and `(true (at ?x))` are given at random."""
    return "\n".join([_facts(random), _walk(random), _helper(random), _table(random), _line(random)])


def _facts(random: Random) -> str:
    pairs = {name: [random.choices(_VALUES, k=2) for _ in range(6)] for name in ("step", "mark", "kind")}
    text = "".join(f"({name} {x} {y})" for name, rows in pairs.items() for x, y in rows)
    text += "".join(f"(value {x}) (init (at {x} {random.choice(_VALUES)}))" for x in _VALUES)
    return text + "(++ 0 1) (++ 1 2) (++ 2 3) (number 0) (number 1) (number 2) (number 3)"


def _atom(order: list[int], *args: str) -> str:
    return f"(walk {' '.join(args[column] for column in order)})"


def _walk(random: Random) -> str:
    """A walk over places that counts, for a fixed value, and hands back the count and a place; some are no walks."""
    order = random.sample(range(5), 5)
    text = f"(<= {_atom(order, '?x', '?n', '?f', '?n', '?x')} (mark ?x ?k) (number ?n) (value ?f))\n"
    if random.random() < 0.5:
        text += f"(<= {_atom(order, '?x', '?n', '?f', '?n', '?r')} (true (at ?x ?r)) (kind ?x ?f) (number ?n))\n"
    conditions = ["(true (at ?x ?f))", "(not (true (at ?x ?f)))", "(mark ?x ?f)", "(not (kind ?y ?f))"]
    conditions += ["(distinct ?x ?y)", "(distinct ?x ?f)"]
    if random.random() < 0.15:
        conditions.append("(distinct ?r ?y)")  # a result that is read on the way
    for _ in range(random.choice((1, 2))):
        some = " ".join(random.sample(conditions, random.choice((0, 1, 2))))
        counts = random.random() < 0.5
        more, number = ("(++ ?n ?m)", "?m") if counts else ("", "?n")
        again = _atom(order, "?y", number, "?f", "?c", "?r")
        text += f"(<= {_atom(order, '?x', '?n', '?f', '?c', '?r')} (step ?x ?y) {some} {more} {again})\n"
    for call, place in enumerate(random.choices([*_VALUES, "?p"], weights=[3, 3, 3, 3, 1], k=random.choice((1, 2)))):
        fixed = random.choice(["?f", "?f", "a"])
        bound = " ".join(random.sample(["(true (at b ?f))", "(mark a ?f)", "(kind ?f ?l)"], 2))
        where = f"{bound} (value ?p)"
        text += f"(<= (next (found {call} {fixed} ?c ?r)) {where} {_atom(order, place, '0', fixed, '?c', '?r')})\n"
        missing = f"(not {_atom(order, place, '0', fixed, '1', '?r')})"
        text += f"(<= (next (missed {call} {fixed} ?r)) {where} (value ?r) {missing})\n"
    return text


def _helper(random: Random) -> str:
    """A relation of four columns, some of which are only handed on, and callers that read some of them."""
    text = "(<= (near ?a ?b ?c ?d) (true (at ?a ?b)) (mark ?b ?c) (kind ?c ?d))\n"
    args = ["?a", "?b", "?c", "?d"]
    swapped = random.sample(args, 4) if random.random() < 0.3 else args
    heads = " ".join([random.choice(["?z", "?a"]), *swapped[1:]])
    text += f"(<= (near {heads}) (step ?z ?a) (near {' '.join(args)}))\n"
    for number in range(2):
        read = [random.choice(["?k", "?l", "a", f"?u{i}", f"?v{i}", f"?w{i}"]) for i in range(4)]
        call = "(not (near ?k ?l ?l a))" if random.random() < 0.2 else f"(near {' '.join(read)})"
        text += f"(<= (next (close {number} ?k ?l)) (value ?k) (value ?l) {call})\n"
    return text


def _table(random: Random) -> str:
    """A static table with several rules, read with arguments that depend on the state."""
    text = ""
    for _ in range(random.choice((2, 3))):
        args = [random.choice(["?v", "?w", f"?a{i}", "b"]) for i in range(4)]
        variables = [*dict.fromkeys(arg for arg in args if arg != "b")]
        body = " ".join(f"(value {arg})" for arg in variables)
        some = random.choice(variables) if variables else "a"
        text += f"(<= (table {' '.join(args)}) (value a) {body} (kind {some} ?k))\n"
    order = random.sample(["?p", "?q", "?r", "?s"], 4)
    where = "(true (at a ?p)) (true (at b ?q)) (true (at c ?r)) (true (at d ?s))"
    return text + f"(<= (next (row ?s)) {where} (table {' '.join(order)}))\n"


def _line(random: Random) -> str:
    """A line over free places, for two values that often do not matter, and callers with some of them known."""
    limit = random.choice(["(value ?i) (value ?j)", "(value ?i) (value ?j)", "(mark ?i ?j)", "(tried ?i ?j)"])
    text = "(<= (tried ?i ?j) (true (at ?i ?j)))\n"
    for args in random.sample(["?x ?i ?j", "?i ?i ?j", "?j ?i ?j", "?x ?i ?i"], random.choice((2, 3))):
        some = random.choice(["(not (true (at ?x a)))", "(kind ?x ?k)", "(distinct ?x ?j)", "(true (at ?x ?i))"])
        body = f"(value ?x) {some}" if "?x" in args else ""
        text += f"(<= (clear {args}) {limit} {body})\n"
    conditions = ["(not (mark ?x ?i))", "(distinct ?x ?j)", "(true (at ?x ?z))", "(value ?j)", "(clear ?x ?i ?j)"]
    more = " ".join(random.sample(conditions, random.choice((0, 0, 1, 2))))
    text += f"(<= (line ?x ?z ?i ?j) (step ?x ?z) {limit if random.random() < 0.8 else '(value ?i) (kind ?j ?k)'})\n"
    text += f"(<= (line ?x ?z ?i ?j) (step ?x ?y) (clear ?y ?i ?j) {more} (line ?y ?z ?i ?j))\n"
    text += "(<= (lined ?z ?i ?j) (line ?x ?z ?i ?j))\n"
    for number in range(3):
        args = " ".join(random.choice(["?p", "?q", "?r", "a", "b"]) for _ in range(3))
        call = random.choice(["(lined {})", "(not (lined {}))", "(line ?s {})", "(not (line ?p {}))"]).format(args)
        known = " ".join(random.sample(["(tried ?p ?q)", "(mark ?q ?r)", "(kind ?r ?p)"], 1))
        text += f"(<= (next (seen {number} ?p ?q ?r)) (value ?p) (value ?q) (value ?r) {known} {call})\n"
    return text
