"""Speed measurements of random playouts, searches and puzzles."""
