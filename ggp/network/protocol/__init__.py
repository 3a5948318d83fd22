"""The GGP protocol: how a game server and a player talk to each other, in KIF over HTTP."""
