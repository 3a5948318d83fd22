"""Rules that compute with lists, and small games that ask them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: Lists over the rows of `item/1`. Each recursive condition comes last, so that a prover can use them, too.
LISTS = """
(list nil)
(<= (list (cons ?h ?t)) (item ?h) (list ?t))
(<= (append nil ?l ?l) (list ?l))
(<= (append (cons ?h ?t) ?l (cons ?h ?r)) (item ?h) (append ?t ?l ?r))
(reverse nil nil)
(<= (reverse (cons ?h ?t) ?r) (item ?h) (reverse ?t ?s) (append ?s (cons ?h nil) ?r))
(<= (turned nil ?a ?a) (list ?a))
(<= (turned (cons ?h ?t) ?a ?r) (item ?h) (turned ?t (cons ?h ?a) ?r))
(<= (member ?x (cons ?x ?t)) (item ?x) (list ?t))
(<= (member ?x (cons ?h ?t)) (item ?h) (member ?x ?t))
(<= (select ?x (cons ?x ?t) ?t) (item ?x) (list ?t))
(<= (select ?x (cons ?h ?t) (cons ?h ?r)) (item ?h) (select ?x ?t ?r))
(permutation nil nil)
(<= (permutation ?l (cons ?h ?p)) (select ?h ?l ?r) (permutation ?r ?p))
"""

#: Sets as sorted lists over the rows of `item/1`, in the order of `less/2`.
SETS = """
(<= (insert ?x nil (cons ?x nil)) (item ?x))
(<= (insert ?x (cons ?x ?t) (cons ?x ?t)) (item ?x) (list ?t))
(<= (insert ?x (cons ?h ?t) (cons ?x (cons ?h ?t))) (less ?x ?h) (list ?t))
(<= (insert ?x (cons ?h ?t) (cons ?h ?r)) (less ?h ?x) (insert ?x ?t ?r))
(<= (sorted nil nil) (list nil))
(<= (sorted (cons ?h ?t) ?s) (item ?h) (sorted ?t ?r) (insert ?h ?r ?s))
"""

#: Simple paths: the cells that have been visited are handed down, and handed back as the path at its end.
PATHS = """
(<= (path ?x ?x ?v ?v) (item ?x) (list ?v))
(<= (path ?x ?y ?v ?p) (edge ?x ?z) (not (member ?z ?v)) (path ?z ?y (cons ?z ?v) ?p))
"""


def listed(items: Iterable[str]) -> str:
    """The list of some items as KIF."""
    text = "nil"
    for item in reversed(list(items)):
        text = f"(cons {item} {text})"
    return text


def items(names: Sequence[str]) -> str:
    """The rules for `item/1`, and `less/2` in the order of the names."""
    facts = [f"(item {name})" for name in names]
    facts += [f"(less {one} {other})" for i, one in enumerate(names) for other in names[i + 1 :]]
    return " ".join(facts)


def hex_game(size: int) -> str:
    """A game of Hex in which `connection` hands down the list of the cells that it has visited."""
    numbers = " ".join(f"(index {i}) (succ {i} {i + 1})" for i in range(size - 1)) + f" (index {size - 1})"
    return f"""
(role red) (role blue) (init (control red)) {numbers} (last {size - 1})
(<= (cell (at ?x ?y)) (index ?x) (index ?y))
(<= (touches (at ?x ?y) (at ?x ?v)) (index ?x) (succ ?y ?v))
(<= (touches (at ?x ?y) (at ?u ?y)) (index ?y) (succ ?x ?u))
(<= (touches (at ?x ?y) (at ?u ?v)) (succ ?u ?x) (succ ?y ?v))
(<= (adjacent ?c ?d) (or (touches ?c ?d) (touches ?d ?c)))
(<= (legal ?r (mark ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
(<= (taken ?c) (true (owner ?c ?_r)))
(<= (legal red noop) (true (control blue)))
(<= (legal blue noop) (true (control red)))
(<= (next (owner ?c ?r)) (does ?r (mark ?c)))
(<= (next (owner ?c ?r)) (true (owner ?c ?r)))
(<= (next (control red)) (true (control blue)))
(<= (next (control blue)) (true (control red)))
(<= (start red (at 0 ?y)) (index ?y))
(<= (start blue (at ?y 0)) (index ?y))
(<= (end red (at ?z ?y)) (last ?z) (index ?y))
(<= (end blue (at ?y ?z)) (last ?z) (index ?y))
(<= (item ?c) (cell ?c))
{LISTS}
(<= (wins ?r) (start ?r ?c) (true (owner ?c ?r)) (end ?r ?d) (true (owner ?d ?r)) (connection ?r ?c ?d (cons ?c nil)))
(<= (connection ?r ?c ?c ?v) (true (owner ?c ?r)) (list ?v))
(<= (connection ?r ?c ?d ?v) (adjacent ?c ?e) (true (owner ?e ?r)) (not (member ?e ?v))
    (connection ?r ?e ?d (cons ?e ?v)))
(<= terminal (wins ?_r))
(<= (goal ?r 100) (role ?r) (wins ?r))
(<= (goal ?r 0) (role ?r) (not (wins ?r)))
"""


#: Lists taken apart by relations of their own.
PARTS = """
(<= (first (cons ?h ?t) ?h) (item ?h) (list ?t))
(<= (rest (cons ?h ?t) ?t) (item ?h) (list ?t))
(<= (append nil ?l ?l) (list ?l))
(<= (append ?k ?l ?r) (first ?k ?h) (rest ?k ?t) (append ?t ?l ?s) (first ?r ?h) (rest ?r ?s))
(<= (member ?x ?l) (first ?l ?x))
(<= (member ?x ?l) (rest ?l ?t) (member ?x ?t))
"""


def chains(size: int, *, parts: bool) -> str:
    """Hex whose state holds a list of chains for each role, each of them a list of cells, with `LISTS` or `PARTS`."""
    cells = [(x, y) for x in range(size) for y in range(size)]
    facts = "".join(f"(cell c{x}{y})" for x, y in cells)
    for u, v in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
        facts += "".join(f"(touches c{x}{y} c{x + u}{y + v})" for x, y in cells if (x + u, y + v) in cells)
    for i in range(size):
        facts += (
            f"(edge red low c0{i})(edge red high c{size - 1}{i})(edge blue low c{i}0)(edge blue high c{i}{size - 1})"
        )
    lists = (
        PARTS if parts else "\n".join(line for line in LISTS.splitlines() if re.match(r"\(<= \((append|member)", line))
    )
    return f"""
(role red) (role blue) (init (control red)) (init (chains red nil)) (init (chains blue nil)) {facts}
(list nil) (<= (list (cons ?h ?t)) (item ?h) (list ?t)) (<= (item ?c) (cell ?c)) (<= (item ?l) (list ?l)) {lists}
(<= (legal ?r (place ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (taken ?c) (true (chains ?r ?l)) (member ?chain ?l) (member ?c ?chain))
(<= (next (control red)) (true (control blue))) (<= (next (control blue)) (true (control red)))
(<= (next (chains ?r ?l)) (does ?r noop) (true (chains ?r ?l)))
(<= (next (chains ?r (cons ?k ?rest))) (does ?r (place ?c)) (true (chains ?r ?l)) (joined ?c ?l (cons ?c nil) ?k ?rest))
(<= (joined ?c nil ?k ?k nil) (cell ?c) (list ?k))
(<= (joined ?c (cons ?h ?t) ?j ?k ?rest) (near ?c ?h) (append ?h ?j ?more) (joined ?c ?t ?more ?k ?rest))
(<= (joined ?c (cons ?h ?t) ?j ?k (cons ?h ?rest)) (list ?h) (not (near ?c ?h)) (joined ?c ?t ?j ?k ?rest))
(<= (near ?c ?chain) (member ?d ?chain) (touches ?c ?d))
(<= (won ?r) (true (chains ?r ?l)) (member ?chain ?l) (edge ?r low ?a) (member ?a ?chain) (edge ?r high ?b)
    (member ?b ?chain))
(<= terminal (won ?r)) (<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (role ?r) (not (won ?r)))
"""
