"""Checks names that are spelled, used or defined in doubtful ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import digits
from types import MappingProxyType
from typing import Final

from gdl.checker.alternatives import dead_conditions, never_fires
from gdl.checker.consequences import RuleNumber
from gdl.checker.diagnostic import Diagnostic, Fix, Note, and_there, in_lines
from gdl.checker.view import KEYWORDS, TARGETS, AtomSite, View
from gdl.errors import Location, nearest
from gdl.language.edits import Edit
from gdl.language.normalize import KEYWORD_ARITY
from gdl.language.rules import Signature
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables

_FACTS: Final = ("init", "next", "base")
_MOVES: Final = ("legal", "input")

#: The similarity above which one name may be a misspelling of another; 1 is equality.
_NEAR: Final = 0.75

#: Built-in relations and functions of other languages.
_EQUAL: Final = ("=", "==", "===", "equal", "equals", "same")
_UNEQUAL: Final = ("/=", "!=", "<>", "\\=", "=/=", "neq", "different")
_ARITHMETIC: Final = ("<", ">", ">=", "=<", "+", "-", "*", "/")


def did_you_mean(word: str, known: Iterable[str], spelling: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a suggestion for the end of a message, or "" if no known word is spelled alike.

    `spelling` maps known words to the spelling that is shown.
    """
    near = nearest(word, sorted(set(known) - {word}), cutoff=_NEAR)
    return f"; did you mean {spelling.get(near[0], near[0])}?" if near else ""


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
                # If two similar variables occur once each, the second is reported as misspelled.
                others = {one.text for at, one in enumerate(found) if at < number or counts[one.key] > 1}
                message = f"{variable} occurs only once in its rule"
                if hint := variable_hint(variable.text, others):
                    advice = f"{hint} If not, start it with ?_"
                    yield Diagnostic("misspelled-variable", message + advice, variable.location)
                else:
                    advice = "; if that is intended, start it with ?_"
                    yield Diagnostic("singleton-variable", message + advice, variable.location)


def variable_hint(text: str, others: Iterable[str]) -> str:
    """Return a suggestion, for the end of a message, of the variable that this one may be a misspelling of."""
    return did_you_mean(text, [other for other in others if _may_be_a_slip(text, other)])


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
    used: dict[Signature, list[AtomSite]] = {}
    for atom in view.conditions():
        if atom.signature not in defined and atom.name.key not in KEYWORDS:
            used.setdefault(atom.signature, []).append(atom)
    for signature, atoms in used.items():
        name = atoms[0].name
        places = f" (used in {len(atoms)} places)" if len(atoms) > 1 else ""
        message = f"nothing defines {view.name(signature)}{places}, so it never holds{_meant(view, atoms[0], defined)}"
        rules = view.reading.rules_of
        wanting = [
            place
            for place in view.following.of
            if any(not x.negated and x.atom.signature == signature for x in rules[place[0]][place[1]].literals())
        ]
        follows = {one for place in wanting for one in view.following.of[place]}
        yield Diagnostic("undefined-relation", message, name.location, what_follows(view, follows))


def _meant(view: View, atom: AtomSite, defined: dict[Signature, AtomSite]) -> str:
    """Suggest what may be meant by an undefined relation.

    It may be a fact or a move, a relation with another number of arguments, or another spelling.
    """
    name, arity = atom.signature
    if atom.signature in _terms(view, _FACTS):
        return f"; did you mean (true {atom.item})?"
    if atom.signature in _terms(view, _MOVES):
        return f"; did you mean (does ... {atom.item})?"
    if name in (*_EQUAL, *_UNEQUAL) and arity == 2:
        differ = f"(distinct {atom.args[0]} {atom.args[1]})"
        same = f"; in GDL, equal terms are written as one, and {differ} says that two differ"
        return same if name in _EQUAL else f"; did you mean {differ}?"
    if name in _ARITHMETIC:
        return (
            "; GDL has no arithmetic, and its numbers are names: state the values needed as facts, such as (less 1 2)"
        )
    for other in defined:
        if other[0] == name:
            return f"; {view.name(other)} is defined"
    keywords = [keyword for keyword, count in KEYWORD_ARITY.items() if count == arity]
    fitting = [other for other, count in defined if count == arity]
    spelled = view.reading.spelling
    near = did_you_mean(name, [*fitting, *keywords], spelled)
    return near or did_you_mean(name, [other for other, _ in defined], spelled)


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
    needed = {signature for signature in defined if signature[0] in TARGETS}
    while new := {need for need, head in uses if head in needed} - needed:
        needed |= new
    undefined_names = [name for name, _ in {need for need, _ in uses} - defined.keys()]
    for signature, atom in defined.items():
        if signature in needed or signature[0] in KEYWORDS:
            continue
        others = {head for need, head in uses if need == signature and head not in (None, signature)}
        if others:
            names = ", ".join(sorted(view.name(other) for other in others if other is not None))
            message = f"{view.name(signature)} is used only by {names}, which nothing uses"
        else:
            own = {need for need, head in uses if head == signature}
            alike = [name for name, arity in needed - own if arity == signature[1]]
            alike += [keyword for keyword in TARGETS if KEYWORD_ARITY[keyword] == signature[1]]
            hint = did_you_mean(signature[0], alike, view.reading.spelling)
            if near := nearest(signature[0], undefined_names, cutoff=_NEAR):
                hint = f"; {view.reading.spelling.get(near[0], near[0])} is used, but nothing defines it"
            message = f"nothing uses {view.name(signature)}{hint}"
        yield Diagnostic("unused-relation", message, atom.name.location)


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
        hint = did_you_mean(role.text, roles.values()) or f"; the roles are {', '.join(roles.values())}"
        notes = and_there([other.location for other in others])
        yield Diagnostic("unknown-role", f"{role} is not a role{hint}", role.location, notes)


def _arguments(count: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")


def _first(symbol: Symbol, what: str) -> Note:
    return Note(symbol.location, f"here it is {what}" if what.startswith("a ") else f"here it has {what}")
