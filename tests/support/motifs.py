"""Motifs of rule files: each adds some rules that are found in many of them, and the patterns that others may use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from support.oracle import read
from support.rule_file import RuleFile


def _needed(file: RuleFile, pattern: str, motif: Callable[[RuleFile], None]) -> None:
    """Add a motif unless there is a pattern that begins so."""
    if not any(known.startswith(pattern) for known in (*file.static, *file.facts)):
        motif(file)


# Static tables


def _less(file: RuleFile) -> None:
    file.add("(<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (succ ?a ?b) (less ?b ?c))")
    file.static += ["(less ?n ?n)"] * 2
    if file.chance(0.5):
        file.add("(<= (between ?a ?b ?c) (less ?a ?b) (less ?b ?c))")
        file.static.append("(between ?n ?n ?n)")


def _sum(file: RuleFile) -> None:
    """Sums by recursion, and journeys by sums: five columns, as wide tables of rule files often are."""
    file.add("(<= (sum ?a 0 ?a) (number ?a)) (<= (sum ?a ?b ?c) (succ ?b1 ?b) (succ ?c1 ?c) (sum ?a ?b1 ?c1))")
    file.static.append("(sum ?n ?n ?n)")
    if file.chance(0.4):
        file.add("(<= (journey ?a ?b ?c ?d ?e) (sum ?a ?c ?e) (sum ?b ?d ?e))")
        if file.chance(0.5):
            file.add("(<= (journey ?a ?b ?c ?d ?e) (sum ?c ?e ?a) (sum ?d ?e ?b))")
        file.static += ["(journey ?n ?n ?n ?n ?n)"] * 2
    elif file.chance(0.4):
        file.add("(<= (far ?a ?b ?c ?d ?e ?f) (sum ?a ?e ?c) (sum ?b ?f ?d))")
        file.static.append("(far ?n ?n ?n ?n ?n ?n)")


def _near(file: RuleFile) -> None:
    """Neighbours of cells, by arithmetic or one by one."""
    file.add("(<= (step_to ?a ?b) (succ ?a ?b)) (<= (step_to ?a ?b) (succ ?b ?a))")
    one, other = (file.at(1), file.at(2)) if file.style != "c" else ("", "")
    if file.style == "c":
        for first, second in pairwise(file.cells):
            file.add(f"(near {first} {second} ahead) (near {second} {first} aside)")
    else:
        across = other.replace("?x2", "?x1"), other.replace("?y2", "?y1")
        places = f"(place {one}) (place {{}})"
        file.add(f"(<= (near {one} {across[0]} ahead) {places.format(across[0])} (step_to ?y1 ?y2))")
        file.add(f"(<= (near {one} {across[1]} aside) {places.format(across[1])} (step_to ?x1 ?x2))")
    file.static += [f"(near {file.at(1)} {file.at(2)} ?d)"] * 2
    if file.chance(0.5):  # as far as one likes in a direction
        at = [file.at(number) for number in (1, 2, 3)]
        file.add(f"(<= (ray {at[0]} {at[1]} ?d) (near {at[0]} {at[1]} ?d))")
        file.add(f"(<= (ray {at[0]} {at[2]} ?d) (near {at[0]} {at[1]} ?d) (ray {at[1]} {at[2]} ?d))")
        file.static.append(f"(ray {at[0]} {at[1]} ?d)")


def _alike(file: RuleFile) -> None:
    """Things that share a property: a wide relation that says less than it has rows."""
    width = file.random.choice((3, 3, 4))
    for number in range(file.last + 1):
        file.add(f"(shape {number} {file.random.choice(('round', 'flat'))})")
    names = [f"?n{number}" for number in range(width)]
    shapes = " ".join(f"(shape {name} ?s)" for name in names)
    file.add(f"(<= (alike {' '.join(names)}) {shapes})")
    file.static += [f"(alike {' '.join(['?n'] * width)})"] * 2


def _listed(file: RuleFile) -> None:
    """A table of facts, with three or four columns."""
    kinds = file.random.choices("nnpr", k=file.random.choice((3, 4)))
    terms = {kind: file.terms(kind) or file.roles for kind in kinds}
    for _ in range(file.random.randint(2, 6)):
        file.add(f"(table {' '.join(file.random.choice(terms[kind]) for kind in kinds)})")
    file.static.append(f"(table {' '.join(f'?{kind}' for kind in kinds)})")


def _static_helpers(file: RuleFile) -> None:
    for _ in range(file.random.randint(1, 2)):
        file.helper("table", file.static, list(file.static), list(file.static))


def _different(file: RuleFile) -> None:
    """Two cells differ."""
    one, other = file.at(1), file.at(2)
    places = f"(place {one}) (place {other})"
    if file.style == "c":
        file.add(f"(<= (different {one} {other}) {places} (distinct {one} {other}))")
    elif file.chance(0.5):
        file.add(f"(<= (different {one} {other}) {places} (or (distinct ?x1 ?x2) (distinct ?y1 ?y2)))")
    else:
        file.add(f"(<= (different {one} {other}) {places} (distinct ?x1 ?x2))")
        file.add(f"(<= (different {one} {other}) {places} (distinct ?y1 ?y2))")
    file.static.append(f"(different {one} {other})")


# Facts


def _board(file: RuleFile) -> None:
    """Cells with contents."""
    blank = file.chance(0.5)
    for cell in file.cells:
        file.add(f"(init (cell {cell} {'empty' if blank else file.random.choice(file.contents)}))")
    file.facts.append(f"(cell {file.at()} ?p)")


def _pieces(file: RuleFile) -> None:
    """Where pieces are, one or two of each role."""
    for content in file.contents[1:]:
        file.add(f"(init (at {content} {file.random.choice(file.cells)}))")
    file.facts.append(f"(at ?p {file.at()})")


def _walls(file: RuleFile) -> None:
    """Facts that never change."""
    for cell in file.random.sample(file.cells, 2):
        file.add(f"(init (closed {cell} {file.random.choice(('ahead', 'aside'))}))")
    file.add(f"(<= (next (closed {file.at()} ?d)) (true (closed {file.at()} ?d)))")
    file.state += [f"(true (closed {file.at()} ?d))"] * 2


def _spot(file: RuleFile) -> None:
    """One place by numbers."""
    file.add(f"(init (spot {file.random.randint(0, 2)} {file.random.randint(0, 2)}))")
    file.facts.append("(spot ?n ?n)")


def score(file: RuleFile) -> None:
    """A number for each role."""
    file.add("(<= (init (score ?r 0)) (role ?r))")
    file.facts.append("(score ?r ?n)")


def _flags(file: RuleFile) -> None:
    file.add("(init (flag 1))")
    file.facts += ["(flag ?n)", "lit"]


# Helpers


def _state_helpers(file: RuleFile) -> None:
    """Helpers over helpers, some with many columns, that are read more than once, and negated higher up."""
    for _ in range(file.random.randint(1, 4)):
        every = [*file.static, *file.state]
        file.helper("helper", file.state, [*every, *file.state], every)


def _rows(file: RuleFile) -> None:
    """Cells of one content in a line: recursion, or a condition for each of them."""
    _needed(file, "(cell", _board)
    if file.style == "c" or file.chance(0.3):
        at = [file.at(number) for number in (1, 2, 3)]
        cells = " ".join(f"(true (cell {cell} ?p))" for cell in at)
        file.add(f"(<= (row ?p) {cells} (after {at[0]} {at[1]}) (after {at[1]} {at[2]}))")
    else:
        fact = f"(cell {file.at(1)} ?p)"
        line = [fact.replace("?y1", f"{number}") for number in (1, 2)]
        file.add(f"(<= (row ?p) (content ?p) {' '.join(f'(true {one})' for one in line)})")
        across = [fact.replace("?x1", f"{number}") for number in (1, 2)]
        file.add(f"(<= (row ?p) {' '.join(f'(true {one})' for one in across)})")
    file.add(f"(<= some_empty (true (cell {file.at()} empty)))")
    file.state += ["(row ?p)", "(row ?r)", "some_empty"]


def _pattern(file: RuleFile) -> None:
    """Contents of several cells that are alike by a wide table: each cell has a variable of its own."""
    file.add("(<= (init (mark ?n ?m)) (succ ?n ?m))")
    file.facts.append("(mark ?n ?n)")
    tables = [
        pattern for pattern in file.static if pattern.count("?n") >= 3 and "?p" not in pattern and "?r" not in pattern
    ]
    if not tables:
        _alike(file)
        tables = file.static[-1:]
    table = read(file.random.choice(tables))[0]
    columns = [f"?n{number}" for number in range(len(table) - 1)]
    places = [file.random.choice((*file.terms("n"), "?k")) for _ in columns]
    marks = " ".join(f"(true (mark {place} {column}))" for place, column in zip(places, columns, strict=True))
    head = "(matched ?k) (number ?k)" if "?k" in places else "(matched 1)"
    file.add(f"(<= {head} {marks} ({table[0]} {' '.join(columns)}))")
    file.state.append("(matched ?n)")


def _count(file: RuleFile) -> None:
    """The number of cells with some content: an accumulator that goes over all of them."""
    _needed(file, "(cell", _board)
    one, other, first, last = file.at(1), file.at(2), file.cells[0], file.cells[-1]
    file.add(f"(<= (count ?p {first} 1) (true (cell {first} ?p)))")
    file.add(f"(<= (count ?p {first} 0) (content ?p) (not (true (cell {first} ?p))))")
    step = f"(count ?p {one} ?n) (after {one} {other})"
    file.add(f"(<= (count ?p {other} ?m) {step} (true (cell {other} ?p)) (tick ?n ?m))")
    file.add(f"(<= (count ?p {other} ?n) {step} (not (true (cell {other} ?p))))")
    file.add(f"(<= (total ?p ?n) (count ?p {last} ?n))")
    file.state.append("(total ?p ?n)")
    if file.chance(0.5):
        file.add("(<= (ahead_of ?n ?m) (tick ?m ?n)) (<= (ahead_of ?n ?m) (tick ?k ?n) (ahead_of ?k ?m))")
        file.add("(<= (leads ?p ?q) (total ?p ?n) (total ?q ?m) (ahead_of ?n ?m))")
        file.state += ["(leads ?p ?p)"] * 2


def _joined(file: RuleFile) -> None:
    """Cells of a content that are joined: recursion that depends on the state."""
    _needed(file, "(cell", _board)
    one, other, third = (file.at(number) for number in (1, 2, 3))
    link = f"(or (after {one} {other}) (after {other} {one}))"
    file.add(f"(<= (joined {one} {other} ?p) (true (cell {one} ?p)) {link} (true (cell {other} ?p)))")
    file.add(f"(<= (joined {one} {third} ?p) (joined {one} {other} ?p) (joined {other} {third} ?p))")
    file.state.append(f"(joined {one} {other} ?p)")


def _spreading(file: RuleFile) -> None:
    """Cells that can be reached from those of a role over empty ones."""
    _needed(file, "(cell", _board)
    one, other = file.at(1), file.at(2)
    link = f"(or (after {one} {other}) (after {other} {one}))"
    file.add(f"(<= (reached ?r {one}) (owns ?r ?p) (true (cell {one} ?p)))")
    file.add(f"(<= (reached ?r {other}) (reached ?r {one}) {link} (true (cell {other} empty)))")
    file.state += [f"(reached ?r {one})"] * 2


def _history(file: RuleFile) -> None:
    """The boards of the last plies, and whether one comes again."""
    _needed(file, "(cell", _board)
    at, most = file.at(), file.random.choice((2, 4, 9))
    file.add(" ".join(f"(recent {number})" for number in range(1, most + 1)))
    file.add(f"(<= (next (was 1 {at} ?p)) (true (cell {at} ?p)))")
    file.add(f"(<= (next (was ?m {at} ?p)) (true (was ?n {at} ?p)) (tick ?n ?m) (recent ?m))")
    file.add(f"(<= (differs ?n) (true (was ?n {at} ?p)) (not (true (cell {at} ?p))))")
    file.add(f"(<= (again ?n ?k) (recent ?n) (true (was ?n {file.cells[0]} ?k)) (not (differs ?n)))")
    file.state += ["(again ?n ?p)", f"(true (was ?n {at} ?p))"]


# Moves, and what they do


def _marking(file: RuleFile) -> None:
    """Cells are marked; the others stay, as is said in one of several ways."""
    _needed(file, "(cell", _board)
    at, other = file.at(), file.at(2)
    label = file.random.choice(("", "", "?n"))
    turn = file.turn(file.random.choice(("move", "fire")))
    mark = file.move("mark", f"{at} {label}", turn)
    named = f"(number {label})" if label else ""
    file.add(f"(<= (legal ?r {mark}) {turn} (true (cell {at} empty)) {named})")
    file.add(f"(<= (next (cell {at} ?p)) (does ?r {mark}) (owns ?r ?p))")
    there = mark.replace(at, other)
    _frame(file, f"(cell {at} ?p)", [mark], [f"(does ?r {there}) " + _apart(file, at, other)])


def _apart(file: RuleFile, one: str, other: str) -> str:
    _needed(file, "(different", _different)
    if file.style == "c" or file.chance(0.5):
        return f"(different {one} {other})"
    first, second = (read(cell) if file.style == "xy" else read(cell)[0][1:] for cell in (one, other))
    parts = [f"(distinct {a} {b})" for a, b in zip(first, second, strict=True)]
    return f"(or {' '.join(parts)})" if file.chance(0.7) else parts[0]


def _frame(file: RuleFile, fact: str, touching: Sequence[str], apart: Sequence[str]) -> None:
    """What stays as it is: all that no move touches, or what differs from what the move names."""
    if file.chance(0.5):
        place = fact[fact.index(" ") + 1 : -4]
        for move in touching:
            file.add(f"(<= (touched {place}) (does ?r {move}))")
        file.add(f"(<= (next {fact}) (true {fact}) (not (touched {place})))")
        file.done.append(f"(touched {place})")
    else:
        for conditions in apart:
            file.add(f"(<= (next {fact}) (true {fact}) {conditions})")
        file.add(f"(<= (next {fact}) (true {fact}) (does ?r rest))")


def _moving(file: RuleFile) -> None:
    """Contents move from one cell to another: near it, far along a line, or as far as the cells are empty."""
    _needed(file, "(cell", _board)
    _needed(file, "(near", _near)
    at, one, other, third = file.at(), file.at(1), file.at(2), file.at(3)
    turn, kind = file.turn(), file.random.choice(("near", "ray", "open"))
    move = file.move("move", f"{one} {other}", turn)
    if kind == "open":
        step = f"(near {one} {other} ?d) (true (cell {other} empty))"
        file.add(f"(<= (open {one} {other} ?d) {step}) (<= (open {one} {third} ?d) {step} (open {other} {third} ?d))")
        file.state.append(f"(open {one} {other} ?d)")
    elif not any(known.startswith(f"({kind}") for known in file.static):
        kind = "near"
    free = f"(not (true (cell {other} ?p)))"
    line = f"({kind} {one} {other} ?d)"
    file.add(f"(<= (legal ?r {move}) {turn} (owns ?r ?p) (true (cell {one} ?p)) {line} {free})")
    file.add(f"(<= (next (cell {one} empty)) (does ?r {move}))")
    file.add(f"(<= (next (cell {other} ?p)) (does ?r {move}) (owns ?r ?p))")
    both = f"(does ?r {move}) {_apart(file, at, one)} {_apart(file, at, other)}"
    _frame(file, f"(cell {at} ?p)", [move.replace(one, at).replace(other, one), move.replace(other, at)], [both])


def _pushing(file: RuleFile) -> None:
    """A piece goes to a place, if none is closed there."""
    _needed(file, "(at ", _pieces)
    at, other, turn = file.at(), file.at(2), file.turn(file.random.choice(("move", "fire")))
    push = file.move("push", f"?p {at}", turn)
    blocked = f"(not (true (at {file.contents[1]} {at})))" if file.chance(0.5) else ""
    file.add(f"(<= (legal ?r {push}) {turn} (owns ?r ?p) (true (at ?p {other})) (after {other} {at}) {blocked})")
    file.add(f"(<= (legal ?r {push}) {turn} (owns ?r ?p) (true (at ?p {other})) (after {at} {other}))")
    file.add(f"(<= (next (at ?p {at})) (does ?r {push})) (<= (pushed ?p) (does ?r {push}))")
    file.add(f"(<= (next (at ?p {at})) (true (at ?p {at})) (not (pushed ?p)))")
    file.done += ["(pushed ?p)", "(pushed ?r)"]


def _going(file: RuleFile) -> None:
    """A number is chosen, and the next place is found by arithmetic."""
    _needed(file, "(spot", _spot)
    _needed(file, "(sum", _sum)
    turn = file.turn()
    go = file.move("go", "?n", turn)
    file.add(f"(<= (legal ?r {go}) {turn} (succ ?n ?m)) (<= (start ?a ?b ?n) (true (spot ?a ?b)) (does ?r {go}))")
    wide = [known for known in file.static if "(journey" in known or "(far" in known]
    for _ in range(file.random.choice((1, 1, 1, 2))):
        if file.chance(0.7):  # a table that nothing else reads
            path = file.fresh("path")
            file.add(f"(<= ({path} ?a ?b ?c ?d ?e) (sum ?a ?c ?e) (sum ?b ?d ?e))")
            file.add(f"(<= (next (spot ?c ?d)) (start ?a ?b ?n) ({path} ?a ?b ?c ?d ?n))")
        elif not wide or file.chance(0.3):
            file.add("(<= (next (spot ?c ?b)) (start ?a ?b ?n) (sum ?a ?n ?c))")
        elif "(journey" in wide[0]:
            file.add("(<= (next (spot ?c ?d)) (start ?a ?b ?n) (journey ?a ?b ?c ?d ?n))")
        else:
            file.add("(<= (next (spot ?c ?d)) (start ?a ?b ?n) (far ?a ?b ?c ?d ?n ?n))")
        file.add("(<= (next (spot ?a ?b)) (true (spot ?a ?b)) (does ?r rest))")
    if file.chance(0.2):
        file.done.append("(start ?n ?n ?n)")


def _bidding(file: RuleFile) -> None:
    """Roles bid at once; scores depend on all bids."""
    _needed(file, "(score", score)
    _needed(file, "(less", _less)
    turn = file.turn("fire")
    bid = file.move("bid", "?n", turn)
    file.add(f"(<= (legal ?r {bid}) {turn} (true (score ?r ?m)) (number ?n) (distinct ?n ?m))")
    other = bid.replace("?n", "?m")
    file.add(f"(<= (outbid ?r) (does ?r {bid}) (does ?s {other}) (less ?n ?m)) (<= (bids ?r ?n) (does ?r {bid}))")
    file.add("(<= (next (score ?r ?m)) (true (score ?r ?n)) (gains ?r) (succ ?n ?m))")
    file.add("(<= (next (score ?r ?n)) (true (score ?r ?n)) (not (gains ?r)))")
    file.add("(<= (gains ?r) (bids ?r ?n) (not (outbid ?r)))")
    file.done += ["(outbid ?r)", "(bids ?r ?n)", "(gains ?r)"]


def _toggling(file: RuleFile) -> None:
    """Facts that change and stay as whole facts."""
    _needed(file, "(flag", _flags)
    turn = file.turn()
    flip = file.move("flip", "?n", turn)
    file.add(f"(<= (option ?r {flip}) {turn} (number ?n)) (<= (legal ?r ?m) (option ?r ?m))")
    file.add(f"(<= (lost (flag ?n)) (does ?r {flip}) (true (flag ?n)))")
    file.add(f"(<= (next (flag ?n)) (does ?r {flip}) (not (true (flag ?n))))")
    file.add("(<= (stays (flag ?n)) (number ?n)) (stays lit) (<= (next ?f) (true ?f) (stays ?f) (not (lost ?f)))")


# Events: what depends on the moves


def _event_helpers(file: RuleFile) -> None:
    for _ in range(file.random.randint(1, 2)):
        every = [*file.static, *file.state, *file.done]
        file.helper("event", file.done, [*file.done, *file.done, *every], every)


def _shared_wide(file: RuleFile) -> None:
    """A wide helper that two rules read, with different columns known."""
    every = [*file.static, *file.state]
    numbers = " ".join(f"?n{number}" for number in range(1, file.random.choice((3, 4, 4)) + 1))
    file.mixed(f"(wide {numbers})", every, every, file.random.choice(every), most=1)
    for _ in range(2):
        file.mixed(
            f"(next {file.random.choice(file.facts)})",
            [*file.done, *every],
            every,
            f"(wide {numbers})",
            file.random.choice(file.done),
        )


STATIC = (_less, _sum, _near, _alike, _listed, _different, _static_helpers)
FACTS = (_board, _pieces, _walls, _spot, score, _flags)
HELPERS = (_rows, _pattern, _count, _joined, _spreading, _history, _state_helpers, _state_helpers)
MOVES = (_marking, _moving, _pushing, _going, _bidding, _toggling)
EVENTS = (_event_helpers, _event_helpers, _shared_wide)
