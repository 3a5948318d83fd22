"""A game with hidden states: guess a number of which one hears a little."""

from __future__ import annotations

#: Somebody thinks of a number below 20. The guesser hears whether it is even, then the number, and then names it.
NUMBERS = " ".join(f"(number {n}) ({'even' if n % 2 == 0 else 'odd'} {n})" for n in range(20))
RULES = f"""
{NUMBERS}
(role thinker) (role guesser) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (legal thinker (think ?n)) (number ?n) (true (step 0)))
(<= (legal thinker noop) (not (true (step 0))))
(<= (legal guesser wait) (not (true (step 2))))
(<= (legal guesser (name ?n)) (true (thought ?n)) (true (step 2)))
(<= (next (thought ?n)) (does thinker (think ?n)))
(<= (next (thought ?n)) (true (thought ?n)))
(<= (next right) (does guesser (name ?n)) (true (thought ?n)))
(<= (sees guesser even) (does thinker (think ?n)) (even ?n))
(<= (sees guesser odd) (does thinker (think ?n)) (odd ?n))
(<= (sees guesser (it was ?n)) (true (step 1)) (true (thought ?n)))
(<= terminal (true (step 3)))
(<= (goal guesser 100) (true right)) (<= (goal thinker 0) (true right))
"""
