"""`ggp export`: a game as one page that plays without a server.

- `boards`: how the boards of a game are drawn, as data
- `page`: the page, with its scripts, its styles and the game inside
- `wrapped`: a game as a module for JavaScript
"""
