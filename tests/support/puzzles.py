"""Small puzzles: games of one role, whose best plans can be found by hand."""

from __future__ import annotations

SUCC = "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)"
COUNT = f"(init (step 0)) (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b)) {SUCC}"

#: A walk along a line; the counter only limits it.
WALK = f"""
(role r) (init (at 3)) {COUNT}
(<= (legal r left) (true (at ?x)) (succ ?y ?x)) (<= (legal r right) (true (at ?x)) (succ ?x ?y)) (legal r stay)
(<= (next (at ?y)) (does r left) (true (at ?x)) (succ ?y ?x))
(<= (next (at ?y)) (does r right) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does r stay) (true (at ?x)))
(<= terminal (true (at 6))) (<= terminal (true (at 0))) (<= terminal (true (step 5)))
(<= (goal r 100) (true (at 6))) (<= (goal r 40) (true (at 0)))
(<= (goal r 10) (not (true (at 6))) (not (true (at 0))))
"""

#: The same, but too far: the far end is two plies beyond the limit.
FAR = WALK.replace("(step 5)", "(step 2)")

#: Who is on the way when time is over counts: a state that was seen early may have to be come back to.
LATE = """
(role r) (init (at 0)) (init (step 0))
(<= (legal r ?m) (edge ?x ?m ?y) (true (at ?x)))
(<= (next (at ?y)) (does r ?m) (true (at ?x)) (edge ?x ?m ?y))
(<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
(edge 0 a 1) (edge 0 b 2) (edge 1 a 0) (edge 1 b 3) (edge 2 a 3) (edge 3 a 3) (edge 2 b 0)
(<= terminal (true (step 6)))
(<= (goal r ?g) (true (at ?x)) (worth ?x ?g)) (worth 0 70) (worth 1 80) (worth 2 90) (worth 3 20)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
"""

#: The end is worth most at one moment.
MOMENT = f"""
(role r) (init (at 0)) {COUNT}
(<= (legal r go) (true (at ?x))) (<= (legal r wait) (true (at ?x)))
(<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does r wait) (true (at ?x)))
(<= terminal (true (at 3))) (<= terminal (true (step 7)))
(<= (goal r 100) (true (at 3)) (true (step 5))) (<= (goal r 60) (true (at 3)) (not (true (step 5))))
(<= (goal r 0) (not (true (at 3))))
"""

#: A legal move depends on the counter: it is none.
CLOSED = f"""
(role r) (init (at 0)) {COUNT}
(<= (legal r go) (true (at ?x)) (true (step ?s)) (open ?s)) (legal r wait) (open 2) (open 3) (open 6)
(<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y)) (<= (next (at ?x)) (does r wait) (true (at ?x)))
(<= terminal (true (at 3))) (<= terminal (true (step 8)))
(<= (goal r 100) (true (at 3))) (<= (goal r 0) (not (true (at 3))))
"""

#: No counter, and no need to come to an end: a lock of three wheels.
LOCK = """
(role r) (init (wheel a 0)) (init (wheel b 1)) (init (wheel c 2))
(<= (legal r (turn ?w)) (true (wheel ?w ?x)))
(<= (next (wheel ?w ?y)) (does r (turn ?w)) (true (wheel ?w ?x)) (after ?x ?y))
(<= (next (wheel ?w ?y)) (does r (turn ?v)) (linked ?v ?w) (true (wheel ?w ?x)) (after ?x ?y))
(<= (next (wheel ?w ?x)) (true (wheel ?w ?x)) (does r (turn ?v)) (distinct ?v ?w) (not (linked ?v ?w)))
(linked a b) (linked b c) (after 0 1) (after 1 2) (after 2 3) (after 3 0)
(<= terminal open) (<= (goal r 100) open) (<= (goal r 0) (not open))
(<= open (true (wheel a 2)) (true (wheel b 2)) (true (wheel c 0)))
"""

#: Four tokens, of which the rules name one; some on a ring of five places, one a place.
TOKENS = f"""
(role r) (init (on p1 t1)) (init (on p2 t2)) (init (on p3 t3)) (init (on p4 t4)) {COUNT}
(<= (legal r (shift ?t)) (true (on ?p ?t)) (ring ?p ?q) (not (taken ?q)))
(<= (legal r (jump ?t)) (true (on ?p ?t)) (ring ?p ?q) (ring ?q ?s) (not (taken ?s)))
(<= (taken ?p) (true (on ?p ?t)))
(<= (next (on ?q ?t)) (does r (shift ?t)) (true (on ?p ?t)) (ring ?p ?q))
(<= (next (on ?s ?t)) (does r (jump ?t)) (true (on ?p ?t)) (ring ?p ?q) (ring ?q ?s))
(<= (next (on ?p ?t)) (true (on ?p ?t)) (not (moved ?t)))
(<= (moved ?t) (does r (shift ?t))) (<= (moved ?t) (does r (jump ?t)))
(ring p1 p2) (ring p2 p3) (ring p3 p4) (ring p4 p5) (ring p5 p1)
(<= terminal home) (<= terminal (true (step 8))) (<= (goal r 100) home) (<= (goal r 0) (not home))
(<= home (true (on p5 t2)) (not (taken p2)))
"""

#: Some ways end where nothing is worth anything, and one never ends.
DEAD = """
(role r) (init (at a))
(<= (legal r (to ?y)) (true (at ?x)) (way ?x ?y)) (<= (next (at ?y)) (does r (to ?y)))
(way a b) (way b c) (way c b) (way a d) (way d e) (way e f) (way b f)
(<= terminal (true (at f))) (<= terminal (true (at d)))
(<= (goal r 25) (true (at f))) (<= (goal r 50) (true (at d))) (<= (goal r 100) (true (at nowhere)))
"""

#: Each place gets one of three colours, neighbours different ones; the order does not matter.
COLOURS = """
(role r)
(<= (init (free ?x)) (place ?x)) (place a) (place b) (place c) (place d)
(<= (legal r (paint ?x ?c)) (true (free ?x)) (colour ?c) (not (near ?x ?c)))
(<= (near ?x ?c) (next_to ?x ?y) (true (painted ?y ?c))) (<= (near ?x ?c) (next_to ?y ?x) (true (painted ?y ?c)))
(next_to a b) (next_to b c) (next_to c d) (next_to d a) (next_to a c) (colour red) (colour green) (colour blue)
(<= (next (painted ?x ?c)) (does r (paint ?x ?c))) (<= (next (painted ?x ?c)) (true (painted ?x ?c)))
(<= (next (free ?x)) (true (free ?x)) (not (done ?x))) (<= (done ?x) (does r (paint ?x ?c)))
(<= terminal (not possible)) (<= possible (legal r ?m)) (<= unfinished (true (free ?x)))
(<= (goal r 100) (not unfinished)) (<= (goal r 0) unfinished)
"""

#: Twelve switches have to be on.
SWITCHES = """
(role r) (<= (legal r (flip ?s)) (switch ?s))
(<= (next (on ?s)) (does r (flip ?s)) (not (true (on ?s))))
(<= (next (on ?s)) (true (on ?s)) (does r (flip ?t)) (distinct ?s ?t))
(<= off (switch ?s) (not (true (on ?s))))
(<= terminal (not off)) (<= (goal r 100) (not off)) (<= (goal r 0) off)
(switch a) (switch b) (switch c) (switch d) (switch e) (switch f)
(switch g) (switch h) (switch i) (switch j) (switch k) (switch l)
"""
