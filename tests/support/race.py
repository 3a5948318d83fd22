"""A small race, and short texts of what the Reasoner answers."""

from __future__ import annotations

import gdl
from gdl import Reasoner, State

#: Two take turns; each steps one or two squares from 0 to 3; a step too far is not possible.
RACE = """
(role White) (role black)
(init (at white 0)) (init (at black 0)) (init (control white))
(succ 0 1) (succ 1 2) (succ 2 3)
(other white black) (other black white)

(<= (ahead ?x 1 ?y) (succ ?x ?y))
(<= (ahead ?x 2 ?z) (succ ?x ?y) (succ ?y ?z))

(<= (legal ?r (step ?n)) (true (control ?r)) (true (at ?r ?x)) (ahead ?x ?n ?y))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))

(<= (next (at ?r ?y)) (does ?r (step ?n)) (true (at ?r ?x)) (ahead ?x ?n ?y))
(<= (next (at ?r ?x)) (does ?r noop) (true (at ?r ?x)))
(<= (next (control ?s)) (true (control ?r)) (other ?r ?s))

(<= (home ?r) (true (at ?r 3)))
(<= terminal (home ?r))
(<= (goal ?r 100) (home ?r))
(<= (goal ?r 0) (role ?r) (not (home ?r)))
"""
#: In a state that is not terminal either, a role may be stuck, and goals may be missing, double or no numbers.
SOLO = """
(role solo)
(init (start))
(<= (legal solo ?m) (true (can ?m)))
(legal solo wait)
(<= (next ?f) (true ?f))
(<= terminal (true over))
(<= (goal solo ?v) (true (worth ?v)))
"""


def one(rules: str) -> Reasoner:
    """A game of one role, who can always `go`."""
    return Reasoner(f"(role r) (legal r go) (<= terminal (true over)) {rules}")


def facts(state: State) -> list[str]:
    return [fact.text for fact in state]


def texts(terms: tuple[gdl.Term, ...]) -> list[str]:
    return [term.text for term in terms]


def values(game: Reasoner, pattern: str, state: State | None = None, moves: gdl.Moves | None = None) -> list[str]:
    """The answers to a query with one variable."""
    return [str(*found.values()) for found in game.query(pattern, state or game.initial_state(), moves)]
