"""Rule files as a whole: the shipped games, checks, conformance tests, and the kind of game that rules describe."""
