"""The Boolean circuit of a game: one step, from facts and moves to legal moves, next facts, terminal, goals, percepts.

Terms:

- circuit: gates over inputs; a `GameCircuit` also knows the facts, moves and goals that its literals stand for
- node: a constant, an input, a gate, or a variable of a loop; nodes are numbered, and node 0 is false
- input: the node of a fact of the state, or of a move that is done
- gate: the AND of any number of literals, its fanin
- literal: twice the number of a node, or one more for its negation; an OR is a negated AND of negations
- loop: gates that depend on each other; its variables have the values of the least fixpoint
- cone: the nodes that some outputs depend on
- group: inputs of which at most one holds, or exactly one
- laws: groups and implications that hold in every state and joint move, by which gates are simplified
- claim: a statement about literals, such as "at most one of these holds", which may or may not be true
- invariant: a claim that is proved of every reachable state
- lane: one of many states that are evaluated together, as one bit of each value
- phase: states in which the same one of some facts holds, such as `(control white)`
- row (of moves): moves no two of which are ever legal at once, so that they share one choice
- playout step: the circuit of a step with the choice of a row in place of moves

Packages and modules:

- `gates`, `game`: circuits and their meaning; `serialization` stores them
- `build`: circuits from ground rules, and circuits built anew under more laws
- `sampling`: random playouts in lanes
- `proofs`: claims that playouts propose and induction proves
- `answer_sets`: circuits as logic programs for clingo
- `analysis`: the facts that matter, clocks, and other properties of a game that its circuit shows
- `movers_side`, `phases`: smaller circuits for states in which it is a certain role's turn
- `move_rows`, `playout_step`: the circuit of a playout's step
- `pipeline`: rules to a simplified circuit, in this process or in one of its own
"""
