"""Games as programs that run without Python: WebAssembly modules and C files.

- `programs`: netlists as straight pieces of instructions on two values, and rows of memory between them
- `game`: the programs of a game, `look`, `move`, `step` and `finish`, and the meaning of their rows
- `wasm`, `c99`: these programs as a binary module and as text
"""
