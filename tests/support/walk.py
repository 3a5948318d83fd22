"""A small game whose derivations are easy to follow."""

from __future__ import annotations

WALK = """
(role walker)
(init (at a)) (init calm)
(edge a b) (edge b c) (edge c a) (edge c d) (edge d e)
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
(<= (legal walker (go ?y)) (true (at ?x)) (path ?x ?y) (distinct ?x ?y) (not (closed ?y)))
(<= (legal walker stay) (or (true windy) (and (true calm) (true (at a)))))
(closed e)
(<= (next (at ?y)) (does walker (go ?y)))
(<= (next (at ?x)) (true (at ?x)) (does walker stay))
(<= (next ?f) (true ?f) (keeps ?f))
(keeps calm)
(<= terminal (true (at d)))
(<= (goal walker 100) (true (at d)))
(<= (goal walker 0) (not (goal walker 100)))
"""
