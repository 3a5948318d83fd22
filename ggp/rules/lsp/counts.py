"""Count the instances of relations, facts and moves, by the Reasoner and by grounding, where that is quick."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, final

from gdl.errors import GdlError
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read
from gdl.language.rules import Signature, signature_text
from gdl.system.childprocess import JSON_LINES, AsyncChild, Parent, end_process
from gdl.terms import shape_of

if TYPE_CHECKING:
    from gdl.language.rulesheet import Rulesheet

#: Limits for counting altogether, in seconds, and for grounding, in ground rules and bytes.
_SECONDS: Final = 10.0
_RULES: Final = 300_000
_MEMORY: Final = 1 << 30


@final
@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of instances by lower-case name and arity. Counts that would have taken too long are missing.

    `static` are relations that never change, `initial` other ones in the initial state; `facts` and `moves` are all
    that can ever be true or made.
    """

    static: dict[Signature, int] = field(default_factory=dict)
    initial: dict[Signature, int] = field(default_factory=dict)
    start: Counter[Signature] = field(default_factory=Counter)
    facts: Counter[Signature] | None = None
    moves: Counter[Signature] | None = None


async def count(text: str) -> Counts:
    """Count the instances in a text in a separate process, which is killed on timeout or cancellation.

    Large relations take much time and memory, and the event loop would be blocked meanwhile.
    """
    child = await AsyncChild.start("ggp.rules.lsp.counts", errors=asyncio.subprocess.DEVNULL)
    counts = Counts()
    try:
        child.send(text)
        async with asyncio.timeout(_SECONDS):
            while True:
                counts = _from_json(await child.receive())
    except (TimeoutError, EOFError):
        pass  # the counts received so far are used
    finally:
        child.kill()
        await child.wait()
    return counts


def main() -> None:
    """Count the instances in a text; send a message per stage, as the next one may take too long."""
    parent = Parent(JSON_LINES)
    text = parent.receive()
    parent.listen()
    for counts in counted(read(source_of(text, "<stdin>"))):
        parent.send(_to_json(counts))
    end_process()


def counted(reading: Reading) -> Iterator[Counts]:
    """Yield the counts after derivation, then after grounding; nothing if the text has errors."""
    if reading.mistakes:
        return
    from gdl.language.rulesheet import Rulesheet
    from gdl.reasoner.reasoner import Reasoner

    try:
        game = Reasoner(Rulesheet.of_source(reading.source))
    except GdlError:
        return
    state = game.initial_state()
    dynamic = game.rulesheet.graph.reaches([("true", 1)])
    counts = Counts(start=Counter(map(shape_of, state)))
    for relation in game.rulesheet.graph.edges:
        variables = " ".join(f"?x{column}" for column in range(relation[1]))
        pattern = f"({relation[0]} {variables})" if relation[1] else relation[0]
        if relation == ("true", 1) or game.depends_on_moves(pattern):
            continue
        try:
            number = len(game.query(pattern, state))
        except GdlError:
            continue
        (counts.initial if relation in dynamic else counts.static)[relation] = number
    yield counts
    yield _grounded(game.rulesheet, counts)


def _grounded(rulesheet: Rulesheet, counts: Counts) -> Counts:
    """Return the counts with those of all facts and moves added, if the rules can be grounded."""
    from gdl.compile_budget import CompileBudget
    from gdl.grounder import ground

    try:
        program = ground(rulesheet, CompileBudget(_SECONDS, _RULES, _MEMORY))
    except GdlError:
        return counts
    moves = Counter(shape_of(move) for move in {move for _, move in program.does})
    return replace(counts, facts=Counter(map(shape_of, program.true)), moves=moves)


def _to_json(counts: Counts) -> dict[str, Any]:
    """Return counts in JSON form, keyed by the text of signatures."""
    found: dict[str, Mapping[Signature, int] | None] = {one.name: getattr(counts, one.name) for one in fields(counts)}
    return {
        name: None if some is None else {signature_text(signature): number for signature, number in some.items()}
        for name, some in found.items()
    }


def _from_json(found: Mapping[str, Mapping[str, int] | None]) -> Counts:
    def counter(name: str) -> Counter[Signature]:
        parts = ((text.rpartition("/"), number) for text, number in (found[name] or {}).items())
        return Counter({(relation, int(arity)): number for (relation, _, arity), number in parts})

    known = {name for name, some in found.items() if some is not None}
    return Counts(
        static=dict(counter("static")),
        initial=dict(counter("initial")),
        start=counter("start"),
        facts=counter("facts") if "facts" in known else None,
        moves=counter("moves") if "moves" in known else None,
    )


if __name__ == "__main__":
    main()
