"""The browser's side of the project: `ggp serve`.

- `app` is the web application, `guard` what it refuses, `library` the rule files, `matches` the matches.
- Rules are never run in the server: each game has a process of its own, `game_process`, with `table` and `play` inside
  and `game_client` outside, which is ended where rules do not come to an end.
- `static/` is the page: HTML, CSS and ES modules as they are written, without a build step.
"""
