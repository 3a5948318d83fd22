"""How many instances relations, facts and moves have: derived by the Reasoner, and grounded, where that is quick."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, final

from gdl.errors import GdlError
from gdl.language.parser import source_of
from gdl.language.reading import Reading, read
from gdl.language.rules import Signature, signature_text
from gdl.terms import Function, Term

if TYPE_CHECKING:
    from gdl.language.rulesheet import Rulesheet

#: What counting may take altogether, and grounding: seconds, ground rules, bytes.
_SECONDS: Final = 10.0
_RULES: Final = 300_000
_MEMORY: Final = 1 << 30


@final
@dataclass(frozen=True, slots=True)
class Counts:
    """Instances by name without its case and arity. What could not be counted quickly is missing.

    `static` are relations that never change, `initial` others as they are in the initial state; `facts` and `moves`
    are all that may ever be true or done.
    """

    static: dict[Signature, int] = field(default_factory=dict)
    initial: dict[Signature, int] = field(default_factory=dict)
    start: Counter[Signature] = field(default_factory=Counter)
    facts: Counter[Signature] | None = None
    moves: Counter[Signature] | None = None


async def count(text: str) -> Counts:
    """The instances in a text, counted in a process of its own, which ends when its time is over or this is cancelled.

    Large relations take long and much memory, and while Python counts, it answers nobody.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ggp.lsp.counts"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    counts = Counts()
    try:
        async with asyncio.timeout(_SECONDS):
            process.stdin.write(text.encode("utf-8", errors="surrogateescape"))
            process.stdin.close()
            async for line in process.stdout:
                counts = _from_json(json.loads(line))
    except (TimeoutError, OSError, ValueError):
        pass  # what has been counted so far will do
    finally:
        _end(process.pid)
        await process.wait()
    return counts


def _end(process: int) -> None:
    """End a process, and clingo's that it may have started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGTERM)


def main() -> None:
    """Count the instances in standard input: a line for each stage, as the next may take too long."""
    text = sys.stdin.buffer.read().decode("utf-8", errors="surrogateescape")
    for counts in counted(read(source_of(text, "<stdin>"))):
        print(json.dumps(_to_json(counts)), flush=True)


def counted(reading: Reading) -> Iterator[Counts]:
    """The instances in a text, once derived, then grounded; nothing where the text is refused."""
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
    counts = Counts(start=Counter(map(_signature, state)))
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
    """The counts with those of all facts and moves, where the rules can be grounded."""
    from gdl.grounder import Budget, ground

    try:
        program = ground(rulesheet, Budget(_SECONDS, _RULES, _MEMORY))
    except GdlError:
        return counts
    moves = Counter(_signature(move) for move in {move for _, move in program.does})
    return replace(counts, facts=Counter(map(_signature, program.true)), moves=moves)


def _to_json(counts: Counts) -> dict[str, Any]:
    """Counts by the text of signatures."""
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


def _signature(term: Term) -> Signature:
    return (term.name.lower(), len(term.args)) if isinstance(term, Function) else (term.text.lower(), 0)


if __name__ == "__main__":
    main()
