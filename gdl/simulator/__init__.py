"""The Simulator: a game compiled to machine code, its cache, and its calls for single states, batches and playouts."""
