"""Matches over the network: the messages of the GGP protocol, players that answer them, and the host of matches."""
