"""Speed measurements of random playouts and searches; sums over very many playouts."""
