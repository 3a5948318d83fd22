"""Turn the contents of cells into pieces: each gets its owner, and a short glyph that no other piece has."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from gdl.terms import Constant, name_key
from ggp.board.finding.candidates import Candidate
from ggp.board.finding.facts import Knowledge
from ggp.board.leaves import Leaves, flatten, pick
from ggp.board.model import Piece
from ggp.board.vocabulary import WORDS, colour_word, long_word, shapes_for

BLANK = "."
#: The glyph for facts that consist of a cell only.
PRESENCE = "#"
#: The largest number of contents that get glyphs of their own.
_MAX_PIECES = 2000

#: A number that may have been made black or white, such as `2b`.
_TINTED = re.compile(r"\d+ ?([bw]?)")
_NUMBERED = re.compile(r"(\D+?)(\d+)")


@dataclass(slots=True)
class _Draft:
    """A piece in the making: its words, the role that owns it, and its words without the role's name."""

    identity: tuple[str, Leaves]
    words: tuple[str, ...]
    owner: str | None
    kind: tuple[str, ...]
    blank: bool
    initial: bool
    glyph: str = ""
    colour: str = ""


def make_pieces(known: Knowledge, layers: Sequence[Candidate]) -> dict[tuple[str, Leaves], Piece]:
    """Return the pieces of one board, by the shape of the fact and its content."""
    drafts = []
    owners = _declared_owners(known)
    counts = Counter((one.table.shape, pick(row, one.content)) for one in layers for row in one.table.initial)
    for layer in layers:
        contents = _contents(layer)
        kept = layer.telling()
        initial = {pick(row, layer.content) for row in layer.table.initial}
        for content in contents:
            words = tuple(known.spell(content[layer.content.index(leaf)]) for leaf in kept) or (
                known.spell(layer.name),
            )
            identity = (layer.table.shape, content)
            drafts.append(_Draft(identity, words, None, words, content in layer.blanks, content in initial, BLANK))
    solid = [draft for draft in drafts if not draft.blank]
    _find_owners(solid, known.roles, owners)
    _shorten_kinds(solid)
    different = {(draft.owner, draft.words): draft for draft in solid}
    _give_glyphs(list(different.values()), known.roles)
    for draft in solid:
        draft.glyph = different[draft.owner, draft.words].glyph
    alone = {one for one, number in counts.items() if number == 1}  # an exit, rather than walls
    _write_out(solid, known)
    shapes = _shapes(solid, known)
    for draft in solid:
        plain = not shapes[draft.identity] and not draft.owner
        if plain and (draft.glyph == PRESENCE or (draft.identity not in alone and _is_lasting(known, draft))):
            shapes[draft.identity] = "tile"
    joined = _are_joined(solid, layers)
    return {
        d.identity: Piece(
            " ".join(d.words),
            d.glyph,
            d.owner,
            d.blank,
            "" if d.blank else shapes[d.identity],
            joined and not d.blank,
            colour=d.colour,
        )
        for d in drafts
    }


def _write_out(drafts: Sequence[_Draft], known: Knowledge) -> None:
    """Write out letters that stand for words of the rules, of pieces that no role owns: `w` and `q` in `queen_move`."""
    if any(draft.owner and draft.kind for draft in drafts):
        return  # the letters are those of armies
    tinted = [_TINTED.fullmatch(name_key(" ".join(draft.kind))) for draft in drafts]
    for draft, tint in zip(drafts, tinted, strict=True) if all(tinted) else ():
        draft.colour = {"b": "black", "w": "white"}.get(tint[1] if tint else "", "")
    for draft in drafts:
        if draft.owner is None and len(draft.kind) == 1 and len(draft.kind[0]) == 1:
            word = long_word(name_key(draft.kind[0]), known.spelling.values())
            if word:
                draft.kind, draft.colour = (word,), colour_word(word)


def _is_lasting(known: Knowledge, draft: _Draft) -> bool:
    """Return True for what always stays where it is, and no move names, such as walls: it is named in one fact."""
    shape, content = draft.identity
    if len(content) != 1 or content[0].isdecimal() or any(content[0] in moved for moved in known.moves):
        return False
    for rule in known.rules:
        literals = list(rule.literals())
        if rule.head.signature == ("next", 1) and len(literals) == 1 and not literals[0].negated:
            atom = literals[0].atom
            if atom.signature == ("true", 1) and atom.args == rule.head.args:
                found, leaves = flatten(rule.head.args[0])
                if found == shape and content[0] in leaves:
                    return True
    return False


def _shapes(drafts: Sequence[_Draft], known: Knowledge) -> dict[tuple[str, Leaves], str]:
    """Return the shape of each piece, empty for pieces that have none."""
    roles = known.roles
    kinds = {draft.identity: _kind(draft) for draft in drafts}
    called = shapes_for(kinds.values())
    people = shapes_for(map(name_key, roles))
    shapes = {}
    for draft in drafts:
        kind, owner = name_key(kinds[draft.identity]), name_key(draft.owner or "")
        words = [name_key(word) for word in draft.words if not word.isdecimal()]
        shape = called.get(kind, "") or (WORDS.get(words[0], "") if len(words) == 1 and not owner else "")
        if not shape and owner and kind in ("", owner, owner[0]):
            # A piece named after its role; if the role is named after a colour, a disc of that colour.
            shape = people.get(owner, "disc" if colour_word(owner) else "")
        if not shape and not owner and colour_word(kind):
            shape = "disc"
        shapes[draft.identity] = shape
    crowned = not any(draft.initial for draft in drafts if shapes[draft.identity] == "king")
    if len(roles) > 1 and crowned and set(shapes.values()) - {""} == {"pawn", "king"}:
        # Kings that nobody has at the start are men that were crowned, not those of chess.
        shapes = {identity: "disc" if shape == "pawn" else shape for identity, shape in shapes.items()}
    if len(roles) > 1 and {"disc", "king"} <= set(shapes.values()) <= {"disc", "king", ""}:
        # Next to plain men, a king is a man with a crown.
        shapes = {identity: "crown" if shape == "king" else shape for identity, shape in shapes.items()}
    return shapes


def _kind(draft: _Draft) -> str:
    """Return the name of a piece without its owner: for white, `whiteknight` is a knight and `wn` an n."""
    kind = " ".join(draft.kind)
    initial = name_key((draft.owner or "?")[0])
    return kind[1] if len(kind) == 2 and name_key(kind[0]) == initial else kind


def _are_joined(drafts: Sequence[_Draft], layers: Sequence[Candidate]) -> bool:
    """Return True if pieces cover several cells: numbered, without owners, each in one piece at the start."""
    if len(layers) != 1 or any(draft.owner or not draft.words[0][-1].isdecimal() for draft in drafts):
        return False
    layer = layers[0]
    coordinates = layer.coordinates()
    ranks = [{value: rank for rank, value in enumerate(axis.values)} for axis in layer.axes]
    cells: dict[Leaves, set[tuple[int, ...]]] = defaultdict(set)
    for row in layer.table.initial:
        cell, content = coordinates.get(pick(row, layer.key)), pick(row, layer.content)
        if cell is not None and content not in layer.blanks:
            cells[content].add(tuple(rank[value] for rank, value in zip(ranks, cell, strict=True)))
    # With fewer pieces, or one that is everywhere, this would be a coincidence.
    return len(cells) > 2 and any(len(part) > 1 for part in cells.values()) and all(map(_in_one_piece, cells.values()))


def _in_one_piece(cells: set[tuple[int, ...]]) -> bool:
    reached = {min(cells)}
    edge = list(reached)
    while edge:
        cell = edge.pop()
        near = {other for other in cells - reached if sum(abs(a - b) for a, b in zip(cell, other, strict=True)) == 1}
        reached |= near
        edge += near
    return reached == cells


def _contents(layer: Candidate) -> list[Leaves]:
    """Return all contents that facts can have, in a fixed order."""
    if not layer.content:
        return [()]
    table = layer.table
    rows = table.declared | table.initial
    contents = {pick(row, layer.content) for row in rows}
    if not table.declared:
        domains = [sorted(table.domains[leaf]) for leaf in layer.content]
        count = 1
        for domain in domains:
            count *= len(domain)
        if count <= _MAX_PIECES:
            contents |= set(product(*domains))
    return sorted(contents)[:_MAX_PIECES]


def _declared_owners(known: Knowledge) -> dict[str, set[str]]:
    """Return, for each symbol, the roles next to it in facts of the rules such as `(owns north np)`."""
    owners: dict[str, set[str]] = defaultdict(set)
    roles = {name_key(role): role for role in known.roles}
    for rule in known.rules:
        if rule.body or not 2 <= len(rule.head.args) <= 3 or rule.head.signature[0] in ("goal", "input", "legal"):
            continue
        symbols = [arg.key for arg in rule.head.args if isinstance(arg, Constant)]
        named = [roles[symbol] for symbol in symbols if symbol in roles]
        if len(named) == 1:
            for symbol in symbols:
                if symbol not in roles and not symbol.isdecimal():
                    owners[symbol].add(named[0])
    return owners


def _find_owners(drafts: Sequence[_Draft], roles: Sequence[str], declared: dict[str, set[str]]) -> None:
    """Set each piece's owner, as the rules or its name give it, and its kind, the rest of the name."""
    longest_first = sorted(roles, key=len, reverse=True)
    for draft in drafts:
        for i, word in enumerate(draft.words):
            role = next((r for r in longest_first if name_key(word).startswith(name_key(r))), None)
            if role is not None and (len(role) > 1 or len(word) <= 2):
                rest = word[len(role) :].strip("_-")
                draft.owner = role
                draft.kind = tuple(w for w in (*draft.words[:i], rest, *draft.words[i + 1 :]) if w)
                break
            known = declared.get(name_key(word), set())
            if len(known) == 1:
                draft.owner = next(iter(known))
                break
    _find_abbreviated_owners([draft for draft in drafts if draft.owner is None], roles)


def _find_abbreviated_owners(drafts: Sequence[_Draft], roles: Sequence[str]) -> None:
    """Set owners by initials (`wp` and `w` for white), if all short names on the board can be read that way."""
    initials: dict[str, list[str]] = defaultdict(list)
    for role in roles:
        initials[name_key(role[0])].append(role)
    short = [d for d in drafts if len(d.words) == 1 and len(d.words[0]) <= 2 and not d.words[0].isdecimal()]
    if len(roles) > 1 and all(len(initials.get(name_key(d.words[0][0]), ())) == 1 for d in short):
        for draft in short:
            draft.owner = initials[name_key(draft.words[0][0])][0]


def _shorten_kinds(drafts: Sequence[_Draft]) -> None:
    """Drop attributes that all pieces of a kind have at the start: a (pawn unpromoted) is just a pawn."""
    first: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for draft in drafts:
        if draft.initial and len(draft.kind) > 1:
            first[draft.kind[0]].add(draft.kind)
    for draft in drafts:
        if len(draft.kind) > 1 and first[draft.kind[0]] == {draft.kind}:
            draft.kind = draft.kind[:1]


def _give_glyphs(drafts: Sequence[_Draft], roles: Sequence[str]) -> None:
    """Give each piece the shortest glyph that tells it apart and still resembles its name."""
    single = [d.words[0] for d in drafts if len(d.words) == 1]
    numbered = [_NUMBERED.fullmatch(word) for word in single]
    if len(single) == len(drafts) and all(len(word) <= 2 or word.isdecimal() for word in single):
        for draft in drafts:
            draft.glyph = draft.words[0]
    elif len(single) == len(drafts) > 1 and all(numbered) and len({name_key(m[1]) for m in numbered if m}) == 1:
        for draft, match in zip(drafts, numbered, strict=True):
            draft.glyph = match[2] if match else draft.words[0]
    elif any(d.owner and d.kind and d.kind != d.words for d in drafts):
        _give_army_glyphs(drafts, roles)
    else:
        _give_word_glyphs(drafts)
    taken: set[str] = set()
    for draft in drafts:
        if draft.glyph.lower() in ("", BLANK) or draft.glyph in taken:
            draft.glyph = " ".join(draft.words)
        taken.add(draft.glyph)


def _give_army_glyphs(drafts: Sequence[_Draft], roles: Sequence[str]) -> None:
    """Use a letter for the kind; two armies differ by upper and lower case, more than two by a prefix letter."""
    kinds = _abbreviations(d.kind for d in drafts)
    owners = [role for role in roles if any(d.owner == role for d in drafts)]
    cased = len(owners) <= 2 and all(kinds[d.kind].isalpha() for d in drafts if d.owner and d.kind)
    initials = _abbreviations((role,) for role in owners)
    for draft in drafts:
        glyph = kinds[draft.kind]
        if draft.owner is None:
            draft.glyph = glyph
        elif not draft.kind:
            draft.glyph = initials[(draft.owner,)].upper() if draft.owner == owners[0] else initials[(draft.owner,)]
        elif cased:
            draft.glyph = glyph.upper() if draft.owner == owners[0] else glyph.lower()
        else:
            draft.glyph = initials[(draft.owner,)] + glyph.upper()


def _give_word_glyphs(drafts: Sequence[_Draft]) -> None:
    glyphs = _abbreviations(d.kind or d.words for d in drafts)
    for draft in drafts:
        draft.glyph = PRESENCE if draft.identity[1] == () and len(drafts) == 1 else glyphs[draft.kind or draft.words]


def _abbreviations(names: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Abbreviate names to the joined abbreviations of their words; each word position has letters of its own."""
    unique = list(dict.fromkeys(names))
    places: dict[int, list[str]] = defaultdict(list)
    for name in unique:
        for place, word in enumerate(name):
            places[place].append(word)
    letters = {place: _letters(words) for place, words in places.items()}
    return {name: "".join(letters[place][word] for place, word in enumerate(name)) for name in unique}


def _letters(words: Iterable[str]) -> dict[str, str]:
    """Return one letter per word, the first if possible; numbers and single letters stay as they are."""
    unique = sorted(dict.fromkeys(words), key=lambda word: (len(word) > 1, word.lower()))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for word in unique:
        options = [word] if len(word) == 1 or word.isdecimal() else [c for c in word if c.isalnum()]
        choice = next((option for option in options if option.lower() not in taken), word)
        found[word] = choice
        taken.add(choice.lower())
    return found
