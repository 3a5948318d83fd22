"""Speed measurements of random playouts, searches and puzzles; sums over very many playouts."""
