"""The GGP protocol, in which game servers and players communicate: KIF over HTTP."""
