"""Instructions to play a game: its opening comment, then what its rules say about roles, moves, the end and goals.

    print(how_to_play(gdl.Reasoner.load("games/wolf_sheep.kif")).text())

Nothing is invented. Sentences name the relations of the rules in quotation marks; what these mean is said by their
comments in the rule file or, without a comment, by their rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, final

from gdl.checker.domains import Domain, Domains
from gdl.engine import hides_states, is_nature, player_roles
from gdl.errors import GdlError
from gdl.language.rules import Atom, Condition, Literal, Rule, Signature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.terms import Constant, Function, Term, Variable, name_key, shape_of
from ggp.rules.comments import Block, Kind, OpeningComment, opening_comment, relation_comments
from ggp.rules.wording import (
    conditions_in_words,
    counted,
    in_words,
    listed,
    quoted,
    values_in_words,
    variable_name,
)

#: The largest numbers of lines of a section, of alternatives in a sentence, and of characters of a line.
_LINES: Final = 24
_ALTERNATIVES: Final = 12
_LONGEST: Final = 1500

#: The largest numbers of random plies, and of legal moves in them, that are looked at.
_PLIES: Final = 12
_MOVES: Final = 2000

#: Relations that every player knows; they are not explained.
_KNOWN: Final = {("true", 1), ("does", 2), ("role", 1), ("terminal", 0), ("legal", 2), ("goal", 2)}

#: Each role's numbers of legal moves by their kind.
_Counts = dict[str, Counter[Signature]]


@final
@dataclass(frozen=True, slots=True)
class Section:
    """A part of the generated text: a heading and lines."""

    heading: str
    lines: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class HowToPlay:
    """Instructions for a game: the opening comment of its rules, and sections that are generated from them."""

    comment: OpeningComment
    sections: tuple[Section, ...]

    @property
    def first_sentence(self) -> str:
        """The first sentence of the opening comment, or the first line that is generated."""
        return self.comment.first_sentence or next((line for part in self.sections for line in part.lines), "")

    def text(self) -> str:
        """Return everything as plain text; lines are as long as they are."""
        parts = [_block_text(block) for block in self.comment.blocks]
        for section in self.sections:
            parts += [f"\n{section.heading}", *(f"- {line}" for line in section.lines)]
        return "\n".join(parts).strip()

    def data(self) -> dict[str, Any]:
        """Return everything as JSON data."""
        return {
            "title": self.comment.title,
            "first": self.first_sentence,
            "comment": [block.data() for block in self.comment.blocks],
            "sections": [{"heading": part.heading, "lines": list(part.lines)} for part in self.sections],
        }


def how_to_play(game: Reasoner) -> HowToPlay:
    """Return how to play a game."""
    rulesheet = game.rulesheet
    text = rulesheet.source.text
    first = _first_moves(game)
    sections = [
        Section("Roles", tuple(_roles(game, first))),
        Section("Moves", tuple(_moves(rulesheet, first))),
        Section("The end", tuple(_ends(rulesheet))),
        Section("Points", tuple(_goals(rulesheet))),
        Section("In these sentences", tuple(_meanings(rulesheet, relation_comments(text)))),
    ]
    shown = tuple(_shortened(section) for section in sections if section.lines)
    return HowToPlay(opening_comment(text), shown)


# ------------------------------------------------------------------------------------------ roles and moves


def _roles(game: Reasoner, first: _Counts) -> Iterator[str]:
    players = player_roles(game)
    chance = len(players) < len(game.roles)
    if len(players) == 1:
        yield f"{players[0]} plays{', with chance' if chance else ' alone'}."
    elif players:
        yield f"{listed(players)} play{', with chance' if chance else ''}."
        yield from _in_turns(game, players)
    if hides_states(game):
        yield "Players do not see the positions, only what the rules let them see."
    choosing = {role: number for role, moves in first.items() if (number := sum(moves.values())) > 1}
    if len(choosing) > 1:
        numbers = listed([f"{role} has {counted(number, 'move')}" for role, number in choosing.items()])
        yield f"In the first position, {listed(list(choosing))} choose at the same time: {numbers}."
    elif choosing:
        role, number = next(iter(choosing.items()))
        does = "begins" if len(players) > 1 else "has the choice"
        yield f"{role} {does}: {counted(number, 'move')} in the first position."


def _in_turns(game: Reasoner, players: tuple[str, ...]) -> Iterator[str]:
    """Yield who had a choice in a few random plies from the start."""
    random = Random(0)  # the same sentences every time
    state = game.initial_state()
    plies = together = seen = 0
    try:
        while plies < _PLIES and seen < _MOVES and not game.is_terminal(state):
            legal = {role: game.legal_moves(state, role) for role in game.roles}
            seen += sum(map(len, legal.values()))
            together += sum(len(legal[role]) > 1 for role in players) > 1
            state = game.next_state(state, {role: random.choice(moves) for role, moves in legal.items()})
            plies += 1
    except GdlError:
        return  # a fault of the rules that the checker reports
    if plies and not together:
        yield f"They take turns: in {counted(plies, 'random ply', 'random plies')}, one role at a time had a choice."
    elif plies and together == plies:
        yield f"They choose at the same time, as in each of {counted(plies, 'random ply', 'random plies')}."
    elif plies:
        yield f"In {together} of {counted(plies, 'random ply', 'random plies')}, roles had a choice at the same time."


def _first_moves(game: Reasoner) -> _Counts:
    """Return each player's numbers of legal moves of each kind in the first position."""
    state = game.initial_state()
    found: _Counts = {}
    for role in player_roles(game):
        try:
            found[role] = Counter(shape_of(move) for move in game.legal_moves(state, role))
        except GdlError:
            found[role] = Counter()  # a fault of the rules that the checker reports
    return found


def _moves(rulesheet: Rulesheet, first: _Counts) -> Iterator[str]:
    columns = Domains(rulesheet.rules).columns
    if ("legal", 2) not in columns:
        return
    moves = columns["legal", 2][1]
    if ("input", 2) in columns:
        moves = moves.meet(columns["input", 2][1])
    rules = [rule for rule in rulesheet.defining(("legal", 2)) if not _of_nature(rule.head.args[0])]
    alone = sorted(moves.constants)
    places = {shape_of(rule.head.args[1]): place for place, rule in reversed(list(enumerate(rules))) if _is_move(rule)}
    kinds: list[Signature] = sorted(moves.functions, key=lambda kind: places.get(kind, 0))
    kinds += [(name, 0) for name in alone[:_ALTERNATIVES]]
    for kind in kinds:
        making = [rule for rule in rules if _is_move(rule) and shape_of(rule.head.args[1]) == kind]
        if not making and all(map(_is_move, rules)):
            continue  # only chance makes them
        spelled = rulesheet.spelling.get(kind[0], kind[0])
        names = _argument_names(making, kind[1])
        parts = [" ".join((quoted(" ".join((spelled, *names))), *_by(making)))]
        if kind[1]:
            parts.append(_arguments(names, moves.functions[kind], rulesheet.spelling))
        now = [f"{number:,} for {role}" for role, counts in first.items() if kind[1] and (number := counts[kind])]
        if now:
            parts.append(f"in the first position {listed(now)}")
        yield f"{'; '.join(parts)}."
    if len(alone) > _ALTERNATIVES:
        yield f"{len(alone) - _ALTERNATIVES} more moves, each with a name of its own."


def _of_nature(role: Term) -> bool:
    return isinstance(role, Constant) and is_nature(role.text)


def _is_move(rule: Rule) -> bool:
    """Return True if the head of a rule of `legal` says which kind of move it is."""
    return not isinstance(rule.head.args[1], Variable)


def _argument_names(rules: Iterable[Rule], arity: int) -> list[str]:
    """Return names for the arguments of a kind of move: those of the variables, or the constant that all rules have."""
    names: list[str] = []
    for number in range(arity):
        args = [rule.head.args[1].args[number] for rule in rules if isinstance(rule.head.args[1], Function)]
        variables = [variable_name(arg) for arg in args if isinstance(arg, Variable)]
        name = variables[0] if variables else args[0].text if args and len(set(args)) == 1 else f"ARGUMENT{number + 1}"
        names.append(name if name not in names else f"{name}{number + 1}")
    return names


def _arguments(names: Iterable[str], domains: Iterable[Domain], spelled: dict[str, str]) -> str:
    """Return what the arguments can be; those with the same values together."""
    together: dict[str, list[str]] = {}
    for name, domain in zip(names, domains, strict=True):
        values = values_in_words(domain, spelled)
        if values == name:
            continue  # always the same
        together.setdefault(values, []).append(name)
    return ", ".join(f"{listed(own)} {'is' if len(own) == 1 else 'are'} {values}" for values, own in together.items())


def _by(rules: list[Rule]) -> Iterator[str]:
    """Yield who makes moves, if only some roles do, and which facts are needed for it whatever the move."""
    roles = [rule.head.args[0] for rule in rules]
    if roles and all(isinstance(role, Constant) for role in roles):
        yield f"by {listed(list(dict.fromkeys(role.text for role in roles)))}"
    when = [list(_timing(rule)) for rule in rules]
    if when and all(when):
        yield f"only when {' or '.join(dict.fromkeys(map(conditions_in_words, when)))}"


def _timing(rule: Rule) -> Iterator[Condition]:
    """Yield the facts that a rule of `legal` asks for, of which no part belongs to the move."""
    role = rule.head.args[0]
    for literal in rule.literals():
        if literal.atom.signature == ("true", 1) and all(variable == role for variable in literal.variables()):
            yield literal


# ------------------------------------------------------------------------------------------ the end and goals


def _ends(rulesheet: Rulesheet) -> Iterator[str]:
    bodies = [rule.body for rule in rulesheet.defining(("terminal", 0))]
    if not all(bodies):
        yield "The match is over from the start."
    else:
        yield f"The match ends when {_alternatives(bodies, 'or when')}."


def _alternatives(bodies: Iterable[Iterable[Condition]], joined: str) -> str:
    texts = list(dict.fromkeys(conditions_in_words(body) for body in bodies))
    more = [f"in {len(texts) - _ALTERNATIVES} more ways"] if len(texts) > _ALTERNATIVES else []
    return f", {joined} ".join([*texts[:_ALTERNATIVES], *more])


def _goals(rulesheet: Rulesheet) -> Iterator[str]:
    """Yield what each role gets. Rules that ask for a match that goes on say nothing about its end."""
    bodies: dict[tuple[str, str], list[tuple[Condition, ...]]] = {}
    for rule in rulesheet.defining(("goal", 2)):
        role, value = rule.head.args
        if _of_nature(role) or any(_says_it_goes_on(condition) for condition in rule.body):
            continue
        own = tuple(one for one in rule.body if not _is_role(one, role) and not _says_it_ends(one))
        bodies.setdefault((in_words(role), in_words(value)), []).append(own)
    if not bodies:
        yield "The rules do not say what an end is worth."
    for (name, points), found in sorted(bodies.items(), key=lambda item: -_number(item[0][1])):
        if all(found):
            yield f"{name} gets {points} if {_alternatives(found, 'or if')}."
        else:
            yield f"{name} gets {points} at every end."


def _number(value: str) -> int:
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 8 else -1


def _is_role(condition: Condition, role: Term) -> bool:
    return isinstance(condition, Literal) and not condition.negated and condition.atom == Atom("role", (role,))


def _says_it_ends(condition: Condition) -> bool:
    return isinstance(condition, Literal) and condition.atom.signature == ("terminal", 0) and not condition.negated


def _says_it_goes_on(condition: Condition) -> bool:
    return isinstance(condition, Literal) and condition.atom.signature == ("terminal", 0) and condition.negated


# ------------------------------------------------------------------------------------------ meanings


def _meanings(rulesheet: Rulesheet, comments: Mapping[str, str]) -> Iterator[str]:
    """Yield what the relations mean that the sentences about the end and goals name, and what capitals mean."""
    used = [rule for key in (("terminal", 0), ("goal", 2)) for rule in rulesheet.defining(key)]
    # Relations that those with rules but without comments use are explained, too.
    explained: dict[Signature, str] = {}
    while used:
        rule = used.pop(0)
        for literal in rule.literals():
            key = literal.atom.signature
            if key in _KNOWN or key in explained:
                continue
            rules = list(rulesheet.defining(key))
            comment = comments.get(name_key(literal.atom.name))
            explained[key] = comment or _definition(rules)
            if not comment and len(explained) < _ALTERNATIVES:
                used += rules
    yield from filter(None, explained.values())
    if any(
        True
        for rule in (*rulesheet.defining(("terminal", 0)), *rulesheet.defining(("goal", 2)))
        for _ in _variables(rule)
    ):
        yield "Words in capitals stand for anything; in one sentence, the same word stands for the same thing."


def _definition(rules: list[Rule]) -> str:
    """Return the rules of a relation as a sentence; an empty text if it has facts or too many rules."""
    if not rules or not all(rule.body for rule in rules) or len(rules) > _ALTERNATIVES:
        return ""
    head = rules[0].head
    if any(rule.head != head for rule in rules):
        sentences = [f"{_atom(rule.head)} if {conditions_in_words(rule.body)}" for rule in rules]
        return f"{'; '.join(sentences)}."
    return f"{_atom(head)} means {_alternatives([rule.body for rule in rules], 'or')}."


def _atom(atom: Atom) -> str:
    return quoted(in_words(Function(atom.name, atom.args)) if atom.args else atom.name)


def _variables(rule: Rule) -> Iterator[Variable]:
    yield from rule.head.variables()
    for condition in rule.body:
        yield from condition.variables()


# ------------------------------------------------------------------------------------------ text


def _shortened(section: Section) -> Section:
    lines = [line if len(line) <= _LONGEST else f"{line[:_LONGEST].rsplit(' ', 1)[0]} …" for line in section.lines]
    if len(lines) > _LINES:
        lines = [*lines[:_LINES], f"and {len(lines) - _LINES} more, see the rules"]
    return replace(section, lines=tuple(lines))


def _block_text(block: Block) -> str:
    if block.kind is Kind.ROW:
        return f"  {block.subject}  {block.text}"
    return f"{block.text}\n" if block.kind is Kind.DRAWING else block.text
