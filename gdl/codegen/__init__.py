"""Code from circuits: netlists of three-input operations, machine code by LLVM, and an interpreter for large netlists.

Terms:

- lane: one of the games or states that are computed side by side; its bit has the same place in every row
- row: one bit for each lane, in memory or in a vector register
- netlist: a straight-line program of operations over rows
- signal: the number of a row in a netlist: an input, or the result of an operation
- operation: a function of three signals, given by a truth table of eight bits
- technology mapping: packing the gates of a circuit, with any number of inputs, into operations
- choice: a tree of adders that counts the legal rows of each lane, and the random number that is walked down it
- evaluation: a netlist for one query: `look` (terminal, legal moves and goals) or `move` (the next state)
- playout netlist: one step of random playouts: choose moves, make the next state, begin again where it is terminal;
  with phases, a step makes a ply in each of them
- interface: the places in memory of a netlist's inputs and results
- place: a row in memory, as a pointer and a number of rows from there
- layout: the numbers of the rows that a program has in memory
- target: the width of the vectors, and whether the processor has instructions for any three-input function
- kernel: a machine code function for one state, which compiled code can call through a pointer
- program (of the interpreter): a netlist as steps over a small set of rows, used where LLVM would take too long
- program (in `portable`): a netlist as pieces of instructions on two values, with rows of memory between them

Packages and modules:

- `technology_mapping`, `netlist`, `formulas`: circuits to operations, and those to two-input operations
- `evaluation`, `playout_netlist`, `playout_parts`, `random_choice`: the netlists of queries and of playouts
- `interface`: places in memory and targets
- `llvm`: assembly, machine code, and the loops around netlists
- `interpreter`: netlists without LLVM, by loops that Numba compiles
- `portable`: games as WebAssembly and in C, for machines without Python
"""
