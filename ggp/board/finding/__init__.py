"""Boards found in the rules of a game: which facts are cells and pieces, and how the cells lie."""
