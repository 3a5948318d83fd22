"""Rules for honest and for hostile requests."""

from __future__ import annotations

#: Three players say numbers at the same time, eight times.
THREE = """
(role red) (role green) (role blue) (init (step 0)) (number 1) (number 2) (number 3)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(<= (legal ?r (say ?n)) (role ?r) (number ?n))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (last ?r ?n)) (does ?r (say ?n)))
(<= terminal (true (step 8)))
(<= (goal ?r 100) (role ?r) (true (last ?r 3)))
(<= (goal ?r 50) (role ?r) (not (true (last ?r 3))))
"""

_THINGS = " ".join(f"(thing {n})" for n in range(100))
_BITS = " ".join(f"?b{n}" for n in range(40))

#: A hundred million legal moves.
MANY_MOVES = f"""
(role r) (init x) {_THINGS}
(<= (legal r (go ?a ?b ?c ?d)) (thing ?a) (thing ?b) (thing ?c) (thing ?d))
(<= (next x) (does r (go ?a ?b ?c ?d))) (<= terminal (true y)) (goal r 0)
"""

#: 2^40 legal moves.
BITS = f"""
(role r) (init x) (bit 0) (bit 1)
(<= (legal r (set {_BITS})) {" ".join(f"(bit ?b{n})" for n in range(40))})
(<= (next x) (true x)) (<= terminal (true y)) (goal r 0)
"""

#: Larger and larger terms, as soon as legal moves are asked for.
ENDLESS = """
(role r) (init (x 0)) (<= (number ?n) (true (x ?n))) (<= (number (s ?n)) (number ?n))
(<= (legal r (count ?n)) (number ?n)) (<= terminal (true (x 1))) (goal r 0)
"""

#: A fact that doubles in size with each ply.
DOUBLING = """
(role r) (init (s a)) (legal r go) (<= (next (s (f ?x ?x))) (true (s ?x)) (does r go))
(<= terminal (true (s b))) (goal r 0)
"""

#: A hundred million derivations, none of which is new.
DERIVATIONS = f"""
(role r) (init x) {_THINGS}
(<= many (thing ?a) (thing ?b) (thing ?c) (thing ?d) (distinct ?a ?a))
(<= (legal r go) (not many)) (<= (next x) (does r go)) (<= terminal (true y)) (goal r 0)
"""

HOSTILE = {
    "100^4 moves": MANY_MOVES,
    "2^40 moves": BITS,
    "endless recursion": ENDLESS,
    "doubling facts": DOUBLING,
    "100^4 derivations": DERIVATIONS,
}


def variant(number: int) -> str:
    """Return honest rules that differ from the other variants."""
    return f"{THREE}\n(variant {number})\n"
