"""A small game of dots and boxes."""

#: Everything but the lines.
FRAME = """
(role red) (role blue) (init (control red)) (n 1) (n 2) (n 3) (next_n 1 2) (next_n 2 3) (box_n 1) (box_n 2)
(<= (base (control ?r)) (role ?r)) (<= (base (owned ?x ?y ?r)) (box_n ?x) (box_n ?y) (role ?r))
(<= (next (owned ?x ?y ?r)) (true (owned ?x ?y ?r))) (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (next (control red)) (true (control blue))) (<= (next (control blue)) (true (control red)))
(<= terminal (true (owned 1 1 ?r))) (<= (goal ?r 0) (role ?r))
"""

#: Lines that are named by both of their ends.
FENCES = (
    FRAME
    + """
(<= (fence ?x ?a ?x ?b) (n ?x) (next_n ?a ?b)) (<= (fence ?a ?y ?b ?y) (n ?y) (next_n ?a ?b))
(<= (base (built ?a ?b ?c ?d)) (fence ?a ?b ?c ?d))
(<= (legal ?r (build ?a ?b ?c ?d)) (true (control ?r)) (fence ?a ?b ?c ?d) (not (true (built ?a ?b ?c ?d))))
(<= (next (built ?a ?b ?c ?d)) (does ?r (build ?a ?b ?c ?d)))
(<= (next (built ?a ?b ?c ?d)) (true (built ?a ?b ?c ?d)))
(<= (next (owned 1 1 ?r)) (does ?r (build 1 1 1 2)))
"""
)
