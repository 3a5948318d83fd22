"""The server itself, which never runs rules: requests and pages, matches and their files, uploads, limits.

`app` is the web application of `ggp serve`, `host_pages` that of `ggp host`; `guard` decides which requests are
accepted, `library` finds rule files, `matches` manages the matches, and `game_client` controls game processes.
"""
