"""The Boolean circuit of a game: gates, the circuit of one step, proofs about it, and its storage."""
