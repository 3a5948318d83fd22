"""The Simulator: a game compiled to machine code, for single states, batches and playouts; and its cache on disk."""
