"""Small games with chance, hidden information or choices at once, whose values are known."""

from __future__ import annotations

from typing import Final

#: Kuhn poker (Kuhn 1950). A chip is 25 goal points; the value for alice is -1/18 chips.
KUHN: Final = """
(role alice) (role bob) (role random)
(card jack) (card queen) (card king)
(beats queen jack) (beats king jack) (beats king queen)
(player alice) (player bob)
(asked alice opening) (asked bob passed) (asked bob raised) (asked alice challenged)
(leads opening pass passed) (leads opening bet raised)
(leads passed pass small) (leads passed bet challenged)
(leads raised pass bob_folds) (leads raised bet large)
(leads challenged pass alice_folds) (leads challenged bet large)
(over small) (over large) (over alice_folds) (over bob_folds)

(init (stage deal))
(<= (legal random (deal ?a ?b)) (true (stage deal)) (card ?a) (card ?b) (distinct ?a ?b))
(<= (legal random wait) (not (true (stage deal))))
(<= (turn ?r) (true (stage ?s)) (asked ?r ?s))
(<= (legal ?r pass) (turn ?r))
(<= (legal ?r bet) (turn ?r))
(<= (legal ?r wait) (player ?r) (not (turn ?r)))

(<= (next (stage opening)) (true (stage deal)))
(<= (next (stage ?t)) (true (stage ?s)) (asked ?r ?s) (does ?r ?m) (leads ?s ?m ?t))
(<= (next (hands ?a ?b)) (does random (deal ?a ?b)))
(<= (next (hands ?a ?b)) (true (hands ?a ?b)))

(<= (sees alice (card ?a)) (does random (deal ?a ?b)))
(<= (sees bob (card ?b)) (does random (deal ?a ?b)))
(<= (sees ?r (did ?o ?m)) (player ?r) (turn ?o) (does ?o ?m))

(<= terminal (true (stage ?s)) (over ?s))
(<= best (true (hands ?a ?b)) (beats ?a ?b))
(<= (goal alice 75) (true (stage small)) best)
(<= (goal alice 25) (true (stage small)) (not best))
(<= (goal alice 100) (true (stage large)) best)
(<= (goal alice 0) (true (stage large)) (not best))
(<= (goal alice 75) (true (stage bob_folds)))
(<= (goal alice 25) (true (stage alice_folds)))
(<= (goal bob 25) (true (stage small)) best)
(<= (goal bob 75) (true (stage small)) (not best))
(<= (goal bob 0) (true (stage large)) best)
(<= (goal bob 100) (true (stage large)) (not best))
(<= (goal bob 25) (true (stage bob_folds)))
(<= (goal bob 75) (true (stage alice_folds)))
"""

#: Two pennies are shown at once. If both are heads, the first player wins 100; if both are tails, 50. Otherwise the
#: second one wins. In equilibrium, the first shows heads with probability 1/3, and expects 33 1/3.
PENNIES: Final = """
(role odd) (role even) (init start)
(<= (legal odd heads) (true start)) (<= (legal odd tails) (true start))
(<= (legal even heads) (true start)) (<= (legal even tails) (true start))
(<= (next (shown ?o ?e)) (does odd ?o) (does even ?e))
(<= terminal (not (true start)))
(<= (goal odd 100) (true (shown heads heads))) (<= (goal even 0) (true (shown heads heads)))
(<= (goal odd 50) (true (shown tails tails))) (<= (goal even 50) (true (shown tails tails)))
(<= (goal odd 0) mixed) (<= (goal even 100) mixed)
(<= mixed (true (shown heads tails))) (<= mixed (true (shown tails heads)))
"""

#: Somebody names a number while a die falls, which they cannot see. Then they may stop, or throw again for half.
DIE: Final = """
(role gambler) (role random) (side 1) (side 2) (side 3) (side 4)
(init (step naming)) (after naming stopping) (after stopping end)
(<= (legal gambler (name ?n)) (side ?n) (true (step naming)))
(<= (legal gambler (name ?n again)) (side ?n) (true (step stopping)))
(<= (legal gambler stop) (true (step stopping)))
(<= (legal random (fall ?n)) (side ?n))
(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
(<= (next first) (true (step naming)) (does gambler (name ?n)) (does random (fall ?n)))
(<= (next first) (true first) (does gambler stop))
(<= (next second) (does gambler (name ?n again)) (does random (fall ?n)))
(<= terminal (true (step end)))
(<= (goal gambler 100) (true first))
(<= (goal gambler 50) (true second))
(<= (goal gambler 0) (not (true first)) (not (true second)))
"""

#: A guess, after a coin that nobody sees; it falls at the same time as a move without effect.
COIN: Final = """
(role guesser) (role random) (init (step toss))
(<= (legal random heads) (true (step toss))) (<= (legal random tails) (true (step toss)))
(<= (legal random wait) (not (true (step toss))))
(<= (legal guesser left) (true (step toss))) (<= (legal guesser right) (true (step toss)))
(<= (legal guesser heads) (true (step guess))) (<= (legal guesser tails) (true (step guess)))
(<= (next (step guess)) (true (step toss))) (<= (next (step end)) (true (step guess)))
(<= (next (coin ?c)) (does random ?c) (true (step toss)))
(<= (next (coin ?c)) (true (coin ?c)))
(<= (next won) (does guesser ?c) (true (coin ?c)))
(<= (sees guesser tossed) (true (step toss)))
(<= terminal (true (step end)))
(<= (goal guesser 100) (true won)) (<= (goal guesser 0) (not (true won)))
"""

#: The agent may ask which wire is right, for 10 points, before it cuts one. It is told the answer.
BOMB: Final = """
(role agent) (role random) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (wire red) (wire blue)
(<= (legal random (arm ?w)) (wire ?w) (true (step 1))) (<= (legal random wait) (not (true (step 1))))
(<= (legal agent wait) (true (step 1)))
(<= (legal agent ask) (true (step 2))) (<= (legal agent wait) (true (step 2)))
(<= (legal agent (cut ?w)) (wire ?w) (true (step 3)))
(<= (sees agent (told ?w)) (does agent ask) (true (armed ?w)))
(<= (next (armed ?w)) (does random (arm ?w))) (<= (next (armed ?w)) (true (armed ?w)))
(<= (next asked) (does agent ask)) (<= (next asked) (true asked))
(<= (next safe) (does agent (cut ?w)) (true (armed ?w)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal agent 100) (true safe) (not (true asked))) (<= (goal agent 90) (true safe) (true asked))
(<= (goal agent 0) (not (true safe))) (goal random 0)
"""
