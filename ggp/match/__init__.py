"""Matches: the runner with its clocks and policies, how players are asked, records and replays."""
