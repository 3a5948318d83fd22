"""A small rule file for tests of editors, and places in texts."""

from __future__ import annotations

from typing import Final

WALK: Final = """\
; A walk
;   (at P)   where the walker is

(role walker)
(init (at a))
(edge a b) (edge b c)

; ---------- moves

; (near P Q): one step leads from P to Q,
; or back.
(<= (near ?p ?q)
    (edge ?p ?q))
(<= (near ?p ?q)
    (edge ?q ?p))

(<= (legal walker (go ?q)) ; along an edge
    (true (at ?p))
    (near ?p ?q))
(<= (next (at ?q))
    (does walker (GO ?q)))
(<= terminal
    (true (at c)))
(<= (goal walker 100)
    (true (at c)))
"""


def place(text: str, mark: str) -> tuple[int, int]:
    """The line and column of the character behind the bar in a marked part of a text, such as `(<= (|near`."""
    at = text.index(mark.replace("|", "")) + mark.index("|")
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
