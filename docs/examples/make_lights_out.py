"""Make the rule file of a puzzle: lights that are to be switched off. It is written to standard output.

    python docs/examples/make_lights_out.py lights_out > lights_out.kif
    python docs/examples/make_lights_out.py hard_lights --size 7 --presses 12 --seed 3 > hard_lights.kif

The puzzle starts from darkness and presses different cells at random, so pressing the same cells again solves it.
"""

from __future__ import annotations

import argparse
from random import Random

import gdl

RULES = """
; {title}
;
; A robot switches off the lights on a board of {size} by {size} cells, with presses that switch several lights at once.
;
; Facts   (cell X Y on)   the light of this cell is on; X and Y are 1 to {size}
;         (cell X Y off)  it is off
;         (step N)        the number of the next press, 1 to {presses}; {last} after the last one
; Moves   (press X Y)     switches this light and those above, below, left and right of it: on if off, off if on
;
; The match ends when all lights are off, or after {presses} presses, which are enough to solve the puzzle.
; Goals: 100 if all lights are off, and 0 otherwise.
;
; Made by docs/examples/make_lights_out.py {arguments}

; ---------------------------------------------------------------------------------------------- start

(role robot)

; (on_at_first X Y): this light is on at the start.
{start}

(<= (init (cell ?x ?y off))
    (coordinate ?x)
    (coordinate ?y)
    (not (on_at_first ?x ?y)))
(<= (init (cell ?x ?y on))
    (on_at_first ?x ?y))
(init (step 1))

; ------------------------------------------------------------------------------- all facts and moves

(<= (base (cell ?x ?y on))
    (coordinate ?x)
    (coordinate ?y))
(<= (base (cell ?x ?y off))
    (coordinate ?x)
    (coordinate ?y))
(base (step 1))
(<= (base (step ?n))
    (step_after ?_before ?n))

(<= (input robot (press ?x ?y))
    (coordinate ?x)
    (coordinate ?y))

; ------------------------------------------------------------------------------- moves and next state

(<= (legal robot (press ?x ?y))
    (coordinate ?x)
    (coordinate ?y))

; (switched X Y): the press switches this light.
(<= (switched ?x ?y)
    (does robot (press ?x ?y)))
(<= (switched ?x ?y)
    (does robot (press ?x1 ?y))
    (beside ?x1 ?x))
(<= (switched ?x ?y)
    (does robot (press ?x ?y1))
    (beside ?y1 ?y))

(<= (next (cell ?x ?y on))
    (true (cell ?x ?y off))
    (switched ?x ?y))
(<= (next (cell ?x ?y off))
    (true (cell ?x ?y on))
    (switched ?x ?y))
(<= (next (cell ?x ?y ?light))
    (true (cell ?x ?y ?light))
    (not (switched ?x ?y)))

(<= (next (step ?after))
    (true (step ?n))
    (step_after ?n ?after))

; ------------------------------------------------------------------------------------------- the end

(<= some_on
    (true (cell ?_x ?_y on)))

(<= terminal
    (not some_on))
(<= terminal
    (true (step {last})))

(<= (goal robot 100)
    (not some_on))
(<= (goal robot 0)
    some_on)

; -------------------------------------------------------------------------------------------- numbers

{coordinates}

; (beside N1 N2): the two differ by one.
(<= (beside ?n1 ?n2)
    (succ ?n1 ?n2))
(<= (beside ?n2 ?n1)
    (succ ?n1 ?n2))

{successors}

; (step_after N1 N2): step N2 comes after step N1.
{steps}
"""


def lights(size: int, presses: int, random: Random) -> list[tuple[int, int]]:
    """Return the cells that are lit after presses of different cells, in order."""
    cells = [(x, y) for x in range(1, size + 1) for y in range(1, size + 1)]
    lit: set[tuple[int, int]] = set()
    while not lit:  # some presses cancel each other out
        for x, y in random.sample(cells, presses):
            lit ^= {(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)} & set(cells)
    return sorted(lit)


def rules(name: str, size: int, presses: int, seed: int) -> str:
    """Return the rule file of a puzzle, in the layout of `ggp fmt`."""
    text = RULES.format(
        title=name.replace("_", " ").capitalize(),
        arguments=f"{name} --size {size} --presses {presses} --seed {seed}",
        size=size,
        presses=presses,
        last=presses + 1,
        start=" ".join(f"(on_at_first {x} {y})" for x, y in lights(size, presses, Random(seed))),
        coordinates=" ".join(f"(coordinate {n})" for n in range(1, size + 1)),
        successors=" ".join(f"(succ {n} {n + 1})" for n in range(1, size)),
        steps=" ".join(f"(step_after {n} {n + 1})" for n in range(1, presses + 1)),
    )
    return gdl.format_text(text.lstrip())


def main() -> None:
    """Write the rule file that the arguments ask for."""
    parser = argparse.ArgumentParser(description="Make the rule file of a lights-out puzzle.")
    parser.add_argument("name", help="the title of the puzzle, as the name of its file")
    parser.add_argument("--size", type=int, default=5, help="rows and columns, 2 or more (default: 5)")
    parser.add_argument("--presses", type=int, default=6, help="the presses that it takes (default: 6)")
    parser.add_argument("--seed", type=int, default=1, help="a number for each puzzle (default: 1)")
    given = parser.parse_args()
    if given.size < 2 or not 1 <= given.presses <= given.size**2 // 2:
        parser.error("there are 2 rows or more, and at most half of all cells are pressed")
    print(rules(given.name, given.size, given.presses, given.seed), end="")


if __name__ == "__main__":
    main()
