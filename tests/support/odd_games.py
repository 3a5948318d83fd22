"""Small games for the Simulator: the usual, and those that are odd in one way or another."""

from __future__ import annotations

from support.toy_rules import COIN, ENDLESS, NIM, STUCK

#: Roles and moves spelled in two cases; a step too far is not possible; a role wins where it is ahead.
SPELLED = """
(role White) (ROLE black)
(init (AT white Zero)) (init (at black zero)) (init (Control white))
(succ zero One) (succ one two)
(other white Black) (other black white)
(<= (legal ?r (Step ?x)) (true (control ?r)) (true (at ?r ?x)) (succ ?x ?y))
(<= (legal ?r Noop) (role ?r) (not (true (control ?r))))
(<= (next (at ?r ?y)) (does ?r (step ?x)) (succ ?x ?y))
(<= (next (at ?r ?x)) (does ?r noop) (true (at ?r ?x)))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
(<= terminal (true (at ?r two)))
(<= (goal ?r 100) (true (at ?r two)))
(<= (goal ?r 0) (role ?r) (not (true (at ?r two))))
"""

#: Goals that are missing, double, no numbers, negative or long, by the state.
GOALS = """
(role a) (role b)
(init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal ?r go) (role ?r))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= terminal (true (step 6)))
(<= (goal a 10) (true (step 1)))
(<= (goal a 20) (true (step 1)))
(<= (goal a much) (true (step 2)))
(<= (goal a -5) (true (step 3)))
(<= (goal a (f 1)) (true (step 4)))
(<= (goal a 1000000000000) (true (step 5)))
(<= (goal a 007) (true (step 6)))
(<= (goal b 100) (not (true (step 3))))
"""

#: Reachability on a graph whose edges are facts of the state: recursion through positive cycles.
GRAPH = """
(role r)
(node 1) (node 2) (node 3) (node 4)
(init (edge 1 2)) (init (edge 2 1)) (init (edge 3 4)) (init (edge 4 3))
(<= (path ?x ?y) (true (edge ?x ?y)))
(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
(<= (legal r (toggle ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
(<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does r (toggle ?x ?y))))
(<= (next (edge ?x ?y)) (does r (toggle ?x ?y)) (not (true (edge ?x ?y))))
(<= terminal (path 1 4) (path 4 1) (not (path 2 2)))
(<= (goal r 100) (path 1 4))
(<= (goal r 0) (not (path 1 4)))
"""

#: Facts and moves that are functions of functions; a fact without arguments; a fact that is a move.
TERMS = """
(role (player one)) (role two)
(init on) (init (did (player one) (put (pair a b))))
(thing a) (thing b)
(<= (legal ?r (put (pair ?x ?y))) (role ?r) (thing ?x) (thing ?y))
(<= (legal two wait) (true on))
(<= (next (did ?r ?m)) (does ?r ?m))
(<= (next on) (not (true on)))
(<= terminal (true (did (player one) (put (pair ?x ?x)))) (true (did two wait)))
(<= (goal ?r 50) (role ?r) (true on))
(<= (goal ?r 100) (role ?r) (not (true on)))
"""

TOYS = {
    "nim": NIM,
    "coin": COIN,
    "endless": ENDLESS,
    "stuck": STUCK,
    "spelled": SPELLED,
    "goals": GOALS,
    "graph": GRAPH,
    "terms": TERMS,
    "nothing happens": "(role a) (legal a m) (<= terminal (true never)) (goal a 1)",
    "over at once": "(role a) (role b) (init x) (legal a m) (<= terminal (true x)) (goal a 1)",
    "no move ever": "(role a) (role b) (init x) (legal a m) (<= (next x) (true x)) (<= terminal (true y))",
    "a constant goal": "(role a) (init x) (legal a m) (legal a n) (goal a 3) (goal a 4) (<= terminal (not (true x)))",
    "moves that are never legal": """(role a) (init (n 1)) (<= (legal a go) (true (n 1)))
        (<= (legal a stay) (true (n 3)))
        (<= (next (n 2)) (does a go)) (<= terminal (true (n 2))) (<= (goal a 7) (true (n 2)))""",
}
