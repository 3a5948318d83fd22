"""Matches: the runner with its clocks and policies, the channels to players, records and replays."""
