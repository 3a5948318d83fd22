"""The commands of `ggp`, one module per command."""
