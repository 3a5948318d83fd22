"""Rule files as a whole: the shipped games, checks, conformance tests, and the type of game that rules describe."""
