"""Equilibria and expected goals of games with simultaneous moves, hidden information or chance."""
