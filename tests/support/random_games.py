"""Random games as text: finite, safe and stratified, and odd in every way that the language allows.

Functions are built over the terms of one relation, `dom`, or over arguments of facts, and never over whole facts or
moves. So there are finitely many terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from support.odd_names import BLANKS, CONSTANTS, FUNCTIONS, KEYWORDS, NUMBERS, RELATIONS, ROLES
from support.random_rule_files import rule_file
from support.rule_file import Tree, alternatives, loose_variables, renamed, variables

Signature = tuple[str, int]


@dataclass
class _Game:
    """Draws one game: the names first, then the statements."""

    random: Random
    statements: list[Tree] = field(default_factory=list)

    # Names

    def __post_init__(self) -> None:
        random = self.random
        self.small = random.random() < 0.85
        names = self._names(RELATIONS, 16)
        self.constants = self._names(CONSTANTS, 3 if self.small else 4) + self._names(
            KEYWORDS, random.choice((0, 0, 1))
        )
        shared = [*self.constants, *names[:6]]
        self.functions = [(self._name(FUNCTIONS, shared), random.choice((1, 1, 2))) for _ in range(2)]
        if random.random() < 0.3:
            self.functions.append((self.functions[0][0], 3 - self.functions[0][1]))
        shapes = [(self._name(FUNCTIONS, shared), random.choice((0, 1, 1, 2))) for _ in range(3)]
        self.shapes = list(dict.fromkeys([*shapes, (shapes[0][0], random.choice((0, 1, 2))), ("flag", 0)]))
        moves = [(self._name(FUNCTIONS, shared), random.choice((0, 1, 1, 2))) for _ in range(2)]
        self.moves = list(dict.fromkeys([*moves, ("noop", 0), *random.sample(self.shapes, 1)]))
        self.roles: list[Tree] = list(self._names(ROLES, random.choice((1, 2, 2, 3))))
        if random.random() < 0.05:
            self.roles[0] = ("player", self.constants[0])
        arities = [1, 1, 1, 2, 0, 1, 2, 0, 1, 2, 1, 0, 1, 2, 1, 1]
        self.dom = names[0]
        relations = list(zip(names, arities, strict=True))
        if random.random() < 0.3:
            relations[3] = (relations[2][0], 2)  # one name, two arities
        if random.random() < 0.15:
            relations[6] = (relations[7][0], 1)
        self.facts, self.split = relations[1:4], relations[15]
        self.ghost = [(relations[14][0], 1)] if random.random() < 0.2 else []
        self.static = self._groups(random.sample(relations[4:7], 1 if self.small else 2))
        some = random.sample(relations[7:11], 1 if self.small else 3)
        self.state = self._groups([*some, ("legal", 2), ("goal", 2), ("terminal", 0)])
        self.after = [
            *self._groups(random.sample(relations[11:13], random.choice((0, 1) if self.small else (1, 2)))),
            [("sees", 2)],
        ]
        self.whole = random.random() < 0.8  # variables for whole facts and moves

    def _names(self, pool: Sequence[str], count: int) -> list[str]:
        return self.random.sample(pool, count)

    def _name(self, pool: Sequence[str], shared: Sequence[str]) -> str:
        kind = self.random.random()
        return self.random.choice(pool if kind < 0.7 else shared if kind < 0.95 else KEYWORDS)

    def _groups(self, relations: list[Signature]) -> list[list[Signature]]:
        """The relations in a random order; those of a group may need each other."""
        self.random.shuffle(relations)
        groups: list[list[Signature]] = []
        for relation in relations:
            if groups and self.random.random() < 0.45:
                groups[-1].append(relation)
            else:
                groups.append([relation])
        return groups

    # Terms and atoms

    def ground(self) -> Tree:
        if self.random.random() < 0.75:
            return self.random.choice(self.constants)
        return self.random.choice(self.domain)

    def term(self) -> Tree:
        kind = self.random.random()
        if kind < 0.72:
            return self.random.choice(self.variables)
        return self.ground() if kind < 0.9 else self.pattern()

    def pattern(self) -> Tree:
        name, arity = self.random.choice(self.functions)
        return (name, *(self.random.choice([*self.variables, self.ground()]) for _ in range(arity)))

    def role(self) -> Tree:
        return self.random.choice([*self.roles, "?r", "?r", *self.variables[:1]])

    def shaped(self, shapes: Sequence[Signature]) -> Tree:
        name, arity = self.random.choice(shapes)
        return (name, *(self.term() for _ in range(arity))) if arity else name

    def atom(self, signature: Signature) -> Tree:
        name, arity = signature
        whole = self.whole and self.random.random() < 0.35
        if signature == ("true", 1):
            return (name, self.random.choice(self.variables) if whole else self.shaped(self.shapes))
        if signature in (("does", 2), ("legal", 2), ("input", 2)):
            return (name, self.role(), self.random.choice(self.variables) if whole else self.shaped(self.moves))
        if signature in (("init", 1), ("base", 1)):
            return (name, self.random.choice(self.variables) if whole else self.shaped(self.shapes))
        if signature in (("goal", 2), ("sees", 2)):
            return (name, self.role(), self.term())
        if signature == ("role", 1):
            return (name, self.role())
        if signature == self.split:
            return (name, self.random.choice([*self.constants, *self.variables]))
        return (name, *(self.term() for _ in range(arity))) if arity else name

    # Conditions

    def condition(self, above: Sequence[Signature], below: Sequence[Signature], depth: int, flipped: bool) -> Tree:
        """A condition; under an odd number of negations if `flipped`."""
        random = self.random
        kind = random.random()
        if depth and kind < 0.2:
            parts = random.choice((2, 2, 2, 3, 1, 0 if random.random() < 0.1 else 2))
            name = random.choice(("or", "or", "and"))
            return (name, *(self.condition(above, below, depth - 1, flipped) for _ in range(parts)))
        if depth and kind < 0.27:
            return ("not", self.condition(above, below, depth - 1, not flipped))
        kind = random.random()
        if kind < 0.12:
            tree: Tree = ("distinct", self.term(), self.term())
            return ("not", tree) if random.random() < 0.25 else tree
        negated = kind < 0.32 and bool(below)
        atom = self.atom(random.choice(below if negated else above))
        return ("not", atom) if negated != flipped else atom

    def rule(self, head: Tree, above: Sequence[Signature], below: Sequence[Signature], most: int = 3) -> None:
        """Add a rule with a head, positive conditions from `above` and negative ones from `below`."""
        random = self.random
        depth = random.choice((0, 0, 1, 2, 3))
        while True:
            body = [self.condition(above, below, depth, False) for _ in range(random.randint(1, most))]
            if len(flat := list(alternatives(("and", *body), True))) <= 8 and len(variables((head, *body))) <= max(
                3, len(variables(head))
            ):
                break
        loose = {v for alternative in flat for v in loose_variables(head, alternative)} | (
            variables(head) if not flat else set()
        )
        if len(loose) > 1 and random.random() < 0.7:  # fewer variables, as each of them multiplies the instances
            first, *others = sorted(loose)
            head, *body = (renamed(tree, dict.fromkeys(others, first)) for tree in (head, *body))
            loose = {first}
        built = self._built(head) - {v for tree in body for v in self._held(tree)}
        guards = [(self._guard(v, v in built), v) for v in sorted(loose | built)]
        for guard in guards:
            body.insert(random.randint(0, len(body)), guard)
        self.statements.append(("<=", head, *body))

    def _guard(self, variable: str, built: bool) -> str:
        return "role" if variable == "?r" and not built else self.dom

    def _built(self, head: Tree) -> set[str]:
        """The variables in functions of a head; they must not range over whole facts."""
        return (
            {v for arg in head[1:] if isinstance(arg, tuple) for v in variables(arg)} if head != "terminal" else set()
        )

    def _held(self, tree: Tree) -> set[str]:
        """The variables that a condition binds to arguments of facts or moves."""
        if isinstance(tree, tuple) and tree[0] in ("true", "does") and isinstance(tree[-1], tuple):
            return {arg for arg in tree[-1][1:] if isinstance(arg, str) and arg[0] == "?"}
        return set()

    def fresh(self) -> None:
        """Choose the variables of a rule."""
        self.variables = self.random.choice((["?x", "?y", "?z"], ["?x", "?x", "?y"], ["?_1", "?Foo", "?x"]))

    # Games

    def make(self) -> list[Tree]:
        random = self.random
        self.variables = ["?x", "?y", "?z"]
        self.domain: list[Tree] = list(self.constants)
        for name, arity in self.functions[:2]:
            self.domain.append((name, *(random.choice(self.constants) for _ in range(arity))))
        if random.random() < 0.4:
            name, arity = self.functions[0]
            self.domain.append((name, *([self.domain[-1]] * arity)))
        self.statements += [(self.dom, term) for term in self.domain]
        self._static()
        self._state()
        self._after()
        if random.random() < 0.15:
            self.statements.append(random.choice(self.statements))
        for i, statement in enumerate(self.statements):
            if statement[0] != "<=" and random.random() < 0.01:
                self.statements[i] = ("<=", statement)
        if random.random() < 0.7:
            random.shuffle(self.statements)
        return self.statements

    def _given(self, name: str, arity: int) -> Tree:
        return (name, *(self.ground() for _ in range(arity))) if arity else name

    def _static(self) -> None:
        random = self.random
        for role in self.roles:
            self.statements.append(("role", role))
        if random.random() < 0.06:
            self.fresh()
            self.statements.append(("<=", ("role", "?x"), (self.facts[0][0], "?x")))
        for name, arity in self.facts:
            self.statements += [self._given(name, arity) for _ in range(random.randint(0, 2 if self.small else 4))]
        known: list[Signature] = [*self.facts, (self.dom, 1), ("role", 1)]
        for group in self.static:
            self._rules(group, known, 2, group)
            known += group
        declared = random.random()
        for shape in self.shapes:
            for _ in range(random.choice((0, 1) if self.small else (1, 2))):
                self.statements.append(("init", self._given(*shape)))
        for _ in range(random.choice((0, 0, 1, 2))):
            self.fresh()
            head = ("init", random.choice(self.variables) if random.random() < 0.4 else self.shaped(self.shapes))
            self.rule(head, known, known, 2)
        if declared < 0.15:
            for _ in range(3):
                self.fresh()
                head = random.choice(
                    (("base", self.shaped(self.shapes)), ("input", self.role(), self.shaped(self.moves)))
                )
                self.rule(head, known, known, 1)
        if random.random() < 0.06:
            known.append(("init", 1))
        self.known = known

    def _rules(self, heads: list[Signature], known: list[Signature], most: int, group: list[Signature]) -> None:
        """Add rules for some relations of a group."""
        for signature in heads:
            for _ in range(self.random.randint(1, 2 if self.small and signature != ("legal", 2) else most)):
                self.fresh()
                own = group if self.random.random() < 0.6 else []
                self.rule(self.atom(signature), [*known, *own, *own, *own, *self.ghost], [*known, *self.ghost])

    def _state(self) -> None:
        random, known = self.random, [*self.known, ("true", 1), ("true", 1), ("true", 1)]
        if random.random() < 0.3:  # negation in a cycle of relations, but not of atoms
            for number, constant in enumerate(self.constants):
                self.fresh()
                body = [("not", (self.split[0], other)) for other in self.constants[:number] if random.random() < 0.6]
                self.statements.append(("<=", (self.split[0], constant), self.atom(random.choice(known[-3:])), *body))
            known.append(self.split)
        for group in self.state:
            for signature in group:
                self._keyword(signature, known, group)
            known += group
        if random.random() < 0.85:
            self.statements.append(("<=", ("legal", "?r", "noop"), ("role", "?r")))
        self.known = known

    def _keyword(self, signature: Signature, known: list[Signature], group: list[Signature]) -> None:
        random = self.random
        if signature == ("terminal", 0):
            for _ in range(random.choice((1, 1, 2))):
                self.fresh()
                own = [("terminal", 0), *group] if random.random() < 0.3 else []
                self.rule("terminal", [*known[-3:], ("true", 1), ("true", 1), *own], known, 3)
                if random.random() < 0.8:  # not at once
                    self.statements[-1] += (("true", self._given(*random.choice(self.shapes))),)
            return
        if signature != ("goal", 2):
            self._rules([signature], known, 3 if signature[0] == "legal" else 2, group)
            return
        if random.random() < 0.2:
            self.statements.append(("<=", ("goal", "?r", "0"), ("role", "?r"), ("not", ("goal", "?r", "100"))))
            self.fresh()
            self.rule(("goal", "?r", "100"), known, known)
            return
        for _ in range(random.choice((1, 2, 3))):
            self.fresh()
            value = random.choice([*NUMBERS, "0", "100", random.choice(self.variables)])
            own = [("goal", 2)] if random.random() < 0.2 else []
            self.rule(("goal", self.role(), value), [*known, *own], known)

    def _after(self) -> None:
        random, known = self.random, [*self.known, ("does", 2), ("does", 2), ("true", 1)]
        for group in self.after[:-1]:
            self._rules(group, known, 2, group)
            known += group
        if random.random() < 0.2:
            self._rules([("sees", 2)], known, 2, [])
        if random.random() < 0.7:  # something happens
            (shape, count), (move, arity) = random.choice(self.shapes), random.choice(self.moves)
            args, done = ["?x", "?y"][:arity] or [self.ground()], (move, *["?x", "?y"][:arity]) if arity else move
            fact = (shape, *(random.choice(args) for _ in range(count))) if count else shape
            self.statements.append(("<=", ("next", fact), ("does", "?r", done)))
            given = [(self.dom, arg) for arg in args if arity]
            self.statements.append(("<=", ("legal", "?r", done), ("role", "?r"), *given))
        for _ in range(random.randint(1, 2 if self.small else 4)):
            self.fresh()
            whole = self.whole and random.random() < 0.4
            head = ("next", random.choice(self.variables) if whole else self.shaped(self.shapes))
            often = random.choice(([("true", 1)], [("does", 2)], known))
            self.rule(head, [*known[-5:], *often, *often], known, 3)


# Text


def random_game(random: Random) -> str:
    """The text of a random game: odd in every way, or such as rule files are."""
    statements = rule_file(random) if random.random() < 0.5 else _Game(random).make()
    mixed, odd = random.choice((0, 0, 0.1, 0.3)), random.choice((0, 0, 0.05, 0.2))

    def spelled(symbol: str) -> str:
        other = symbol.swapcase()
        return other if random.random() < mixed and other.lower() == symbol.lower() else symbol

    def blank() -> str:
        return random.choice(BLANKS) if random.random() < odd else " "

    def text(tree: Tree) -> str:
        if isinstance(tree, str):
            bare = tree.startswith("?") or tree == "<=" or random.random() >= odd
            return spelled(tree) if bare else f"({blank()}{spelled(tree)}{blank()})"
        first = spelled(tree[0])
        return (
            f"({first}{''.join(blank() + text(part) for part in tree[1:])}{blank() if random.random() < odd else ''})"
        )

    return "".join(text(statement) + (blank() if random.random() < odd else "\n") for statement in statements)
