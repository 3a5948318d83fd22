"""Work as values, `job`, which several processes do: see `pool`."""
