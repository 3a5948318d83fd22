"""Small rule files."""

from typing import Final

#: One heap of four; in turn a role takes one or two; whoever takes the last wins.
NIM: Final = """\
; Nim
;
; Two roles take from one heap. Whoever takes the last wins.

(role left)
(role right)
(init (heap 4))
(init (control left))
(less 0 1) (less 1 2) (less 2 3) (less 3 4)
(take one 1 0) (take one 2 1) (take one 3 2) (take one 4 3)
(take two 2 0) (take two 3 1) (take two 4 2)
(opponent left right) (opponent right left)
(<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (take ?n ?h ?rest))
(<= (legal ?r noop) (true (control ?x)) (opponent ?x ?r))
(<= (next (heap ?rest)) (true (heap ?h)) (does ?r (take ?n)) (take ?n ?h ?rest))
(<= (next (control ?r)) (true (control ?x)) (opponent ?x ?r))
(<= terminal (true (heap 0)))
(<= (goal ?r 0) (true (control ?r)))
(<= (goal ?r 100) (true (control ?x)) (opponent ?x ?r))
"""

#: After one ply nobody has a legal move, and it is not the end.
STUCK: Final = """\
(role solo)
(init start)
(<= (legal solo go) (true start))
(<= (next on) (true start))
(<= terminal (true never))
(<= (goal solo 100) (true on))
"""

#: Nothing ever ends.
ENDLESS: Final = """\
(role solo)
(init (light on))
(legal solo wait)
(<= (next (light on)) (true (light on)))
(<= terminal (true (light off)))
(<= (goal solo 0) (true (light on)))
"""

#: Chance tosses a coin, which `guesser` sees and `other` does not; then both guess (GDL-II).
COIN: Final = """\
(role random)
(role guesser)
(role other)
(init tossing)
(side heads) (side tails)
(<= (legal random (toss ?s)) (true tossing) (side ?s))
(<= (legal random noop) (not (true tossing)))
(<= (legal guesser noop) (true tossing))
(<= (legal other noop) (true tossing))
(<= (legal guesser (guess ?s)) (true (coin ?c)) (side ?s))
(<= (legal other (guess ?s)) (true (coin ?c)) (side ?s))
(<= (next (coin ?s)) (does random (toss ?s)))
(<= (next (coin ?s)) (true (coin ?s)))
(<= (next (guessed ?r ?s)) (does ?r (guess ?s)))
(<= (sees guesser (coin ?s)) (does random (toss ?s)))
(<= terminal (true (guessed other ?s)))
(<= (goal ?r 100) (true (guessed ?r ?s)) (true (coin ?s)))
(<= (goal ?r 0) (true (guessed ?r ?g)) (true (coin ?s)) (distinct ?g ?s))
"""
