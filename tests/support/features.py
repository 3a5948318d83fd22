"""The kinds of rules and games, recognised in the text by the oracle's reader: what was generated, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from support import oracle
from support.oracle import CONNECTIVES, Game, Term, folded, needed, relation, variables

Rule = tuple[Term, tuple[Term, ...]]
_KEYWORDS = [
    "role",
    "base",
    "input",
    "init",
    "true",
    "does",
    "legal",
    "next",
    "terminal",
    "goal",
    "sees",
    "and",
    "or",
    "not",
    "distinct",
    "<=",
]


def parts(term: Term) -> Iterator[Term]:
    yield term
    if not isinstance(term, str):
        for part in term[1:]:
            yield from parts(part)


def literals(goal: Term, negated: bool = False) -> Iterator[tuple[Term, bool]]:
    """The atoms of a condition, and whether each is under an odd number of negations."""
    if goal[0] not in CONNECTIVES:
        yield goal, negated
    elif goal[0] != "distinct":
        for part in goal[1:]:
            yield from literals(part, negated != (goal[0] == "not"))


def connectives(goal: Term) -> Iterator[Term]:
    if goal[0] in CONNECTIVES:
        yield goal
        if goal[0] != "distinct":
            for part in goal[1:]:
                yield from connectives(part)


def depth(goal: Term) -> int:
    below = [depth(part) for part in goal[1:]] if goal[0] in ("and", "or", "not") else []
    return 1 + max(below, default=0) if goal[0] in CONNECTIVES else 0


def _whole(name: str, column: int, *, head: bool) -> Callable[[Game, Rule], bool]:
    def found(_: Game, rule: Rule) -> bool:
        atoms = [rule[0]] if head else [atom for goal in rule[1] for atom, _ in literals(goal)]
        return any(
            atom[0] == name and len(atom) > column and variables(atom[column]) == {atom[column]} for atom in atoms
        )

    return found


def _recursive(name: str) -> Callable[[Game, Rule], bool]:
    def found(game: Game, rule: Rule) -> bool:
        head = relation(rule[0])
        return head[0] == name and any(
            head in game.needs.get(relation(atom), ()) or relation(atom) == head
            for goal in rule[1]
            for atom, _ in literals(goal)
        )

    return found


def _conditions(test: Callable[[Term], bool]) -> Callable[[Game, Rule], bool]:
    return lambda _, rule: any(test(site) for goal in rule[1] for site in connectives(goal))


def _negates_recursive(game: Game, rule: Rule) -> bool:
    return any(
        negated and relation(atom) in game.needs.get(relation(atom), ())
        for goal in rule[1]
        for atom, negated in literals(goal)
    )


def _negates_itself(game: Game, rule: Rule) -> bool:
    head = relation(rule[0])
    return any(
        negated and (relation(atom) == head or head in game.needs.get(relation(atom), ()))
        for goal in rule[1]
        for atom, negated in literals(goal)
    )


def _mutual(game: Game, rule: Rule) -> bool:
    head = relation(rule[0])
    return any(head in game.needs.get(one, ()) and one != head for one in game.needs[head])


def _uses(name: str) -> Callable[[Game, Rule], bool]:
    return lambda _, rule: any(atom == name or atom[0] == name for goal in rule[1] for atom, _ in literals(goal))


def _repeated(_: Game, rule: Rule) -> bool:
    atoms = [atom for goal in rule[1] for atom, _ in literals(goal)]
    return any(list(parts(atom)).count(name) > 1 for atom in atoms for name in variables(atom))


def _nested_function(_: Game, rule: Rule) -> bool:
    return any(
        not isinstance(part, str) and any(not isinstance(arg, str) and variables(arg) for arg in part[1:])
        for arg in rule[0][1:]
        if not isinstance(rule[0], str)
        for part in parts(arg)
    )


def _table(columns: int, *, recursive: bool = False, moving: bool | None = None) -> Callable[[Game, Rule], bool]:
    """Rules of a relation with some columns, which depends on nothing, or on the state, or also on the moves."""

    def found(game: Game, rule: Rule) -> bool:
        head, needs = relation(rule[0]), game.needs[relation(rule[0])]
        depends = ("does", 2) in needs if ("does", 2) in needs or ("true", 1) in needs else None
        return bool(rule[1]) and head[1] >= columns and depends is moving and (head in needs or not recursive)

    return found


def _negates_negation(game: Game, rule: Rule) -> bool:
    below = {relation(atom) for goal in rule[1] for atom, negated in literals(goal) if negated}
    needed = below.union(*(game.needs.get(one, ()) for one in below))
    return bool(needed) and any(
        negated
        for head, body in game.rules
        if body and relation(head) in needed
        for goal in body
        for _, negated in literals(goal)
    )


def _holds_function(name: str) -> Callable[[Game, Rule], bool]:
    """Rules for facts or moves that have a function among their arguments."""
    return lambda _, rule: (
        rule[0][0] == name
        and any(not isinstance(arg, str) for whole in rule[0][-1:] if not isinstance(whole, str) for arg in whole[1:])
    )


def _frame(_: Game, rule: Rule) -> bool:
    """Rules that hand a fact on unless a move names it."""
    atoms = [atom for goal in rule[1] for atom, negated in literals(goal) if not negated]
    return rule[0][0] == "next" and ("true", rule[0][1]) in atoms and any(atom[0] == "does" for atom in atoms)


def _read_twice(game: Game, rule: Rule) -> bool:
    """Rules of a relation with three columns or more that several rules read."""
    head = relation(rule[0])
    return head[1] >= 3 and bool(rule[1]) and sum(head in needed(goal) for _, body in game.rules for goal in body) > 1


#: Kinds of rules.
RULES: dict[str, Callable[[Game, Rule], bool]] = {
    "(true ?x)": _whole("true", 1, head=False),
    "(does ?r ?m)": _whole("does", 2, head=False),
    "(legal ?r ?m) as a condition": _whole("legal", 2, head=False),
    "(next ?x)": _whole("next", 1, head=True),
    "(legal ?r ?m) as a head": _whole("legal", 2, head=True),
    "(init ?x)": _whole("init", 1, head=True),
    "init by a rule": lambda _, rule: relation(rule[0]) == ("init", 1) and bool(rule[1]),
    "role by a rule": lambda _, rule: relation(rule[0]) == ("role", 1) and bool(rule[1]),
    "a rule for base or input": lambda _, rule: rule[0][0] in ("base", "input") and bool(rule[1]),
    "init as a condition": _uses("init"),
    "goal as a condition": _uses("goal"),
    "terminal as a condition": _uses("terminal"),
    "recursion through legal": _recursive("legal"),
    "recursion through goal": _recursive("goal"),
    "recursion through terminal": _recursive("terminal"),
    "recursion through several relations": _mutual,
    "recursion": lambda game, rule: relation(rule[0]) in game.needs[relation(rule[0])],
    "negation of a recursive relation": _negates_recursive,
    "negation in a cycle of relations": _negates_itself,
    "or": _conditions(lambda site: site[0] == "or"),
    "and": _conditions(lambda site: site[0] == "and"),
    "or or and of nothing": _conditions(lambda site: len(site) == 1),
    "or or and of one": _conditions(lambda site: site[0] in ("and", "or") and len(site) == 2),
    "not of or, and or not": _conditions(lambda site: site[0] == "not" and site[1][0] in ("or", "and", "not")),
    "not of distinct": _conditions(lambda site: site[0] == "not" and site[1][0] == "distinct"),
    "distinct": _conditions(lambda site: site[0] == "distinct"),
    "distinct of functions": _conditions(
        lambda site: site[0] == "distinct" and any(not isinstance(part, str) for part in site[1:])
    ),
    "connectives three deep": lambda _, rule: any(depth(goal) >= 3 for goal in rule[1]),
    "a variable twice in an atom": _repeated,
    "a function of functions in a head": _nested_function,
    "next by does of a named role": lambda _, rule: (
        rule[0][0] == "next"
        and any(atom[0] == "does" and not variables(atom[1]) for goal in rule[1] for atom, _ in literals(goal))
    ),
    "sees": lambda _, rule: rule[0][0] == "sees",
    "a static table of three columns": _table(3),
    "a static table of five columns": _table(5),
    "a static table of three columns by recursion": _table(3, recursive=True),
    "three columns that depend on the state": _table(3, moving=False),
    "three columns by recursion over the state": _table(3, recursive=True, moving=False),
    "three columns that depend on moves": _table(3, moving=True),
    "three columns that several rules read": _read_twice,
    "negation of what negates": _negates_negation,
    "a function in a fact": _holds_function("next"),
    "a function in a move": _holds_function("legal"),
    "a fact that is handed on": lambda _, rule: rule[0][0] == "next" and rule[1] == [("true", rule[0][1])],
    "a fact that stays under moves": _frame,
}


def rules_met(game: Game) -> Counter[str]:
    """Count the rules of each kind in a game."""
    return Counter({kind: n for kind, test in RULES.items() if (n := sum(test(game, rule) for rule in game.rules))})


def games_met(game: Game, text: str) -> set[str]:
    """The kinds that a game as a whole is of."""
    expressions = oracle.read(text)
    symbols: set[str] = set()
    functions: set[tuple[str, int]] = set()
    constants: set[str] = set()
    relations = {relation(head) for head, _ in game.rules}
    facts: set[tuple[str, int]] = set()
    conditions: set[tuple[str, int]] = set()
    bare = set()

    def note(expression: Term) -> None:
        if isinstance(expression, str):
            symbols.add(expression)
            return
        if len(expression) == 1:
            bare.add(expression[0].lower())
        for part in expression:
            note(part)

    for expression in expressions:
        note(expression)
    for head, body in game.rules:
        atoms = [head, *(atom for goal in body for atom, _ in literals(goal))]
        conditions |= {relation(atom) for atom in atoms[1:]}
        inequal = [site for goal in body for site in connectives(goal) if site[0] == "distinct"]
        for atom in (*atoms, *inequal):
            for arg in atom[1:] if not isinstance(atom, str) else ():
                for part in parts(arg):
                    if not isinstance(part, str):
                        functions.add(relation(part))
                    elif part[0] != "?":
                        constants.add(part)
            if atom[0] in ("true", "init", "next") and variables(atom[1]) != {atom[1]}:
                facts.add(relation(atom[1]))
    names = {name for name, _ in functions}
    folds: dict[str, set[str]] = {}
    for symbol in symbols:
        folds.setdefault(symbol.lower(), set()).add(symbol)
    two = Counter(name for name, _ in functions)
    found = {
        "a name spelled in two cases": any(len(all_) > 1 for key, all_ in folds.items() if key[0] != "?"),
        "a variable spelled in two cases": any(len(all_) > 1 for key, all_ in folds.items() if key[0] == "?"),
        "a name with capitals": any(symbol != symbol.lower() for symbol in symbols if symbol[0] != "?"),
        "a name that is not ASCII": any(not symbol.isascii() for symbol in symbols),
        "a name for a constant and a function": bool(constants & names),
        "a name for a relation and a function": bool({name for name, _ in relations} & names),
        "a name for a relation and a constant": bool({name for name, _ in relations} & constants),
        "a keyword as a function": bool(names & set(_KEYWORDS)),
        "a keyword as a constant": bool(constants & set(_KEYWORDS)),
        "a function with two arities": any(count > 1 for count in two.values()),
        "facts of one name and two arities": len(facts) > len({name for name, _ in facts}),
        "a relation with two arities": any(n > 1 for n in Counter(name for name, _ in relations).values()),
        "numbers": any(name.lstrip("-").replace(".", "").isdigit() for name in constants),
        "a number with leading zeros": "007" in constants,
        "a relation named by a number": any(name.isdigit() for name, _ in relations),
        "a proposition in parentheses": any((name, 0) in relations for name in bare),
        "a constant in parentheses": bool(bare & constants),
        "several roles": len(game.roles) > 1,
        "one role": len(game.roles) == 1,
        "the role random": "random" in game.roles,
        "a role that is a function": any(not isinstance(role, str) for role in game.roles),
        "a role with capitals": any(
            symbol != symbol.lower() for symbol in symbols for role in game.roles if symbol.lower() == role
        ),
        "comments": ";" in text,
        "carriage returns, tabs or form feeds": any(blank in text for blank in "\r\t\f"),
        "blanks that are not ASCII": "\u00a0" in text,
        "a relation that nothing defines": bool(conditions - relations - {("true", 1), ("does", 2)}),
        "a rule without conditions": any(len(one) == 2 and one[0] == "<=" for one in expressions),
        "a rule twice": len(set(map(folded, expressions))) < len(expressions),
        "many goals": len({head[2] for head, _ in game.rules if head[0] == "goal"}) > 2,
        "goals by a variable": any(head[0] == "goal" and head[2][0] == "?" for head, _ in game.rules),
    }
    return {kind for kind, there in found.items() if there}


GAMES: tuple[str, ...] = (
    "a name spelled in two cases",
    "a variable spelled in two cases",
    "a name with capitals",
    "a name that is not ASCII",
    "a name for a constant and a function",
    "a name for a relation and a function",
    "a name for a relation and a constant",
    "a keyword as a function",
    "a keyword as a constant",
    "a function with two arities",
    "facts of one name and two arities",
    "a relation with two arities",
    "numbers",
    "a number with leading zeros",
    "a relation named by a number",
    "a proposition in parentheses",
    "a constant in parentheses",
    "several roles",
    "one role",
    "the role random",
    "a role that is a function",
    "a role with capitals",
    "comments",
    "carriage returns, tabs or form feeds",
    "blanks that are not ASCII",
    "a relation that nothing defines",
    "a rule without conditions",
    "a rule twice",
    "many goals",
    "goals by a variable",
)


class Coverage:
    """Counts of the games and rules of each kind."""

    def __init__(self) -> None:
        self.games: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()

    def add(self, text: str) -> None:
        game = Game(text)
        met = rules_met(game)
        self.rules += met
        self.games.update([*met, *games_met(game, text), "all"])
        self.rules["all"] += len(game.rules)

    def update(self, other: Coverage) -> None:
        self.games += other.games
        self.rules += other.rules

    def missing(self) -> list[str]:
        return [kind for kind in (*RULES, *GAMES) if not self.games[kind]]

    def table(self) -> str:
        lines = [f"{'kind':46}{'games':>9}{'rules':>9}"]
        lines += [f"{kind:46}{self.games[kind]:9}{self.rules[kind]:9}" for kind in ("all", *RULES)]
        lines += [f"{kind:46}{self.games[kind]:9}" for kind in GAMES]
        return "\n".join(lines)
