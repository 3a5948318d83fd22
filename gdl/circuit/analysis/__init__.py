"""Facts about a game that its circuit proves or shows.

- `cones`: the gates and inputs that outputs depend on
- `dependence`: the facts that matter, and those that change independently of all moves, like a clock
- `times`: the plies at which a game with a clock may end, and the goals there
- `playouts`: statistics of random playouts: choices of the players, ends of playouts and goals
- `theorems`: proofs that players take turns, or that their goals add up to a constant
"""
