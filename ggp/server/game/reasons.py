"""The reason for the end of a match: the facts from which the end and the goals follow, and a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from gdl.engine import player_roles
from gdl.explanation.tree import Absence, Derivation, Source
from gdl.language.rules import Atom
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Function, Term, name_key
from ggp.board.words import spaced
from ggp.rules.comments import relation_comments
from ggp.rules.wording import listed

#: How deep the reasons of a reason are looked at, and how many reasons are told.
_DEEP: Final = 4
_MOST: Final = 3

#: Words that only say who has won, which everybody knows.
_WINNING: Final = re.compile(r"(win|wins|won|winner|victory|lose|loses|lost|loser|over|finished|decided|game_?over)s?")

_COUNT: Final = re.compile(r"[A-Za-z]{0,2}\d+")
_COMMENT: Final = re.compile(r"\(?(?P<head>[^():]+)\)?:\s*(?P<text>.+)")

#: Says where a fact is on a board, such as `king on e8`; an empty text if it is on none.
Place = Callable[[Term], str]


def end_of(game: Reasoner, state: State, place: Place = lambda _: "") -> tuple[list[Term], str]:
    """Return the facts on which the end and the goals rest, and why the match is over, as a sentence.

    Both are empty in a state that is not terminal. Raises the errors of `Reasoner.explain`.
    """
    terminal = game.explain("terminal", state)
    if not terminal.derivations:
        return [], ""
    derivation = terminal.derivations[0]
    found = dict.fromkeys(_facts(derivation))
    for role in player_roles(game):
        for goal in game.explain(f"(goal {role} ?value)", state).instances:
            for one in game.explain(str(goal), state).derivations[:1]:
                found.update(dict.fromkeys(_facts(one)))
    reasons = list(dict.fromkeys(_Reasons(game, place).of(derivation, _DEEP)))
    text = listed(reasons[:_MOST])
    return list(found), f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


class _Reasons:
    """Puts the reasons for an end into words: those of the comments in the rules, else those of their names."""

    def __init__(self, game: Reasoner, place: Place) -> None:
        self._roles = {name_key(role) for role in game.roles}
        self._comments = relation_comments(game.rulesheet.source.text)
        self._place = place

    def of(self, derivation: Derivation, deep: int) -> Iterator[str]:
        """Yield the reasons for what has been derived."""
        for premise in derivation.premises:
            if isinstance(premise, Absence):
                yield self._missing(premise.atom)
            elif isinstance(premise, Derivation):
                yield from self._holding(premise, deep)

    def _holding(self, derivation: Derivation, deep: int) -> Iterator[str]:
        atom = derivation.atom
        if derivation.source is Source.STATE:
            fact = atom.args[0]
            if not (isinstance(fact, Function) and name_key(fact.name) == "control"):  # the turn is no reason
                yield self._fact(fact)
            return
        if not any(_facts(derivation)) and not _rests_on_absence(derivation):
            return  # it holds in every state
        text, plain = self._comment(atom), not atom.args or bool(_WINNING.fullmatch(name_key(atom.name)))
        if text and "this " not in text:
            yield text
        elif deep and derivation.premises and (plain or text):
            yield from self.of(derivation, deep - 1)
        elif derivation.source is not Source.FACT:
            yield self._named(atom.name, atom.args)

    def _comment(self, atom: Atom) -> str:
        """Return the first sentence of the comment on a relation, about these arguments."""
        found = _COMMENT.match(self._comments.get(name_key(atom.name), ""))
        if found is None:
            return ""
        text = re.split(r"(?<=\w)[.;](?:\s|$)", found["text"])[0]
        for name, value in zip(found["head"].split()[1:], atom.args, strict=False):
            text = re.sub(rf"\b{re.escape(name)}\b", value.text.replace("\\", ""), text)
        return text

    def _fact(self, fact: Term) -> str:
        if text := self._place(fact):
            return text
        if not isinstance(fact, Function):
            return spaced(fact.text)
        if len(fact.args) == 1 and _COUNT.fullmatch(fact.args[0].text):
            return f"{spaced(fact.name)} {fact.args[0].text} is reached"
        return self._named(fact.name, fact.args)

    def _named(self, name: str, arguments: Sequence[Term]) -> str:
        """Return a relation with its arguments: whose it is comes first."""
        words = [argument.text for argument in arguments]
        whose = [word for word in words if name_key(word) in self._roles]
        rest = [spaced(word) for word in words if name_key(word) not in self._roles]
        return " ".join([*(f"{one}:" for one in whose[:1]), spaced(name), *rest])

    def _missing(self, atom: Atom) -> str:
        if name_key(atom.name) == "true":
            return f"there is no {self._fact(atom.args[0])}"
        if text := self._comment(atom):
            return f"it is not so that {text.partition(',')[0]}"
        words = [argument.text for argument in atom.args]
        whose = next((word for word in words if name_key(word) in self._roles), "")
        name = spaced(atom.name)
        if able := re.fullmatch(r"(?P<who>.*?)\s*\bcan (?P<what>.+)", name):
            return f"{whose or able['who'] or 'nobody'} {'cannot' if whose or able['who'] else 'can'} {able['what']}"
        thing = re.sub(r"^(some|any|has|have)\s*", "", name)
        return f"{whose} has no {thing}" if whose else f"there is no {thing}"


def _rests_on_absence(derivation: Derivation) -> bool:
    return any(
        isinstance(premise, Absence) or (isinstance(premise, Derivation) and _rests_on_absence(premise))
        for premise in derivation.premises
    )


def _facts(derivation: Derivation) -> Iterator[Term]:
    """Yield the facts of the state in a derivation."""
    waiting = [derivation]
    seen: set[int] = set()  # derivations may share parts
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            if one.source is Source.STATE:
                yield one.atom.args[0]
            waiting += [premise for premise in one.premises if isinstance(premise, Derivation)]
