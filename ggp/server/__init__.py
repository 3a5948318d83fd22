"""The web server of `ggp serve`, and its pages.

- `app` is the web application; `guard` decides which requests it accepts, `library` finds rule files, and `matches`
  manages the matches.
- The server never runs rules itself. Each game has a process of its own, `game_process`, which uses `table` and `play`,
  and which the server controls through `game_client`. The process is ended if its rules do not terminate.
- The page on which games are written asks `editing`, which passes the questions on to the processes of `desks`; there,
  `text_answers` and `rules_answers` answer them.
- `static/` holds the pages: HTML, CSS and ES modules, served as they are, without a build step.
"""
