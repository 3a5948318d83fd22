"""The web server of `ggp serve`, and its pages, in two rooms that share nothing but what is here.

- `web` is what runs in the server, and `game` what runs in the process that each game has. They exchange `messages`;
  `lineup` knows who may play.
- `export` is a third one, for `ggp export`: pages without a server, made of the same parts. Neither of the others needs
  it.
- `static/` holds the pages: HTML, CSS and ES modules, served as they are, without a build step.
"""
