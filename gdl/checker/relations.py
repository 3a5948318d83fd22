"""Checks relations that are used or defined in doubtful ways, and suggests what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from gdl.checker.diagnostic import Diagnostic, Fix, Note
from gdl.checker.names import what_follows
from gdl.checker.rewrite import enclosed, merged, respelled
from gdl.checker.suggestions import did_you_mean
from gdl.checker.view import KEYWORDS, TARGETS, AtomSite, View
from gdl.language.normalize import KEYWORD_ARITY
from gdl.language.rules import Signature
from gdl.language.syntax import Group, Symbol, VariableSymbol

_FACTS: Final = ("init", "next", "base")
_MOVES: Final = ("legal", "input")

#: Built-in relations and functions of other languages.
_EQUAL: Final = ("=", "==", "===", "equal", "equals", "same")
_UNEQUAL: Final = ("/=", "!=", "<>", "\\=", "=/=", "neq", "different")
_ARITHMETIC: Final = ("<", ">", ">=", "=<", "+", "-", "*", "/")


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
    meant = _Meant(view, defined)
    used: dict[Signature, list[AtomSite]] = {}
    for atom in view.conditions():
        if atom.signature not in defined and atom.name.key not in KEYWORDS:
            used.setdefault(atom.signature, []).append(atom)
    for signature, atoms in used.items():
        name = atoms[0].name
        places = f" (used in {len(atoms)} places)" if len(atoms) > 1 else ""
        message = f"nothing defines {view.name(signature)}{places}, so it never holds{meant.hint(atoms[0])}"
        rules = view.reading.rules_of
        wanting = [
            place
            for place in view.following.of
            if any(not x.negated and x.atom.signature == signature for x in rules[place[0]][place[1]].literals())
        ]
        follows = {one for place in wanting for one in view.following.of[place]}
        yield Diagnostic("undefined-relation", message, name.location, what_follows(view, follows), meant.fix(atoms))


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
        self._roles = [str(atom.args[0]) for atom in view.heads() if atom.signature == ("role", 1)]
        #: The role whose move each statement is about, if that is plain; filled on demand.
        self._actor_of: dict[int, str | None] = {}
        #: The variables that stand for the role in some rule.
        self._actors = {
            atom.args[0].key
            for atom in view.atoms
            if atom.signature in (("legal", 2), ("does", 2)) and isinstance(atom.args[0], VariableSymbol)
        }

    def fix(self, atoms: Sequence[AtomSite]) -> Fix | None:
        """Return the edits that the suggestion for all atoms of a relation amounts to, if it says what to write."""
        atom = atoms[0]
        name, arity = atom.signature
        if atom.signature in self._facts:
            edits = [edit for one in atoms for edit in enclosed(self._view, one.item, "(true ", ")")]
            return Fix("put it into (true ...)", tuple(edits), guess=True)
        if atom.signature in self._moves:
            roles = [self._role(one) for one in atoms]
            if None in roles:
                return None
            placed = zip(atoms, roles, strict=True)
            edits = [edit for one, role in placed for edit in enclosed(self._view, one.item, f"(does {role} ", ")")]
            return Fix(f"put it into (does {roles[0]} ...)", tuple(edits), guess=True)
        if name in _EQUAL and arity == 2:
            edits = [*merged(self._view, atom, *atom.args)] if self._at_top(atom) else []
            return Fix("write equal terms as one", tuple(edits), guess=True) if edits else None
        if name in _UNEQUAL and arity == 2:
            return respelled(self._view, [one.name for one in atoms], "distinct")
        return respelled(self._view, [one.name for one in atoms], self._nearest(atom.signature))

    def _role(self, atom: AtomSite) -> str | None:
        """Return the role whose move a condition is, if there is no doubt.

        It is the only one, or the only variable of the rule by which others call the role that moves.
        """
        if len(self._roles) == 1:
            return self._roles[0]
        if atom.statement not in self._actor_of:
            own = self._view.variables(self._view.reading.statements[atom.statement])
            actors = [text for key, text in own.items() if key in self._actors]
            self._actor_of[atom.statement] = actors[0] if len(actors) == 1 else None
        return self._actor_of[atom.statement]

    def _at_top(self, atom: AtomSite) -> bool:
        statement = self._view.reading.statements[atom.statement]
        return isinstance(statement, Group) and any(item is atom.item for item in statement.items)

    def hint(self, atom: AtomSite) -> str:
        """Return a suggestion for the end of a message."""
        name, arity = atom.signature
        if atom.signature in self._facts:
            return f"; did you mean (true {atom.item})?"
        if atom.signature in self._moves:
            return f"; did you mean (does {self._role(atom) or '...'} {atom.item})?"
        if name in (*_EQUAL, *_UNEQUAL) and arity == 2:
            differ = f"(distinct {atom.args[0]} {atom.args[1]})"
            same = f"; in GDL, equal terms are written as one, and {differ} says that two differ"
            return same if name in _EQUAL else f"; did you mean {differ}?"
        if name in _ARITHMETIC:
            numbers = "GDL has no arithmetic, and its numbers are names"
            return f"; {numbers}: state the values needed as facts, such as (less 1 2)"
        if name in self._defined:
            return f"; {self._view.name(self._defined[name])} is defined"
        return did_you_mean(self._nearest(atom.signature))

    def _nearest(self, signature: Signature) -> str | None:
        """Return the relation whose name is most like this one, preferably one with as many arguments."""
        name, arity = signature
        if name in self._defined or name in _ARITHMETIC:
            return None
        keywords = [keyword for keyword, count in KEYWORD_ARITY.items() if count == arity]
        fitting = self._names.get(arity, [])
        suggest = self._view.suggestions.nearest
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
    sites: dict[Signature, list[AtomSite]] = {}
    for site in view.heads():
        sites.setdefault(site.signature, []).append(site)
    # Facts of the state that nothing makes true at the start.
    facts = _terms(view, ("next", "base")) - _terms(view, ("init",))
    for signature, atom in defined.items():
        if signature in needed or signature[0] in KEYWORDS:
            continue
        others = users.get(signature, set()) - {None, signature}
        if others:
            names = ", ".join(sorted(view.name(other) for other in others if other is not None))
            message = f"{view.name(signature)} is used only by {names}, which nothing uses"
            fix = None
        elif signature in facts and all(site.kind == "fact" for site in sites[signature]):
            hint = did_you_mean(f"(init {atom.item})")
            edits = [edit for site in sites[signature] for edit in enclosed(view, site.item, "(init ", ")")]
            message = f"nothing uses {view.name(signature)}{hint}"
            fix = Fix("put it into (init ...)", tuple(edits), guess=True)
        else:
            hint, meant = _unused_hint(view, signature, needed, needs.get(signature, set()), undefined_names)
            message = f"nothing uses {view.name(signature)}{hint}"
            heads = [site.name for site in sites[signature]] if meant else []
            fix = respelled(view, heads, meant)
        yield Diagnostic("unused-relation", message, atom.name.location, fix=fix)


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
) -> tuple[str, str | None]:
    """Suggest, for a relation that nothing uses, a relation that it may be meant to be.

    Return the end of the message, and the name to write in the heads, if any.
    """
    name, arity = signature

    def alike() -> list[str]:
        keywords = [keyword for keyword in TARGETS if KEYWORD_ARITY[keyword] == arity]
        return [other for other, count in needed - own if count == arity] + keywords

    if near := view.suggestions.nearest(name, lambda: undefined_names):
        return f"; {near} is used, but nothing defines it", None
    near = view.suggestions.nearest(name, alike)
    return did_you_mean(near), near


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


def _arguments(count: int) -> str:
    return {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")


def _first(symbol: Symbol, what: str) -> Note:
    return Note(symbol.location, f"here it is {what}" if what.startswith("a ") else f"here it has {what}")
