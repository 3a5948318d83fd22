"""One game of which the oracle and every engine must say the same: state by state along random playouts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import gdl
from gdl.grounder import ground
from gdl.grounder.symmetry import symmetries
from support import oracle
from support.claims import check_claims, check_rewriting
from support.explained import Checker
from support.oracle import CONNECTIVES, Model, Relation, Term, folded, relation, solutions

#: How many states a playout has at most.
PLIES = 3


class Disagreement(AssertionError):
    """Raised where an answer is not the oracle's."""


def same(question: str, expected: object, found: object) -> None:
    if expected != found:
        raise Disagreement(f"{question}: expected {expected}, found {found}")


@dataclass(frozen=True)
class Position:
    """A state that was reached: its facts, a legal joint move if there is one, and what holds with and without it."""

    facts: frozenset[Term]
    model: Model
    moves: dict[Term, Term] | None
    after: Model


class Played:
    """A game as the oracle plays it, with all terms as gdl should print them."""

    def __init__(self, text: str, random: Random, playouts: int = 1) -> None:
        self.text = text
        self.game = game = oracle.Game(text)
        declared = [head[1] for head, body in game.rules if relation(head) == ("role", 1) and not body]
        game.roles.sort(key=lambda role: (0, declared.index(role)) if role in declared else (1, self.shown(role)))
        self.playouts = [list(self._playout(random)) for _ in range(playouts)]
        #: All states that were reached, each once.
        self.positions = list({one.facts: one for some in self.playouts for one in some}.values())
        self.roles = [self.shown(role) for role in self.game.roles]

    def _playout(self, random: Random) -> Iterator[Position]:
        facts = self.game.initial
        for _ in range(PLIES):
            model = self.game.model(facts)
            legal = {role: sorted(self.moves(model, role), key=self.shown) for role in self.game.roles}
            if model.get(("terminal", 0)) or not all(legal.values()):
                yield Position(facts, model, None, model)
                return
            moves = {role: random.choice(some) for role, some in legal.items()}
            after = self.game.model(facts, moves)
            yield Position(facts, model, moves, after)
            facts = frozenset(atom[1] for atom in after.get(("next", 1), ()))

    def moves(self, model: Model, role: Term) -> set[Term]:
        return {atom[2] for atom in model.get(("legal", 2), ()) if atom[1] == role}

    @cached_property
    def spelling(self) -> dict[str, str]:
        """The first spelling of each symbol."""
        found: dict[str, str] = {}

        def note(expression: Term, goal: bool) -> None:
            if isinstance(expression, str):
                found.setdefault(expression.lower(), expression)
                return
            connective = goal and expression[0].lower() in CONNECTIVES
            for part in expression[1:] if connective else expression:
                note(part, connective and expression[0].lower() != "distinct")

        for statement in oracle.read(self.text):
            for part in statement[1:] if statement[0] == "<=" and not isinstance(statement, str) else (statement,):
                note(part, part is not statement)
        return found

    def shown(self, term: Term) -> str:
        """The text of a term in the first spellings."""
        if isinstance(term, str):
            return self.spelling.get(term, term)
        return f"({' '.join(map(self.shown, term))})"

    def all_shown(self, terms: Iterable[Term]) -> tuple[str, ...]:
        return tuple(sorted(map(self.shown, terms)))

    def goal(self, model: Model, role: Term) -> int | tuple[str, ...]:
        """The value, or all values if that is an error."""
        values = self.all_shown(atom[2] for atom in model.get(("goal", 2), ()) if atom[1] == role)
        number = values[0].removeprefix("-") if len(values) == 1 else ""
        return int(values[0]) if number.isascii() and number.isdigit() and len(number) < 10 else values

    def answers(self, pattern: Term, model: Model) -> list[tuple[str, ...]]:
        """The rows of values of a pattern's variables, each as often as it is an answer."""
        names = sorted(oracle.variables(pattern))
        found = solutions([pattern], {}, model, model)
        return sorted(tuple(self.shown(oracle.substituted(name, binding)) for name in names) for binding in found)


def outcome(call: Callable[..., Any], *arguments: object) -> Any:
    """The result of a call, or what is wrong."""
    try:
        return call(*arguments)
    except gdl.GoalError as error:
        return error.values
    except gdl.NoLegalMoveError:
        return "no legal move"


def texts(terms: Any) -> Any:
    return terms if isinstance(terms, str) else tuple(term.text for term in terms)


def check_engine(engine: Any, played: Played, position: Position, state: Any) -> Any:
    """Check all answers that every engine gives, and return the next state; None at the end."""
    terminal = bool(position.model.get(("terminal", 0)))
    same("facts", played.all_shown(position.facts), texts(engine.facts(state)))
    same("terminal", terminal, engine.is_terminal(state))
    for role, name in zip(played.game.roles, played.roles, strict=True):
        moves: object = played.all_shown(played.moves(position.model, role))
        same(
            f"legal {name}",
            moves or terminal or "no legal move",
            texts(outcome(engine.legal_moves, state, name)) or terminal,
        )
        same(f"goal {name}", played.goal(position.model, role), outcome(engine.goal, state, name))
    if position.moves is None:
        return None
    joint = [played.shown(position.moves[role]) for role in played.game.roles]
    seen = position.after.get(("sees", 2), ())
    percepts = {
        name: played.all_shown(atom[2] for atom in seen if atom[1] == role)
        for role, name in zip(played.game.roles, played.roles, strict=True)
    }
    same("percepts", percepts, {role: texts(terms) for role, terms in engine.percepts(state, joint).items()})
    following = engine.next_state(state, joint)
    coming = played.all_shown(atom[1] for atom in position.after.get(("next", 1), ()))
    same("next", coming, texts(engine.facts(following)))
    return following


def check_playout(engine: Any, played: Played) -> None:
    """Check an engine along the oracle's playouts."""
    same("roles", played.roles, list(engine.roles))
    for playout in played.playouts:
        state = engine.initial_state()
        for position in playout:
            state = check_engine(engine, played, position, state)


def check_queries(game: gdl.Reasoner, played: Played, position: Position, random: Random) -> None:
    """Check the rows of all relations, and the answers to some atoms of conditions."""
    state = game.state([played.shown(fact) for fact in position.facts])
    moves = joint(played, position)
    patterns: list[Term] = [pattern_of(one) for one in {*played.game.needs, ("true", 1)}]
    atoms = [atom for _, body in played.game.rules for goal in body for atom in atoms_of(goal)]
    patterns += random.sample(atoms, min(3, len(atoms)))
    known = {*played.game.needs, ("true", 1), ("does", 2)}
    for pattern in patterns:
        moving = relation(pattern) not in played.game.moveless and relation(pattern) != ("true", 1)
        if relation(pattern) not in known or (moving and moves is None):
            continue
        expected = played.answers(pattern, position.after if moving else position.model)
        found = game.query(text_of(pattern), state, moves)
        rows = sorted(tuple(row[name].text for name in sorted(row, key=str.lower)) for row in found)
        same(f"query {text_of(pattern)}", expected, rows)


def joint(played: Played, position: Position) -> dict[str, str] | None:
    if position.moves is None:
        return None
    return {played.shown(role): played.shown(move) for role, move in position.moves.items()}


def pattern_of(one: Relation) -> Term:
    name, arity = one
    return (name, *(f"?x{column}" for column in range(arity))) if arity else name


def atoms_of(goal: Term) -> Iterator[Term]:
    if goal[0] not in CONNECTIVES:
        yield goal
    elif goal[0] != "distinct":
        for part in goal[1:]:
            yield from atoms_of(part)


def text_of(term: Term) -> str:
    """The text of a term in lower case."""
    return term if isinstance(term, str) else f"({' '.join(map(text_of, term))})"


class OracleChecker(Checker):
    """Checks explanations by the oracle's answers."""

    model: Model

    def holds(self, atom: Any) -> bool:
        goal = folded(oracle.read(str(atom))[0])
        return next(iter(solutions([goal], {}, self.model, self.model)), None) is not None


def check_explanations(game: gdl.Reasoner, played: Played, position: Position, random: Random, count: int) -> int:
    """Check explanations of some atoms that hold and of some that do not; how many there were."""
    state = game.state([played.shown(fact) for fact in position.facts])
    moves = joint(played, position)
    model = position.after
    true = sorted(((one, atom) for one, atoms in model.items() for atom in atoms), key=str)
    asked = [atom for _, atom in random.sample(true, min(count, len(true)))]
    heads = [head for head, _ in played.game.rules if relation(head) in model]
    for head in random.sample(heads, min(count, len(heads))):
        sample = [atom for _, atom in random.sample(true, min(3, len(true))) if not isinstance(atom, str)]
        terms = [part for atom in sample for part in atom[1:]] or ["c"]
        values = {name: random.choice(terms) for name in oracle.variables(head)} if random.random() < 0.7 else {}
        asked.append(oracle.substituted(head, values))
    checker = OracleChecker(game, state, moves)
    checker.model = model
    for atom in asked:
        found = game.explain(text_of(atom), state, moves, most=random.choice((1, 3)))
        same(f"explain {text_of(atom)}", checker.holds(text_of(atom)), found.holds)
        try:
            checker.explanation(found)
        except AssertionError as error:
            raise Disagreement(f"explain {text_of(atom)}: {error}\n{found}") from error
    return len(asked)


def compare(
    text: str, seed: int, compiled: Callable[[str], Any] | None = None, *, arrays: bool = False
) -> Counter[str]:
    """Compare everything that is said of a game. Raises Disagreement; the result counts what was compared.

    `compiled` makes a Simulator, or returns None if the game is too large; `arrays` compares many states at once,
    random playouts, and what is proved of the game, too.
    """
    random, counts = Random(seed), Counter[str](games=1)
    try:
        game = gdl.Reasoner(text)
    except gdl.RulesheetError as error:
        return Counter({"refused": 1, **{f"refused: {mistake.code}": 1 for mistake in error.mistakes}})
    played = Played(text, random)
    check_playout(game, played)
    counts["states"] += len(played.positions)
    for position in played.positions:
        check_queries(game, played, position, random)
        counts["explanations"] += check_explanations(game, played, position, random, 2)
    counts["claims"] += check_claims(played.game, text, [position.after for position in played.positions], same)
    if random.random() < 0.25:
        check_rewriting(played, same)
    if compiled is not None:
        simulator = compiled(text)
        counts["too large" if simulator is None else "compiled"] += 1
        if simulator is not None:
            check_playout(simulator, played)
            from support import foreseen, many_states

            many_states.check_kernels(simulator, played)
            if arrays:
                counts["arrays"] += 1
                many_states.check_many(simulator, played)
                many_states.check_columns(simulator, plies=3, blocks=1)
                foreseen.check_playouts(simulator, game, played)
                foreseen.check_proved(simulator, played)
                for symmetry in symmetries(ground(game.rulesheet), 2, keep_start=True)[1:]:
                    foreseen.check_symmetry(game, symmetry, 2, PLIES)
    return counts
