"""Names and blanks for random games: usual ones, keywords, numbers, and others that are allowed."""

from __future__ import annotations

CONSTANTS = [
    "a",
    "b",
    "c",
    "1",
    "2",
    "Red",
    "BLUE",
    "x-1",
    "007",
    "7",
    "-3",
    "1.5",
    "é",
    "ß",
    "None",
    "nan",
    "_",
    "x'",
    "a.b",
    "#1",
    '"q"',
    "%",
    "{x}",
    "\\",
    "100",
    "0",
    "50",
]
KEYWORDS = [
    "not",
    "or",
    "and",
    "distinct",
    "<=",
    "role",
    "init",
    "true",
    "legal",
    "next",
    "does",
    "goal",
    "terminal",
    "sees",
    "base",
    "input",
    "random",
]
FUNCTIONS = ["f", "g", "cell", "At", "take", "++", "1", "Pair", "É"]
RELATIONS = (
    (
        "p q r s t u v w Succ ADJ line2 1 2nd class def None lambda _ x' a.b + = < >= è true- nots and2 #show :- "
        '"quote" %c @ {k} $ p/1 i\\j Linked OPEN is_ok ?-free'
    )
    .replace("?-free", "free?")
    .split()
)
NUMBERS = ("0", "100", "50", "7", "007", "-1", "1000000000", "99999999999", "1.5", "x")
ROLES = ["robot", "White", "BLACK", "random", "Random", "r1", "1", "x", "a"]
BLANKS = ("  ", "\n", "\t", "\n\n   ", " ; a comment (with a parenthesis\n", ";;)\n", "\r\n", "\f", "\u00a0")
