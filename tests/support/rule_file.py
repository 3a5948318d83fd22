"""Rule files under construction: their vocabulary, patterns that rules may use, and rules that mix them at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from random import Random
from typing import Any

from support.odd_names import CONSTANTS, FUNCTIONS, KEYWORDS, RELATIONS
from support.oracle import read

#: A symbol or variable, or a list in parentheses.
Tree = Any

#: The relation with all terms of a type.
_GUARDS = {"n": "number", "x": "number", "y": "number", "r": "role", "p": "content", "c": "place", "d": "direction"}
#: Symbols that keep their names, besides numbers.
_KEPT = {*KEYWORDS, "<="} - {"random"}


class RuleFile:
    """The statements of a game so far, and the patterns that its rules may use."""

    def __init__(self, random: Random) -> None:
        """Choose the sizes, the roles and the way in which cells are named."""
        self.random = random
        self.statements: list[Tree] = []
        #: Patterns of conditions: that depend on nothing, on the state, or on the moves.
        self.static: list[str] = []
        self.state: list[str] = []
        self.done: list[str] = []
        #: Patterns of facts and of moves, the latter with the condition of their turn.
        self.facts: list[str] = []
        self.moves: list[tuple[str, str]] = []
        self.names = 0
        self.last = random.randint(2, 4)
        self.roles = random.choice(
            (["red"], ["red", "blue"], ["red", "blue"], ["red", "blue"], ["red", "blue", "green"])
        )
        self.contents = ["empty", *self.roles[:2], *random.sample(["wall", "gem"], random.choice((0, 0, 1)))]
        self.named = random.random() < 0.4  # some rules name a role, so that roles differ
        self.style = random.choice(("xy", "xy", "sq", "c"))
        width, height = random.choice(
            ((2, 2), (2, 2), (2, 2), (2, 2), (3, 1), (3, 1), (3, 1), (3, 2), (3, 2), (4, 1), (4, 1), (5, 2))
        )
        self.last = max(self.last, width, height)
        self.cells = [self.cell(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
        self.steps = random.randint(2, 6)
        self.turns = random.choice(
            ("all", "control", "control", "phases") if len(self.roles) > 1 else ("all", "phases")
        )

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def add(self, text: str) -> None:
        self.statements += read(text)

    def fresh(self, name: str) -> str:
        """A name that no other relation has."""
        self.names += 1
        return f"{name}{self.names}"

    def cell(self, x: int, y: int) -> str:
        """The text of a cell, as one or two arguments."""
        return {"xy": f"{x} {y}", "sq": f"(sq {x} {y})", "c": f"c{x}{y}"}[self.style]

    def at(self, number: int | str = "") -> str:
        """The text of a variable cell."""
        return {"xy": f"?x{number} ?y{number}", "sq": f"(sq ?x{number} ?y{number})", "c": f"?c{number}"}[self.style]

    # Mixed rules

    def terms(self, kind: str) -> list[str]:
        """The constants of a type that mixed rules may name."""
        found = {"r": self.roles if self.named else [], "p": self.contents, "c": self.cells, "d": ["ahead", "aside"]}
        return found.get(kind, [str(number) for number in range(self.last + 1)])

    def filled(self, pattern: str, joined: bool = False) -> Tree:
        """A pattern with variables that other patterns have, too, cell by cell; if `joined`, those of a whole rule."""
        random, cells = self.random, {}
        share = 0.04 if joined else 0.12

        def chosen(name: str) -> str:
            kind, number = name[1], name[2:]
            if kind in "xyc":
                number = number if joined else cells.setdefault(number, str(random.randint(1, 2)))
                if kind != "c" and random.random() < share:
                    kind, number = "n", str(random.randint(1, 2))
            elif kind == "r":
                number = "1" if joined or random.random() < 0.7 else "2"
            else:
                number = str(random.randint(1, 3 if kind == "n" else 2))
            terms = self.terms(kind) if random.random() < share else []
            return random.choice(terms) if terms else f"?{kind}{number}"

        def term(tree: Tree) -> Tree:
            if not isinstance(tree, str):
                return tuple(map(term, tree))
            return chosen(tree) if tree.startswith("?") else tree

        return term(read(pattern)[0])

    def condition(self, above: Sequence[str], below: Sequence[str]) -> Tree:
        """A condition on some patterns, negated only if they are among the latter."""
        kind = self.random.random()
        if kind < 0.1:
            one, other = self.random.choice((("?n1", "?n2"), ("?p1", "?p2"), ("?r1", "?r2"), ("?n2", "?n3")))
            return ("distinct", one, other)
        if kind < 0.2:
            return ("or", *(self.filled(self.random.choice(above)) for _ in range(self.random.choice((2, 2, 3)))))
        if kind < 0.45 and below:
            return ("not", self.filled(self.random.choice(below)))
        return self.filled(self.random.choice(above))

    def mixed(self, head: str, above: Sequence[str], below: Sequence[str], *given: str, most: int = 3) -> None:
        """Add a rule with given conditions, and others at random."""
        while True:
            top, *body = (self.filled(pattern, True) for pattern in (head, *given))
            least = len(variables((top, *body)))
            body += [self.condition(above, below) for _ in range(self.random.randint(0 if given else 1, most))]
            if len(variables((top, *body))) <= max(self.random.choice((3, 4, 4)), least):
                break
        loose = {v for literals in alternatives(("and", *body), True) for v in loose_variables(top, literals)}
        body += [(_GUARDS[variable[1]], variable) for variable in sorted(loose)]
        self.statements.append(("<=", top, *body))

    def helper(self, name: str, pool: list[str], above: Sequence[str], below: Sequence[str]) -> str:
        """Add a relation with one to three mixed rules, one of them recursive at times, and return its pattern."""
        kinds = self.random.choices("nnnpr", k=self.random.choice((0, 1, 1, 2, 2, 3, 3, 4)))
        pattern = f"({self.fresh(name)} {' '.join(f'?{kind}' for kind in kinds)})"
        for _ in range(self.random.choice((1, 1, 2))):
            self.mixed(pattern, above, below)
        if self.chance(0.25) and kinds:
            self.mixed(pattern, [pattern, pattern, *above], below, pattern)
        pool.append(pattern)
        return pattern

    def some(self, motifs: Sequence[Callable[[RuleFile], None]], least: int, most: int) -> None:
        """Add some motifs of a kind, in their order."""
        count = min(len(motifs), self.random.randint(least, most))
        for number in sorted(self.random.sample(range(len(motifs)), count)):
            motifs[number](self)

    # Moves

    def move(self, name: str, arguments: str, turn: str = "") -> str:
        """A new kind of move, whose name may have an argument that nothing else uses, or be nested."""
        text = f"({self.fresh(name)} {arguments})"
        if self.chance(0.15):
            text = f"(act {text})"
        self.moves.append((text, turn or self.turn()))
        self.done.append(f"(does ?r {text})")
        return text

    def turn(self, phase: str = "move") -> str:
        return {
            "all": "(role ?r)",
            "control": "(true (control ?r))",
            "phases": f"(true (turn ?r {phase}))",
        }[self.turns]

    def turns_taken(self) -> None:
        """Who moves when: all at once, in turn, or in phases."""
        for one, other in pairwise([*self.roles, self.roles[0]]):
            self.add(f"(follows {one} {other})")
        self.static.append("(follows ?r ?r)")
        waits = ""
        if self.turns == "phases":
            self.add(f"(init (turn {self.roles[0]} move)) (<= (next (turn ?r fire)) (true (turn ?r move)))")
            self.add("(<= (next (turn ?s move)) (true (turn ?r fire)) (follows ?r ?s))")
            self.add("(<= (on_turn ?r) (true (turn ?r ?any)))")
            self.state += ["(true (turn ?r move))", "(true (turn ?r fire))"]
            waits = "(not (on_turn ?r))"
        elif self.turns == "control":
            self.add(f"(init (control {self.roles[0]}))")
            again = ""
            if self.chance(0.25):  # sometimes a role moves twice
                self.add("(<= (again ?r) (true (control ?r)) (true (step 1))) (<= (next (control ?r)) (again ?r))")
                again = "(not (again ?r))"
            self.add(f"(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s) {again})")
            self.state.append("(true (control ?r))")
            waits = "(not (true (control ?r)))"
        if waits:
            self.add(f"(<= (legal ?r noop) (role ?r) {waits})")

    def spelled(self) -> list[Tree]:
        """The statements with other names for all but keywords and numbers."""
        relations: dict[str, None] = {}
        symbols: dict[str, None] = {}

        def note(tree: Tree) -> None:
            if isinstance(tree, str):
                symbols[tree] = None
            for part in tree if not isinstance(tree, str) else ():
                note(part)

        for statement in self.statements:
            note(statement)
            head = statement[1] if statement[0] == "<=" else statement
            relations[head if isinstance(head, str) else head[0]] = None
        pools = [RELATIONS, sorted({*FUNCTIONS, *CONSTANTS})]
        names: dict[str, str] = {}
        taken = {symbol.lower() for symbol in symbols} | _KEPT
        for symbol in symbols:
            pool = [n for n in pools[symbol not in relations] if n.lower() not in taken and not n.lstrip("-").isdigit()]
            if symbol not in _KEPT and symbol[0] not in "?0123456789" and pool and self.chance(0.5):
                names[symbol] = self.random.choice(pool)
                taken.add(names[symbol].lower())
        return [renamed(statement, names) for statement in self.statements]


# What a rule needs to be safe


def variables(tree: Tree) -> set[str]:
    if isinstance(tree, str):
        return {tree} if tree.startswith("?") else set()
    return {variable for part in tree for variable in variables(part)}


def renamed(tree: Tree, names: dict[str, str]) -> Tree:
    return names.get(tree, tree) if isinstance(tree, str) else tuple(renamed(part, names) for part in tree)


def alternatives(tree: Tree, positive: bool) -> Iterator[list[tuple[Tree, bool]]]:
    """The ways in which a condition holds (or does not): atoms and inequalities, and whether they hold."""
    match tree:
        case ("not", part):
            yield from alternatives(part, not positive)
        case ("and" | "or" as name, *parts):
            ways = [list(alternatives(part, positive)) for part in parts]
            if (name == "and") == positive:
                yield from ([literal for way in chosen for literal in way] for chosen in product(*ways))
            else:
                yield from (way for some in ways for way in some)
        case _:
            yield [(tree, positive)]


def loose_variables(head: Tree, literals: list[tuple[Tree, bool]]) -> set[str]:
    """The variables that nothing binds."""
    bound = {v for tree, positive in literals if positive and tree[0] != "distinct" for v in variables(tree)}
    equal = [tree[1:] for tree, positive in literals if not positive and tree[0] == "distinct"]
    for one, other in [*equal, *((b, a) for a, b in equal)] * len(equal):
        if variables(one) <= bound:
            bound |= variables(other)
    return (variables(head) | {v for tree, positive in literals for v in variables(tree)}) - bound
