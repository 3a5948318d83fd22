"""Rule files of kinds that explode if they are grounded as they are written, in any size."""

from __future__ import annotations

_NEXT_PLY = """
(<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q)) (init (control white))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(role white) (role black) (opponent white black) (opponent black white)
"""


def _numbers(name: str, most: int) -> str:
    return "".join(f"({name} {i} {i + 1})" for i in range(most)) + "\n"


def mill(points: int) -> str:
    """Men on a ring of points are counted by a relation of six columns: two numbers so far, and two results."""
    ring = "".join(
        f"(init (at p{i} empty)) (follows p{i} p{i + 1}) (line p{i} p{(i + 1) % points} p{(i + 2) % points})"
        for i in range(points)
    )
    numbers = "".join(f"(number {i})" for i in range(points + 1))
    return f"""{_NEXT_PLY}{ring}{numbers}{_numbers("++", points)}
    (<= (legal ?p (put ?x)) (true (control ?p)) (true (at ?x empty)))
    (<= (legal ?p (take ?x)) (true (control ?p)) (opponent ?p ?q) (true (at ?x ?q)) (has_line ?p))
    (<= (has_line ?p) (role ?p) (line ?x ?y ?z) (true (at ?x ?p)) (true (at ?y ?p)) (true (at ?z ?p)))
    (<= (next (at ?x ?p)) (does ?p (put ?x)))
    (<= (next (at ?x empty)) (does ?p (take ?x)))
    (<= (next (at ?x ?s)) (true (at ?x ?s)) (not (changed ?x)))
    (<= (changed ?x) (does ?p (put ?x))) (<= (changed ?x) (does ?p (take ?x)))
    (<= (count ?x ?w ?b ?w ?b all) (number ?w) (number ?b) (last ?x)) (last p{points})
    (<= (count ?x ?w ?b ?i ?j ?k) (follows ?x ?y) (true (at ?x white)) (++ ?w ?v) (count ?y ?v ?b ?i ?j ?k))
    (<= (count ?x ?w ?b ?i ?j ?k) (follows ?x ?y) (true (at ?x black)) (++ ?b ?c) (count ?y ?w ?c ?i ?j ?k))
    (<= (count ?x ?w ?b ?i ?j ?k) (follows ?x ?y) (true (at ?x empty)) (count ?y ?w ?b ?i ?j ?k))
    (<= terminal (count p0 0 0 ?n ?m all) (++ ?k ?n) (++ ?n ?l) (++ ?l ?m))
    (<= terminal (count p0 0 0 ?n ?m all) (++ ?k ?m) (++ ?m ?l) (++ ?l ?n))
    (<= (goal white ?n) (count p0 0 0 ?n ?m all)) (<= (goal black ?m) (count p0 0 0 ?n ?m all))
    """


def sudoku(size: int) -> str:
    """A relation says that exactly one cell of a row or column has a number; it has `size` + 1 columns."""
    numbers = range(1, size + 1)
    cells = "".join(f"(init (cell {x} {y} blank))" for x in numbers for y in numbers)
    args = [f"?a{i}" for i in numbers]
    cases = ""
    for one in args:
        others = [arg for arg in args if arg != one]
        conditions = " ".join(f"(content {arg}) (distinct {arg} ?v)" for arg in others)
        head = " ".join("?v" if arg == one else arg for arg in args)
        cases += f"(<= (exactly_one ?v {head}) (number ?v) {conditions})\n"
    row = " ".join(f"(true (cell ?x {i} {arg}))" for i, arg in enumerate(args, 1))
    column = " ".join(f"(true (cell {i} ?x {arg}))" for i, arg in enumerate(args, 1))
    return f"""(role robot) {cells} {"".join(f"(number {i})" for i in numbers)} {cases}
    (content blank) (<= (content ?v) (number ?v))
    (<= (legal robot (mark ?x ?y ?v)) (true (cell ?x ?y blank)) (number ?v))
    (<= (next (cell ?x ?y ?v)) (does robot (mark ?x ?y ?v)))
    (<= (next (cell ?x ?y ?v)) (true (cell ?x ?y ?v)) (not (marked ?x ?y)))
    (<= (marked ?x ?y) (does robot (mark ?x ?y ?v)))
    (<= (good row ?x ?v) {row} (exactly_one ?v {" ".join(args)}))
    (<= (good column ?x ?v) {column} (exactly_one ?v {" ".join(args)}))
    (line row) (line column)
    (<= bad (line ?l) (number ?x) (number ?v) (not (good ?l ?x ?v)))
    (<= open (true (cell ?x ?y blank)))
    (<= terminal (not open)) (<= (goal robot 100) (not bad)) (<= (goal robot 0) bad)
    """


def king_hunt(size: int) -> str:
    """A king may go where no queen could see it if it were not in the way: `threatens` has seven columns."""
    numbers = range(1, size + 1)
    return f"""{_NEXT_PLY}{"".join(f"(index {i})" for i in numbers)}{_numbers("++", size)}
    (init (cell 1 1 white king)) (init (cell {size} {size} black queen)) (init (cell {size} 1 black king))
    (init (cell 1 {size} white queen)) (init (step 0)) {_numbers("after", 12)}
    (<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (<= terminal (true (step 12)))
    (<= (goal ?p 0) (role ?p) (not (alive ?p))) (<= (goal ?p 100) (alive ?p))
    (<= (alive ?p) (true (cell ?x ?y ?p king))) (<= terminal (role ?p) (not (alive ?p)))
    (<= (legal ?p stay) (true (control ?p)))
    (<= (legal ?p (move ?u ?v ?x ?y)) (true (control ?p)) (true (cell ?u ?v ?p king)) (neighbour ?d ?u ?v ?x ?y)
        (opponent ?p ?q) (not (threatened ?q ?u ?v ?x ?y)) (not (own ?p ?x ?y)))
    (<= (legal ?p (move ?u ?v ?x ?y)) (true (control ?p)) (true (cell ?u ?v ?p queen)) (path ?d ?u ?v ?x ?y ?u ?v)
        (not (own ?p ?x ?y)))
    (<= (own ?p ?x ?y) (true (cell ?x ?y ?p ?t))) (<= (occupied ?x ?y) (true (cell ?x ?y ?p ?t)))
    (<= (next (cell ?x ?y ?p ?t)) (does ?p (move ?u ?v ?x ?y)) (true (cell ?u ?v ?p ?t)))
    (<= (next (cell ?x ?y ?p ?t)) (true (cell ?x ?y ?p ?t)) (not (touched ?x ?y)))
    (<= (touched ?x ?y) (does ?p (move ?x ?y ?u ?v))) (<= (touched ?x ?y) (does ?p (move ?u ?v ?x ?y)))
    (<= (threatened ?q ?u ?v ?x ?y) (threatens ?q ?u ?v ?x ?y ?a ?b))
    (<= (threatens ?q ?u ?v ?x ?y ?a ?b) (true (cell ?a ?b ?q queen)) (path ?d ?a ?b ?x ?y ?u ?v))
    (<= (threatens ?q ?u ?v ?x ?y ?a ?b) (index ?u) (index ?v) (true (cell ?a ?b ?q king)) (neighbour ?d ?a ?b ?x ?y))
    (<= (path ?d ?a ?b ?x ?y ?u ?v) (neighbour ?d ?a ?b ?x ?y) (index ?u) (index ?v))
    (<= (path ?d ?a ?b ?x ?y ?u ?v) (neighbour ?d ?a ?b ?e ?f) (free ?e ?f ?u ?v) (path ?d ?e ?f ?x ?y ?u ?v))
    (<= (free ?x ?y ?x ?y) (index ?x) (index ?y))
    (<= (free ?x ?y ?u ?v) (index ?x) (index ?y) (index ?u) (index ?v) (not (occupied ?x ?y)))
    (<= (neighbour n ?x ?y ?x ?z) (index ?x) (++ ?y ?z) (index ?z))
    (<= (neighbour s ?x ?z ?x ?y) (neighbour n ?x ?y ?x ?z))
    (<= (neighbour e ?y ?x ?z ?x) (index ?x) (++ ?y ?z) (index ?z))
    (<= (neighbour w ?z ?x ?y ?x) (neighbour e ?y ?x ?z ?x))
    (<= (neighbour ne ?x ?y ?z ?w) (neighbour e ?x ?y ?z ?y) (neighbour n ?x ?y ?x ?w))
    (<= (neighbour sw ?z ?w ?x ?y) (neighbour ne ?x ?y ?z ?w))
    (<= (neighbour se ?x ?w ?z ?y) (neighbour ne ?x ?y ?z ?w))
    (<= (neighbour nw ?z ?y ?x ?w) (neighbour se ?x ?w ?z ?y))
    """


def snake(size: int, length: int) -> str:
    """A snake on a board, of which each cell remembers the number of the segment that covers it."""
    middle = size // 2
    body = "".join(f"(init (body {middle} {middle + i} {i}))" for i in range(3))
    food = "".join(f"(food {i} {1 + 7 * i * i % size} {1 + (5 * i + 3) % size})" for i in range(length))
    return f"""(role snake) {"".join(f"(index {i})" for i in range(1, size + 1))}{_numbers("++", size)}
    {body} {food} (init (length 3)) (init (eaten 0)) {_numbers("after", length)}
    (<= (beside n ?x ?y ?x ?z) (index ?x) (++ ?y ?z) (index ?z)) (<= (beside s ?x ?z ?x ?y) (beside n ?x ?y ?x ?z))
    (<= (beside e ?y ?x ?z ?x) (index ?x) (++ ?y ?z) (index ?z)) (<= (beside w ?z ?x ?y ?x) (beside e ?y ?x ?z ?x))
    (<= (legal snake (go ?d)) (true (body ?x ?y 0)) (beside ?d ?x ?y ?a ?b) (not (covered ?a ?b)))
    (<= (covered ?x ?y) (true (body ?x ?y ?n)))
    (<= (arrives ?a ?b) (does snake (go ?d)) (true (body ?x ?y 0)) (beside ?d ?x ?y ?a ?b))
    (<= (next (body ?x ?y 0)) (arrives ?x ?y))
    (<= (next (body ?x ?y ?m)) (true (body ?x ?y ?n)) (after ?n ?m) (true (length ?l)) (less ?m ?l))
    (<= (next (body ?x ?y ?l)) (true (body ?x ?y ?n)) (after ?n ?l) (true (length ?l)) eats)
    (<= eats (true (eaten ?f)) (food ?f ?a ?b) (arrives ?a ?b))
    (<= (next (eaten ?g)) (true (eaten ?f)) (after ?f ?g) eats) (<= (next (eaten ?f)) (true (eaten ?f)) (not eats))
    (<= (next (length ?m)) (true (length ?l)) (after ?l ?m) eats)
    (<= (next (length ?l)) (true (length ?l)) (not eats))
    (<= (less ?a ?b) (after ?a ?b)) (<= (less ?a ?c) (less ?a ?b) (after ?b ?c))
    (<= can_go (legal snake ?m)) (<= terminal (not can_go)) (<= terminal (true (length {length})))
    (<= (goal snake 100) (true (length {length}))) (<= (goal snake 0) (not (true (length {length}))))
    """
