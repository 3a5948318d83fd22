"""Circuits as logic programs, and clingo's searches for their answer sets.

- `encoding`: the gates of a circuit as rules, and claims about its literals
- `states`: the states of a game and the moves between them, over such encodings
- `search`: a search with a deadline, which can be interrupted
"""
