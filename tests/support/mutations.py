"""Strategies for broken rule files: bytes, tokens, rules thrown together, and mutated texts of small games."""

from __future__ import annotations

from itertools import chain

from hypothesis import strategies as st

import gdl

#: Small rule files with a bit of everything, to be broken. None builds terms in a recursion.
TEXTS = [
    """
; A walk on a ring of four squares
(role walker)
(init (at 1)) (init (steps 0))
(square 1) (square 2) (square 3) (square 4)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 1) (count 0 1) (count 1 2)
(<= (near ?x ?y) (or (succ ?x ?y) (succ ?y ?x)))
(<= (reach ?x ?y) (near ?x ?y))
(<= (reach ?x ?z) (reach ?x ?y) (near ?y ?z))
(<= (base (at ?x)) (square ?x))
(<= (input walker (go ?x)) (square ?x))
(<= (legal walker (go ?y)) (true (at ?x)) (near ?x ?y) (distinct ?x ?y))
(<= (next (at ?y)) (does walker (go ?y)))
(<= (next (steps ?n)) (true (steps ?m)) (count ?m ?n))
(<= terminal (true (steps 2)))
(<= (goal walker 100) (true (at 3)))
(<= (goal walker 0) (not (true (at 3))))
""",
    """
(role Red) (role Blue) (role random)
(init (control red)) (init (pile (s (s (s z))))) (init calm)
(<= (legal ?p (take one)) (true (control ?p)) (true (pile (s ?n))))
(<= (legal ?p (take two)) (true (control ?p)) (true (pile (s (s ?n)))))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (taken ?n) (does ?p (take ?n)))
(<= (next (pile ?n)) (true (pile (s ?n))) (taken one))
(<= (next (pile ?n)) (true (pile (s (s ?n)))) (taken two))
(<= (next (control ?q)) (true (control ?p)) (role ?q) (distinct ?p ?q) (distinct ?q random))
(<= (next ?f) (true ?f) (kept ?f) (not (and (taken two) (true calm))))
(kept calm)
(<= (sees ?q (saw ?n)) (taken ?n) (role ?q) (not (true (control ?q))))
(<= terminal (true (pile z)))
(<= (goal ?p 100) (true (control ?p)) terminal)
(<= (goal ?p 0) (role ?p) (not (goal ?p 100)))
""",
    """
(role a)(role b)
(<= (init (cell ?x ?y e)) (idx ?x) (idx ?y)) (idx 1) (idx 2) (init (turn a))
(<= (legal ?r (put ?x ?y)) (true (turn ?r)) (true (cell ?x ?y e)))
(<= (legal a pass) (true (turn b))) (<= (legal b pass) (true (turn a)))
(<= (next (cell ?x ?y ?r)) (does ?r (put ?x ?y)))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (distinct ?c e))
(<= (next (cell ?x ?y e)) (true (cell ?x ?y e)) (does ?r (put ?u ?v)) (or (distinct ?x ?u) (distinct ?y ?v)))
(<= (next (turn ?s)) (true (turn ?r)) (role ?s) (not (true (turn ?s))))
(<= (row ?x ?c) (true (cell ?x 1 ?c)) (true (cell ?x 2 ?c)) (not (distinct ?c a)))
(<= open (true (cell ?x ?y e)))
(<= terminal (not open)) (<= terminal (row ?x ?c))
(<= (goal a 100) (row ?x a)) (<= (goal a 50) (not (row 1 a)) (not (row 2 a)))
(goal b 50)
""",
]


# Bytes and soup

TOKENS = [
    *("(", ")", "(", ")", "(", ")", "<=", "not", "and", "or", "distinct"),
    *("role", "base", "input", "init", "true", "does", "legal", "next", "terminal", "goal", "sees"),
    *("?x", "?y", "?z", "a", "b", "f", "p", "q", "1", "100"),
]


#: What makes texts that look a little like rules.
ATOMS = [
    *("(p ?x)", "(q ?x ?y)", "(true (cell ?x))", "(does r ?x)", "(not (p ?x))", "(distinct ?x a)"),
    *("p", "terminal", "(legal r ?x)", "(goal r 1)", "(next ?x)"),
]


SOUP = st.lists(st.sampled_from(TOKENS), max_size=40).map(" ".join)


RULES = st.lists(
    st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4).map(lambda atoms: f"(<= {' '.join(atoms)})"),
    max_size=8,
).map("\n".join)


START = "(role r) (legal r a) (p a) (q a b) (init (cell a)) terminal\n"


BYTES = st.binary(max_size=60) | st.lists(
    st.sampled_from([b"(", b")", b";", b"\r", b"\n", b"?", b"\xff", b"\0", b"a", b"<="])
).map(b"".join)


# Mutated rule files


def tokens(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").split(" ")


def mutated(text: str, changes: list[tuple[str, int, int]]) -> str:
    """The text after some changes at two places each: tokens deleted, doubled, swapped, copied, or replaced."""
    words = tokens(text)
    for change, first, second in changes:
        i, j = sorted((first % len(words), second % len(words)))
        if change == "delete":
            del words[i]
        elif change == "double":
            words.insert(i, words[i])
        elif change == "swap":
            words[i], words[j] = words[j], words[i]
        elif change == "copy":
            words[j] = words[i]
        elif change == "cut":
            del words[i : min(j, i + 8)]
        else:
            words[i] = change
    return " ".join(words)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["delete", "double", "swap", "swap", "copy", "copy", "cut", *TOKENS]),
        st.integers(0, 2000),
        st.integers(0, 2000),
    ),
    min_size=1,
    max_size=4,
)


def statements(text: str) -> list[str]:
    """The statements of a text, each as text."""
    return [str(statement) for statement in gdl.Rulesheet(text).statements]


#: Statements of all texts, to be thrown together: the same relations with other meanings.
MIX = st.lists(st.sampled_from(list(chain.from_iterable(map(statements, TEXTS)))), min_size=10, max_size=40)
