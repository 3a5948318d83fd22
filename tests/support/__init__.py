"""Shared by the tests: toy games, models of the shipped games, random programs, comparisons of engines."""
