"""Circuits as logic programs, and searches of clingo for their answer sets.

- `encoding`: the gates of a circuit as rules, and claims about its literals
- `states`: the states of a game and the joint moves between them, as such encodings
- `search`: a search with a deadline that can be interrupted
"""
