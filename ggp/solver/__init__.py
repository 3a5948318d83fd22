"""Exact values of positions and their proofs: all reachable positions, or bounds by depth."""
