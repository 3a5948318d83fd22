"""Checks names that are spelled, used or defined in doubtful ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from string import digits
from typing import Final, final

from gdl.checker.alternatives import dead_conditions, never_fires
from gdl.checker.consequences import RuleNumber
from gdl.checker.diagnostic import Diagnostic, Fix, Note, and_there, in_lines
from gdl.checker.view import KEYWORDS, TARGETS, AtomSite, View
from gdl.errors import Location
from gdl.language.edits import Edit
from gdl.language.normalize import KEYWORD_ARITY
from gdl.language.rules import Signature
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables

_FACTS: Final = ("init", "next", "base")
_MOVES: Final = ("legal", "input")

#: Built-in relations and functions of other languages.
_EQUAL: Final = ("=", "==", "===", "equal", "equals", "same")
_UNEQUAL: Final = ("/=", "!=", "<>", "\\=", "=/=", "neq", "different")
_ARITHMETIC: Final = ("<", ">", ">=", "=<", "+", "-", "*", "/")


def what_follows(view: View, places: Iterable[RuleNumber]) -> tuple[Note, ...]:
    """Return notes on the rules, and on the alternatives of rules, that cannot fire as a consequence of another one.

    Each is placed at the first of these, and lists the lines of the others.
    """
    rules: dict[int, Location] = {}
    alternatives: list[Location] = []
    for number, index in sorted(set(places)):
        own, statement = view.reading.rules_of[number], view.reading.statements[number]
        if never_fires(own, view.domains):
            rules[number] = view.place(statement)
        elif dead := dead_conditions(own[index], own, view.domains):
            alternatives.append(view.place(dead[-1].syntax or statement))
    return (
        *_one_note("so this rule can never fire either", list(rules.values())),
        *_one_note("so this alternative can never hold either", list(dict.fromkeys(alternatives))),
    )


def _one_note(message: str, places: Sequence[Location]) -> Iterator[Note]:
    if places:
        first, *others = places
        also = (
            f", nor can {len(others)} {'other' if len(others) == 1 else 'others'}: {in_lines(others)}" if others else ""
        )
        yield Note(first, message + also)


def singletons(view: View) -> Iterator[Diagnostic]:
    """Report variables that occur only once in their rule, including those that may be misspelled.

    Variables that begin with `?_` are not reported.
    """
    for statement, rules in zip(view.reading.statements, view.reading.rules_of, strict=True):
        found = list(variables(statement))
        counts = Counter(variable.key for variable in found)
        for number, variable in enumerate(found):
            if rules and counts[variable.key] == 1 and not variable.text.startswith("?_"):
                message = f"{variable} occurs only once in its rule"
                if hint := _misspelled(view, found, number, counts):
                    advice = f"{hint} If not, start it with ?_"
                    yield Diagnostic("misspelled-variable", message + advice, variable.location)
                else:
                    advice = "; if that is intended, start it with ?_"
                    yield Diagnostic("singleton-variable", message + advice, variable.location)


def _misspelled(view: View, found: Sequence[VariableSymbol], number: int, counts: Mapping[str, int]) -> str:
    """Return a suggestion for one of the variables of a rule, given how often each of them occurs."""

    def others() -> set[str]:
        # If two similar variables occur once each, the second is reported as misspelled.
        return {one.text for at, one in enumerate(found) if at < number or counts[one.key] > 1}

    return variable_hint(view, found[number].text, others)


def variable_hint(view: View, text: str, others: Callable[[], Collection[str]]) -> str:
    """Return a suggestion, for the end of a message, of the variable that this one may be a misspelling of."""
    return view.suggestions.did_you_mean(text, others, _may_be_a_slip)


def _may_be_a_slip(text: str, other: str) -> bool:
    # Short names such as ?x and ?y are always similar; ?here and ?there are both words; ?row and ?row2, or ?anyX and
    # ?anyY, are series.
    alike = len(text) > 4 and text[:2] == other[:2] and abs(len(text) - len(other)) <= 1
    return alike and text[:-1] != other[:-1] and text.strip(digits) != other.strip(digits)


def spellings(view: View) -> Iterator[Diagnostic]:
    """Report symbols of the file, and variables of a rule, that differ only in case.

    The fix changes all of them to the first spelling.
    """
    found: dict[str, dict[str, list[Symbol | VariableSymbol]]] = {}
    for number, statement in enumerate(view.reading.statements):
        for leaf in _leaves(statement):
            key = leaf.key + (f" {number}" if isinstance(leaf, VariableSymbol) else "")
            found.setdefault(key, {}).setdefault(leaf.text, []).append(leaf)
    for by_text in found.values():
        (first, (defined, *_)), *others = by_text.items()
        for text, leaves in others:
            edits = tuple(Edit(*view.offsets.span(leaf), first) for leaf in leaves)
            times = f" ({len(leaves)} times)" if len(leaves) > 1 else ""
            message = f"{text}{times} is the same as {first}, spelled differently"
            note = Note(defined.location, f"here it is {first}")
            yield Diagnostic("case-differs", message, leaves[0].location, (note,), Fix(f"write {first}", edits))


def _leaves(expression: Expression) -> Iterator[Symbol | VariableSymbol]:
    if isinstance(expression, Group):
        for item in expression.items:
            yield from _leaves(item)
    else:
        yield expression


def arities(view: View) -> Iterator[Diagnostic]:
    """Report names that are used as relations, or as functions, with different numbers of arguments."""
    relations: dict[str, dict[int, Symbol]] = {}
    for atom in view.atoms:
        if atom.name.key not in KEYWORDS:
            relations.setdefault(atom.name.key, {}).setdefault(len(atom.args), atom.name)
    functions: dict[str, dict[int, Symbol]] = {}
    for term in view.terms:
        if term.args:
            functions.setdefault(term.name.key, {}).setdefault(len(term.args), term.name)
    for kind, names in (("relation", relations), ("function", functions)):
        for by_arity in names.values():
            (arity, first), *others = by_arity.items()
            for other, name in others:
                message = f"the {kind} {name} has {_arguments(other)} here, but {_arguments(arity)} elsewhere"
                yield Diagnostic("two-arities", message, name.location, (_first(first, _arguments(arity)),))


def functions_and_relations(view: View) -> Iterator[Diagnostic]:
    """Report names that are both a relation and a function.

    Relations that nothing defines are left to `undefined`.
    """
    defined = _defined(view)
    relations: dict[str, AtomSite] = {}
    for atom in view.atoms:
        if atom.signature in defined:
            relations.setdefault(atom.name.key, atom)
    done = set(KEYWORDS)
    for term in view.terms:
        key = term.name.key
        if term.args and key in relations and key not in done:
            done.add(key)
            relation = relations[key]
            message = f"{term.name} is a function here, and a relation elsewhere"
            note = _first(relation.name, f"a relation ({view.name(relation.signature)})")
            yield Diagnostic("function-and-relation", message, term.name.location, (note,))


def undefined(view: View) -> Iterator[Diagnostic]:
    """Report relations that conditions use but nothing defines.

    Reports nothing if a head is broken, since that head may be the missing definition.
    """
    if len(list(view.heads())) < len(view.reading.statements):
        return
    defined = _defined(view)
    meant = _Meant(view, defined).meant
    used: dict[Signature, list[AtomSite]] = {}
    for atom in view.conditions():
        if atom.signature not in defined and atom.name.key not in KEYWORDS:
            used.setdefault(atom.signature, []).append(atom)
    for signature, atoms in used.items():
        name = atoms[0].name
        places = f" (used in {len(atoms)} places)" if len(atoms) > 1 else ""
        message = f"nothing defines {view.name(signature)}{places}, so it never holds{meant(atoms[0])}"
        rules = view.reading.rules_of
        wanting = [
            place
            for place in view.following.of
            if any(not x.negated and x.atom.signature == signature for x in rules[place[0]][place[1]].literals())
        ]
        follows = {one for place in wanting for one in view.following.of[place]}
        yield Diagnostic("undefined-relation", message, name.location, what_follows(view, follows))


@final
class _Meant:
    """Suggests what may be meant by undefined relations.

    It may be a fact or a move, a relation with another number of arguments, or another spelling.
    """

    def __init__(self, view: View, defined: Mapping[Signature, AtomSite]) -> None:
        self._view = view
        self._defined: dict[str, Signature] = {}
        self._names: dict[int, list[str]] = {}
        for name, arity in defined:
            self._defined.setdefault(name, (name, arity))
            self._names.setdefault(arity, []).append(name)
        self._facts, self._moves = _terms(view, _FACTS), _terms(view, _MOVES)

    def meant(self, atom: AtomSite) -> str:
        """Return a suggestion for the end of a message."""
        name, arity = atom.signature
        if atom.signature in self._facts:
            return f"; did you mean (true {atom.item})?"
        if atom.signature in self._moves:
            return f"; did you mean (does ... {atom.item})?"
        if name in (*_EQUAL, *_UNEQUAL) and arity == 2:
            differ = f"(distinct {atom.args[0]} {atom.args[1]})"
            same = f"; in GDL, equal terms are written as one, and {differ} says that two differ"
            return same if name in _EQUAL else f"; did you mean {differ}?"
        if name in _ARITHMETIC:
            numbers = "GDL has no arithmetic, and its numbers are names"
            return f"; {numbers}: state the values needed as facts, such as (less 1 2)"
        if name in self._defined:
            return f"; {self._view.name(self._defined[name])} is defined"
        keywords = [keyword for keyword, count in KEYWORD_ARITY.items() if count == arity]
        fitting = self._names.get(arity, [])
        suggest = self._view.suggestions.did_you_mean
        return suggest(name, lambda: [*fitting, *keywords]) or suggest(name, lambda: self._defined)


def _terms(view: View, keywords: tuple[str, ...]) -> set[Signature]:
    """Return the name and arity of the last argument of all facts and heads of some keywords."""
    found = set()
    for atom in view.heads():
        if atom.name.key in keywords and atom.args:
            match atom.args[-1]:
                case Symbol(key=key) | Group(items=(Symbol(key=key),)):
                    found.add((key, 0))
                case Group(items=(Symbol(key=key), *args)):
                    found.add((key, len(args)))
    return found


def unused(view: View) -> Iterator[Diagnostic]:
    """Report relations that no keyword relation depends on.

    Reports nothing for files that are refused.
    """
    if view.reading.mistakes:
        return
    defined = _defined(view)
    uses = {(atom.signature, _head(view, atom)) for atom in view.conditions()}
    needs: dict[Signature | None, set[Signature]] = {}
    users: dict[Signature, set[Signature | None]] = {}
    for need, head in uses:
        needs.setdefault(head, set()).add(need)
        users.setdefault(need, set()).add(head)
    needed = _reached({signature for signature in defined if signature[0] in TARGETS}, needs)
    undefined_names = {name for name, _ in users.keys() - defined.keys()}
    for signature, atom in defined.items():
        if signature in needed or signature[0] in KEYWORDS:
            continue
        others = users.get(signature, set()) - {None, signature}
        if others:
            names = ", ".join(sorted(view.name(other) for other in others if other is not None))
            message = f"{view.name(signature)} is used only by {names}, which nothing uses"
        else:
            hint = _unused_hint(view, signature, needed, needs.get(signature, set()), undefined_names)
            message = f"nothing uses {view.name(signature)}{hint}"
        yield Diagnostic("unused-relation", message, atom.name.location)


def _reached(starts: set[Signature], needs: Mapping[Signature | None, set[Signature]]) -> set[Signature]:
    """Return the relations that some relations need, directly or indirectly, including themselves."""
    reached = set(starts)
    stack = list(starts)
    while stack:
        new = needs.get(stack.pop(), set()) - reached
        reached |= new
        stack += new
    return reached


def _unused_hint(
    view: View, signature: Signature, needed: set[Signature], own: set[Signature], undefined_names: set[str]
) -> str:
    """Suggest, for a relation that nothing uses, a relation that it may be meant to be."""
    name, arity = signature

    def alike() -> list[str]:
        keywords = [keyword for keyword in TARGETS if KEYWORD_ARITY[keyword] == arity]
        return [other for other, count in needed - own if count == arity] + keywords

    if near := view.suggestions.nearest(name, lambda: undefined_names):
        return f"; {near} is used, but nothing defines it"
    return view.suggestions.did_you_mean(name, alike)


def _defined(view: View) -> dict[Signature, AtomSite]:
    defined: dict[Signature, AtomSite] = {}
    for atom in view.heads():
        defined.setdefault(atom.signature, atom)
    return defined


def _head(view: View, atom: AtomSite) -> Signature | None:
    """Return the relation that a condition's rule defines; None if the head is broken."""
    match view.reading.statements[atom.statement]:
        case Group(items=(_, Group(items=(Symbol() as name, *args)), *_)):
            return name.key, len(args)
        case Group(items=(_, Symbol() as name, *_)):
            return name.key, 0
    return None


def unknown_roles(view: View) -> Iterator[Diagnostic]:
    """Report constants that are no roles in the place of a role.

    Reports nothing if rules derive roles.
    """
    declared = [atom for atom in view.heads() if atom.signature == ("role", 1)]
    if not declared or any(atom.kind == "head" or not isinstance(atom.args[0], Symbol) for atom in declared):
        return
    roles = {atom.args[0].key: str(atom.args[0]) for atom in declared if isinstance(atom.args[0], Symbol)}
    unknown: dict[str, list[Symbol]] = {}
    for atom in view.atoms:
        if atom.signature in (("legal", 2), ("does", 2), ("goal", 2), ("input", 2), ("sees", 2)):
            role = atom.args[0]
            if isinstance(role, Symbol) and role.key not in roles:
                unknown.setdefault(role.key, []).append(role)
    for role, *others in unknown.values():
        hint = view.suggestions.did_you_mean(role.text, roles.values) or f"; the roles are {', '.join(roles.values())}"
        notes = and_there([other.location for other in others])
        yield Diagnostic("unknown-role", f"{role} is not a role{hint}", role.location, notes)


def _arguments(count: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")


def _first(symbol: Symbol, what: str) -> Note:
    return Note(symbol.location, f"here it is {what}" if what.startswith("a ") else f"here it has {what}")
