"""Speed: random playouts, searches and puzzles, timed."""
