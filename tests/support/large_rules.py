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


def _chess(size: int, legal: str) -> str:
    """Chess on a small board, without castling and the like, with the given rules for legal moves."""
    numbers = range(1, size + 1)
    pieces = ["rook", "knight", "bishop", "queen", "king", "bishop", "knight", "rook"]
    rank = pieces if size == 8 else ["queen", "king", *pieces][:size]
    men = "".join(
        f"(init (cell {x} {y} {role} {kind})) (init (cell {x} {z} {role} pawn))"
        for x, kind in enumerate(rank, 1)
        for role, y, z in (("white", 1, 2), ("black", size, size - 1))
    )
    turned = "".join(
        f"(turns {a} {b}) (turns {b} {a})" for a, b in (("n", "ne"), ("n", "nw"), ("s", "se"), ("s", "sw"))
    )
    straight = "".join(f"(goes rook {d}) (goes queen {d})" for d in "nsew")
    diagonal = "".join(f"(goes bishop {d}) (goes queen {d})" for d in ("ne", "nw", "se", "sw"))
    return f"""{_NEXT_PLY}{"".join(f"(index {i})" for i in numbers)}{_numbers("++", size)}{men}{straight}{diagonal}
    (init (ply 0)) {_numbers("after", 40)} (<= (next (ply ?m)) (true (ply ?n)) (after ?n ?m))
    (<= terminal (true (ply 40)))
    (<= (step n ?x ?y ?x ?z) (index ?x) (++ ?y ?z) (index ?z)) (<= (step s ?x ?z ?x ?y) (step n ?x ?y ?x ?z))
    (<= (step e ?y ?x ?z ?x) (index ?x) (++ ?y ?z) (index ?z)) (<= (step w ?z ?x ?y ?x) (step e ?y ?x ?z ?x))
    (<= (step ne ?x ?y ?z ?w) (step e ?x ?y ?z ?y) (step n ?x ?y ?x ?w))
    (<= (step sw ?z ?w ?x ?y) (step ne ?x ?y ?z ?w))
    (<= (step se ?x ?w ?z ?y) (step ne ?x ?y ?z ?w)) (<= (step nw ?z ?y ?x ?w) (step se ?x ?w ?z ?y))
    (<= (leap ?x ?y ?z ?w) (step ?d ?x ?y ?u ?v) (turns ?d ?e) (step ?e ?u ?v ?z ?w) (distinct ?x ?z) (distinct ?y ?w))
    {turned}(turns e ne) (turns e se) (turns w nw) (turns w sw)
    (ahead white n) (ahead black s) (strikes white ne) (strikes white nw) (strikes black se) (strikes black sw)
    (<= (own ?p ?x ?y) (true (cell ?x ?y ?p ?t))) (<= (occupied ?x ?y) (own ?p ?x ?y))
    (<= (next (cell ?x ?y ?p ?t)) (does ?p (move ?t ?u ?v ?x ?y)))
    (<= (next (cell ?x ?y ?p ?t)) (true (cell ?x ?y ?p ?t)) (not (touched ?x ?y)))
    (<= (touched ?x ?y) (does ?p (move ?t ?x ?y ?u ?v))) (<= (touched ?x ?y) (does ?p (move ?t ?u ?v ?x ?y)))
    (<= (reaches ?p ?t ?u ?v ?x ?y) (true (cell ?u ?v ?p ?t)) (goes ?t ?d) (clear ?d ?u ?v ?x ?y))
    (<= (reaches ?p king ?u ?v ?x ?y) (true (cell ?u ?v ?p king)) (step ?d ?u ?v ?x ?y))
    (<= (reaches ?p knight ?u ?v ?x ?y) (true (cell ?u ?v ?p knight)) (leap ?u ?v ?x ?y))
    (<= (reaches ?p pawn ?u ?v ?x ?y) (true (cell ?u ?v ?p pawn)) (ahead ?p ?d) (step ?d ?u ?v ?x ?y)
        (not (occupied ?x ?y)))
    (<= (reaches ?p pawn ?u ?v ?x ?y) (true (cell ?u ?v ?p pawn)) (strikes ?p ?d) (step ?d ?u ?v ?x ?y) (opponent ?p ?q)
        (own ?q ?x ?y))
    (<= (clear ?d ?u ?v ?x ?y) (step ?d ?u ?v ?x ?y))
    (<= (clear ?d ?u ?v ?x ?y) (step ?d ?u ?v ?e ?f) (not (occupied ?e ?f)) (clear ?d ?e ?f ?x ?y))
    (<= (stuck ?p) (true (control ?p)) (not (can_move ?p))) (<= (can_move ?p) (legal ?p (move ?t ?u ?v ?x ?y)))
    (<= terminal (stuck ?p)) (<= (goal ?p 0) (stuck ?p)) (<= (goal ?q 100) (stuck ?p) (opponent ?p ?q))
    (<= (goal ?p 50) (role ?p) (not (stuck white)) (not (stuck black)))
    (<= (legal ?p (move ?t ?u ?v ?x ?y)) (true (control ?p)) (reaches ?p ?t ?u ?v ?x ?y) (not (own ?p ?x ?y))
        (allowed ?p ?t ?u ?v ?x ?y))
    {legal}
    """


def pins(size: int) -> str:
    """A man is pinned if `(queen_threatens ?q ?a ?b ?k ?l ?u ?v)`: the king would be threatened without the man."""
    return _chess(
        size,
        """(<= (allowed ?p king ?u ?v ?x ?y) (reaches ?p king ?u ?v ?x ?y) (opponent ?p ?q)
        (not (threatened ?q ?x ?y ?u ?v)))
    (<= (allowed ?p ?t ?u ?v ?x ?y) (reaches ?p ?t ?u ?v ?x ?y) (distinct ?t king) (not (pinned ?p ?u ?v)))
    (<= (pinned ?p ?u ?v) (own ?p ?u ?v) (true (cell ?k ?l ?p king)) (opponent ?p ?q)
        (queen_threatens ?q ?a ?b ?k ?l ?u ?v))
    (<= (threatened ?q ?x ?y ?u ?v) (queen_threatens ?q ?a ?b ?x ?y ?u ?v))
    (<= (threatened ?q ?x ?y ?u ?v) (true (cell ?a ?b ?q king)) (step ?d ?a ?b ?x ?y) (index ?u) (index ?v))
    (<= (threatened ?q ?x ?y ?u ?v) (true (cell ?a ?b ?q knight)) (leap ?a ?b ?x ?y) (index ?u) (index ?v))
    (<= (queen_threatens ?q ?a ?b ?x ?y ?u ?v) (true (cell ?a ?b ?q ?t)) (goes ?t ?d) (line ?d ?a ?b ?x ?y ?u ?v))
    (<= (line ?d ?a ?b ?x ?y ?u ?v) (step ?d ?a ?b ?x ?y) (index ?u) (index ?v))
    (<= (line ?d ?a ?b ?x ?y ?u ?v) (step ?d ?a ?b ?e ?f) (free ?e ?f ?u ?v) (line ?d ?e ?f ?x ?y ?u ?v))
    (<= (free ?u ?v ?u ?v) (index ?u) (index ?v))
    (<= (free ?e ?f ?u ?v) (index ?e) (index ?f) (index ?u) (index ?v) (not (occupied ?e ?f)))""",
    )


def tried_moves(size: int) -> str:
    """Each move is tried: is the king attacked if both squares are changed?"""
    return _chess(
        size,
        """(<= (allowed ?p ?t ?u ?v ?x ?y) (reaches ?p ?t ?u ?v ?x ?y) (distinct ?t king) (true (cell ?k ?l ?p king))
        (opponent ?p ?q) (not (attacked ?q ?k ?l ?u ?v ?x ?y)))
    (<= (allowed ?p king ?u ?v ?x ?y) (reaches ?p king ?u ?v ?x ?y) (opponent ?p ?q)
        (not (attacked ?q ?x ?y ?u ?v ?x ?y)))
    (<= (tried ?u ?v ?x ?y) (reaches ?p ?t ?u ?v ?x ?y))
    (<= (attacked ?q ?k ?l ?u ?v ?x ?y) (tried ?u ?v ?x ?y) (true (cell ?a ?b ?q ?t)) (other ?a ?b ?x ?y) (goes ?t ?d)
        (seen ?d ?a ?b ?k ?l ?u ?v ?x ?y))
    (<= (attacked ?q ?k ?l ?u ?v ?x ?y) (tried ?u ?v ?x ?y) (true (cell ?a ?b ?q knight)) (other ?a ?b ?x ?y)
        (leap ?a ?b ?k ?l))
    (<= (attacked ?q ?k ?l ?u ?v ?x ?y) (tried ?u ?v ?x ?y) (true (cell ?a ?b ?q king)) (step ?d ?a ?b ?k ?l))
    (<= (seen ?d ?a ?b ?k ?l ?u ?v ?x ?y) (tried ?u ?v ?x ?y) (step ?d ?a ?b ?k ?l))
    (<= (seen ?d ?a ?b ?k ?l ?u ?v ?x ?y) (step ?d ?a ?b ?e ?f) (empty ?e ?f ?u ?v ?x ?y)
        (seen ?d ?e ?f ?k ?l ?u ?v ?x ?y))
    (<= (empty ?u ?v ?u ?v ?x ?y) (tried ?u ?v ?x ?y))
    (<= (empty ?e ?f ?u ?v ?x ?y) (index ?e) (index ?f) (tried ?u ?v ?x ?y) (not (occupied ?e ?f)) (other ?e ?f ?x ?y))
    (<= (other ?a ?b ?x ?y) (index ?a) (index ?b) (index ?x) (index ?y) (distinct ?a ?x))
    (<= (other ?a ?b ?x ?y) (index ?a) (index ?b) (index ?x) (index ?y) (distinct ?b ?y))""",
    )


def guards(size: int) -> str:
    """A man may go where it is guarded, or not attacked; `(queen_move_ig ?u ?v ?x ?y ?i ?j)` ignores a cell."""
    return _chess(
        size,
        """(<= (allowed ?p ?t ?u ?v ?x ?y) (reaches ?p ?t ?u ?v ?x ?y) (opponent ?p ?q) (not (guarded ?q ?x ?y ?u ?v)))
    (<= (allowed ?p ?t ?u ?v ?x ?y) (reaches ?p ?t ?u ?v ?x ?y) (guarded ?p ?x ?y ?u ?v))
    (<= (guarded ?p ?x ?y ?i ?j) (true (cell ?u ?v ?p queen)) (queen_move_ig ?u ?v ?x ?y ?i ?j))
    (<= (guarded ?p ?x ?y ?i ?j) (true (cell ?u ?v ?p rook)) (move_ig rook ?u ?v ?x ?y ?i ?j))
    (<= (guarded ?p ?x ?y ?i ?j) (true (cell ?u ?v ?p knight)) (leap ?u ?v ?x ?y) (index ?i) (index ?j))
    (<= (queen_move_ig ?u ?v ?x ?y ?i ?j) (move_ig rook ?u ?v ?x ?y ?i ?j))
    (<= (queen_move_ig ?u ?v ?x ?y ?i ?j) (move_ig bishop ?u ?v ?x ?y ?i ?j))
    (<= (move_ig ?t ?u ?v ?x ?y ?i ?j) (goes ?t ?d) (slide ?d ?u ?v ?x ?y ?i ?j))
    (<= (slide ?d ?u ?v ?x ?y ?i ?j) (step ?d ?u ?v ?x ?y) (index ?i) (index ?j))
    (<= (slide ?d ?u ?v ?x ?y ?i ?j) (slide ?d ?u ?v ?e ?f ?i ?j) (open ?e ?f ?i ?j) (step ?d ?e ?f ?x ?y))
    (<= (open ?i ?j ?i ?j) (index ?i) (index ?j))
    (<= (open ?e ?f ?i ?j) (index ?e) (index ?f) (index ?i) (index ?j) (not (occupied ?e ?f)))""",
    )


def lines(size: int) -> str:
    """Cells have names, and `(between ?d ?from ?to ?i)` says that a line is free but for one of them."""
    cells = {(x, y): f"c{x}{y}" for x in range(size) for y in range(size)}
    steps = {f"d{i}": (x, y) for i, (x, y) in enumerate((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)}
    squares = "".join(f"(square {cell})" for cell in cells.values())
    squares += "".join(
        f"(step {d} {cell} {cells[x + u, y + v]})"
        for d, (u, v) in steps.items()
        for (x, y), cell in cells.items()
        if (x + u, y + v) in cells
    )
    men = ["queen", "king", "rook", "bishop", "rook", "bishop", "queen", "rook"]
    goes = "".join(f"(goes {'bishop' if x and y else 'rook'} {d}) (goes queen {d})" for d, (x, y) in steps.items())
    for x, man in enumerate(men[:size]):
        squares += f"(init (on c{x}0 white {man})) (init (on c{x}{size - 1} black {man}))"
    return f"""{_NEXT_PLY}{squares}{goes} (init (ply 0)) {_numbers("after", 40)}
    (<= (next (ply ?m)) (true (ply ?n)) (after ?n ?m)) (<= terminal (true (ply 40))) (goal white 50) (goal black 50)
    (<= (next (on ?c ?p ?t)) (does ?p (move ?t ?f ?c))) (<= (next (on ?c ?p ?t)) (true (on ?c ?p ?t)) (not (left ?c)))
    (<= (left ?c) (does ?p (move ?t ?c ?d))) (<= (left ?c) (does ?p (move ?t ?d ?c)))
    (<= (occupied ?c) (true (on ?c ?p ?t))) (<= (own ?p ?c) (true (on ?c ?p ?t))) (<= (legal ?p noop) (role ?p))
    (<= (legal ?p (move ?t ?f ?c)) (true (control ?p)) (reaches ?p ?t ?f ?c) (not (own ?p ?c)) (not (bad ?p ?t ?f ?c)))
    (<= (reaches ?p ?t ?f ?c) (true (on ?f ?p ?t)) (goes ?t ?d) (between ?d ?f ?c ?f))
    (<= (reaches ?p king ?f ?c) (true (on ?f ?p king)) (step ?d ?f ?c))
    (<= (between ?d ?f ?t ?i) (step ?d ?f ?t) (square ?i))
    (<= (between ?d ?f ?t ?i) (step ?d ?f ?c) (passable ?c ?i) (between ?d ?c ?t ?i))
    (<= (passable ?i ?i) (square ?i)) (<= (passable ?c ?i) (square ?c) (square ?i) (not (occupied ?c)))
    (<= (hits ?q ?a ?t ?i) (true (on ?a ?q ?k)) (goes ?k ?d) (between ?d ?a ?t ?i))
    (<= (hits ?q ?a ?t ?i) (square ?i) (true (on ?a ?q king)) (step ?d ?a ?t))
    (<= (bad ?p king ?f ?c) (reaches ?p king ?f ?c) (opponent ?p ?q) (hits ?q ?a ?c ?f))
    (<= (bad ?p ?t ?f ?c) (reaches ?p ?t ?f ?c) (distinct ?t king) (true (on ?k ?p king)) (opponent ?p ?q)
        (hits ?q ?a ?k ?f) (distinct ?a ?c) (not (blocks ?a ?c ?k)))
    (<= (blocks ?a ?b ?c) (ray ?d ?a ?b) (ray ?d ?b ?c))
    (<= (ray ?d ?a ?b) (step ?d ?a ?b)) (<= (ray ?d ?a ?b) (step ?d ?a ?c) (ray ?d ?c ?b))
    """


def amazons(size: int) -> str:
    """A move names where a queen stands, where it goes, and where it shoots."""
    numbers = range(1, size + 1)
    queens = {(1, 2): "white", (2, 1): "white", (size, size - 1): "black", (size - 1, size): "black"}
    men = "".join(f"(init (cell {x} {y} {role}))" for (x, y), role in queens.items())
    steps = {f"d{i}": (x, y) for i, (x, y) in enumerate((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)}
    men += "".join(
        f"(step {d} {x} {y} {x + u} {y + v})"
        for d, (u, v) in steps.items()
        for x in numbers
        for y in numbers
        if x + u in numbers and y + v in numbers
    )
    return f"""{_NEXT_PLY}{"".join(f"(index {i})" for i in numbers)}{men}
    (<= (legal ?p (move ?u ?v ?x ?y ?s ?t)) (true (control ?p)) (true (cell ?u ?v ?p)) (slide ?d ?u ?v ?x ?y ?u ?v)
        (slide ?e ?x ?y ?s ?t ?u ?v))
    (<= (slide ?d ?u ?v ?x ?y ?i ?j) (step ?d ?u ?v ?x ?y) (open ?x ?y ?i ?j))
    (<= (slide ?d ?u ?v ?x ?y ?i ?j) (step ?d ?u ?v ?e ?f) (open ?e ?f ?i ?j) (slide ?d ?e ?f ?x ?y ?i ?j))
    (<= (open ?i ?j ?i ?j) (index ?i) (index ?j)) (<= (occupied ?x ?y) (true (cell ?x ?y ?p)))
    (<= (open ?x ?y ?i ?j) (index ?x) (index ?y) (index ?i) (index ?j) (not (occupied ?x ?y)))
    (<= (next (cell ?x ?y ?p)) (does ?p (move ?u ?v ?x ?y ?s ?t)))
    (<= (next (cell ?s ?t arrow)) (does ?p (move ?u ?v ?x ?y ?s ?t)))
    (<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m)) (not (left ?x ?y)))
    (<= (left ?u ?v) (does ?p (move ?u ?v ?x ?y ?s ?t)))
    (<= (stuck ?p) (true (control ?p)) (not (can_move ?p))) (<= (can_move ?p) (legal ?p (move ?u ?v ?x ?y ?s ?t)))
    (<= terminal (stuck ?p)) (<= (goal ?p 0) (stuck ?p)) (<= (goal ?q 100) (stuck ?p) (opponent ?p ?q))
    (<= (goal ?p 50) (role ?p) (not (stuck white)) (not (stuck black)))
    """
