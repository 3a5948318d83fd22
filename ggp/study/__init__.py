"""Studies of games: figures of random and of strong play, what the rules prove, and comparisons of two games.

- `figures`: values with their 95% intervals; `sample`: the matches of one kind of play, and their figures
- `random_play`: random playouts; `tree_size`: estimates of the numbers of states and of lines of play
- `theory`: what the rules prove, and the solver's value
- `study`: a whole study, step by step; `json_form`: its JSON form
"""
