"""The commands of `ggp`, one module each."""
