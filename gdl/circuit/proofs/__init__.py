"""Proofs about all reachable states of a game: random playouts propose claims, induction by clingo proves them."""
