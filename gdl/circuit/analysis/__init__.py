"""Facts about a game that its circuit proves or shows.

- `cones`: the gates and inputs that outputs depend on
- `dependence`: the facts that matter, and those that run by themselves, as a clock does
- `times`: when a game with a clock ends, and with which goals
- `playouts`: statistics of random playouts: choices of the players, ends and goals
- `theorems`: proofs that players take turns, or that their goals add up to a constant
"""
